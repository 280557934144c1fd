"""Any folder of masks, with or without photographs, as a source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.sources import (
    IMAGE_SUFFIXES,
    FileEntry,
    index_files,
    list_images,
    read_named_labels,
    read_photo,
    relative_path,
    strip_mark,
)
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette

from ._files import Files, require_label_task

Pairs = tuple[tuple[str, str], ...]

_MASKS = ("masks", "labels", "references", "annotations")
_PHOTOS = ("photos", "images", "pictures")
_LISTED = (*IMAGE_SUFFIXES, ".tif", ".tiff")
"""Masks of unsupported formats are listed as well, and fail when they are read."""
_WHITE = (255, 255, 255)
_OTHER_SIDE = {"left": "right", "right": "left", "l": "r", "r": "l"}
_SIDE = re.compile(r"(?<![^\W_])(?:left|right|l|r)(?![^\W_])")


def open_folder(
    data: Path | None,
    task: str = "semantic",
    *,
    palette: Palette | Path | str | None = None,
    photos: Path | str | None = None,
    ignored: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] | None = None,
) -> Files:
    """A folder with masks in `masks/` and photographs in `photos/`, or both side by side, paired by name.

    Args:
        data: The folder. Side by side, masks have names such as `a_mask.png` beside `a.png`, or are the PNGs among
            JPEGs of the same names; otherwise every image is a mask.
        task: `semantic` or `edges`.
        palette: The palette or its file; `palette.json` in the folder unless given.
        photos: Folder of the photographs, if it is another one.
        ignored: Labels that the robust protocol ignores.
        pairs: Labels that differ only by left and right; detected by name unless given.
    """
    require_label_task("folder", task)
    if data is None or not data.is_dir():
        found = "There is no folder of masks" if data is None else f"{data} is no folder"
        raise PixelProofError(f"{found}: pass the one with the masks as --reference DIR or --data DIR.")
    data = data.absolute()
    colours = _palette(palette, data)
    pairs = sides(colours.labels) if pairs is None else tuple(pairs)
    for label in (*ignored, *(label for pair in pairs for label in pair)):
        colours.index(label)
    masks, pictures = _sorted_out(data, None if photos is None else Path(photos))
    if not masks:
        raise PixelProofError(f"{data} holds no masks: put index or painted PNGs there, or pass another folder.")
    partner = _partners(masks, pictures)
    entries = [
        FileEntry(
            key,
            {"mask": relative_path(path, data)}
            | ({"photo": relative_path(partner[key], data)} if key in partner else {}),
        )
        for key, path in masks.items()
    ]
    notes = _notes(masks, pictures, partner, colours)
    read = partial(_read, colours)
    return Files(
        "folder",
        data,
        tuple(entries),
        palette=colours,
        read=read,
        ignored=frozenset(ignored),
        pairs=pairs,
        notes=notes,
        shuffled=False,
        task=task,
    )


def sides(labels: Sequence[str]) -> Pairs:
    """Pairs of labels that differ only by the words left and right, or l and r.

    >>> sides(["nose", "right_eye", "left_eye", "Left bar", "Right bar", "l ear", "left_over"])
    (('left_eye', 'right_eye'), ('Left bar', 'Right bar'))
    """
    known = {label.lower(): label for label in labels}
    found = []
    for small, label in known.items():
        words = _SIDE.findall(small)
        other = _SIDE.sub(lambda word: _OTHER_SIDE[word[0]], small)
        if words and words[0].startswith("l") and other in known:
            found.append((label, known[other]))
    return tuple(found)


def _palette(given: Palette | Path | str | None, data: Path) -> Palette:
    if isinstance(given, Palette):
        return given
    if given is None and not (data / "palette.json").is_file():
        raise PixelProofError(
            f"There is no palette for {data}: pass --palette FILE, a JSON object {{label: [r, g, b]}} in index order."
        )
    return Palette.read(Path(given or data / "palette.json"))


def _partners(masks: Mapping[str, Path], pictures: Mapping[str, Path]) -> dict[str, Path]:
    """Mask → photograph: by its own name, or else by its name without the mark, unless another mask has that name."""
    found = {}
    for key in masks:
        name = key if key in pictures or strip_mark(key) in masks else strip_mark(key)
        if name in pictures:
            found[key] = pictures[name]
    return found


def _notes(
    masks: Mapping[str, Path], pictures: Mapping[str, Path], partner: Mapping[str, Path], palette: Palette
) -> tuple[str, ...]:
    taken = set(partner.values())
    notes = _unpaired("photographs have no mask", [key for key, path in pictures.items() if path not in taken])
    if pictures:
        notes += _unpaired("masks have no photograph", [key for key in masks if key not in partner])
    coloured = any(len({*colour}) > 1 for colour in palette.colours)  # in a palette of greys, grey masks are painted
    if coloured and _WHITE in palette.colours and any(map(_is_grey, masks.values())):
        white = palette.labels[palette.colours.index(_WHITE)]
        notes.append(
            f"Grey masks are read as ids, where {palette.void} is void and not {white!r}, the white of the palette: "
            "save painted masks as RGB."
        )
    return tuple(notes)


def _unpaired(what: str, keys: list[str]) -> list[str]:
    return [f"{len(keys)} {what}, such as {min(keys)}."] if keys else []


def _is_grey(path: Path) -> bool:
    """Whether a file is a grey PNG, by the colour type in its header."""
    try:
        with path.open("rb") as file:
            head = file.read(26)
    except OSError:
        return False
    return head.startswith(b"\x89PNG") and len(head) == 26 and head[25] in (0, 4)


def _read(palette: Palette, case: Case) -> Frame:
    """Read a case with the palette of the files: the case's palette may have other colours for the same labels."""
    root, files = case.root or Path(), case.details["files"]
    labels = read_named_labels(root / files["mask"], palette)
    photo = read_photo(root / files["photo"], (labels.shape[0], labels.shape[1])) if "photo" in files else None
    return Frame(photo, labels)


