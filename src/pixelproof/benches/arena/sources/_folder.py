"""Any folder of masks, with or without photographs, as a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette

from ._files import Entry, Files, by_name, inside, label_map, photograph, pictures_in

_MASKS = ("masks", "labels", "references", "annotations")
_PHOTOS = ("photos", "images", "pictures")
_MARK = re.compile(r"[._-](?:masks?|labels?|gt|seg|ref(?:erence)?)$", re.IGNORECASE)
"""What tells a mask from its photograph in the names of files, such as `_mask`."""


def open_folder(
    data: Path | None,
    task: str = "semantic",
    *,
    palette: Palette | Path | str | None = None,
    photos: Path | str | None = None,
    ignored: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
) -> Files:
    """A folder: masks in `masks/`, photographs in `photos/`, or both side by side, paired by name.

    Args:
        data: The folder. Side by side, masks have names such as `a_mask.png` or `a.mask.png`, or else are the PNGs
            among JPEGs; a folder of nothing but PNGs is one of masks.
        task: `semantic`.
        palette: The palette or its file; `palette.json` in the folder unless given.
        photos: Where photographs are, if not in the folder.
        ignored: Labels that the robust protocol leaves out.
        pairs: Labels that differ by left and right alone.
    """
    if task != "semantic":
        raise PixelProofError(f"A folder of masks serves the task 'semantic' alone, not {task!r}.")
    if data is None or not data.is_dir():
        raise PixelProofError(
            f"{'The source folder' if data is None else data} is no folder: name one that holds masks, and a palette "
            "(a JSON object label: [r, g, b])."
        )
    data = data.absolute()
    colours = palette if isinstance(palette, Palette) else Palette.read(Path(palette or data / "palette.json"))
    for label in (*ignored, *(label for pair in pairs for label in pair)):
        colours.index(label)
    masks, pictures = _sorted_out(data, None if photos is None else Path(photos))
    if not masks:
        raise PixelProofError(f"{data} holds no masks: put index or painted PNGs there, or name another folder.")
    entries = [
        Entry(key, {"mask": inside(path, data)} | ({"photo": inside(pictures[key], data)} if key in pictures else {}))
        for key, path in masks.items()
    ]
    notes = _unpaired("photographs have no mask", set(pictures) - set(masks))
    if pictures:
        notes += _unpaired("masks have no photograph", set(masks) - set(pictures))
    read = partial(_read, colours)
    return Files("folder", data, colours, tuple(entries), read, frozenset(ignored), tuple(pairs), tuple(notes), False)


def _unpaired(what: str, keys: set[str]) -> list[str]:
    return [f"{len(keys)} {what}, such as {min(keys)}."] if keys else []


def _read(palette: Palette, case: Case) -> Frame:
    """With the palette of the files: that of the case may have other colours for the same labels."""
    root, files = case.root or Path(), case.details["files"]
    labels = label_map(root / files["mask"], palette)
    photo = photograph(root / files["photo"], (labels.shape[0], labels.shape[1])) if "photo" in files else None
    return Frame(photo, labels)


def _sorted_out(data: Path, photos: Path | None) -> tuple[dict[str, Path], dict[str, Path]]:
    """Masks and photographs by their common names."""
    if photos is not None and not photos.is_dir():
        raise PixelProofError(f"There is no folder {photos}: name the one that holds the photographs.")
    masks_in = next((data / name for name in _MASKS if (data / name).is_dir()), data)
    photos_in = photos or next((data / name for name in _PHOTOS if (data / name).is_dir()), data)
    masks, pictures = pictures_in(masks_in), pictures_in(photos_in)
    if masks_in == photos_in:
        marked = [path for path in masks if _MARK.search(path.stem)]
        masks = marked or [path for path in masks if path.suffix.lower() == ".png"]
    elif masks_in == data:
        masks = [path for path in masks if not path.is_relative_to(photos_in)]
    taken = set(masks)
    return by_name(masks, masks_in, _MARK), by_name([path for path in pictures if path not in taken], photos_in)
