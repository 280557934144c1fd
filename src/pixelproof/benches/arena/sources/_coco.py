"""COCO panoptic val2017 in its official layout, flattened to one label per pixel."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Case, Frame, Pixels
from pixelproof.benches.arena.palettes import design
from pixelproof.benches.sources import FileEntry, read_named_image, read_photo, require_folder
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette
from pixelproof.store import asset_path

from ._files import Files, require_label_task

Colour = tuple[int, int, int]

OTHER = "other"
_TABLE = "annotations/panoptic_val2017.json"
_MAPS = "annotations/panoptic_val2017"
_COLOURS = "annotations/panoptic_coco_categories.json"
_ASSET = "coco-colours"
_STEPS = (
    "download http://images.cocodataset.org/zips/val2017.zip and "
    "http://images.cocodataset.org/annotations/panoptic_annotations_trainval2017.zip (the links on "
    "https://cocodataset.org/#download), unzip both into one folder and there annotations/panoptic_val2017.zip into "
    "annotations/, so that it holds val2017/*.jpg, annotations/panoptic_val2017.json and "
    "annotations/panoptic_val2017/*.png"
)
_PUBLISHED_SEED, _PUBLISHED, _PUBLISHED_SIDE = 77, 150, 1024
_WHOLE = 5000
"""Number of images in val2017."""


def open_coco(data: Path | None, task: str = "semantic") -> Files:
    """All 5,000 images of val2017, unchanged."""
    return _open(data, task, published=False)


def open_published(data: Path | None, task: str = "semantic") -> Files:
    """PixelArena's subset of 150 images, cropped to the central square and resized to 1024 × 1024 as published."""
    return _open(data, task, published=True)


def _open(data: Path | None, task: str, published: bool) -> Files:
    require_label_task("coco", task)
    name = "coco-pixelarena" if published else "coco"
    root = require_folder(data, name, ("val2017", _TABLE, _MAPS), _STEPS)
    table = _read_json(root / _TABLE)
    try:
        names = {int(kind["id"]): str(kind["name"]) for kind in table["categories"]}
        order = {id: place for place, id in enumerate(sorted(names), 1)}
        files = {image["id"]: str(image["file_name"]) for image in table["images"]}
        things = {int(kind["id"]) for kind in table["categories"] if kind.get("isthing", 1)}
        known = {
            files[note["image_id"]]: _entry(files[note["image_id"]], note, order, things)
            for note in table["annotations"]
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PixelProofError(
            f"{root / _TABLE} is not COCO's table of panoptic segments ({error!r}): download it again, or {_STEPS}."
        ) from error
    chosen = _published(sorted(files.values())) if published else sorted(known)
    palette, note = _palette(root, names)
    notes = [note] if note else []
    if published and len(files) != _WHOLE:
        notes.append(f"The table has {len(files):,} images and not {_WHOLE:,}, so the subset is not PixelArena's.")
    return Files(
        name,
        root,
        tuple(known[name] for name in chosen if name in known),
        palette=palette,
        read=_read,
        ignored=frozenset({OTHER}),
        stuff=frozenset(_word(name) for id, name in names.items() if id not in things),
        has_instances=True,
        notes=tuple(notes),
        shuffled=not published,
        options={"side": _PUBLISHED_SIDE} if published else {},
        task=task,
    )


def _entry(file: str, annotation: Mapping[str, Any], order: Mapping[int, int], things: Set[int]) -> FileEntry:
    """An image with the labels of its segments, and with the numbers of those that are objects (-1 for crowds)."""
    segments: dict[str, int] = {}
    objects: dict[str, int] = {}
    for number, segment in enumerate(annotation["segments_info"], 1):
        id, category = str(int(segment["id"])), int(segment["category_id"])
        segments[id] = order[category]
        if category in things:
            objects[id] = -1 if segment.get("iscrowd", 0) else number
    paths = {"photo": f"val2017/{file}", "map": f"{_MAPS}/{annotation['file_name']}"}
    return FileEntry(Path(file).stem, paths, {"segments": segments, "objects": objects})


def _published(names: Sequence[str]) -> list[str]:
    """PixelArena's subset: sorted names, sampled without replacement by Python's generator with its seed."""
    return sorted(random.Random(_PUBLISHED_SEED).sample(names, min(_PUBLISHED, len(names))))


def _palette(root: Path, names: Mapping[int, str]) -> tuple[Palette, str]:
    """COCO's official colours if they are available, otherwise a designed palette with a remark."""
    labels = (OTHER, *(_word(names[id]) for id in sorted(names)))
    own = official_colours(root / _COLOURS)
    if not own:
        return design(labels), (
            "COCO's official colours, which PixelArena used, are missing, so a designed palette is used; to get them, "
            f"run pixelproof data assets get {_ASSET}, or put panoptic_coco_categories.json of "
            "https://github.com/cocodataset/panopticapi into annotations/."
        )
    if missing := [name for name in names.values() if name not in own]:
        raise PixelProofError(f"COCO's official colours lack {missing[0]!r}: remove {root / _COLOURS}.")
    return Palette(labels, ((0, 0, 0), *(own[names[id]] for id in sorted(names)))), ""


def official_colours(path: Path | None = None) -> dict[str, Colour]:
    """Category → official colour, from COCO's file or the asset; empty if neither is available.

    Raises:
        PixelProofError: The file is there, but not COCO's.
    """
    if path is not None and path.exists():
        try:
            return {str(kind["name"]): _colour(kind["color"]) for kind in _read_json(path)}
        except (KeyError, TypeError, ValueError) as error:
            raise PixelProofError(f"{path} is not COCO's table of colours ({error!r}): download it again.") from error
    try:
        tree = ast.parse(asset_path(_ASSET).read_text("utf-8"))
    except PixelProofError:
        return {}
    for node in ast.walk(tree):  # only the table is parsed; nothing is executed
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "METAINFO":
            table = ast.literal_eval(node.value)
            return dict(zip(table["classes"], map(_colour, table["palette"]), strict=True))
    return {}


def _colour(values: Sequence[Any]) -> Colour:
    red, green, blue = (int(value) for value in values)
    return red, green, blue


def _word(name: str) -> str:
    return name.removesuffix("-merged")


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}): download it again.") from error


