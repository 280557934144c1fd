"""Sources by name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pixelproof.benches.arena._case import FrameSource
from pixelproof.contract import unknown_name

TASKS = ("semantic", "referring", "depth", "normals", "edges", "keypoints")

SOURCES: Mapping[str, str] = {
    "world": "tabletops, rooms and shelves, generated from a seed, with exact truth",
    "arena-v1": "the frozen set: 60 scenes of `world` that never change, each verified before it is used",
    "flat": "coloured shapes, generated from a seed, which need no extra; the default without the extra 'world'",
    "collage": "cut-outs on backgrounds, generated from a seed: built-in objects, or those of --data DIR",
    "coco": "COCO panoptic val2017 in its official layout (--data DIR)",
    "coco-pixelarena": "PixelArena's subset of 150 COCO images, cropped and resized as published",
    "celeb": "CelebAMask-HQ, faces in 19 labels, in its official layout (--data DIR)",
    "cityscapes": "Cityscapes, streets in 19 labels, in its official layout (--data DIR)",
    "ade20k": "ADE20K of the scene-parsing challenge, 150 labels, in its official layout (--data DIR)",
    "folder": "any folder of masks, with or without photographs, and a palette (--data DIR)",
}
"""Name → one line of help; the first is the default."""

_OPENERS = {
    "world": "_world:open_world",
    "arena-v1": "_world:open_frozen",
    "flat": "_flat:open_flat",
    "collage": "_collage:open_collage",
    "coco": "_coco:open_coco",
    "coco-pixelarena": "_coco:open_published",
    "celeb": "_celeb:open_celeb",
    "cityscapes": "_cityscapes:open_cityscapes",
    "ade20k": "_ade20k:open_ade",
    "folder": "_folder:open_folder",
}
"""Name → module and function; imported on first use, because worlds take long to import."""


def open_source(name: str, data: Path | None = None, task: str = "semantic", **options: Any) -> FrameSource:
    """Open a source of images with their truth.

    Args:
        name: In `SOURCES`.
        data: Folder of a data set; generated sources need none.
        task: One of `TASKS`.
        options: Further options of the source, as in its documentation.

    Raises:
        PixelProofError: There is no such source, task or option, or its files are missing; the message says how to get
            them.
    """
    if name not in _OPENERS:
        raise unknown_name("source", name, SOURCES)
    if task not in TASKS:
        raise unknown_name("task", task, TASKS)
    module, _, opener = _OPENERS[name].partition(":")
    found = getattr(importlib.import_module(f"{__package__}.{module}"), opener)
    known = [option for option in inspect.signature(found).parameters if option not in ("data", "task")]
    if unknown := [option for option in options if option not in known]:
        raise unknown_name(f"{name} option", unknown[0], known)
    source: FrameSource = found(data, task, **options)
    return source
