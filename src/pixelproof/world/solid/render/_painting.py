"""The colours of seen points, with textures and letters filtered to the size of a pixel."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import compiled
from ._labels import Labels
from ._lettering import lettered
from ._noise import fade
from ._paints import Paints
from ._textures import JOINTED, pattern
from ._vectors import along, dot, minus, put, row, unit

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]
Weave = tuple[int, tuple[int, int, int], Vector, float, float]
"""A texture, the order of its axes, its shift, its grain, and the width of boards in units of it."""


@compiled
def painted(
    paints: Paints,
    labels: Labels,
    surface: Ints,
    points: Singles,
    normals: Singles,
    rays: Singles,
    turn: Floats,
    pixel: float,
    most: int,
) -> tuple[Singles, Singles]:
    """Linear RGB of points, and their normals tilted by the relief of the texture.

    Args:
        paints: Of the surfaces.
        labels: Of the things.
        surface: (n,) -1 for none.
        points: (n, 3).
        normals: (n, 3).
        rays: (n, 3) from the camera.
        turn: (3, 3) the camera's axes as columns.
        pixel: Size of a pixel at one metre.
        most: Samples of the texture per pixel, at most; they are needed where it is seen at a slant.
    """
    colours = np.zeros((len(surface), 3), np.float32)
    tilted = normals.copy() if most > 1 else normals
    for index in range(len(surface)):
        here = surface[index]
        if here < 0:
            continue
        thing = paints.thing[here]
        written = labels.first[thing] < labels.first[thing + 1]
        if paints.texture[here] == 0 and not written:
            put(colours, index, row(paints.first, here))
            continue
        point, normal = row(points, index), row(normals, index)
        step, width, count = _footprint(point, normal, row(rays, index), turn, pixel, most)
        grain, width = paints.grain[here], width / paints.scale[here]
        order = paints.axes[here, 0], paints.axes[here, 1], paints.axes[here, 2]
        weave = paints.texture[here], order, row(paints.shift, here), grain, paints.boards[here] / grain
        first, second = row(paints.first, here), row(paints.second, here)
        facing, middle = _own(paints.turn, here, normal), minus(point, row(paints.place, here))
        total = (0.0, 0.0, 0.0)
        for sample in range(count):
            own = _own(paints.turn, here, along(middle, step, (sample + 0.5) / count - 0.5))
            own = own[0] / paints.scale[here], own[1] / paints.scale[here], own[2] / paints.scale[here]
            bright, share = _sample(weave, own, facing, width)
            colour = along(first, minus(second, first), share)
            colour = colour[0] * bright, colour[1] * bright, colour[2] * bright
            if written:
                for label in range(labels.first[thing], labels.first[thing + 1]):
                    colour = lettered(labels, label, own, facing, width, colour)
            total = along(total, colour, 1 / count)
        put(colours, index, total)
        if paints.bump[here] > 0 and most > 1:
            own = _own(paints.turn, here, middle)
            own = own[0] / paints.scale[here], own[1] / paints.scale[here], own[2] / paints.scale[here]
            relief = _tilted(weave, paints.bump[here], own, facing, width)
            for axis in range(3):
                tilted[index, axis] = dot(row(paints.turn[here], axis), relief)
    return colours, tilted


@compiled
def _footprint(
    point: Vector, normal: Vector, ray: Vector, turn: Floats, pixel: float, most: int
) -> tuple[Vector, float, int]:
    """The longer way across a pixel on the surface, the width of a sample, and how many samples fill the way."""
    depth = dot(point, (turn[0, 2], turn[1, 2], turn[2, 2])) * pixel
    slant = min(dot(normal, ray), -0.03)
    right, down = (turn[0, 0], turn[1, 0], turn[2, 0]), (turn[0, 1], turn[1, 1], turn[2, 1])
    one = along(right, ray, -dot(normal, right) / slant)
    two = along(down, ray, -dot(normal, down) / slant)
    first, second = math.sqrt(dot(one, one)) * depth, math.sqrt(dot(two, two)) * depth
    if first > second:
        step, longer, shorter = (one[0] * depth, one[1] * depth, one[2] * depth), first, second
    else:
        step, longer, shorter = (two[0] * depth, two[1] * depth, two[2] * depth), second, first
    count = min(most, max(1, int(math.ceil(longer / shorter - 0.3))))
    return step, max(shorter, longer / count), count


@compiled
def _own(turn: Floats, here: int, vector: Vector) -> Vector:
    """A direction of the world in a thing's own frame."""
    x, y, z = vector
    return (
        turn[here, 0, 0] * x + turn[here, 1, 0] * y + turn[here, 2, 0] * z,
        turn[here, 0, 1] * x + turn[here, 1, 1] * y + turn[here, 2, 1] * z,
        turn[here, 0, 2] * x + turn[here, 1, 2] * y + turn[here, 2, 2] * z,
    )


@compiled
def _sample(weave: Weave, own: Vector, facing: Vector, width: float) -> tuple[float, float]:
    """The texture at a place of the thing's own frame."""
    kind, order, shift, grain, boards = weave
    if kind == 0:
        return 1.0, 0.0
    one, two, three = order
    place = along(shift, (_pick(own, one), _pick(own, two), _pick(own, three)), 1 / grain)
    normal = _pick(facing, one), _pick(facing, two), _pick(facing, three)
    return pattern(kind, place, normal, width / grain, boards)


@compiled
def _pick(vector: Vector, axis: int) -> float:
    return vector[0] if axis == 0 else vector[1] if axis == 1 else vector[2]


@compiled
def _tilted(weave: Weave, bump: float, own: Vector, facing: Vector, width: float) -> Vector:
    """The normal, in the thing's own frame, of the relief that brightness and joints of a texture stand for."""
    grain = weave[3]
    step = max(0.04 * grain, 0.5 * width)
    bright, share = _sample(weave, own, facing, width)
    x, rest = _sample(weave, (own[0] + step, own[1], own[2]), facing, width)
    x -= rest
    y, rest = _sample(weave, (own[0], own[1] + step, own[2]), facing, width)
    y -= rest
    z, rest = _sample(weave, (own[0], own[1], own[2] + step), facing, width)
    slope = x - bright + share, y - bright + share, z - rest - bright + share
    strength = 0.4 * bump * grain / step * fade(1.5 * width / (grain * (0.1 if weave[0] in JOINTED else 1.0)))
    # Not steeper than a slope of about a half.
    strength /= 1 + 2 * strength * math.sqrt(dot(slope, slope))
    return unit(along(along(facing, slope, -strength), facing, strength * dot(slope, facing)))
