"""Solid things as cut-outs: any number, with known sizes, and no third-party images."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import binary_erosion, distance_transform_edt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import LARGEST, require_seed, require_whole, require_word

from ._library import _KEPT, Cutout, Pixels, trimmed
from ._sampling import to_linear, to_srgb

if TYPE_CHECKING:
    from pixelproof.world.solid import Scene, Thing

_FINE = 3
"""Supersampling factor of cut-outs."""
_FOCAL, _MARGIN = 2.2, 0.02


class SolidCutouts:
    """Solid things, each rendered on demand; needs the world extra.

    Args:
        seed: The same seed gives the same things.
        n: Number of things.
        side: Approximate longer side of a cut-out in pixels.
        families: Families of categories; empty: all but furniture and structure.
        split: A name in `SPLITS` of the solid world.

    Raises:
        PixelProofError: An argument is invalid.
    """

    def __init__(
        self, seed: int = 0, n: int = 100, *, side: int = 320, families: Collection[str] = (), split: str = "train"
    ) -> None:
        require_seed(seed)
        require_whole("cut-outs", n, 1)
        require_whole("pixels of a cut-out's side", side, 1, LARGEST)
        from pixelproof.world.solid._sampling import Taste, choose
        from pixelproof.world.solid._splits import check_split
        from pixelproof.world.solid.shapes import CATEGORIES

        known = {kind.family for kind in CATEGORIES.values()} - {"structure"}
        for family in families:
            require_word("family", family, sorted(known))
        wanted = set(families) or known - {"furniture"}
        names = [name for name, kind in CATEGORIES.items() if kind.family in wanted]
        taste = Taste(check_split(split), seed=seed)
        self._side, self._things, self._cutouts = side, {}, {}
        for index in range(n):
            rng = generator(seed, "collage/solid", index)
            thing = choose(rng, names, 1, taste, lambda thing: True)[0]
            kind = CATEGORIES[thing.category]
            noun, id = kind.word or kind.name, f"{thing.id[:-2]}-{index:04}"
            words = f"{thing.colour} {noun}" if thing.colour else noun
            caption = f"{'An' if words[0] in 'aeiou' else 'A'} {words}."
            self._things[id], shown = _portrait(rng, thing)
            self._cutouts[id] = Cutout(id, caption, noun, kind.family, round(shown, 3), mirror=not thing.text)
        self.pixels = lru_cache(_KEPT)(self._pixels)

    @property
    def cutouts(self) -> Mapping[str, Cutout]:
        """All things by id, such as `mug-0012`."""
        return self._cutouts

    def _pixels(self, id: str) -> Pixels:
        """Render a thing without background, supersampled."""
        from pixelproof.world.solid.render import render

        if id not in self._things:
            raise PixelProofError(f"There is no solid cut-out {id!r}: choose an id of the library's cutouts.")
        layers = render(self._things[id], self._side * _FINE, quality="draft", layers=("rgb", "ids"))
        return trimmed(_downscale(layers.rgb, layers.ids > 0), id)


def _portrait(rng: np.random.Generator, thing: Thing) -> tuple[Scene, float]:
    """A scene with one thing that fills the image, and the length of the thing in metres."""
    from pixelproof.world.solid import Scene
    from pixelproof.world.solid._settle import corners
    from pixelproof.world.solid.layouts._sight import frame_points
    from pixelproof.world.solid.layouts._surroundings import sample_lighting

    points = np.concatenate(corners(thing))
    azimuth = float(rng.uniform(-40, 40))
    camera = frame_points(points, azimuth, float(rng.uniform(14, 24)), _FOCAL, _MARGIN)
    lights, around = sample_lighting(
        rng, (0.0, 0.0, thing.size[2] / 2), (azimuth - 30, azimuth + 30), (45, 60), 4 * max(thing.size)
    )
    seen = camera.project(points, 1, 1)
    shown = float(np.ptp(seen[:, :2], axis=0).max() / _FOCAL * np.median(seen[:, 2]))
    return Scene("tabletop", 0, 0, (thing,), camera, lights, around), shown


def _downscale(rgb: Pixels, inside: np.ndarray) -> Pixels:
    """Downscale a rendered thing to a cut-out; alpha is the covered share of each pixel."""
    # Edge pixels are mixed with the background: they take the colour of the nearest inner pixel.
    sure = binary_erosion(inside)
    rows, columns = distance_transform_edt(
        ~(sure if sure.any() else inside), return_distances=False, return_indices=True
    )
    light = to_linear(rgb)[rows, columns] * inside[..., None]
    side = len(inside) // _FINE
    shape = (side, _FINE, side, _FINE)
    alpha = inside.reshape(shape).mean(axis=(1, 3))
    mean = light.reshape(*shape, 3).mean(axis=(1, 3)) / np.maximum(alpha, 1e-6)[..., None]
    codes = np.asarray(alpha * 255 + 0.5, np.uint8)
    return np.concatenate([to_srgb(mean.astype(np.float32)), codes[..., None]], axis=-1)
