"""Paint of each surface, and its colours with textures and text, filtered to the footprint of a pixel."""

from __future__ import annotations

import math
import zlib
from typing import NamedTuple

import numpy as np

from pixelproof.world.solid._poses import Floats, Vector, rotation_matrix
from pixelproof.world.solid._scene import Scene

from ._compiled import Ints, Singles, compiled, inlined
from ._labels import LEVELS, SIDE, Labels
from ._meshes import Meshes
from ._textures import JOINTED, SECOND, TEXTURES, fade, pattern
from ._vectors import add_scaled, dot, normalise, put, row, subtract

_LARGE, _BOARD = 1.6, 0.14  # metres: a wooden surface this large consists of boards this wide


class Paints(NamedTuple):
    """The paint of each surface (s,) and the pose of its thing, as arrays for compiled loops."""

    first: Floats
    """(s, 3) linear RGB."""
    second: Floats
    """(s, 3) linear RGB of lines, dots, joints and veins."""
    texture: Ints
    grain: Floats
    bump: Floats
    boards: Floats
    """Width of floor boards; zero for none."""
    axes: Ints
    """(s, 3) order of the thing's axes for the texture."""
    shift: Floats
    """(s, 3) texture offset, so that two things of one category differ."""
    thing: Ints
    place: Floats
    """(s, 3) origin of the thing, relative to the camera."""
    turn: Floats
    """(s, 3, 3) rotation from the thing's frame to the world."""
    scale: Floats


def paints(scene: Scene, mesh: Meshes) -> Paints:
    """The paints of all surfaces of a scene."""
    kinds = np.array([TEXTURES.index(material.texture) for material in mesh.materials], np.int32)
    pairs = [_pair(colour, material.texture) for colour, material in zip(mesh.colours, mesh.materials, strict=True)]
    axes, boards = (
        zip(
            *(_layout(extent, material.texture) for extent, material in zip(mesh.extents, mesh.materials, strict=True)),
            strict=True,
        )
        if len(kinds)
        else ((), ())
    )
    turns = np.array([rotation_matrix(thing.rotation) for thing in scene.things]).reshape(-1, 3, 3)
    things = [scene.things[index] for index in mesh.thing]
    solid = np.array(
        [material.texture in ("tiles", "bricks", "stripes", "checks", "dots", "weave") for material in mesh.materials]
    )
    codes = np.array([zlib.crc32(thing.id.encode()) for thing in things], np.int64).reshape(-1, 1)
    shift = (codes >> np.array([0, 8, 16]) & 255) / 7.0
    return Paints(
        np.array([pair[0] for pair in pairs]).reshape(-1, 3),
        np.array([pair[1] for pair in pairs]).reshape(-1, 3),
        kinds,
        np.array([material.grain for material in mesh.materials], np.float64),
        np.array([material.bump for material in mesh.materials], np.float64),
        np.array(boards, np.float64),
        np.array(axes, np.int32).reshape(-1, 3),
        np.where(solid[:, None], 0.0, shift) if len(solid) else np.empty((0, 3)),
        mesh.thing,
        np.array([np.subtract(thing.position, scene.camera.position) for thing in things]).reshape(-1, 3),
        turns[mesh.thing],
        np.array([thing.scale for thing in things], np.float64),
    )


def _pair(colour: Floats, texture: str) -> tuple[Floats, Floats]:
    """Two colours whose mean over the texture is the given colour, as far as possible."""
    share = SECOND.get(texture, 0.0)
    if not share:
        return colour, colour
    bright = float(colour @ (0.2126, 0.7152, 0.0722))
    if texture in ("bricks", "tiles"):
        second = 0.45 * colour + 0.14
    elif texture == "marble":
        second = 0.4 * colour + 0.05 if bright > 0.15 else colour + 0.3 * (1 - colour)
    elif bright > 0.3:
        second = 0.45 * colour
    else:
        # Lighter in steps of about equal perceived lightness: the square root of linear light.
        second = (np.sqrt(colour) + 0.3 * (1 - np.sqrt(colour))) ** 2
    return np.clip((colour - share * second) / (1 - share), 0.6 * colour, 1), second


def _layout(extent: Floats, texture: str) -> tuple[tuple[int, int, int], float]:
    """Order of texture axes and width of boards, for a part of an extent."""
    longest = int(np.argmax(extent))
    if texture == "wood":
        rest = [axis for axis in range(3) if axis != longest]
        boards = _BOARD if np.sort(extent)[1] > _LARGE else 0.0
        # Boards lie side by side, so the thinnest extent comes last.
        rest.sort(key=lambda axis: -extent[axis])
        return (longest, rest[0], rest[1]), boards
    if texture == "stripes" and extent[2] < 0.4 * extent[longest]:
        return (2, 1 - longest, longest), 0.0
    return (0, 1, 2), 0.0


@inlined
def apply_label(labels: Labels, label: int, own: Vector, facing: Vector, width: float, colour: Vector) -> Vector:
    """Blend the ground and ink of a label over a colour, if the point is on the label."""
    frame = labels.frames[label]
    normal = row(frame, 3)
    if dot(normal, facing) < 0.15:
        return colour
    way, right, up = subtract(own, row(frame, 0)), row(frame, 1), row(frame, 2)
    above, half = dot(way, normal), math.sqrt(dot(right, right))
    u, v = dot(way, right) / dot(right, right), dot(way, up) / dot(up, up)
    # On a curved thing the surface lies behind the plane of the label.
    if above > 0.1 * half + 1e-3 or above < -0.6 * half - 1e-3:
        return colour
    tall = math.sqrt(dot(up, up))
    inside = _clamp((1 - abs(u)) * half / width + 0.5) * _clamp((1 - abs(v)) * tall / width + 0.5)
    if inside <= 0:
        return colour
    if labels.ground[label, 3] > 0:
        colour = add_scaled(colour, subtract(row(labels.ground, label), colour), inside)
    longer = max(half, tall)
    # Half a level sharper than the pixel, because bilinear lookup blurs each level.
    size = 0.7 * width * SIDE / (2 * longer)
    ink = _letters(labels.letters, label, 0.5 + 0.5 * u * half / longer, 0.5 - 0.5 * v * tall / longer, size) * inside
    return add_scaled(colour, subtract(row(labels.ink, label), colour), ink)


@compiled
def _clamp(x: float) -> float:
    return min(1.0, max(0.0, x))


@compiled
def _letters(letters: Singles, label: int, u: float, v: float, size: float) -> float:
    """Trilinear lookup of the ink coverage; `size` is the footprint in pixels of the finest level."""
    level = min(max(math.log2(max(size, 1e-6)), 0.0), float(LEVELS))
    low = int(level)
    one = _level(letters, label, u, v, low)
    if low == LEVELS:
        return one
    return one + (_level(letters, label, u, v, low + 1) - one) * (level - low)


@compiled
def _level(letters: Singles, label: int, u: float, v: float, level: int) -> float:
    side = SIDE >> level
    top = 2 * SIDE - 2 * side
    x, y = min(max(u * side - 0.5, 0.0), side - 1.0), min(max(v * side - 0.5, 0.0), side - 1.0)
    i, j = int(x), int(y)
    k, m, p, q = min(i + 1, side - 1), min(j + 1, side - 1), x - i, y - j
    upper = letters[label, top + j, i] * (1 - p) + letters[label, top + j, k] * p
    lower = letters[label, top + m, i] * (1 - p) + letters[label, top + m, k] * p
    return float(upper * (1 - q) + lower * q)


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
