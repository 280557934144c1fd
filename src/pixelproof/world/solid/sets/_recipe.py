"""From a recipe and an index to a scene with its picture and truth: all that tells one set of scenes from another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.world.solid._scene import Scene
    from pixelproof.world.solid.render import Layers

LAYERS = ("rgb", "depth", "normals", "ids", "amodal", "visible")
"""What can be stored of a scene."""
LARGEST = 8192
_TRUTH = ("ids", "amodal")


@dataclass(frozen=True)
class Recipe:
    """What a set of scenes is made from; together with an index, it determines every byte of a scene.

    Raises:
        PixelProofError: Something in it is not known or impossible.
    """

    kind: str
    seed: int
    split: str = "train"
    width: int = 512
    height: int = 512
    quality: Literal["draft", "beauty"] = "draft"
    layers: tuple[str, ...] = LAYERS
    """The layers that are stored."""
    things: int | None = None
    """How many things are laid out; None: as the kind likes."""
    clutter: float = 0.5
    occlusion: float = 0.5

    def __post_init__(self) -> None:
        """Refuse at once what would fail at the first scene."""
        from pixelproof.world.solid._splits import check_split
        from pixelproof.world.solid.layouts import KINDS

        _require("kind of scenes", self.kind, tuple(KINDS))
        check_split(self.split)
        _require("quality", self.quality, ("draft", "beauty"))
        for layer in self.layers:
            _require("layer", layer, LAYERS)
        if not self.layers:
            raise PixelProofError(f"A set without layers is empty: name some of {', '.join(LAYERS)}.")
        if not 0 <= self.seed < 2**63:
            raise PixelProofError(f"A seed is a whole number from 0 to 2**63 - 1, not {self.seed}.")
        if not 1 <= self.width <= LARGEST or not 1 <= self.height <= LARGEST:
            raise PixelProofError(
                f"A picture of {self.width} × {self.height} pixels cannot be made: choose a size from 1 to {LARGEST}."
            )

    def scene_id(self, index: int) -> str:
        """The name of a scene, the same in every set that it is in."""
        return f"{self.kind}/{self.split}/{self.seed}/{index:06d}"

    def scene(self, index: int) -> Scene:
        """The scene with an index."""
        from pixelproof.world.solid.layouts import make_scene

        return make_scene(
            self.kind,
            self.seed,
            index,
            split=self.split,
            things=self.things,
            clutter=self.clutter,
            occlusion=self.occlusion,
        )

    def picture(self, scene: Scene) -> Layers:
        """Its picture and truth: the layers that are stored, and those that the table of things is made from."""
        from pixelproof.world.solid.render import render

        wanted = tuple(layer for layer in LAYERS if layer in self.layers or layer in _TRUTH)
        return render(scene, self.width, self.height, self.quality, layers=wanted)


def _require(what: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise PixelProofError(f"There is no {what} {word!r}: choose from {', '.join(known)}.")
