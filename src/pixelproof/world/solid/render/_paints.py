"""Paint of each surface: colours, texture parameters, and the pose of its thing."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, rotation_matrix
from pixelproof.world.solid._scene import Scene

from ._meshes import Meshes
from ._textures import SECOND, TEXTURES

Ints = npt.NDArray[np.int32]

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
