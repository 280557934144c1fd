"""CelebAMask-HQ in its official layout: faces, with a file for each part of each face."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from pixelproof.benches.arena._case import Case, Frame, Labels
from pixelproof.benches.arena.palettes import FACES
from pixelproof.benches.sources import FileEntry, read_named_image, read_photo, require_folder
from pixelproof.contract import PixelProofError

from ._files import Files, require_label_task

_PHOTOS, _PARTS = "CelebA-HQ-img", "CelebAMask-HQ-mask-anno"
_STEPS = (
    "request CelebAMask-HQ.zip as https://github.com/switchablenorms/CelebAMask-HQ describes and unzip it, so that a "
    f"folder holds {_PHOTOS}/0.jpg … and {_PARTS}/0/00000_skin.png …"
)
PARTS: Mapping[str, str] = {
    "skin": "skin",
    "nose": "nose",
    "eye_g": "eye_glass",
    "l_eye": "left_eye",
    "r_eye": "right_eye",
    "l_brow": "left_eyebrow",
    "r_brow": "right_eyebrow",
    "l_ear": "left_ear",
    "r_ear": "right_ear",
    "mouth": "mouth",
    "u_lip": "upper_lip",
    "l_lip": "lower_lip",
    "hair": "hair",
    "hat": "hat",
    "ear_r": "ear_ring",
    "neck_l": "necklace",
    "neck": "neck",
    "cloth": "cloth",
}
"""Official name of a part → its label, in painting order."""
_LEFT = "left_"


def open_celeb(data: Path | None, task: str = "semantic", *, size: int = 512) -> Files:
    """Faces.

    Args:
        data: The folder of the unzipped file.
        task: `semantic` or `edges`.
        size: Pixels of a side; masks have 512, and PixelArena scores them at 1024.
    """
    require_label_task("celeb", task)
    root = require_folder(data, "celeb", (_PHOTOS, _PARTS), _STEPS)
    faces: dict[int, dict[str, str]] = {}
    for path in sorted((root / _PARTS).glob("*/*.png")):
        number, _, part = path.stem.partition("_")
        if number.isdigit() and part in PARTS:
            faces.setdefault(int(number), {})[part] = path.relative_to(root).as_posix()
    if not faces:
        raise PixelProofError(f"{root / _PARTS} holds no masks such as 0/00000_skin.png: {_STEPS}.")
    entries = [
        FileEntry(str(face), {"photo": f"{_PHOTOS}/{face}.jpg"} | parts) for face, parts in sorted(faces.items())
    ]
    lefts = [label for label in FACES.labels if label.startswith(_LEFT)]
    pairs = tuple((label, "right_" + label.removeprefix(_LEFT)) for label in lefts)
    return Files(
        "celeb", root, tuple(entries), palette=FACES, read=_read, pairs=pairs, options={"size": size}, task=task
    )


def _read(case: Case) -> Frame:
    root, files, size = case.root or Path(), dict(case.details["files"]), int(case.details["way"]["size"])
    photo = files.pop("photo")
    labels: Labels | None = None
    for part in PARTS:  # later parts are painted over earlier ones, as the authors do
        if part in files:
            inside = read_named_image(root / files[part])[..., 0] != 0
            labels = np.zeros(inside.shape, np.uint8) if labels is None else labels
            if inside.shape != labels.shape:
                raise PixelProofError(f"{root / files[part]} has another size than the other parts: download it again.")
            labels[inside] = case.palette.index(PARTS[part])
    if labels is None:
        raise PixelProofError(f"Face {case.key} has no parts: download the data set again.")
    labels = np.array(Image.fromarray(labels).resize((size, size), Image.Resampling.NEAREST))
    return Frame(read_photo(root / photo, (size, size)), labels)
