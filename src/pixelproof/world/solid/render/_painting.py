"""Surface colours, with textures and text filtered to the footprint of a pixel."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import compiled
from ._labels import Labels
from ._lettering import apply_label
from ._noise import fade
from ._paints import Paints
from ._textures import JOINTED, pattern
from ._vectors import add_scaled, dot, normalise, put, row, subtract

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]
Texture = tuple[int, tuple[int, int, int], Vector, float, float]
"""Texture index, order of axes, offset, grain, and board width in units of the grain."""


@compiled
def surface_colours(
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
    """Linear RGB of points, and their normals perturbed by the bump map of the texture.

    Args:
        paints: Paints of the surfaces.
        labels: Labels of the things.
        surface: (n,) index of the surface; -1 for none.
        points: (n, 3).
        normals: (n, 3).
        rays: (n, 3) from the camera.
        turn: (3, 3) rotation from the camera frame to the world.
        pixel: Width of a pixel at a distance of one metre.
        most: Maximum texture samples per pixel; several are needed at grazing angles.
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
        texture = paints.texture[here], order, row(paints.shift, here), grain, paints.boards[here] / grain
        first, second = row(paints.first, here), row(paints.second, here)
        facing, middle = _to_thing(paints.turn, here, normal), subtract(point, row(paints.place, here))
        total = (0.0, 0.0, 0.0)
        for sample in range(count):
            own = _to_thing(paints.turn, here, add_scaled(middle, step, (sample + 0.5) / count - 0.5))
            own = own[0] / paints.scale[here], own[1] / paints.scale[here], own[2] / paints.scale[here]
            bright, share = _sample(texture, own, facing, width)
            colour = add_scaled(first, subtract(second, first), share)
            colour = colour[0] * bright, colour[1] * bright, colour[2] * bright
            if written:
                for label in range(labels.first[thing], labels.first[thing + 1]):
                    colour = apply_label(labels, label, own, facing, width, colour)
            total = add_scaled(total, colour, 1 / count)
        put(colours, index, total)
        if paints.bump[here] > 0 and most > 1:
            own = _to_thing(paints.turn, here, middle)
            own = own[0] / paints.scale[here], own[1] / paints.scale[here], own[2] / paints.scale[here]
            relief = _bumped_normal(texture, paints.bump[here], own, facing, width)
            for axis in range(3):
                tilted[index, axis] = dot(row(paints.turn[here], axis), relief)
    return colours, tilted


@compiled
def _footprint(
    point: Vector, normal: Vector, ray: Vector, turn: Floats, pixel: float, most: int
) -> tuple[Vector, float, int]:
    """Major axis of the pixel footprint on the surface, width of a sample, and number of samples along the axis."""
    depth = dot(point, (turn[0, 2], turn[1, 2], turn[2, 2])) * pixel
    slant = min(dot(normal, ray), -0.03)
    right, down = (turn[0, 0], turn[1, 0], turn[2, 0]), (turn[0, 1], turn[1, 1], turn[2, 1])
    one = add_scaled(right, ray, -dot(normal, right) / slant)
    two = add_scaled(down, ray, -dot(normal, down) / slant)
    first, second = math.sqrt(dot(one, one)) * depth, math.sqrt(dot(two, two)) * depth
    if first > second:
        step, longer, shorter = (one[0] * depth, one[1] * depth, one[2] * depth), first, second
    else:
        step, longer, shorter = (two[0] * depth, two[1] * depth, two[2] * depth), second, first
    count = min(most, max(1, int(math.ceil(longer / shorter - 0.3))))
    return step, max(shorter, longer / count), count


@compiled
def _to_thing(turn: Floats, here: int, vector: Vector) -> Vector:
    """Rotate a world vector into the frame of a thing."""
    x, y, z = vector
    return (
        turn[here, 0, 0] * x + turn[here, 1, 0] * y + turn[here, 2, 0] * z,
        turn[here, 0, 1] * x + turn[here, 1, 1] * y + turn[here, 2, 1] * z,
        turn[here, 0, 2] * x + turn[here, 1, 2] * y + turn[here, 2, 2] * z,
    )


@compiled
def _sample(texture: Texture, own: Vector, facing: Vector, width: float) -> tuple[float, float]:
    """Brightness and share of the second colour at a point in the thing's frame."""
    kind, order, shift, grain, boards = texture
    if kind == 0:
        return 1.0, 0.0
    one, two, three = order
    place = add_scaled(shift, (_pick(own, one), _pick(own, two), _pick(own, three)), 1 / grain)
    normal = _pick(facing, one), _pick(facing, two), _pick(facing, three)
    return pattern(kind, place, normal, width / grain, boards)


@compiled
def _pick(vector: Vector, axis: int) -> float:
    return vector[0] if axis == 0 else vector[1] if axis == 1 else vector[2]


@compiled
def _bumped_normal(texture: Texture, bump: float, own: Vector, facing: Vector, width: float) -> Vector:
    """Bump-mapped normal in the thing's frame, from the gradient of the texture's brightness and joints."""
    grain = texture[3]
    step = max(0.04 * grain, 0.5 * width)
    bright, share = _sample(texture, own, facing, width)
    x, rest = _sample(texture, (own[0] + step, own[1], own[2]), facing, width)
    x -= rest
    y, rest = _sample(texture, (own[0], own[1] + step, own[2]), facing, width)
    y -= rest
    z, rest = _sample(texture, (own[0], own[1], own[2] + step), facing, width)
    slope = x - bright + share, y - bright + share, z - rest - bright + share
    strength = 0.4 * bump * grain / step * fade(1.5 * width / (grain * (0.1 if texture[0] in JOINTED else 1.0)))
    # Limit the slope to about one half.
    strength /= 1 + 2 * strength * math.sqrt(dot(slope, slope))
    return normalise(add_scaled(add_scaled(facing, slope, -strength), facing, strength * dot(slope, facing)))
