"""What the recipes of scenes, clips and pairs of the solid world share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pixelproof.world._limits import require_word
from pixelproof.world.sets import require_recipe

from ._sampling import check_split
from ._scene import Thing


@dataclass(frozen=True)
class SolidFields:
    """Fields of recipes of the solid world: which scenes, and how they are rendered."""

    edition: ClassVar[int] = 2

    kind: str
    seed: int
    split: str = "train"
    width: int = 512
    height: int = 512
    quality: Literal["draft", "beauty"] = "draft"

    def require_fields(self, layers: tuple[str, ...], known: tuple[str, ...]) -> None:
        """Raise an error for an invalid field, or for a layer that is not known.

        Raises:
            PixelProofError: A field or a layer is invalid.
        """
        check_split(self.split)
        require_word("quality", self.quality, ("draft", "beauty"))
        require_recipe(self.seed, self.width, self.height, layers, known)


@dataclass(frozen=True)
class KindOfScene(SolidFields):
    """Fields of recipes whose ids begin with the kind of scene."""

    def item_id(self, index: int) -> str:
        """The id of an item, the same in every set that contains it."""
        return f"{self.kind}/{self.split}/{self.seed}/{index:06d}"


def thing_words(thing: Thing) -> str:
    """Colour, material, category and text of a thing, for tables."""
    name = thing.category.replace("_", " ")
    material = "" if name.startswith(f"{thing.material} ") else thing.material  # not "cardboard cardboard box"
    words = [word for word in (thing.colour, material, name) if word]
    return " ".join(words) + (f" “{thing.text}”" if thing.text else "")
