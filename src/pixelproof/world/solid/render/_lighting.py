"""Incoming light: for all pixels at once, which share rays with their neighbours, or for single points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ._bounce import Screen, gather, reflect
from ._compiled import Bools, Ints, Places, Singles
from ._hits import Hits, Lens
from ._layers import Window
from ._meshes import Meshes
from ._shading import Finish, Lamps, diffuse, sky_guess
from ._shadows import facing, shadows, visible
from ._smooth import disc, interpolate, smooth, tile_places
from ._structure import Structure

_DIMMED = 0.4
"""Share of a lamp's light that the glass in its way keeps off."""
_REACH = 1
"""Pixels beside a window whose colours the edges in it use."""
_HALO = 7
"""Grid steps beside a window within which light is gathered: four for smoothing, one for interpolation, `_REACH`."""


@dataclass(frozen=True)
class Effort:
    """Numbers of rays for a render quality."""

    shadow: int
    """Shadow rays per lamp and pixel of a coarse grid."""
    half_shadow: int
    """Shadow rays per lamp and pixel, where the coarse grid is inconclusive."""
    gathered: int
    gathering: int
    """Spacing of the pixels that gather indirect light, in a picture of `REFERENCE` pixels; 1: all pixels."""
    proportional: bool
    """Whether that spacing is a share of the picture, so that the light is the same in all sizes; else it is fixed."""
    mirrored: int
    edge: int
    """Camera rays per edge pixel."""
    alone: int
    """Rays of each type from a point that shares none with neighbours."""
    texture: int
    """Maximum texture samples per pixel at grazing angles."""
    glossy: float
    """Roughness up to which reflections are traced, besides those of metal and glass."""

    def spacing(self, side: int) -> int:
        """Spacing of the pixels that gather indirect light in a picture with a shorter side: a power of two.

        >>> [EFFORTS["draft"].spacing(side) for side in (64, 256, 384, 512, 1024)]
        [1, 2, 4, 4, 8]
        """
        return max(1, 2 ** round(math.log2(self.gathering * side / REFERENCE))) if self.proportional else self.gathering


REFERENCE = 512
"""Shorter side of a picture, in pixels, for which efforts are stated."""
EFFORTS = {
    "beauty": Effort(4, 8, 16, 2, False, 2, 16, 16, 4, 0.5),
    "draft": Effort(1, 2, 4, 4, True, 1, 4, 4, 1, 0.0),
}


@dataclass(frozen=True)
class Studio:
    """Everything that rendering a scene needs."""

    kept: Structure
    lens: Lens
    lamps: Lamps
    finish: Finish
    effort: Effort
    spacing: int
    """Spacing of the pixels that gather indirect light."""

    @property
    def mesh(self) -> Meshes:
        """Triangles of the scene."""
        return self.kept.mesh

    @cached_property
    def reflecting(self) -> Bools:
        """(s + 1,) whether reflections are traced on each surface; the last entry is for no surface."""
        mirrors = [material.is_mirror for material in self.mesh.materials]
        return np.append((self.finish.roughness <= self.effort.glossy) | np.array(mirrors, np.bool_), False)


@dataclass(frozen=True)
class Light:
    """Incoming light per point: visible share of each lamp, diffuse and specular indirect light."""

    seen: Singles
    around: Singles
    mirrored: Singles

    def at(self, places: Places) -> Light:
        """A subset."""
        return Light(self.seen[places], self.around[places], self.mirrored[places])


def light_on_pixels(
    studio: Studio, hits: Hits, colours: Singles, window: Window, screen: Screen | None = None
) -> tuple[Light, Screen]:
    """Incoming light at the points that all pixels show, and their diffuse radiance.

    Indirect light is that of the pixels of a window and beside it; it depends on the direct light of all pixels.

    Args:
        studio: The scene.
        hits: A point for each pixel.
        colours: (n, 3) linear RGB of the points.
        window: The pixels to be rendered.
        screen: The image in front, for points that are seen through glass.
    """
    lens, lamps = studio.lens, studio.lamps
    places = tile_places(lens.width, lens.height, 1)
    seen = _seen(studio, hits, places, through_glass=screen is not None)
    if screen is None:
        guess = sky_guess(lamps, hits.normals)
        glow = diffuse(lamps, hits.surface, hits.points, hits.normals, colours, seen, guess)
        screen = Screen(glow, hits.surface, hits.points, hits.normals, lens.width, lens.turn, lens.matrix)
    around = _around(studio, screen, hits, window)
    return Light(seen, around, _mirrored(studio, screen, hits, around, places, window)), screen


