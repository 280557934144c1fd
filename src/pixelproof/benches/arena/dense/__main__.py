"""Fit the table of per-cell priors: `python -m pixelproof.benches.arena.dense`.

Needs the world extra, and two or three minutes of one core.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pixelproof.benches.arena.sources._world import open_world

from ._best import best_depth, best_direction
from ._depth import Reals
from ._prior import CELLS, TABLE

_SEED, _SCENES, _SIDE = 7777, 300, 128
_STEP = 4
"""Every fourth pixel of every fourth row is used."""


def main() -> None:
    """Render scenes, find the best constant answer per cell, and write the table."""
    scenes = open_world(None, "depth", size=_SIDE).scenes
    kinds, depths, normals = [], [], []
    for index in range(_SCENES):
        facts = scenes.describe(_SEED, index)
        layers = scenes.render(_SEED, index, facts, ("depth", "normals"))
        kinds.append(facts.kind)
        depths.append(layers["depth"][::_STEP, ::_STEP, None])
        normals.append(layers["normals"][::_STEP, ::_STEP])
    depth, normal = _celled(np.stack(depths)), _celled(np.stack(normals))
    table: dict[str, list[object]] = {}
    groups = {"near": np.ones(len(kinds), bool), **{kind: np.array(kinds) == kind for kind in sorted(set(kinds))}}
    for name, chosen in groups.items():
        table[f"depth.{name}"] = _best_depths(depth[chosen])
        table[f"normals.{name}"] = _best_directions(normal[chosen])
        often = "often" if name == "near" else f"{name}-often"
        table[f"depth.{often}"] = _best_depths(depth[chosen], often=True)
        table[f"normals.{often}"] = _best_directions(normal[chosen], often=True)
    lines = [f"{json.dumps(name)}: {json.dumps(cells, separators=(',', ':'))}" for name, cells in table.items()]
    Path(__file__).with_name(TABLE).write_text("{\n" + ",\n".join(lines) + "\n}\n", "ascii")
    print(f"Of all constants, {best_depth(_known(depth[::7])):.2f} m has the least relative error.")


def _celled(values: Reals) -> Reals:
    """From (scenes, height, width, channels) to (scenes, rows, columns, pixels of the cell, channels)."""
    scenes, height, width, channels = values.shape
    cells = values.reshape(scenes, CELLS, height // CELLS, CELLS, width // CELLS, channels).swapaxes(2, 3)
    return cells.reshape(scenes, CELLS, CELLS, -1, channels)


def _known(depths: Reals) -> Reals:
    """Pixels with a known depth."""
    return depths[np.isfinite(depths) & (depths > 0)]


def _best_depths(cells: Reals, *, often: bool = False) -> list[object]:
    def best(row: int, column: int) -> float:
        return round(best_depth(_known(cells[:, row, column]), often=often), 2)

    return [[best(row, column) for column in range(CELLS)] for row in range(CELLS)]


def _best_directions(cells: Reals, *, often: bool = False) -> list[object]:
    def best(row: int, column: int) -> list[float]:
        values = cells[:, row, column].reshape(-1, 3)
        return [round(float(part), 2) for part in best_direction(values[values.any(axis=1)], often=often)]

    return [[best(row, column) for column in range(CELLS)] for row in range(CELLS)]


if __name__ == "__main__":
    main()
