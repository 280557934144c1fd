"""Answers that exist: pictures named like the references they answer."""

from __future__ import annotations

import os
from pathlib import Path

from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError
from pixelproof.pixels import media_type_of

_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
_NAMES = (
    "{key}.{sample}",
    "{key}_{sample}",
    "{key}.mask.{sample}.raw",
    "{key}.mask.{sample}",
    "{key}.mask.{sample}.pred",
)
"""How the answer to a sample may be called, without its extension; the later ones as PixelArena writes them."""
_FIRST = ("{key}", "{key}.mask", "{key}_mask")
"""How the first, or only, one may be called besides."""
_LARGEST = 64 * 2**20


class Existing:
    """A folder of answers."""

    def __init__(self, folder: Path) -> None:
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            raise PixelProofError(
                f"The answers {folder} cannot be read ({error.strerror}): give a folder of pictures."
            ) from error
        self._folder = folder
        self._files: dict[str, list[str]] = {}
        for name in names:
            stem, extension = os.path.splitext(name)
            if extension.lower() in _PICTURES:
                self._files.setdefault(stem, []).append(name)
        if not self._files:
            raise PixelProofError(f"{folder} holds no pictures: give the folder with the answers.")

    def answer(self, key: str, sample: int) -> Answer:
        """The answer to a case; what is missing or cannot be read is no verdict on the model."""
        forms = _NAMES if sample else (*_NAMES, *_FIRST)
        stems = [stem for form in forms if (stem := form.format(key=key, sample=sample)) in self._files]
        if not stems:
            return _lost("missing-file", f"{self._folder} has no {key}.png, {key}.{sample}.png or the like")
        names = self._files[stems[0]]
        if len(names) > 1:
            return _lost("two-files", f"{' and '.join(names)} answer the same picture: keep one of them")
        path = self._folder / names[0]
        try:
            if not path.is_file():  # opening a pipe would wait for ever
                return _lost("unreadable-file", f"{path} is not a file")
            if path.stat().st_size > _LARGEST:
                return _lost("unreadable-file", f"{path} has more than {_LARGEST >> 20} MB")
            data = path.read_bytes()
        except OSError as error:
            return _lost("unreadable-file", f"{path} cannot be read: {error.strerror}")
        return Answer(images=(Artefact(data, media_type_of(data)),))


def _lost(name: str, detail: str) -> Answer:
    return Answer(failure=Failure(Fault.INFRASTRUCTURE, name, detail))
