"""From solids to shapes: collision pieces, visible parts, and resting poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from pixelproof.world._extra import need
from pixelproof.world.solid._category import Label, Paint, Part, Shape, Surface
from pixelproof.world.solid._poses import Floats, Vector

from ._solids import Solid, hull

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
