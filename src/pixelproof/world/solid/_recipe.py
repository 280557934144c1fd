"""The recipe of solid scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.world._limits import require_word
from pixelproof.world.sets import Arrays, Finding, Row, SetItem, Table, rows_that_differ, stored_arrays

from ._files import broken_rules, check_layers, layers_of
from ._recipe_fields import KindOfScene, thing_words
from ._scene import Scene
from ._truth import SCENES, THINGS, scene_row, thing_rows
from .layouts import KINDS, make_scene
from .render import LAYERS, render

if TYPE_CHECKING:
    from .render import Layers

_TRUTH = ("ids", "amodal")


@dataclass(frozen=True)
class SolidRecipe(KindOfScene):
    """Recipe of a set of solid scenes; with an index, it determines every byte of a scene.

    Raises:
        PixelProofError: A field is invalid.
    """

    items: ClassVar[Table] = Table("scenes", SCENES)
    parts: ClassVar[Table] = Table("things", THINGS)
    moving: ClassVar[bool] = False
    code: ClassVar[tuple[str, ...]] = ("solid",)

    layers: tuple[str, ...] = LAYERS
    """Layers to store."""
    things: int | None = None
    """Number of things; None: depends on the kind."""
    clutter: float = 0.5
    occlusion: float = 0.5

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of solid scenes", self.kind, KINDS)
        self.require_fields(self.layers, LAYERS)

    def item(self, index: int) -> Scene:
        """Generate the scene with an index."""
        return make_scene(
            self.kind,
            self.seed,
            index,
            split=self.split,
            things=self.things,
            clutter=self.clutter,
            occlusion=self.occlusion,
        )

    @staticmethod
    def parse(text: str) -> Scene:
        """Parse the JSON of a scene."""
        return Scene.from_json(text)

    def render_layers(self, scene: Scene) -> Layers:
        """Render the stored layers, and those that the table of things needs."""
        wanted = tuple(layer for layer in LAYERS if layer in self.layers or layer in _TRUTH)
        return render(scene, self.width, self.height, self.quality, layers=wanted)

    def render(self, index: int, item: Scene) -> SetItem:
        """Render a scene, with its layers and table rows."""
        layers = self.render_layers(item)
        row = scene_row(item, self.width, self.height) | {"split": self.split}
        parts = thing_rows(self.item_id(index), item, layers.ids, layers.amodal)
        return SetItem(item.to_json(), stored_arrays(layers, self.layers), row, parts)

    def check(self, index: int, item: Scene, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare the layers with each other and with the table of things, and check every rule."""
        yield from check_layers(item, arrays, (self.height, self.width))
        if {"ids", "amodal"} <= arrays.keys() and arrays["amodal"].shape[1:] == arrays["ids"].shape:
            fresh = thing_rows(self.item_id(index), item, arrays["ids"], arrays["amodal"])
            yield from rows_that_differ(self, fresh, parts)
        yield from broken_rules(item, self.occlusion)

    def to_layers(self, arrays: Arrays) -> Layers:
        """Stored arrays as `Layers`."""
        return layers_of(arrays)

    def sheet(self, item: Scene, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """A sheet of all layers of a scene; the image alone if some are missing."""
        from pixelproof.world.sheets import picture_sheet

        from ._truth import truth_sheet

        whole = set(LAYERS) <= arrays.keys()
        return truth_sheet(item, layers_of(arrays)) if whole else picture_sheet([arrays["rgb"]])

    def describe(self, item: Scene, parts: list[Row]) -> list[dict[str, str]]:
        """A table of the movable things of a scene."""
        return [
            {
                "thing": row["thing"],
                "what": thing_words(thing),
                "on": thing.support or "",
                "size in cm": " × ".join(f"{100 * side:.1f}" for side in thing.size),
                "seen": f"{row['visible'] or 0:.0%}",
            }
            for thing, row in zip(item.things, parts, strict=True)
            if not thing.fixed
        ]
