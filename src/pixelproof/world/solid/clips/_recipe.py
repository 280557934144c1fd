"""The recipe of solid clips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.pixels import bounding_box
from pixelproof.world._limits import require_word
from pixelproof.world.sets import (
    BOX,
    CLIPS,
    FRAME,
    PART,
    PRECISION,
    Arrays,
    Finding,
    Row,
    SetItem,
    Table,
    box_cell,
    part_order,
    require_frames,
)
from pixelproof.world.sheets import boxed, contact_sheet
from pixelproof.world.solid._files import broken_rules, check_layers
from pixelproof.world.solid._recipe_fields import KindOfScene, thing_words
from pixelproof.world.solid.layouts import KINDS

from ._clip import SolidClip
from ._files import render_clip
from ._make import MOTIONS, make_clip

_VECTOR = pa.list_(pa.float64())
_TRACKS = pa.schema(
    [
        *PART,
        FRAME,
        ("category", pa.string()),
        ("colour", pa.string()),
        ("moves", pa.bool_()),
        ("support", pa.string()),
        ("position", _VECTOR),
        ("rotation", _VECTOR),
        ("pixels", pa.int32()),
        ("visible", pa.float64()),
        ("box", BOX),
        ("amodal_box", BOX),
    ]
)


@dataclass(frozen=True)
class SolidClipRecipe(KindOfScene):
    """Recipe of a set of clips of solid scenes; its kind is that of the scenes and `-clip`.

    Raises:
        PixelProofError: A field is invalid.
    """

    items: ClassVar[Table] = CLIPS
    parts: ClassVar[Table] = Table("tracks", _TRACKS)
    moving: ClassVar[bool] = True
    code: ClassVar[tuple[str, ...]] = ("solid",)
    known: ClassVar[tuple[str, ...]] = ("rgb", "depth", "ids", "visible")

    layers: tuple[str, ...] = known
    frames: int = 24
    motion: str = "object"
    movers: int = 1
    things: int | None = None
    clutter: float = 0.5
    occlusion: float = 0.5

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of solid clips", self.kind, tuple(f"{kind}-clip" for kind in KINDS))
        require_word("motion", self.motion, MOTIONS)
        self.require_fields(self.layers, self.known)
        require_frames(self.frames, self.width, self.height)

    def item(self, index: int) -> SolidClip:
        """Generate the clip with an index."""
        return make_clip(
            self.kind.removesuffix("-clip"),
            self.seed,
            index,
            frames=self.frames,
            motion=self.motion,
            movers=self.movers,
            split=self.split,
            things=self.things,
            clutter=self.clutter,
            occlusion=self.occlusion,
        )

    @staticmethod
    def parse(text: str) -> SolidClip:
        """Parse the JSON of a clip."""
        return SolidClip.from_json(text)

    def render(self, index: int, item: SolidClip) -> SetItem:
        """Render a clip, with its layers and a row for each movable thing and frame."""
        wanted = tuple({*self.layers, "ids", "amodal", "visible"})
        kept: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in self.layers}
        rows: list[Row] = []
        shots = render_clip(item, self.width, self.height, self.quality, layers=wanted)
        for frame, layers in enumerate(shots):  # one at a time: all amodal masks would fill the memory
            rows += self._rows(index, item, frame, layers.ids, layers.amodal, layers.visible)
            for name, arrays in kept.items():
                arrays.append(np.asarray(getattr(layers, name), dtype=PRECISION[name]))
        row = {"order": index, "kind": self.kind, "seed": self.seed, "index": index, "frames": item.frames}
        row |= {"things": len(item.scene.movable), "width": self.width, "height": self.height}
        return SetItem(item.to_json(), {name: np.stack(arrays) for name, arrays in kept.items()}, row, rows)

    def _rows(
        self,
        index: int,
        clip: SolidClip,
        frame: int,
        ids: npt.NDArray[np.uint16],
        amodal: npt.NDArray[np.bool_],
        visible: npt.NDArray[np.float32],
    ) -> list[Row]:
        moving = {move.id for move in clip.moves}
        rows = []
        for number, thing in enumerate(clip.frame(frame).things, 1):
            if thing.fixed:
                continue
            mask = ids == number
            row: Row = {"order": part_order(index, number, frame), "scene": self.item_id(index), "index": index}
            row |= {"number": number, "thing": thing.id, "frame": frame, "moves": thing.id in moving}
            row |= {"category": thing.category, "colour": thing.colour, "support": thing.support}
            row |= {"position": list(thing.position), "rotation": list(thing.rotation), "pixels": int(mask.sum())}
            row |= {"visible": float(visible[number - 1]), "box": box_cell(bounding_box(mask))}
            rows.append(row | {"amodal_box": box_cell(bounding_box(amodal[number - 1]))})
        return rows

    def check(self, index: int, item: SolidClip, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Check the layers of every frame, the tracks, and the rules in the first and last frame."""
        wrong = {name: array.shape for name, array in arrays.items() if len(array) != item.frames}
        for name, shape in wrong.items():
            yield "size", "", f"{name} has shape {shape} instead of {item.frames} frames"
        if wrong:
            return
        for frame in range(item.frames):
            layers = {name: array[frame] for name, array in arrays.items()}
            for rule, thing, message in check_layers(item.frame(frame), layers, (self.height, self.width)):
                yield rule, thing, f"in frame {frame}, {message}"
        yield from self._check_tracks(item, arrays, parts)
        for end in (0, item.frames - 1):
            yield from broken_rules(item.frame(end), self.occlusion)

    def _check_tracks(self, clip: SolidClip, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare the tracks with the clip and the ids. Amodal masks are not stored: only their boxes are compared."""
        if len(parts) != clip.frames * len(clip.scene.movable):
            yield "table", "", f"tracks.parquet has {len(parts)} rows instead of {clip.frames} per thing"
            return
        for row in parts:
            thing = clip.frame(row["frame"]).thing(row["thing"])
            where = f"in frame {row['frame']}, tracks.parquet has"
            if not np.allclose(row["position"], thing.position, atol=1e-6):
                yield "table", thing.id, f"{where} position {row['position']}, and it is {list(thing.position)}"
            if "ids" in arrays:
                mask = arrays["ids"][row["frame"]] == row["number"]
                box = box_cell(bounding_box(mask))
                if (row["pixels"], row["box"]) != (int(mask.sum()), box):
                    yield "table", thing.id, f"{where} box {row['box']}, and it is {box}"
            if not _within(row["box"], row["amodal_box"]):
                yield "table", thing.id, f"{where} a box outside its amodal box"

    def to_layers(self, arrays: Arrays) -> Arrays:
        """The stored layers."""
        return arrays

    def sheet(self, item: SolidClip, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """A contact sheet of the frames, with the boxes of the movers."""
        places = {thing.id: number for number, thing in enumerate(item.scene.things, 1)}
        movers = [places[move.id] for move in item.moves] if "ids" in arrays else []
        pictures = [
            boxed(picture, [(number, bounding_box(arrays["ids"][frame] == number)) for number in movers])
            for frame, picture in enumerate(arrays["rgb"])
        ]
        return contact_sheet(pictures)

    def describe(self, item: SolidClip, parts: list[Row]) -> list[dict[str, str]]:
        """A table of the movable things of a clip: their motion and minimum visibility."""
        does = {move.id: f"{move.kind}s to {move.support}" for move in item.moves}
        table = []
        for thing in item.scene.movable:
            seen = [row["visible"] for row in parts if row["thing"] == thing.id]
            what = thing_words(thing)
            table.append({"thing": thing.id, "what": what, "does": does.get(thing.id, ""), "least": f"{min(seen):.0%}"})
        return table


def _within(box: list[int] | None, whole: list[int] | None) -> bool:
    if box is None or whole is None:
        return box is None
    return box[0] >= whole[0] and box[1] >= whole[1] and box[2] <= whole[2] and box[3] <= whole[3]
