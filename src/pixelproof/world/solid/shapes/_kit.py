"""Modelling functions for the families of things.

Solids are `manifold3d.Manifold`: `a + b` is the union, `a - b` the difference, `a ^ b` the intersection; `translate`,
`rotate` (degrees about x, then y, then z), `scale`, `mirror` and `warp_batch` are its methods. Standing solids are
built upwards from z = 0 around the z axis; round ones around the origin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from pixelproof.world._extra import need
from pixelproof.world.solid._category import Label, Paint, Part, Shape, Surface
from pixelproof.world.solid._poses import Floats, Vector

if TYPE_CHECKING:
    from manifold3d import Manifold


Points: TypeAlias = npt.ArrayLike


def curve(points: Points, steps: int = 6, closed: bool = False) -> Floats:
    """Centripetal Catmull–Rom spline through 2-D or 3-D points, with `steps` per span.

    >>> curve([(0, 0), (1, 1), (2, 0)], steps=2).round(3).tolist()
    [[0.0, 0.0], [0.5, 0.625], [1.0, 1.0], [1.5, 0.625], [2.0, 0.0]]
    """
    from scipy.interpolate import CubicHermiteSpline  # takes a while to import

    knots = np.asarray(points, dtype=np.float64)
    if closed:
        knots = np.concatenate([knots[-2:], knots, knots[:3]])
    spans = np.sqrt(np.linalg.norm(np.diff(knots, axis=0), axis=1))
    times = np.concatenate([[0.0], np.cumsum(spans)])
    slopes = np.gradient(knots, times, axis=0)
    first, last = (2, len(knots) - 3) if closed else (0, len(knots) - 1)
    at = [np.linspace(times[i], times[i + 1], steps, endpoint=False) for i in range(first, last)]
    line = CubicHermiteSpline(times, knots, slopes)(np.concatenate(at))
    return line if closed else np.concatenate([line, knots[-1:]])


def rounded(outline: Points, radius: float, steps: int = 4, closed: bool = True) -> Floats:
    """A 2-D or 3-D polyline with rounded corners; corners between short sides get a smaller radius."""
    corners = np.asarray(outline, dtype=np.float64)
    line: list[Floats] = []
    for index, corner in enumerate(corners):
        if not closed and index in (0, len(corners) - 1):
            line.append(corner[None])
            continue
        back, on = corners[index - 1] - corner, corners[(index + 1) % len(corners)] - corner
        reach = min(radius, 0.49 * float(np.linalg.norm(back)), 0.49 * float(np.linalg.norm(on)))
        start, end = (corner + way / np.linalg.norm(way) * reach for way in (back, on))
        t = np.linspace(0.0, 1.0, steps + 1)[:, None]
        line.append((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end)
    return np.concatenate(line)


def circle(radius: float, count: int = 48, ratio: float = 1.0) -> Floats:
    """Vertices of a circle, or of an ellipse with a depth-to-width ratio."""
    angles = 2 * math.pi * np.arange(count) / count
    return np.column_stack([radius * np.cos(angles), radius * ratio * np.sin(angles)])


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


SLACK = 0.0005
"""Maximum distance in metres by which a collision piece may exceed the visible part."""
PLAIN = Paint()
"""Paint with the colour and material of the thing."""


def points(solid: Solid) -> Floats:
    """Vertices of a solid."""
    return np.array(solid.to_mesh64().vert_properties[:, :3], dtype=np.float64)


def cut(solid: Solid, heights: Sequence[float], axis: int = 2) -> list[Solid]:
    """Convex hulls of the slabs between planes across an axis."""
    normal = tuple(np.eye(3)[axis])
    pieces = []
    for height in heights:
        solid, low = solid.split_by_plane(normal, height)
        pieces.append(low.hull())
    return [piece for piece in (*pieces, solid.hull()) if not piece.is_empty()]


def slices(solid: Solid, count: int, axis: int = 2) -> list[Solid]:
    """Cut a solid across an axis (0, 1, 2) into slabs of equal length; returns their convex hulls."""
    box = solid.bounding_box()
    cuts = np.linspace(box[axis], box[axis + 3], count + 1)[1:-1]
    return cut(solid, cuts.tolist(), axis)


def walls(solid: Solid, heights: Sequence[float], count: int = 12) -> list[Solid]:
    """Convex pieces of a hollow solid: its bottom up to the first height, above it sectors around the z axis.

    Between further heights the sectors are cut, so that they follow a wall that curves. The first height lies a
    little over the floor, or the sectors would reach over it to the middle.
    """
    solid, bottom = solid.split_by_plane((0.0, 0.0, 1.0), heights[0])
    pieces = [bottom.hull()]
    for index in range(count):
        start, end = (2 * math.pi * (index + k) / count for k in (0, 1))
        sector = solid.trim_by_plane((-math.sin(start), math.cos(start), 0.0), 0.0)
        sector = sector.trim_by_plane((math.sin(end), -math.cos(end), 0.0), 0.0)
        pieces += cut(sector, heights[1:])
    return [piece for piece in pieces if not piece.is_empty()]


def laid(*solids: Solid) -> list[Solid]:
    """Solids of one thing, tilted a little together so that it rests by itself as it lies.

    They come to rest on that face of their hull which is most nearly below and has their middle of mass above it.
    """
    mesh = hull(*solids).to_mesh64()
    corners = mesh.vert_properties[mesh.tri_verts.astype(np.int64)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    middle = _middle_of_mass(solids)
    for index in np.argsort(normals[:, 2], kind="stable"):
        down = normals[index]
        face = corners[np.abs((corners - corners[index, 0]) @ down).max(axis=1) < 1e-4 * np.ptp(corners)]
        turn = Rotation.align_vectors([(0.0, 0.0, -1.0)], [down])[0].as_matrix()
        foot = ConvexHull((face.reshape(-1, 3) @ turn.T)[:, :2], qhull_options="QJ")
        if (foot.equations @ [*(turn @ middle)[:2], 1.0]).max() < 0:
            return [solid.transform(np.column_stack([turn, np.zeros(3)])) for solid in solids]
    raise ValueError("The solids rest on none of their faces.")


def _middle_of_mass(solids: Sequence[Solid]) -> Floats:
    moments, volume = np.zeros(3), 0.0
    for solid in solids:
        mesh = solid.to_mesh64()
        a, b, c = np.moveaxis(mesh.vert_properties[mesh.tri_verts.astype(np.int64)], 1, 0)
        wedges = np.sum(a * np.cross(b, c), axis=1) / 6  # of the tetrahedra from the origin to each face
        moments += wedges @ (a + b + c) / 4
        volume += wedges.sum()
    return moments / volume


def part(solid: Solid, paint: Paint = PLAIN, crease: float = 40.0) -> Part:
    """A visible part from a solid."""
    mesh = solid.to_mesh64()
    vertices = np.array(mesh.vert_properties[:, :3], dtype=np.float64)
    return Part(vertices, np.array(mesh.tri_verts, dtype=np.int32), paint, crease)


def stood(
    *parts: Part,
    pieces: Sequence[Solid] = (),
    labels: Sequence[Label] = (),
    surfaces: Sequence[Surface] = (),
    scale: float = 1.0,
) -> Shape:
    """Make a shape from parts, with the origin below their centre at their lowest point.

    Args:
        parts: Visible parts.
        pieces: Convex collision solids that enclose the parts; none: the hull of each part.
        labels: Labels, in the frame of the given parts.
        surfaces: Surfaces, in the same frame.
        scale: Metres per unit.
    """
    low, high = Shape(parts).bounds
    shift = -np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])

    def placed(point: Vector) -> Vector:
        x, y, z = ((np.asarray(point) + shift) * scale).tolist()
        return (x, y, z)

    solids = pieces or [need("manifold3d").Manifold.hull_points(part.vertices) for part in parts]
    return Shape(
        tuple(replace(part, vertices=(part.vertices + shift) * scale) for part in parts),
        tuple(footed(piece.translate(tuple(shift)).scale((scale, scale, scale))) for piece in solids),
        tuple(
            replace(label, centre=placed(label.centre), width=label.width * scale, height=label.height * scale)
            for label in labels
        ),
        tuple(
            replace(top, centre=placed(top.centre), width=top.width * scale, depth=top.depth * scale)
            for top in surfaces
        ),
    )


def footed(piece: Solid) -> Floats:
    """Corners of a convex piece; one that reaches the ground gets the foot of its section a little higher.

    Without it, what is round at the foot would rest on one corner and roll for ever.
    """
    corners = points(piece.hull())
    if corners[:, 2].min() > SLACK / 2:
        return corners
    foot = piece.slice(SLACK).hull().to_polygons()
    feet = [np.column_stack([outline, np.zeros(len(outline))]) for outline in foot]
    return points(need("manifold3d").Manifold.hull_points(np.concatenate([corners, *feet])))