def _sorted_out(data: Path, photos: Path | None) -> tuple[dict[str, Path], dict[str, Path]]:
    """Masks and photographs by key."""
    if photos is not None and not photos.is_dir():
        raise PixelProofError(f"There is no folder {photos}: pass the one with the photographs.")
    masks_in = next((data / name for name in _MASKS if (data / name).is_dir()), data)
    photos_in = photos.absolute() if photos else next((data / name for name in _PHOTOS if (data / name).is_dir()), data)
    masks, pictures = _files(masks_in, _LISTED), _files(photos_in, IMAGE_SUFFIXES)
    if masks_in == photos_in:
        masks = _among_photographs(masks)
    elif masks_in == data:
        masks = [path for path in masks if not path.is_relative_to(photos_in)]
    taken = set(masks)
    return index_files(masks, masks_in), index_files([path for path in pictures if path not in taken], photos_in)


def _files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return [path for path in list_images(folder, suffixes) if path.is_file()]


def _among_photographs(paths: Sequence[Path]) -> list[Path]:
    """The masks of a folder that may also hold photographs: all files, unless their names identify the masks."""
    marked = [path for path in paths if strip_mark(path.stem) != path.stem]
    others = set(paths) - set(marked)
    names = {path.with_suffix("") for path in others}
    paired = [path for path in marked if path.with_name(strip_mark(path.stem)) in names]
    if paired and (len(paired) == len(marked) or _are_jpegs(others)):
        return marked
    if max(Counter(path.with_suffix("") for path in paths).values(), default=0) > 1:
        return [path for path in paths if path.suffix.lower() == ".png"] or list(paths)
    return list(paths)


def _are_jpegs(paths: Iterable[Path]) -> bool:
    return all(path.suffix.lower() in (".jpg", ".jpeg") for path in paths)