def _read(case: Case) -> Frame:
    root, files, side = case.root or Path(), case.details["files"], case.details["way"].get("side")
    coded = read_named_image(root / files["map"])
    labels = flattened(coded, case.details["segments"])
    objects = flattened(coded, case.details.get("objects", {}), np.int32)
    photo = read_photo(root / files["photo"], (labels.shape[0], labels.shape[1]))
    if side:
        photo, labels, objects = (_squared(layer, side) for layer in (photo, labels, objects))
    return Frame(photo, labels, instances=objects)


def flattened(coded: Pixels, segments: Mapping[str, int], kind: type[np.integer[Any]] = np.uint8) -> Any:
    """Label, or other number, of each pixel's segment, whose id is encoded in its colour; 0 without a segment.

    >>> flattened(np.array([[[1, 1, 0], [9, 0, 0]]], np.uint8), {"257": 4}).tolist()
    [[4, 0]]
    """
    parts = coded.reshape(-1, 3).astype(np.int32)
    numbers = parts[:, 0] | parts[:, 1] << 8 | parts[:, 2] << 16
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))  # there are far fewer runs than pixels
    found, places = np.unique(numbers[starts], return_inverse=True)
    labels = np.array([segments.get(str(number), 0) for number in found.tolist()], kind)
    return labels[places].repeat(np.diff(starts, append=len(numbers))).reshape(coded.shape[:2])


def _squared(pixels: npt.NDArray[Any], side: int) -> npt.NDArray[Any]:
    """The central square, resized by nearest neighbour."""
    height, width = pixels.shape[:2]
    short = min(height, width)
    top, left = (height - short) // 2, (width - short) // 2
    steps = ((np.arange(side) + 0.5) * short / side).astype(int)
    return np.ascontiguousarray(pixels[top + steps][:, left + steps])
