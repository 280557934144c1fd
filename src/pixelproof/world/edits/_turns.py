"""Whether a turn of a thing can be seen: its shape and paint after the turn against those before."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.spatial import cKDTree

from pixelproof.stats import generator
from pixelproof.world.solid import Thing, rotation_matrix, yaw
from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid.shapes import shape

_POINTS = 2000
LEAST_DIFFERENCE = 0.06
"""Least difference of a turn that can be seen, as a share of the longest side of the thing."""


def turn_difference(thing: Thing, degrees: float) -> float:
    """How far the surface of a thing is from itself after a turn about the vertical, as a share of its longest side.

    Distances are normal to the surface and between parts of the same paint; of all points, the 95th percentile counts.
    A turn by a symmetry of the thing has a difference near 0. Both directions have the same difference: that of the
    anticlockwise turn.
    """
    degrees = abs(degrees)
    axis = rotation_matrix(thing.rotation).T @ rotation_matrix(yaw(degrees)) @ rotation_matrix(thing.rotation)
    low, high = shape(thing.category, thing.form).bounds
    middle = (low + high) / 2
    distances = []
    for points, normals in _samples(thing.category, tuple(sorted(thing.form.items())), bool(thing.text)):
        tree, turned = cKDTree(points), (points - middle) @ axis.T + middle
        _, nearest = tree.query(turned)
        distances.append(np.abs(np.sum((turned - points[nearest]) * normals[nearest], axis=1)))
    return float(np.percentile(np.concatenate(distances), 95) / (high - low).max())


@lru_cache(maxsize=256)
def _samples(name: str, form: tuple[tuple[str, float], ...], lettered: bool) -> tuple[tuple[Floats, Floats], ...]:
    """Random surface points and their normals, one pair of arrays per paint; labels with a text are a paint."""
    built, rng = shape(name, dict(form)), generator(0, "turn", 0)
    groups: dict[object, list[tuple[Floats, Floats, Floats]]] = {}
    for part in built.parts:
        corners = part.vertices[part.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=1)
        keep = areas > 0
        groups.setdefault(part.paint, []).append((corners[keep], normals[keep] / areas[keep, None], areas[keep]))
    whole = sum(float(areas.sum()) for parts in groups.values() for _, _, areas in parts)
    samples = []
    for parts in groups.values():
        corners, normals, areas = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        count = max(60, round(_POINTS * float(areas.sum()) / whole))
        chosen = rng.choice(len(areas), count, p=areas / areas.sum())
        weights = rng.dirichlet((1.0, 1.0, 1.0), count)
        samples.append((np.einsum("nk,nkd->nd", weights, corners[chosen]), normals[chosen]))
    for label in built.labels if lettered else ():
        centre, up = np.asarray(label.centre), np.asarray(label.up)
        across = np.cross(up, label.normal)
        spots = rng.uniform(-0.5, 0.5, (150, 2)) * (label.width, label.height)
        # Letters that are seen from the side look different: distances along the label count too.
        points = centre + spots[:, :1] * across + spots[:, 1:] * up
        samples.append((points, np.tile(across, (150, 1))))
    return tuple(samples)
