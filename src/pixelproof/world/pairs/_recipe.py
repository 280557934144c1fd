"""The recipe of sets of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world.edits import ChangeMask, apply, change_mask
from pixelproof.world.edits._mask import shown_mask
from pixelproof.world.language import LANGUAGES
from pixelproof.world.sets import Arrays, Finding, Row, SetItem, Table, rows_that_differ
from pixelproof.world.solid import KINDS, Scene
from pixelproof.world.solid._files import check_layers, layers_of
from pixelproof.world.solid._recipe_fields import SolidFields
from pixelproof.world.solid.render import Layers, render_pair

from ._operations import OPERATIONS, PRESETS, sample_pair
from ._pair import PAIRS, THINGS, Pair, pair_row, side_rows
from ._situation import LEAST_CHANGED, LEAST_SHARE, LEAST_VISIBLE

SIDES = ("before", "after")
LAYERS = (*SIDES, *(f"{name}_{side}" for name in ("ids", "depth", "amodal") for side in SIDES), "change")
"""Layers of a pair: both pictures, ids, depths and amodal masks of both scenes, and the change mask."""
_CAUSES = ("object", "edge", "light")
"""Values of the layer `change`, from 1: why a pixel changed; 0 if it did not."""
_MARGIN = 0.9
"""Visibility is measured in a small picture when a pair is drawn: at full size, this share of each limit is enough."""


@dataclass(frozen=True)
class PairLayers:
    """The layers of a pair."""

    before: Layers
    after: Layers
    change: npt.NDArray[np.uint8]
    """0 unchanged, 1 an edited thing, 2 its anti-aliased edge, 3 another light."""


@dataclass(frozen=True)
class PairRecipe(SolidFields):
    """Recipe of a set of pairs; with an index, it determines every byte of a pair.

    Raises:
        PixelProofError: A field is invalid.
    """

    items: ClassVar[Table] = Table("pairs", PAIRS)
    parts: ClassVar[Table] = Table("things", THINGS)
    moving: ClassVar[bool] = False
    code: ClassVar[tuple[str, ...]] = ("solid", "edits", "language", "pairs")

    layers: tuple[str, ...] = LAYERS
    """Layers to store."""
    preset: str = "all"
    """A name in `PRESETS`."""
    operations: tuple[str, ...] = ()
    """Operations, in turn; none: those of the preset."""
    language: str = "en"
    room: str = ""
    """Kind of scene; empty: all kinds."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("preset", self.preset, PRESETS)
        require_word("language", self.language, LANGUAGES)
        if self.room:
            require_word("kind of scene", self.room, KINDS)
        for name in self.operations:
            require_word("operation", name, OPERATIONS)
            if self.room and self.room not in OPERATIONS[name].kinds:
                raise PixelProofError(
                    f"The operation {name!r} has no pairs of the kind {self.room!r}: choose another of "
                    f"{', '.join(OPERATIONS[name].kinds)}."
                )
        self.require_fields(self.layers, LAYERS)

    @property
    def names(self) -> tuple[str, ...]:
        """The operations of the set, in turn."""
        chosen = self.operations or PRESETS[self.preset].operations
        return tuple(name for name in chosen if not self.room or self.room in OPERATIONS[name].kinds)

    @property
    def batch(self) -> int:
        """Number of neighbouring pairs that are made in one process, because they share scenes; twins, too."""
        return 2 * len(self.names)

    def item_id(self, index: int) -> str:
        """The id of a pair, the same in every set with these operations that contains it."""
        return f"pair/{self.preset}/{self.split}/{self.seed}/{index:06d}"

    def item(self, index: int) -> Pair:
        """Sample the pair with an index."""
        return sample_pair(
            self.names[index % len(self.names)],
            self.seed,
            index // len(self.names),
            kind=self.room or None,
            split=self.split,
            language=self.language,
            preset=self.preset,
        )

    @staticmethod
    def parse(text: str) -> Pair:
        """Parse the JSON of a pair."""
        return Pair.from_json(text)

    def render_pair(self, pair: Pair) -> PairLayers:
        """Render both scenes with equal samples, and the change mask."""
        wanted = ("rgb", "ids", "depth", "amodal")
        size = (self.width, self.height, self.quality)
        before, after = render_pair(pair.before, pair.after, *size, layers=wanted)
        return PairLayers(before, after, _causes(self._change(pair, before, after)))

    def _change(self, pair: Pair, before: Layers, after: Layers) -> ChangeMask:
        size = (self.width, self.height)
        return change_mask(pair.before, pair.after, *size, quality=self.quality, rendered=(before, after))

    def render(self, index: int, item: Pair) -> SetItem:
        """Render a pair, with its layers and table rows."""
        layers = self.render_pair(item)
        sides = dict(zip(SIDES, (layers.before, layers.after), strict=True))
        arrays: Arrays = {"change": layers.change}
        for side, one in sides.items():
            arrays |= {side: one.rgb} | {f"{name}_{side}": getattr(one, name) for name in ("ids", "depth", "amodal")}
        rows = self._rows(index, item, arrays)
        stored = {name: np.ascontiguousarray(arrays[name]) for name in LAYERS if name in self.layers}
        row = pair_row(item, index, self.width, self.height, int(np.count_nonzero(layers.change)))
        return SetItem(item.to_json(), stored, row, rows)

    def _rows(self, index: int, pair: Pair, arrays: Arrays) -> list[Row]:
        return [
            row
            for number, (side, scene) in enumerate(zip(SIDES, (pair.before, pair.after), strict=True))
            for row in side_rows(
                self.item_id(index), index, number, scene, arrays[f"ids_{side}"], arrays[f"amodal_{side}"]
            )
        ]

    def check(self, index: int, item: Pair, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare the layers with each other and with the table, carry out the edits again, and check every rule."""
        for side, scene in zip(SIDES, (item.before, item.after), strict=True):
            one = _side(arrays, side)
            yield from check_layers(scene, one, (self.height, self.width))
        if {f"{name}_{side}" for name in ("ids", "amodal") for side in SIDES} <= arrays.keys():
            yield from rows_that_differ(self, self._rows(index, item, arrays), parts)
            yield from self._unseen(item, arrays)
        yield from _not_carried_out(item)
        if set(LAYERS) - {"amodal_before", "amodal_after"} <= arrays.keys():
            before, after = (layers_of(_side(arrays, side)) for side in SIDES)
            if (_causes(self._change(item, before, after)) != arrays["change"]).any():
                yield "change", "", "the change mask is not that of the pictures"

    def _unseen(self, pair: Pair, arrays: Arrays) -> Iterator[Finding]:
        """Named things of which too little is seen, and edits that hardly show."""
        for side, scene in zip(SIDES, (pair.before, pair.after), strict=True):
            for number, thing in enumerate(scene.things, 1):
                seen = int((arrays[f"ids_{side}"] == number).sum())
                whole = int(arrays[f"amodal_{side}"][number - 1].sum())
                few = (
                    seen < _MARGIN * LEAST_SHARE * arrays[f"ids_{side}"].size or seen < _MARGIN * LEAST_VISIBLE * whole
                )
                if thing.id in pair.named and few:
                    yield "visible", thing.id, f"{seen} of {whole} pixels of it are seen {side} the edit"
        if pair.possible and "change" in arrays and (arrays["change"] > 0).mean() < _MARGIN * LEAST_CHANGED:
            yield "change", "", f"{(arrays['change'] > 0).sum()} pixels change"

    def to_layers(self, arrays: Arrays) -> PairLayers:
        """Stored arrays as `PairLayers`."""
        before, after = (layers_of(_side(arrays, side)) for side in SIDES)
        return PairLayers(before, after, arrays.get("change", np.zeros(0, np.uint8)))

    def sheet(self, item: Pair, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """Both pictures and the change mask, with the instruction."""
        from pixelproof.world.sheets import captioned_rows

        return captioned_rows([pair_panels(arrays)], [caption_of(item)])

    def describe(self, item: Pair, parts: list[Row]) -> list[dict[str, str]]:
        """A table of the steps of a pair."""
        return [
            {
                "operation": item.operation,
                "action": step.action,
                "thing": step.target,
                "way": step.way,
                "amount": f"{step.amount:g}",
                "anchor": step.anchor,
                "possible": "yes" if item.possible else f"no: {item.why_not}",
            }
            for step in item.steps
        ]


def pair_panels(arrays: Arrays) -> list[npt.NDArray[np.uint8]]:
    """Pictures before and after an edit, and the change mask in colours."""
    change = arrays["change"]
    mask = ChangeMask(*(change == number for number in range(1, 1 + len(_CAUSES))))
    return [arrays["before"], arrays["after"], shown_mask(arrays["before"], mask)]


def pair_sheet(recipe: PairRecipe, pairs: Sequence[Pair]) -> npt.NDArray[np.uint8]:
    """A sheet of pairs: before, after and change mask in a row, with the instruction above."""
    from pixelproof.world.sheets import captioned_rows

    rows = [pair_panels(recipe.render(0, pair).arrays) for pair in pairs]
    return captioned_rows(rows, [caption_of(pair) for pair in pairs])


def caption_of(pair: Pair) -> str:
    """The operation and the instruction; of an impossible one, why."""
    return f"{pair.operation}: {pair.text}" + (f" (impossible: {pair.why_not})" if pair.why_not else "")


def _causes(mask: ChangeMask) -> npt.NDArray[np.uint8]:
    change = np.zeros(mask.object.shape, np.uint8)
    for number, cause in enumerate(_CAUSES, 1):
        change[getattr(mask, cause)] = number
    return change


def _side(arrays: Arrays, side: str) -> Arrays:
    """The layers of one of the two scenes, under the names of single scenes."""
    own = {name.removesuffix(f"_{side}"): array for name, array in arrays.items() if name.endswith(f"_{side}")}
    return own | ({"rgb": arrays[side]} if side in arrays else {})


def _not_carried_out(pair: Pair) -> Iterator[Finding]:
    """Differences between the scene after and the edits of a pair, carried out again."""
    scene: Scene | None = pair.before
    for step in pair.steps:
        if scene is None:
            break
        scene = apply(scene, step).after if pair.why_not != "absent" else None
    if pair.possible and scene != pair.after:
        yield "edit", "", "the scene after is not the one that the edits lead to"
    if not pair.possible and (scene is not None or pair.after != pair.before):
        yield "edit", "", "the instruction is possible, or the scene after is not the scene before"
