"""Folders of answers: images named like the references that they answer."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from pixelproof.contract import Answer, PixelProofError

from ._answer_files import UNSUPPORTED, AnswerEntry, lost_answer, read_answer_files, type_failure
from ._file_names import IMAGE_SUFFIXES, aliases, key_of, list_images, owners

_SAMPLES = ("{name}.{sample}", "{name}_{sample}")
"""Names of the answer to a sample, without extension."""
_FIRST = ("{name}", "{name}.mask", "{name}_mask")
"""Further names of the first, or only, answer."""
_PUBLISHED = ("{name}.mask.{sample}.raw", "{name}.mask.{sample}", "{name}.mask.{sample}.pred")
"""Names of PixelArena, which writes each answer three times; the model's own output comes first."""
_NUMBERED = re.compile(r"(?P<name>.+?)(?:\.mask)?[._](?P<sample>\d+)(?:\.raw|\.pred)?")

Index = Mapping[str, list[str]]
"""Name, without the extension → files."""


class ReferenceAnswers:
    """Images named like references, with `.0`, `.1` … for several samples, in a folder or its sub-folders.

    The folder is listed once; files are read when they are asked for, under the limits of `AnswerFolder`.
    """

    def __init__(self, folder: Path, keys: Collection[str] = ()) -> None:
        """List the answers.

        Args:
            folder: The folder.
            keys: Keys of all references, so that `a.0.png` is not taken for a sample of `a` if it answers `a.0`.

        Raises:
            PixelProofError: The folder cannot be read, or holds no images.
        """
        try:
            os.listdir(folder)
        except OSError as error:
            raise PixelProofError(
                f"The answers {folder} cannot be read ({error.strerror}): pass a folder of images."
            ) from error
        self._folder, self._keys, self._owners = folder, keys, owners(keys)
        self._files: dict[str, list[str]] = {}
        self._inside: dict[str, list[str]] = {}
        """Files by name without folders, for references that are in none."""
        nested = any("/" in key for key in keys)
        for path in list_images(folder, tuple({*IMAGE_SUFFIXES, *UNSUPPORTED})):
            name, file = key_of(path, folder), path.relative_to(folder).as_posix()
            self._files.setdefault(name, []).append(file)
            if "/" in name and not nested:
                self._inside.setdefault(name.rpartition("/")[2], []).append(file)
        if not self._files:
            raise PixelProofError(f"{folder} holds no images: pass the folder with the answers.")

    def answer(self, key: str, sample: int) -> Answer:
        """Read the answer to a reference; a missing, ambiguous or unreadable file is an infrastructure failure."""
        files = self._answering(key, sample)
        if not files:
            return lost_answer("missing-file", f"{self._folder} has no {key}.png, {key}.{sample}.png or the like")
        images = tuple(file for file in files if file.lower().endswith(IMAGE_SUFFIXES))
        if not images:
            return Answer(failure=type_failure(files[0]))
        return read_answer_files(self._folder, AnswerEntry(images=images), f"sample {sample} of {key}")

    def remarks(self, samples: int = 1) -> tuple[str, ...]:
        """Remarks on unused files: answers to no reference, and samples beyond the requested ones."""
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
        remarks = []
        if strangers:
            remarks.append(f"{len(strangers)} images in {self._folder} answer no reference, such as {strangers[0]}.")
        if further:
            remarks.append(
                f"{len(further)} further samples in {self._folder} were not requested, such as {further[0]}: "
                f"--samples {most} includes them."
            )
        return tuple(remarks)

    def _sample_of(self, name: str) -> int | None:
        """The sample of a reference that a name stands for; None if it stands for none."""
        numbered = _NUMBERED.fullmatch(name.rpartition("/")[2] if self._inside else name)
        return int(numbered["sample"]) if numbered and self._owners.get(numbered["name"]) else None

    def _answering(self, key: str, sample: int) -> list[str]:
        """The files that answer a reference, by its own name or else by an alias."""
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
        """Whether a name belongs to a reference and not to another one."""
        return self._owners.get(name, key) == key
