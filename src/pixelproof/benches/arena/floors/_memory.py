"""Other scenes of generated sources, from a seed of their own: what an answer without a look may know.

`python -m pixelproof.benches.arena.floors SOURCE` makes the file of a source.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

SEED = 77_777_777
"""Seed of the remembered scenes; an item of the same scene is answered without that scene."""
_FROZEN_FROM = {"arena-v1": "world"}
CELLS = 64
"""Cells per side of the remembered maps."""


@dataclass(frozen=True, eq=False)
class Scene:
    """One remembered scene."""

    index: int
    kind: str
    ids: npt.NDArray[np.uint8]
    """Object of each cell, from 1; 0 for none. Shape (CELLS, CELLS)."""
    nouns: tuple[str, ...]
    """Noun of each object; empty for surroundings."""
    offered: tuple[str, ...]
    """Labels of the semantic task, background first."""
    mentions: tuple[tuple[str, int], ...]
    """Referring expressions with the object that they refer to."""
    markable: tuple[str, ...]
    """Labels of the keypoint task, background first; empty if no object can be marked."""
    points: tuple[tuple[str, float, float, float], ...]
    """Noun, x, y and size of each keypoint: shares of the width, the height and the diagonal."""


@dataclass(frozen=True)
class Memory:
    """Scenes of one source."""

    scenes: tuple[Scene, ...] = field(repr=False)


def file_name(source: str) -> str:
    """Name of the file of a source; a frozen set has that of the source that it was taken from."""
    return f"{_FROZEN_FROM.get(source, source)}.npz"


def pack(scenes: list[Scene]) -> bytes:
    """Serialise scenes."""
    facts = [
        [scene.index, scene.kind, scene.nouns, scene.offered, scene.mentions, scene.markable, scene.points]
        for scene in scenes
    ]
    text = np.frombuffer(json.dumps(facts, separators=(",", ":")).encode(), np.uint8)
    buffer = BytesIO()
    np.savez_compressed(buffer, ids=np.stack([scene.ids for scene in scenes]), facts=text)
    return buffer.getvalue()


def unpack(data: bytes) -> Memory:
    """Deserialise scenes."""
    with np.load(BytesIO(data)) as arrays:
        ids, facts = arrays["ids"], json.loads(arrays["facts"].tobytes())
    return Memory(tuple(_scene(map_, row) for map_, row in zip(ids, facts, strict=True)))


def _scene(ids: npt.NDArray[np.uint8], row: list[Any]) -> Scene:
    index, kind, nouns, offered, mentions, markable, points = row
    return Scene(
        index,
        kind,
        ids,
        tuple(nouns),
        tuple(offered),
        tuple((text, number) for text, number in mentions),
        tuple(markable),
        tuple((noun, x, y, size) for noun, x, y, size in points),
    )


@cache
def remembered(source: str) -> Memory:
    """The remembered scenes of a source, from the package."""
    return unpack(resources.files(__package__).joinpath(file_name(source)).read_bytes())
