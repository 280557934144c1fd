"""Cityscapes in its official layout: streets in 19 classes, the rest void."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.sources import FileEntry, read_id_map, read_photo, require_folder
from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID, Palette

from ._files import Files, require_label_task

_STEPS = (
    "register at https://www.cityscapes-dataset.com/downloads/, download leftImg8bit_trainvaltest.zip and "
    "gtFine_trainvaltest.zip and unzip both into one folder, so that it holds "
    "leftImg8bit/val/frankfurt/…_leftImg8bit.png and gtFine/val/frankfurt/…_gtFine_labelIds.png"
)
_PHOTO, _MASK = "_leftImg8bit.png", "_gtFine_labelIds.png"
CLASSES = {
    7: ("road", (128, 64, 128)),
    8: ("sidewalk", (244, 35, 232)),
    11: ("building", (70, 70, 70)),
    12: ("wall", (102, 102, 156)),
    13: ("fence", (190, 153, 153)),
    17: ("pole", (153, 153, 153)),
    19: ("traffic light", (250, 170, 30)),
    20: ("traffic sign", (220, 220, 0)),
    21: ("vegetation", (107, 142, 35)),
    22: ("terrain", (152, 251, 152)),
    23: ("sky", (70, 130, 180)),
    24: ("person", (220, 20, 60)),
    25: ("rider", (255, 0, 0)),
    26: ("car", (0, 0, 142)),
    27: ("truck", (0, 0, 70)),
    28: ("bus", (0, 60, 100)),
    31: ("train", (0, 80, 100)),
    32: ("motorcycle", (0, 0, 230)),
    33: ("bicycle", (119, 11, 32)),
}
"""Official id → name and colour of each class that is evaluated."""
_PALETTE = Palette(*(tuple(column) for column in zip(*CLASSES.values(), strict=True)))
_TABLE = np.full(256, VOID, np.uint8)
_TABLE[list(CLASSES)] = range(len(CLASSES))


def open_cityscapes(data: Path | None, task: str = "semantic", *, split: str = "val") -> Files:
    """Streets.

    Args:
        data: The folder of the unzipped files.
        task: `semantic` or `edges`.
        split: `val` or `train`; the masks of `test` are not published.
    """
    require_label_task("cityscapes", task)
    photos, masks = f"leftImg8bit/{split}", f"gtFine/{split}"
    root = require_folder(data, "cityscapes", (photos, masks), _STEPS)
    entries = []
    for path in sorted((root / masks).glob(f"*/*{_MASK}")):
        city, key = path.parent.name, path.name.removesuffix(_MASK)
        paths = {"photo": f"{photos}/{city}/{key}{_PHOTO}", "mask": path.relative_to(root).as_posix()}
        entries.append(FileEntry(key, paths, tags={"city": city}))
    if not entries:
        raise PixelProofError(f"{root / masks} holds no masks such as frankfurt/…{_MASK}: {_STEPS}.")
    return Files("cityscapes", root, tuple(entries), palette=_PALETTE, read=_read, task=task)


def _read(case: Case) -> Frame:
    root, files = case.root or Path(), case.details["files"]
    labels = _TABLE[read_id_map(root / files["mask"])]
    return Frame(read_photo(root / files["photo"], (labels.shape[0], labels.shape[1])), labels)
