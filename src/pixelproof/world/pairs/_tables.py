"""Tables of a set of pairs: one row per pair, and one per thing before and after."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.store import plain
from pixelproof.world.sets import ITEM
from pixelproof.world.solid import Scene
from pixelproof.world.solid._truth import THINGS as SOLID_THINGS
from pixelproof.world.solid._truth import VECTOR, camera_cells, thing_rows

from ._pair import Pair

_SIDES = ("before", "after")
PAIRS = pa.schema(
    [
        *ITEM,
        ("split", pa.string()),
        ("room", pa.string()),
        ("scene_index", pa.int64()),
        ("operation", pa.string()),
        ("text", pa.string()),
        ("language", pa.string()),
        ("possible", pa.bool_()),
        ("why_not", pa.string()),
        ("level", pa.string()),
        ("difficulty", pa.string()),
        ("steps", pa.string()),
        ("changed_pixels", pa.int32()),
        *(
            (f"{name}_{side}", VECTOR)
            for side in _SIDES
            for name in ("intrinsics", "camera_position", "camera_rotation")
        ),
    ]
)
THINGS = SOLID_THINGS.append(pa.field("side", pa.string()))


def pair_row(pair: Pair, index: int, width: int, height: int, changed: int) -> dict[str, Any]:
    """The row of a pair, without its id and file information; difficulty and steps are JSON."""
    cameras: dict[str, Any] = {}
    for side, scene in zip(_SIDES, (pair.before, pair.after), strict=True):
        cells = camera_cells(scene.camera, width, height)
        cameras |= {f"{name}_{side}": cell for name, cell in cells.items()}
    return {
        "order": index,
        "kind": "pair",
        "seed": pair.before.seed,
        "index": index,
        "split": pair.before.split,
        "room": pair.before.kind,
        "scene_index": pair.before.index,
        "operation": pair.operation,
        "text": pair.text,
        "language": pair.language,
        "possible": pair.possible,
        "why_not": pair.why_not,
        "level": pair.level,
        "difficulty": json.dumps(dict(pair.difficulty)),
        "steps": json.dumps([plain(step) for step in pair.steps], ensure_ascii=False),
        "things": len(pair.before.movable),
        "changed_pixels": changed,
        "width": width,
        "height": height,
        **cameras,
    }


def side_rows(
    id: str, index: int, number: int, scene: Scene, ids: npt.NDArray[np.uint16], amodal: npt.NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """The rows of all things of the scene before (0) or after (1)."""
    rows = thing_rows(id, scene, ids, amodal, 2 * index + number)
    return [row | {"index": index, "side": _SIDES[number]} for row in rows]
