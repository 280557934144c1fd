"""A stage: one thing of a scene drawn at any pose over a picture without it, in about a millisecond."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import srgb_to_linear
from pixelproof.world.solid import Scene, Thing, rotation_matrix, yaw
from pixelproof.world.solid._poses import Floats, Vector
from pixelproof.world.solid.render import Layers, render
from pixelproof.world.solid.render._compiled import Singles
from pixelproof.world.solid.render._hits import Hits, Lens
from pixelproof.world.solid.render._labels import labels
from pixelproof.world.solid.render._meshes import Meshes, meshes
from pixelproof.world.solid.render._painting import Paints, paints, surface_colours
from pixelproof.world.solid.render._raster import image_bounds, rasterise
from pixelproof.world.solid.render._shading import diffuse, finish, lamps, outgoing, sky_guess
from pixelproof.world.solid.render._tone import encode_srgb, tone_map
from pixelproof.world.solid.render._vectors import transform
from pixelproof.world.solid.shapes import shape_of

from ._transforms import load_of, pivot, without

_FEW = 12
"""Pixels that show a thing from which on its light is fitted."""
_GAINS = np.float32(0.3), np.float32(3.0)
"""Smallest and largest factor of the light."""


class Drawn(NamedTuple):
    """A thing as drawn on a stage."""

    box: tuple[int, int, int, int]
    """Left, top, right, bottom in pixels, right and bottom exclusive; empty (zeros) if the thing is out of view."""
    rgb: npt.NDArray[np.uint8]
    """(h, w, 3) sRGB of the thing in the box; black where it is not."""
    alpha: Singles
    """(h, w) share of each pixel that shows the thing, in front of the plate."""


class Stage:
    """Draws a thing of a scene, and what stands on it, over a plate: the picture of the scene without them.

    Light is direct light without shadows, and an estimate of the ambient light: good enough to compare silhouettes,
    colours and lettering, but a render is needed for shadows.
    """

    def __init__(
        self,
        scene: Scene,
        id: str,
        width: int = 512,
        height: int | None = None,
        plate: Layers | None = None,
        samples: int = 2,
    ) -> None:
        """Prepare a stage.

        Args:
            scene: The scene with the thing.
            id: Id of the thing.
            width: In pixels.
            height: In pixels; the width unless given.
            plate: The scene without the thing and its load, rendered in this size with the layers `rgb` and `depth`;
                rendered as a draft unless given.
            samples: Samples per pixel along each axis.
        """
        self.thing: Thing = replace(scene.thing(id), support=None)
        self.width, self.height, self._samples = width, width if height is None else height, samples
        self.plate = plate or render(without(scene, id), width, height, "draft", layers=("rgb", "depth"), steady=True)
        group = {id, *load_of(scene, id)}
        alone = replace(scene, things=tuple(replace(t, support=None) for t in scene.things if t.id in group))
        self._mesh, self._labels, self._lamps = meshes(alone, shape_of), labels(alone, shape_of), lamps(alone)
        self._paints, self._finish = paints(alone, self._mesh), finish(self._mesh)
        self._eye, self._exposure = np.asarray(scene.camera.position), scene.environment.exposure
        self._pivot = pivot(self.thing) - self._eye
        self._lens = Lens.of(scene.camera, self.width * samples, self.height * samples)
        self._intrinsics = scene.camera.intrinsics(self.width, self.height)
        self.gain: Singles = np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1))
        """(3, 4) of each channel: factor of the light, and how much it grows along the components of the normal."""

    def draw(self, position: Vector | Floats, turn_deg: float = 0.0, factor: float = 1.0) -> Drawn:
        """Draw the thing at a pose.

        Args:
            position: Where its pivot is in the world: the point below its centre at the height of its lowest point.
            turn_deg: Turn from its pose in the scene, in degrees, anticlockwise as seen from above.
            factor: Scale from its size in the scene.
        """
        mesh, paint = self._posed(np.asarray(position, np.float64), turn_deg, factor)
        box = self._box(transform(mesh.vertices, self._lens.matrix @ self._lens.turn.T, (0.0, 0.0, 0.0)))
        left, top, right, bottom = box
        if left >= right or top >= bottom:
            return Drawn((0, 0, 0, 0), np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), np.float32))
        fine, matrix = self._samples, self._lens.matrix.copy()
        matrix[:2, 2] -= (left * fine, top * fine)
        lens = Lens((right - left) * fine, (bottom - top) * fine, self._lens.turn, matrix)
        triangle, cover = self._visible(mesh, lens, box, fine)
        hits = Hits.of(mesh, lens.centres(), triangle.reshape(-1))
        light = self._shade(mesh, paint, lens, hits) * self._gain_at(hits.normals)
        light = light.reshape(*cover.shape, 3) * cover[..., None]
        alpha = _pixel_means(cover.astype(np.float32), fine)
        mixed = _pixel_means(light, fine) / np.maximum(alpha, 1e-6)[..., None]
        return Drawn(box, encode_srgb(mixed.reshape(-1, 3).astype(np.float32)).reshape(mixed.shape), alpha)

    def fit_gain(self, picture: npt.NDArray[np.uint8], position: Vector | Floats) -> Singles:
        """The `gain` with which the thing at a place looks most like a picture of this size, in its pose in the scene.

        It stands for indirect light and shadows. Where few pixels show the thing, it is the same for all normals.
        """
        mesh, paint = self._posed(np.asarray(position, np.float64), 0.0, 1.0)
        lens = Lens(self.width, self.height, self._lens.turn, self._intrinsics)
        triangle, cover = self._visible(mesh, lens, (0, 0, self.width, self.height), 1)
        cover[1:-1, 1:-1] &= cover[:-2, 1:-1] & cover[2:, 1:-1] & cover[1:-1, :-2] & cover[1:-1, 2:]
        gain = np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1))
        if cover.sum() < _FEW:
            return gain
        inside = np.flatnonzero(cover)
        hits = Hits.of(mesh, lens.centres()[inside], triangle.reshape(-1)[inside])
        light = np.maximum(self._shade(mesh, paint, lens, hits), 1e-3).astype(np.float64)
        shown = srgb_to_linear(picture.reshape(-1, 3)[inside] / 255.0)
        basis = np.column_stack([np.ones(len(inside)), hits.normals]).astype(np.float64)
        mean = np.median(shown / light, axis=0)
        for channel in range(3):
            rows, target = basis * light[:, channel, None], shown[:, channel]
            normal = rows.T @ rows
            prior = np.array([mean[channel], 0.0, 0.0, 0.0])
            keep = np.diag([1e-3, 0.1, 0.1, 0.1]) * normal[0, 0]
            gain[channel] = np.linalg.solve(normal + keep, rows.T @ target + keep @ prior)
        return gain

    def _gain_at(self, normals: Singles) -> Singles:
        return np.clip(self.gain[:, 0] + normals @ self.gain[:, 1:].T, *_GAINS)

    def project(self, point: Vector | Floats) -> Floats:
        """Column and row, in pixels, where a point of the world is seen."""
        x, y, depth = (np.asarray(point) - self._eye) @ self._lens.turn @ self._lens.matrix.T
        column_row: Floats = np.array([x, y]) / (depth * self._samples)
        return column_row

    def compose(self, drawn: Drawn) -> npt.NDArray[np.uint8]:
        """The plate with a drawn thing on it, (height, width, 3)."""
        left, top, right, bottom = drawn.box
        picture = self.plate.rgb.copy()
        alpha, behind = drawn.alpha[..., None], srgb_to_linear(picture[top:bottom, left:right] / 255.0)
        mixed = behind * (1 - alpha) + srgb_to_linear(drawn.rgb / 255.0) * alpha
        shown = encode_srgb(mixed.reshape(-1, 3).astype(np.float32)).reshape(mixed.shape)
        picture[top:bottom, left:right] = np.where(alpha > 0, shown, picture[top:bottom, left:right])
        return picture

    def _posed(self, position: Floats, turn_deg: float, factor: float) -> tuple[Meshes, Paints]:
        """Triangles and paints at a pose: all that is drawn is turned and scaled about the pivot, and moved."""
        turn = rotation_matrix(yaw(turn_deg))
        move = position - self._eye - factor * turn @ self._pivot
        x, y, z = move.tolist()
        normals = transform(self._mesh.normals.reshape(-1, 3), turn, (0.0, 0.0, 0.0)).reshape(-1, 3, 3)
        mesh = replace(self._mesh, vertices=transform(self._mesh.vertices, turn * factor, (x, y, z)), normals=normals)
        return mesh, self._paints._replace(
            place=self._paints.place @ (turn.T * factor) + move,
            turn=turn @ self._paints.turn,
            scale=self._paints.scale * factor,
        )

    def _box(self, pixels: Floats) -> tuple[int, int, int, int]:
        """Bounding box of projected vertices in the picture; the whole picture if one is behind the camera."""
        is_before, *sides = image_bounds(pixels)
        if not is_before:
            return 0, 0, self.width, self.height
        left, top, right, bottom = (side / self._samples for side in sides)
        low, high = (math.floor(left), math.floor(top)), (math.ceil(right), math.ceil(bottom))
        (left, right), (top, bottom) = (
            (min(max(a, 0), size), min(max(b, 0), size))
            for a, b, size in zip(low, high, (self.width, self.height), strict=True)
        )
        return left, top, right, bottom

    def _visible(
        self, mesh: Meshes, lens: Lens, box: tuple[int, int, int, int], samples: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Triangles of the thing in a box, and where they are in front of the plate."""
        depth = np.full((lens.height, lens.width), np.inf)
        triangle = np.full(depth.shape, -1, np.int32)
        nowhere = np.full(len(mesh.faces), -1, np.int32)
        pixels = transform(mesh.vertices, lens.matrix @ lens.turn.T, (0.0, 0.0, 0.0))
        rasterise(pixels, mesh.faces, nowhere, depth, triangle, np.zeros((1, *depth.shape), np.bool_))
        left, top, right, bottom = box
        behind = self.plate.depth[top:bottom, left:right]
        behind = behind.repeat(samples, axis=0).repeat(samples, axis=1)
        return triangle, (triangle >= 0) & (depth <= behind + 1e-3)

    def _shade(self, mesh: Meshes, paint: Paints, lens: Lens, hits: Hits) -> Singles:
        """Tone-mapped linear colours of all samples."""
        colours, normals = surface_colours(
            paint, self._labels, hits.surface, hits.points, hits.normals, hits.rays, lens.turn, lens.pixel, 1
        )
        seen = np.ones((len(hits.surface), len(self._lamps.place)), np.float32)
        guess = sky_guess(self._lamps, normals)
        spread = diffuse(self._lamps, hits.surface, hits.points, normals, colours, seen, guess)
        light = outgoing(
            self._lamps, self._finish, hits.surface, hits.points, normals, hits.rays, colours, seen, spread, guess
        )
        return tone_map(light, self._exposure)


def _pixel_means(samples: Singles, fine: int) -> Singles:
    """Means over the samples of each pixel, of (h · fine, w · fine, …) samples."""
    total = samples[::fine, ::fine].copy()
    for place in range(1, fine * fine):
        total += samples[place // fine :: fine, place % fine :: fine]
    return total / np.float32(fine * fine)
