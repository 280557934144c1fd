"""Solids of revolution, prisms, lofts and tubes, with `manifold3d`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from pixelproof.world._extra import need
from pixelproof.world.solid._poses import Floats

from ._lines import Points, circle, rounded

if TYPE_CHECKING:
    from manifold3d import Manifold

Solid: TypeAlias = "Manifold"


def lathe(profile: Points, segments: int = 48) -> Solid:
    """Solid of revolution of a profile of (radius, height) about the z axis."""
    kit = need("manifold3d")
    section = kit.CrossSection([np.asarray(profile, dtype=np.float64)], kit.FillRule.NonZero)
    return section.revolve(segments)


def vessel(profile: Points, wall: float, floor: float | None = None) -> tuple[Solid, Solid]:
    """A hollow solid of revolution with a round rim, and its cavity.

    Args:
        profile: (radius, height) of the outside, from the axis at the foot to the rim.
        wall: Its thickness, measured level.
        floor: Height of the bottom of the cavity; the wall's thickness above the foot when not given.
    """
    outside = np.asarray(profile, dtype=np.float64)
    bottom = outside[0, 1] + wall if floor is None else floor
    inside = outside[(outside[:, 0] > wall) & (outside[:, 1] > bottom)] - [wall, 0.0]
    low = np.interp(bottom, outside[:, 1], outside[:, 0]) - wall
    inside = np.concatenate([[(0.0, bottom), (low, bottom)], inside])
    (radius, height), half = outside[-1], wall / 2
    turn = np.linspace(0.0, math.pi, 6)[1:-1]
    rim = np.column_stack([radius - half + half * np.cos(turn), height + half * np.sin(turn)])
    cavity = np.concatenate([inside, [(inside[-1, 0], height + wall), (0.0, height + wall)]])
    return lathe(np.concatenate([outside, rim, inside[::-1]])), lathe(cavity)


def extrude(outline: Points, height: float, bevel: float = 0.0) -> Solid:
    """Extrude a 2-D outline, with upper and lower edges bevelled at 45°.

    The bevel must be small enough for the sharpest corner of the outline.
    """
    kit = need("manifold3d")
    corners = np.asarray(outline, dtype=np.float64)
    if not bevel:
        return kit.CrossSection([corners], kit.FillRule.NonZero).extrude(height)
    if np.sum(corners[:, 0] * np.roll(corners[:, 1], -1) - np.roll(corners[:, 0], -1) * corners[:, 1]) < 0:
        corners = corners[::-1]
    ways = np.roll(corners, -1, axis=0) - corners
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    before, after = (np.column_stack([-way[:, 1], way[:, 0]]) for way in (np.roll(ways, 1, axis=0), ways))
    inward = (before + after) / np.maximum(1 + np.sum(before * after, axis=1, keepdims=True), 0.4)
    small = corners + bevel * inward
    levels = [(small, 0.0), (corners, bevel), (corners, height - bevel), (small, height)]
    return skin([np.column_stack([ring, np.full(len(ring), z)]) for ring, z in levels])


def swirl(outline: Points, height: float, degrees: float, taper: float, bulge: float = 0.0) -> Solid:
    """Extrude an outline with a twist in degrees and a taper.

    `bulge` curves the sides: 0 is straight like a cone, 1 round like a dome.
    """
    flat = np.asarray(outline, dtype=np.float64)
    rings = []
    for t in np.linspace(0.0, 1.0, 2 + int(abs(degrees) / 10)):
        angle, size = math.radians(degrees * t), 1 + (taper - 1) * t + bulge * math.sin(math.pi * t) * (1 - taper)
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        rings.append(np.column_stack([flat @ turn * size, np.full(len(flat), t * height)]))
    return skin(rings)


def skin(rings: Sequence[Points], closed: bool = False) -> Solid:
    """Loft through rings of equally many 3-D points.

    Each ring runs anticlockwise as seen from the next ring. The first and last are caps, which must be almost flat,
    unless `closed` joins them.
    """
    kit = need("manifold3d")
    stack = np.array([np.asarray(ring, dtype=np.float64) for ring in rings])
    count, size = stack.shape[:2]
    faces: list[npt.NDArray[np.int64]] = []
    for index in range(count if closed else count - 1):
        low = index * size + np.arange(size)
        high = (index + 1) % count * size + np.arange(size)
        low_next, high_next = np.roll(low, -1), np.roll(high, -1)
        faces += [np.column_stack([low, low_next, high_next]), np.column_stack([low, high_next, high])]
    if not closed:
        faces.append(_lid(stack[0])[:, ::-1])
        faces.append(_lid(stack[-1]) + (count - 1) * size)
    mesh = kit.Mesh64(stack.reshape(-1, 3), np.ascontiguousarray(np.concatenate(faces), dtype=np.uint64))
    solid = kit.Manifold(mesh)
    if solid.is_empty() or solid.volume() <= 0:
        raise ValueError(f"The rings do not enclose a solid ({solid.status()}): check their order and winding.")
    return solid


def _lid(ring: Floats) -> npt.NDArray[np.int64]:
    """Triangulate a ring in its plane."""
    normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
    normal /= np.linalg.norm(normal)
    side = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    side /= np.linalg.norm(side)
    flat = ring @ np.column_stack([side, np.cross(normal, side)])
    return np.asarray(need("manifold3d").triangulate([flat]), dtype=np.int64)


def tube(
    path: Points, radius: float | Sequence[float] | Floats, closed: bool = False, sides: int = 16, ratio: float = 1.0
) -> Solid:
    """Tube along a 3-D path.

    Args:
        path: Points of the path; for a smooth bar, a `curve`.
        radius: One, or one for each point of the path.
        closed: Whether the end of the path runs into its start.
        sides: Of the cross-section.
        ratio: Width of the cross-section across the plane that the path bends in, over its width in that plane.
    """
    line = np.asarray(path, dtype=np.float64)
    radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(line))
    if closed:
        ways = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    else:
        ways = np.gradient(line, axis=0)
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    bend = np.cross(ways[:-1], ways[1:]).sum(axis=0)
    if np.linalg.norm(bend) < 1e-6:
        bend = np.cross(ways[0], np.eye(3)[int(np.argmin(np.abs(ways[0])))])
    rings = []
    for point, way, size in zip(line, ways, radii, strict=True):
        across = bend - way * (bend @ way)
        across /= np.linalg.norm(across)
        inward = np.cross(across, way)
        flat = circle(float(size), sides, ratio)
        rings.append(point + flat[:, :1] * inward + flat[:, 1:] * across)
    return skin(rings, closed)


def cylinder(radius: float, height: float, bevel: float = 0.0, segments: int = 48) -> Solid:
    """A cylinder on z = 0 with bevelled edges."""
    corners = [(0.0, 0.0), (radius, 0.0), (radius, height), (0.0, height)]
    return lathe(rounded(corners, bevel, 3, closed=False) if bevel else corners, segments)


def cone(radius: float, height: float, top: float = 0.0, segments: int = 48) -> Solid:
    """A (truncated) cone on z = 0 with a top radius."""
    return lathe([(0.0, 0.0), (radius, 0.0), (top, height), (0.0, height)], segments)


def ball(radius: float, segments: int = 32) -> Solid:
    """A ball around the origin."""
    return need("manifold3d").Manifold.sphere(radius, segments)


def ellipsoid(x: float, y: float, z: float, segments: int = 32) -> Solid:
    """An ellipsoid with three semi-axes around the origin."""
    return ball(1.0, segments).scale((x, y, z))


def torus(ring: float, radius: float, segments: int = 48, sides: int = 20) -> Solid:
    """A torus around the z axis with major radius `ring` and minor radius `radius`."""
    return lathe(circle(radius, sides) + [ring, 0.0], segments)


def slab(x: float, y: float, z: float, rounding: float = 0.0, segments: int = 16) -> Solid:
    """A box on z = 0 around the z axis with rounded edges."""
    kit = need("manifold3d")
    if not rounding:
        return kit.Manifold.cube((x, y, z), True).translate((0.0, 0.0, z / 2))
    reach = np.array([x, y, z]) / 2 - rounding
    signs = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    balls = [ball(rounding, segments).translate(tuple(reach * sign)) for sign in signs]
    return kit.Manifold.batch_hull(balls).translate((0.0, 0.0, z / 2))


def hull(*solids: Solid) -> Solid:
    """Convex hull of solids."""
    return need("manifold3d").Manifold.batch_hull(list(solids))


def join(*solids: Solid) -> Solid:
    """Union of solids."""
    kit = need("manifold3d")
    return kit.Manifold.batch_boolean(list(solids), kit.OpType.Add)


def both(solid: Solid) -> list[Solid]:
    """A solid and its mirror image on the other side of x = 0."""
    return [solid, solid.mirror((1.0, 0.0, 0.0))]
