"""The stamps of Tux Paint as cut-outs: animals, food, plants, tools, vehicles, with captions in many languages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path, require_inside

from ._library import _KEPT, Cutout, Pixels, noun_of, read_cutout

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
                f"{self.folder} holds no stamps of Tux Paint in {', '.join(folders)}: run pixelproof assets get "
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
