"""Pairs: a scene before an edit, the instruction, and the scene after it; and tables of a set of pairs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.store import plain
from pixelproof.world._reading import Document
from pixelproof.world.edits import Edit, Outcome, apply
from pixelproof.world.sets import ITEM
from pixelproof.world.solid import Scene
from pixelproof.world.solid._truth import THINGS as SOLID_THINGS
from pixelproof.world.solid._truth import VECTOR, camera_cells, thing_rows

VERSION = 1
Reason = Literal["", "absent", "blocked", "unsupported", "carries"]
REASONS: Mapping[str, str] = {
    "absent": "something that the instruction names is not in the picture",
    "blocked": "another thing is in the place where something would be",
    "unsupported": "something would hang in the air, or fall off what it stands on",
    "carries": "something else stands on what would be removed or resized",
}
"""Why an instruction is impossible → in words."""
Level = Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class Pair(Document):
    """A scene before one or more edits, the instruction in words, and the scene after.

    An impossible instruction has `why_not`; its scene after is the scene before, because leaving the picture alone is
    right, and its steps are what the text asks for.
    """

    content_name: ClassVar[str] = "Pair"
    what: ClassVar[str] = "pair"
    current: ClassVar[int] = VERSION

    operation: str
    """A name in `OPERATIONS`."""
    before: Scene
    after: Scene
    steps: tuple[Edit, ...]
    """The edits that the text asks for, in order."""
    text: str
    """The instruction."""
    language: str = "en"
    why_not: Reason = ""
    """Why it is impossible, a key of `REASONS`; empty if it is possible."""
    difficulty: Mapping[str, float] = field(default_factory=dict)
    """What makes it hard, by name: see `difficulty_of`."""
    version: int = VERSION

    @property
    def possible(self) -> bool:
        """Whether the instruction can be carried out."""
        return not self.why_not

    @property
    def edit(self) -> Edit:
        """The first edit; the only one, unless the operation is `multi-step`."""
        return self.steps[0]

    @property
    def named(self) -> tuple[str, ...]:
        """Ids of the things that the edits change; empty for edits of the camera."""
        ids = [id for step in self.steps for id in (step.target, step.anchor if step.action == "swap" else "") if id]
        return tuple(dict.fromkeys(ids))

    @property
    def level(self) -> Level:
        """`easy`, `medium` or `hard`: with at most 1, 2, or more of the reasons of `hard_parts`."""
        count = len(hard_parts(self.difficulty))
        return "easy" if count < 2 else "medium" if count == 2 else "hard"

    def outcomes(self) -> tuple[Outcome, ...]:
        """Each step, carried out from the scene that the step before leaves; empty if the instruction is impossible."""
        outcomes: list[Outcome] = []
        for step in self.steps if self.possible else ():
            scene = outcomes[-1].after if outcomes else self.before
            assert scene is not None
            outcomes.append(apply(scene, step))
        return tuple(outcomes)


_HARD: Mapping[str, tuple[int, float]] = {
    "size": (-1, 0.006),
    "visible": (-1, 0.8),
    "things": (1, 9),
    "change": (-1, 0.25),
    "words": (1, 1),
    "own_frame": (1, 1),
    "steps": (1, 2),
}


def hard_parts(difficulty: Mapping[str, float]) -> tuple[str, ...]:
    """Names of the parts of a difficulty that make a pair hard.

    | part | hard if | |
    | --- | --- | --- |
    | `size` | below 0.006 | share of the picture of the smallest named thing before |
    | `visible` | below 0.8 | visible share of it, before or after |
    | `things` | 9 or more | things in the scene |
    | `change` | below 0.25 | amount: metres of a move, half-turns of a turn, absolute logarithm of a scale or zoom |
    | `words` | 1 | things are named by a superlative or a relation |
    | `own_frame` | 1 | the direction is that of a thing |
    | `steps` | 2 or more | number of edits |

    >>> hard_parts({"size": 0.002, "things": 5})
    ('size',)
    """
    return tuple(
        name for name, (sign, limit) in _HARD.items() if name in difficulty and _reaches(difficulty[name], sign, limit)
    )


def _reaches(value: float, sign: int, limit: float) -> bool:
    return value >= limit if sign > 0 else value < limit


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
