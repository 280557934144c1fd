"""A stage: one thing of a scene drawn at any pose over a picture without it, in about a millisecond."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import srgb_to_linear
from pixelproof.world.solid import Scene, Thing
from pixelproof.world.solid._poses import Floats, Vector
from pixelproof.world.solid.render import Layers, render
from pixelproof.world.solid.render._hits import Hits, Lens
from pixelproof.world.solid.render._labels import labels
from pixelproof.world.solid.render._lamps import lamps
from pixelproof.world.solid.render._meshes import Meshes, meshes
from pixelproof.world.solid.render._painting import surface_colours
from pixelproof.world.solid.render._paints import paints
from pixelproof.world.solid.render._raster import rasterise
from pixelproof.world.solid.render._shading import diffuse, finish, outgoing, sky_guess
from pixelproof.world.solid.render._tone import encode_srgb, tone_map
from pixelproof.world.solid.render._vectors import transform
from pixelproof.world.solid.shapes import shape_of

from ._transforms import placed

_FINE = 2
"""Samples per pixel along each axis."""
Singles = npt.NDArray[np.float32]


class Drawn(NamedTuple):
    """A thing as drawn on a stage."""

    box: tuple[int, int, int, int]
    """Left, top, right, bottom in pixels, right and bottom exclusive; empty (zeros) if the thing is out of view."""
    rgb: npt.NDArray[np.uint8]
    """(h, w, 3) sRGB of the thing in the box; black where it is not."""
    alpha: Singles
    """(h, w) share of each pixel that shows the thing, in front of the plate."""


class Stage:
    """Draws one thing of a scene over a plate, which is the picture of the scene without it.

    Light is direct light without shadows, and an estimate of the ambient light: good enough to compare silhouettes,
    colours and lettering, but a render is needed for shadows.
    """

    def __init__(
        self, scene: Scene, id: str, width: int = 512, height: int | None = None, plate: Layers | None = None
    ) -> None:
        """Prepare a stage.

        Args:
            scene: The scene with the thing.
            id: Id of the thing.
            width: In pixels.
            height: In pixels; the width unless given.
            plate: The scene without the thing, rendered in this size with the layers `rgb` and `depth`; rendered as a
                draft unless given.
        """
        self.thing: Thing = replace(scene.thing(id), support=None)
        self.width, self.height = width, width if height is None else height
        bare = replace(scene, things=tuple(
            replace(one, support=None) if one.support == id else one for one in scene.things if one.id != id
        ))  # fmt: skip
        self.plate = plate or render(bare, width, height, "draft", layers=("rgb", "depth"), steady=True)
        self._scene = replace(scene, things=())
        self._linear = srgb_to_linear(self.plate.rgb / 255.0)
        self._lens = Lens.of(scene.camera, self.width * _FINE, self.height * _FINE)

    def draw(self, position: Vector, turn_deg: float = 0.0, factor: float = 1.0) -> Drawn:
        """Draw the thing at a pose.

        Args:
            position: Where its pivot is in the world: the point below its centre at the height of its lowest point.
            turn_deg: Turn from its pose in the scene, in degrees, anticlockwise as seen from above.
            factor: Scale from its size in the scene.
        """
        posed = placed(self.thing, *position, turn_deg, factor)
        scene = replace(self._scene, things=(posed,))
        mesh = meshes(scene, shape_of)
        box = self._box(transform(mesh.vertices, self._lens.matrix @ self._lens.turn.T, (0.0, 0.0, 0.0)))
        left, top, right, bottom = box
        if left >= right or top >= bottom:
            return Drawn((0, 0, 0, 0), np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), np.float32))
        matrix = self._lens.matrix.copy()
        matrix[:2, 2] -= (left * _FINE, top * _FINE)
        lens = Lens((right - left) * _FINE, (bottom - top) * _FINE, self._lens.turn, matrix)
        triangle, cover = self._visible(mesh, lens, box)
        hits = Hits.of(mesh, lens.centres(), triangle.reshape(-1))
        light = self._shade(scene, mesh, lens, hits).reshape(*cover.shape, 3) * cover[..., None]
        shape = (bottom - top, _FINE, right - left, _FINE)
        alpha = cover.reshape(shape).mean(axis=(1, 3), dtype=np.float32)
        mixed = light.reshape(*shape, 3).mean(axis=(1, 3)) / np.maximum(alpha, 1e-6)[..., None]
        return Drawn(box, encode_srgb(mixed.reshape(-1, 3).astype(np.float32)).reshape(mixed.shape), alpha)

    def compose(self, drawn: Drawn) -> npt.NDArray[np.uint8]:
        """The plate with a drawn thing on it, (height, width, 3)."""
        left, top, right, bottom = drawn.box
        picture = self.plate.rgb.copy()
        alpha = drawn.alpha[..., None]
        mixed = self._linear[top:bottom, left:right] * (1 - alpha) + srgb_to_linear(drawn.rgb / 255.0) * alpha
        shown = encode_srgb(mixed.reshape(-1, 3).astype(np.float32)).reshape(mixed.shape)
        picture[top:bottom, left:right] = np.where(alpha > 0, shown, picture[top:bottom, left:right])
        return picture

    def _box(self, pixels: Floats) -> tuple[int, int, int, int]:
        """Bounding box of projected vertices in the picture; the whole picture if one is behind the camera."""
        if np.any(pixels[:, 2] <= 0):
            return 0, 0, self.width, self.height
        image = pixels[:, :2] / pixels[:, 2:] / _FINE
        low = np.clip(np.floor(image.min(axis=0)), 0, (self.width, self.height)).astype(int)
        high = np.clip(np.ceil(image.max(axis=0)), 0, (self.width, self.height)).astype(int)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def _visible(
        self, mesh: Meshes, lens: Lens, box: tuple[int, int, int, int]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Triangles of the thing in a box, and where they are in front of the plate."""
        depth = np.full((lens.height, lens.width), np.inf)
        triangle = np.full(depth.shape, -1, np.int32)
        nowhere = np.full(len(mesh.faces), -1, np.int32)
        pixels = transform(mesh.vertices, lens.matrix @ lens.turn.T, (0.0, 0.0, 0.0))
        rasterise(pixels, mesh.faces, nowhere, depth, triangle, np.zeros((1, *depth.shape), np.bool_))
        left, top, right, bottom = box
        behind = self.plate.depth[top:bottom, left:right].repeat(_FINE, axis=0).repeat(_FINE, axis=1)
        return triangle, (triangle >= 0) & (depth <= behind + 1e-3)

    def _shade(self, scene: Scene, mesh: Meshes, lens: Lens, hits: Hits) -> Singles:
        """Tone-mapped linear colours of all samples."""
        lights = lamps(scene)
        colours, normals = surface_colours(
            paints(scene, mesh), labels(scene, shape_of), hits.surface, hits.points, hits.normals, hits.rays, lens.turn,
            lens.pixel, 1,
        )  # fmt: skip
        seen = np.ones((len(hits.surface), len(lights.place)), np.float32)
        guess = sky_guess(lights, normals)
        spread = diffuse(lights, hits.surface, hits.points, normals, colours, seen, guess)
        light = outgoing(
            lights, finish(mesh), hits.surface, hits.points, normals, hits.rays, colours, seen, spread, guess
        )
        return tone_map(light, scene.environment.exposure)
