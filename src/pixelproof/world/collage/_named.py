"""Libraries by name: solid things, any number of them, and the stamps of Tux Paint, with captions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image
from scipy.ndimage import binary_erosion, distance_transform_edt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import asset_path, require_inside
from pixelproof.world._limits import LARGEST, require_seed, require_whole, require_word

from ._library import _KEPT, Cutout, Pixels, noun_of, read_cutout, trimmed
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
        from pixelproof.world.solid._sampling import Taste, check_split, choose
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
    from pixelproof.world.solid.layouts._placing import frame_points
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


FOLDERS = ("animals", "food", "hobbies", "household", "plants", "sports", "vehicles")
"""Folders with photographs of things."""
_LETTERED = ("hobbies", "household", "sports", "vehicles")
"""Folders whose images show text."""
_FLAT = 0.45
"""Minimum bytes per pixel: drawings compress better than photographs."""
_COARSE = 96
"""Minimum longer side in pixels."""
_SIZES = {
    "animals": 1.3, "animals/amphibians": 0.12, "animals/birds": 0.5, "animals/fish": 0.35, "animals/insects": 0.04,
    "animals/lizards": 0.6, "animals/mammals/aquatic": 2.5, "animals/mammals/bears": 1.8,
    "animals/mammals/bovines": 2.2, "animals/mammals/camel": 2.6, "animals/mammals/cats": 1.7,
    "animals/mammals/deer": 1.7, "animals/mammals/dogs": 0.9, "animals/mammals/equines": 2.0,
    "animals/mammals/rodents": 0.35, "animals/shellfish": 0.12, "food": 0.1, "food/nuts": 0.04, "food/spices": 0.1,
    "food/vegetables": 0.15, "hobbies": 0.2, "hobbies/music": 0.8, "household": 0.3, "household/arttools": 0.14,
    "household/dishes": 0.2, "household/tools": 0.3, "plants": 0.3, "plants/flowers": 0.1, "plants/mushrooms": 0.12,
    "plants/trees": 6.0, "sports": 0.25, "vehicles": 4.0, "vehicles/auto": 4.2, "vehicles/flight": 30.0,
    "vehicles/masstransit": 9.0, "vehicles/ship": 9.0,
}  # fmt: skip
"""Folder → approximate length of its subjects in metres."""
_ODD_SIZES = {
    "bear": 1.8, "edward_bear": 0.3, "chimp": 0.9, "tamarin_emperor": 0.4, "badger": 0.8, "echidna": 0.4,
    "elephant": 4.5, "ferret": 0.4, "giraffe": 4.5, "hippopotamus": 3.5, "rhino_black": 3.5, "ostrich": 2.2,
    "nandou": 1.5, "pelican": 1.4, "crowned_crane": 1.1, "pink_flamingo": 1.3, "lark": 0.18, "blackbird": 0.25,
    "cuckoo": 0.3, "rainbow-lorikeet": 0.3, "capybara": 1.2, "beaver": 0.9, "marmot": 0.5, "mouse": 0.09,
    "orca": 6.0, "whale": 15.0, "otter": 0.9, "seahorse": 0.12, "shrimp": 0.1, "pineapple": 0.3, "strawberry": 0.04,
    "Strawberry2": 0.04, "raspberry": 0.03, "Cherry_Stella": 0.06, "pumpkin_small": 0.2, "trumpet": 0.5,
    "drumkit": 1.5, "cello": 1.3, "toilet": 0.75, "garbagecan": 0.7, "home_compost_bin": 0.9, "wheelie_bin": 1.0,
    "cementmixer": 1.3, "cylinder": 0.6, "rugby_goal_posts": 12.0, "tennis_racket": 0.68, "tennis_ball": 0.07,
    "cricketball": 0.07, "pink_tricycle": 0.8, "7spoke256": 0.6, "wheel_tractor": 1.5, "balloon360": 18.0,
    "Lightbulb": 0.12, "key": 0.07, "rubberduck": 0.1,
}  # fmt: skip


class TuxPaintStamps:
    """Stamps of Tux Paint; the id is the path in the folder without the suffix.

    Args:
        folder: Folder of the stamps; None: the asset `tuxpaint-stamps`.
        language: Language of the captions, such as `de` or `zh_cn`; English where there is no translation.
        folders: Sub-folders to use.
        drawings: Whether to include drawings.

    Raises:
        PixelProofError: The asset is missing (the message has the command that gets it), or the folder has no stamps.
    """

    def __init__(
        self,
        folder: Path | str | None = None,
        *,
        language: str = "en",
        folders: Collection[str] = FOLDERS,
        drawings: bool = False,
    ) -> None:
        self.folder = asset_path("tuxpaint-stamps") if folder is None else Path(folder)
        self._files: dict[str, Path] = {}
        self._cutouts: dict[str, Cutout] = {}
        for path in sorted(self.folder.rglob("*.png")):
            place = require_inside(path, self.folder).relative_to(self.folder)
            if path.stem.endswith("_mirror"):  # a mirrored copy
                continue
            if place.parts[0] in folders and _suits(path, drawings):
                id = place.with_suffix("").as_posix()
                self._files[id], self._cutouts[id] = path, _described(id, path, language)
        if not self._files:
            raise PixelProofError(
                f"{self.folder} holds no stamps of Tux Paint in {', '.join(folders)}: run pixelproof data assets get "
                "tuxpaint-stamps, and name no folder."
            )
        self.pixels = lru_cache(_KEPT)(self._pixels)

    @property
    def cutouts(self) -> Mapping[str, Cutout]:
        """All stamps by id."""
        return self._cutouts

    def _pixels(self, id: str) -> Pixels:
        if id not in self._files:
            raise PixelProofError(f"There is no stamp {id!r} in {self.folder}: choose an id of the library's cutouts.")
        return read_cutout(self._files[id])


def _suits(path: Path, drawings: bool) -> bool:
    """Whether a stamp has transparency, is large enough and, if required, a photograph; from its header."""
    with Image.open(path, formats=("PNG",)) as image:
        flat = "cartoon" in path.parts or path.stat().st_size <= _FLAT * image.width * image.height
        return image.has_transparency_data and max(image.size) >= _COARSE and (drawings or not flat)


def _described(id: str, path: Path, language: str) -> Cutout:
    english, own = _captions(path, language)
    caption = own or english or path.stem.replace("_", " ")
    noun = noun_of(english, path.stem) if not own else noun_of(own, path.stem)
    folders = id.split("/")[:-1]
    mirror = folders[0] not in _LETTERED and "nomirror" not in _text(path.with_suffix(".dat"))
    cutout = Cutout(id, caption, noun, "/".join(folders[:2]), _size(id), mirror)
    return cutout if english or own else replace(cutout, caption=noun)


def _size(id: str) -> float:
    parts = id.split("/")
    folders = ["/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
    known = (_SIZES[folder] for folder in folders if folder in _SIZES)
    return _ODD_SIZES.get(parts[-1]) or next(known, 0.5)


def _captions(path: Path, language: str) -> tuple[str, str]:
    """The English caption, and that in a language; empty if missing."""
    lines = _text(path.with_suffix(".txt")).splitlines()
    marked = f"{language.lower()}.utf8="
    own = next((line[len(marked) :].strip() for line in lines if line.lower().startswith(marked)), "")
    return lines[0].strip() if lines else "", own


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