def _seen(studio: Studio, hits: Hits, places: Ints, through_glass: bool) -> Singles:
    """Visible share of each lamp; glass dims it, but not for points that are seen through glass themselves."""
    effort, glass = studio.effort, None if through_glass else studio.kept.shading_glass
    rest = studio.lamps, hits, studio.lens, places, effort.shadow, effort.half_shadow
    seen = shadows(studio.kept.opaque, *rest)
    return seen if glass is None else seen * (1 - _DIMMED + _DIMMED * shadows(glass, *rest))


def _around(studio: Studio, screen: Screen, hits: Hits, window: Window) -> Singles:
    """Diffuse indirect light of the pixels of a window, gathered on a grid and interpolated."""
    lens, step = studio.lens, studio.spacing
    there = hits.surface >= 0
    # Interpolation reads the next grid pixels, and smoothing those within four steps of them.
    known = there & _grid(lens.width, lens.height, step) & window.pixels(_HALO * step)
    there = there & window.pixels(_REACH)
    chosen = np.flatnonzero(known)
    around = np.zeros((len(there), 3), np.float32)
    places = tile_places(lens.width, lens.height, step)
    around[chosen] = gather(
        studio.kept.opaque, studio.mesh, studio.lamps, screen, hits, chosen, places, studio.effort.gathered
    )
    same = hits.points, hits.normals, lens.width, step, 3 * step * lens.pixel, 0.9
    smooth(around, known, known, *same)
    isolated = np.flatnonzero(interpolate(around, known, there, *same))
    around[isolated] = gather(
        studio.kept.opaque, studio.mesh, studio.lamps, screen, hits, isolated, places, studio.effort.alone
    )
    return around


def _mirrored(studio: Studio, screen: Screen, hits: Hits, around: Singles, places: Ints, window: Window) -> Singles:
    """Specular indirect light of all pixels; on rough surfaces, the diffuse indirect light."""
    lens, effort = studio.lens, studio.effort
    glossy = studio.reflecting[hits.surface] & window.pixels(_HALO)
    chosen = np.flatnonzero(glossy)
    if not len(chosen):
        return around
    roughness = np.append(studio.finish.roughness, 1.0).astype(np.float32)[hits.surface]
    mirrored = around.copy()
    mirrored[chosen] = reflect(
        studio.kept.opaque, studio.mesh, studio.lamps, screen, hits, roughness, chosen, places, effort.mirrored
    )
    smooth(mirrored, glossy, glossy, hits.points, hits.normals, lens.width, 1, 3 * lens.pixel, 0.97)
    return mirrored


def _grid(width: int, height: int, step: int) -> Bools:
    grid = np.zeros((height, width), np.bool_)
    grid[::step, ::step] = True
    return grid.reshape(-1)


def light_on_points(studio: Studio, screen: Screen, hits: Hits, places: Ints) -> Light:
    """Incoming light at points without a similar pixel, such as those of very thin things.

    `places` has a number from 0 to 15 for each point, which selects its samples.
    """
    count, every = len(hits.surface), np.flatnonzero(hits.surface >= 0)
    seen = np.zeros((count, len(studio.lamps.place)), np.float32)
    for lamp in range(len(studio.lamps.place)):
        chosen = np.flatnonzero(facing(studio.lamps, lamp, hits.surface, hits.points, hits.normals))
        seen[chosen, lamp] = visible(
            studio.kept.opaque, studio.lamps, lamp, hits, chosen, places, disc(studio.effort.alone)
        )
    around = np.zeros((count, 3), np.float32)
    rest = studio.lamps, screen, hits, every, places, studio.effort.alone
    around[every] = gather(studio.kept.opaque, studio.mesh, *rest)
    return Light(seen, around, around)
