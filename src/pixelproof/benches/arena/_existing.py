"""Answers that exist: pictures named like the references they answer."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from pixelproof.benches.arena._names import aliases, name_of, owners, pictures_in
from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError
from pixelproof.pixels import media_type_of

_SAMPLES = ("{name}.{sample}", "{name}_{sample}")
"""How the answer to a sample may be called, without its extension."""
_FIRST = ("{name}", "{name}.mask", "{name}_mask")
"""How the first, or only, one may be called besides."""
_PUBLISHED = ("{name}.mask.{sample}.raw", "{name}.mask.{sample}", "{name}.mask.{sample}.pred")
"""As PixelArena writes one answer thrice; what came from the model goes first."""
_NUMBERED = re.compile(r"(?P<name>.+?)(?:\.mask)?[._](?P<sample>\d+)(?:\.raw|\.pred)?")
_LARGEST = 64 * 2**20

Index = Mapping[str, list[str]]
"""Name, without the extension → files."""


class Existing:
    """A folder of answers."""

    def __init__(self, folder: Path, keys: Collection[str] = ()) -> None:
        """List the answers.

        Args:
            folder: Where they lie.
            keys: The names of all references, so that `a.0.png` is not taken for a sample of `a` if it answers `a.0`.
        """
        try:
            os.listdir(folder)
        except OSError as error:
            raise PixelProofError(
                f"The answers {folder} cannot be read ({error.strerror}): give a folder of pictures."
            ) from error
        self._folder, self._keys, self._owners = folder, keys, owners(keys)
        self._files: dict[str, list[str]] = {}
        self._inside: dict[str, list[str]] = {}
        """By the name less its folders; for references that have none."""
        nested = any("/" in key for key in keys)
        for path in pictures_in(folder):
            name, file = name_of(path, folder), path.relative_to(folder).as_posix()
            self._files.setdefault(name, []).append(file)
            if "/" in name and not nested:
                self._inside.setdefault(name.rpartition("/")[2], []).append(file)
        if not self._files:
            raise PixelProofError(f"{folder} holds no pictures: give the folder with the answers.")

    def answer(self, key: str, sample: int) -> Answer:
        """The answer to a case; what is missing, there twice, or cannot be read is no verdict on the model."""
        files = self._answering(key, sample)
        if not files:
            return _lost("missing-file", f"{self._folder} has no {key}.png, {key}.{sample}.png or the like")
        if len(files) > 1:
            both = f"{', '.join(files[:-1])} and {files[-1]}"
            return _lost("two-files", f"{both} in {self._folder} answer the same picture: keep one of them")
        path = self._folder / files[0]
        try:
            if not path.is_file():  # opening a pipe would wait for ever
                return _lost("unreadable-file", f"{path} is not a file")
            if path.stat().st_size > _LARGEST:
                return _lost("unreadable-file", f"{path} has more than {_LARGEST >> 20} MB")
            data = path.read_bytes()
        except OSError as error:
            return _lost("unreadable-file", f"{path} cannot be read: {error.strerror}")
        return Answer(images=(Artefact(data, media_type_of(data)),))

    def remarks(self, samples: int = 1) -> tuple[str, ...]:
        """What was left unread, in sentences: answers to no reference, and samples beyond those asked for."""
        used = {file for key in self._keys for sample in range(samples) for file in self._answering(key, sample)}
        strangers, further, most = [], [], 0
        for name, files in self._files.items():
            if left := [file for file in files if file not in used]:
                sample = self._sample_of(name)
                if sample is None:
                    strangers += left
                elif sample >= samples:
                    further += left
                    most = max(most, sample + 1)
        found = []
        if strangers:
            found.append(f"{len(strangers)} pictures in {self._folder} answer no reference, such as {strangers[0]}.")
        if further:
            found.append(
                f"{len(further)} further samples in {self._folder} were not asked for, such as {further[0]}: "
                f"--samples {most} counts them."
            )
        return tuple(found)

    def _sample_of(self, name: str) -> int | None:
        """Which sample of some reference a name would be."""
        numbered = _NUMBERED.fullmatch(name.rpartition("/")[2] if self._inside else name)
        return int(numbered["sample"]) if numbered and self._owners.get(numbered["name"]) else None

    def _answering(self, key: str, sample: int) -> list[str]:
        """The files that answer a case: by the name of its reference as it is, or else by what may stand for it."""
        for index in (self._files, self._inside):
            for name in aliases(key):
                if self._is_of(key, name) and (files := self._called(index, key, name, sample)):
                    return files
        return []

    def _called(self, index: Index, key: str, name: str, sample: int) -> list[str]:
        def there(forms: tuple[str, ...]) -> list[str]:
            names = [form.format(name=name, sample=sample) for form in forms]
            return [one for one in names if one in index and self._is_of(key, one)]

        found = there(_SAMPLES if sample else (*_FIRST, *_SAMPLES)) + there(_PUBLISHED)[:1]
        return [file for one in found for file in index[one]]

    def _is_of(self, key: str, name: str) -> bool:
        """Whether no other reference has a better claim to a name."""
        return self._owners.get(name, key) == key


def _lost(name: str, detail: str) -> Answer:
    return Answer(failure=Failure(Fault.INFRASTRUCTURE, name, detail))
