"""ADE20K in the layout of the scene-parsing challenge: 150 classes, and 0 for everything else."""

from __future__ import annotations

from pathlib import Path

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.arena.palettes import design
from pixelproof.benches.sources import FileEntry, read_id_map, read_photo, require_folder
from pixelproof.contract import PixelProofError

from ._files import Files, require_label_task

OTHER = "other"
_NAMES = "objectInfo150.txt"
_STEPS = (
    "download http://data.csail.mit.edu/places/ADEchallenge/ADEChallengeData2016.zip (the link on "
    "https://sceneparsing.csail.mit.edu) and unzip it, so that a folder holds "
    "images/validation/ADE_val_00000001.jpg …, "
    f"annotations/validation/ADE_val_00000001.png … and {_NAMES}"
)


def open_ade(data: Path | None, task: str = "semantic") -> Files:
    """The validation images."""
    require_label_task("ade20k", task)
    photos, masks = "images/validation", "annotations/validation"
    root = require_folder(data, "ade20k", (photos, masks, _NAMES), _STEPS)
    entries = [
        FileEntry(path.stem, {"photo": f"{photos}/{path.stem}.jpg", "mask": path.relative_to(root).as_posix()})
        for path in sorted((root / masks).glob("*.png"))
    ]
    if not entries:
        raise PixelProofError(f"{root / masks} holds no masks such as ADE_val_00000001.png: {_STEPS}.")
    palette = design((OTHER, *_names(root / _NAMES)))
    note = "ADE20K is read with a designed palette: its own colours are made for the eye and lie close together."
    return Files(
        "ade20k",
        root,
        tuple(entries),
        palette=palette,
        read=_read,
        ignored=frozenset({OTHER}),
        notes=(note,),
        task=task,
    )


def _names(path: Path) -> list[str]:
    """The first synonym of each class, or all of them where the first is not unique."""
    try:
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:] if line.strip()]
        full = [row[-1].strip() for row in rows]
        if [int(row[0]) for row in rows] != list(range(1, len(rows) + 1)):
            raise ValueError("its first column does not count from 1")
    except (OSError, ValueError, IndexError) as error:
        raise PixelProofError(f"{path} is not the table of classes ({error}): download it again.") from error
    first = [name.replace(";", ",").split(",")[0].strip() for name in full]
    return [short if first.count(short) == 1 else name for short, name in zip(first, full, strict=True)]


def _read(case: Case) -> Frame:
    root, files = case.root or Path(), case.details["files"]
    labels = read_id_map(root / files["mask"])
    if labels.max() >= len(case.palette):
        raise PixelProofError(
            f"{root / files['mask']} has the id {labels.max()}, but {_NAMES} ends at {len(case.palette) - 1}: download "
            "both again."
        )
    return Frame(read_photo(root / files["photo"], (labels.shape[0], labels.shape[1])), labels)
