"""Tables of a set of pairs: one row per pair, and one per thing before and after."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.store import plain
from pixelproof.world.solid import Scene
from pixelproof.world.solid._truth import THINGS as SOLID_THINGS
from pixelproof.world.solid._truth import thing_rows

from ._pair import Pair

_VECTOR = pa.list_(pa.float64())
_CAMERA = [
    (f"{name}_{side}", _VECTOR)
    for side in ("before", "after")
    for name in ("intrinsics", "camera_position", "camera_rotation")
]
PAIRS = pa.schema(
    [
        pa.field("order", pa.int64(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        ("kind", pa.string()),
        ("seed", pa.int64()),
        ("index", pa.int64()),
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
        ("things", pa.int32()),
        ("changed_pixels", pa.int32()),
        ("shard", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        *_CAMERA,
        ("scene", pa.string()),
        ("digest", pa.string()),
        ("sizes", pa.list_(pa.int64())),
    ]
)
THINGS = SOLID_THINGS.append(pa.field("side", pa.string()))
_MOST_THINGS = 2**16


def pair_row(pair: Pair, index: int, width: int, height: int, changed: int) -> dict[str, Any]:
    """The row of a pair, without its id and file information; difficulty and steps are JSON."""
    cameras: dict[str, Any] = {}
    for side, scene in (("before", pair.before), ("after", pair.after)):
        cameras[f"intrinsics_{side}"] = scene.camera.intrinsics(width, height).ravel().tolist()
        cameras[f"camera_position_{side}"] = list(scene.camera.position)
        cameras[f"camera_rotation_{side}"] = list(scene.camera.rotation)
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
    side = ("before", "after")[number]
    first = (2 * index + number) * _MOST_THINGS
    return [
        row | {"order": first + row["number"], "index": index, "side": side}
        for row in thing_rows(id, scene, ids, amodal)
    ]
