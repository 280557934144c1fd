"""Glass: what is seen through it, without refraction. The ground truth of its pixels is that of the glass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._hits import Hits
from ._lighting import Studio
from ._shading import sky_guess

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

_LAYERS = 12
"""Maximum number of glass surfaces behind each other."""
_STEP = 1.5e-4
"""Distance behind a surface from which a ray goes on, per metre from the camera."""


@dataclass(frozen=True)
class Behind:
    """What rays through glass reach: one row per ray."""

    triangle: Ints
    """Index of the first opaque triangle; -1 for none."""
    through: Singles
    """(n, 3) share of its radiance that passes the glass."""
    added: Singles
    """(n, 3) radiance that the glass behind the first surface adds."""


def clear_of(studio: Studio, surface: Ints) -> npt.NDArray[np.float64]:
    """Share of light that passes each of the given surfaces; 0 for opaque ones and for none."""
    return np.append(studio.kept.clear, 0.0)[surface]


def look_behind(studio: Studio, hits: Hits) -> Behind:
    """Follow the rays of hits on glass to what is behind it."""
    count = len(hits.surface)
    triangle, added = np.full(count, -1, np.int32), np.zeros((count, 3), np.float32)
    through = _passed(studio, hits)
    alive, at = np.arange(count), hits
    for _ in range(_LAYERS):
        distance = np.linalg.norm(at.points, axis=1, keepdims=True)
        reached = studio.kept.first_hit(at.points + at.rays * (_STEP * distance).astype(np.float32), at.rays)
        at = Hits.of(studio.mesh, at.rays, reached)
        triangle[alive] = reached
        glass = np.flatnonzero(clear_of(studio, at.surface) > 0)
        alive, at = alive[glass], at.at(glass)
        if not len(alive):
            break
        added[alive] += through[alive] * _own_light(studio, at)
        through[alive] *= _passed(studio, at)
    return Behind(triangle, through, added)


def _fresnel(studio: Studio, hits: Hits) -> Singles:
    """(n, 1) reflected share, as for all surfaces that are no metal."""
    facing = np.clip(-np.sum(hits.normals * hits.rays, axis=1), 0.02, 1.0)
    base, rough = studio.finish.specular[hits.surface], studio.finish.roughness[hits.surface]
    return np.asarray(base + (1 - base) * (1 - facing) ** 5 * (1 - rough) ** 2, np.float32)[:, None]


def _passed(studio: Studio, hits: Hits) -> Singles:
    """(n, 3) share of light that passes one surface; a sheet has two."""
    colours = studio.mesh.colours[hits.surface]
    strongest = colours.max(axis=1, keepdims=True)
    tint = (0.2 + 0.8 * colours / np.maximum(strongest, 1e-6)) * (0.4 + 0.6 * strongest)
    clear = clear_of(studio, hits.surface)[:, None]
    return np.asarray(np.sqrt(clear * tint) * (1 - _fresnel(studio, hits)), np.float32)


def _own_light(studio: Studio, hits: Hits) -> Singles:
    """(n, 3) estimated radiance of inner surfaces of glass: reflections, and the light that its colour scatters."""
    body = (1 - clear_of(studio, hits.surface))[:, None] * studio.mesh.colours[hits.surface]
    return np.asarray(sky_guess(studio.lamps, hits.normals) * (_fresnel(studio, hits) + body), np.float32)
