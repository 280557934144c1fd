"""Recipes of flat scenes and flat clips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_share, require_whole, require_word
from pixelproof.world.sets import (
    BOX,
    CLIPS,
    FRAME,
    PART,
    PRECISION,
    SCENES,
    Arrays,
    Finding,
    Row,
    SetItem,
    Table,
    part_order,
    require_frames,
    require_recipe,
    rows_that_differ,
)
from pixelproof.world.sheets import boxed, contact_sheet, numbered, picture_sheet
from pixelproof.world.shifts import WORLD_SHIFTS

from ._clip import Clip
from ._make_clip import make_clip
from ._make_scene import make_flat
from ._render import Seen, Truth, draw, draw_clip, truth
from ._scene import FlatScene

_LEAST = 32
"""Smallest image side in pixels."""
_STATED = [
    ("shape", pa.string()),
    ("colour", pa.string()),
    ("role", pa.string()),
    ("carrier", pa.string()),
    ("text", pa.string()),
    ("x", pa.float64()),
    ("y", pa.float64()),
    ("size", pa.float64()),
    ("angle", pa.float64()),
    ("roles", pa.list_(pa.string())),
    ("pixels", pa.int32()),
    ("whole_pixels", pa.int32()),
    ("visible", pa.float64()),
    ("box", BOX),
    ("whole_box", BOX),
    ("glyph_boxes", BOX),
]


@dataclass(frozen=True)
class FlatRecipe:
    """Recipe of a set of flat scenes.

    Raises:
        PixelProofError: A field is invalid.
    """

    items: ClassVar[Table] = SCENES
    parts: ClassVar[Table] = Table("things", pa.schema([*PART, *_STATED]))
    moving: ClassVar[bool] = False
    code: ClassVar[tuple[str, ...]] = ("flat", "shifts")
    edition: ClassVar[int] = 1
    known: ClassVar[tuple[str, ...]] = ("rgb", "ids", "amodal", "visible")

    kind: str
    seed: int
    width: int = 512
    height: int = 512
    layers: tuple[str, ...] = known
    things: int | None = None
    """Number of things; None: eight."""
    shifts: Mapping[str, float] = field(default_factory=dict)
    """World shift → strength."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of flat scenes", self.kind, ("flat",))
        _require_square(self.width, self.height)
        require_recipe(self.seed, self.width, self.height, self.layers, self.known, _LEAST)
        _shift_arguments(self.shifts, moving=False)
        if self.things is not None:
            require_whole("things of a flat scene", self.things, 1)

    def item_id(self, index: int) -> str:
        """The id of a scene, the same in every set that contains it."""
        return f"{self.kind}/{self.seed}/{index:06d}"

    def item(self, index: int) -> FlatScene:
        """Generate the scene with an index."""
        wish = _shift_arguments(self.shifts, moving=False)
        if self.things is not None:  # fewer things, fewer with a role
            few = self.things
            wish |= {"things": few, "plates": max(0, min(5, few - 3)), "pair": few >= 3, "hop": few >= 5}
        return make_flat(self.seed, index, side=self.width, **wish)

    @staticmethod
    def parse(text: str) -> FlatScene:
        """Parse the JSON of a scene."""
        return FlatScene.from_json(text)

    def render(self, index: int, item: FlatScene) -> SetItem:
        """Render a scene, with its layers and table rows."""
        known = truth(item)
        arrays = _stored(draw(item), [known], self.layers)
        things = sum(sprite.role == "thing" and not sprite.upright for sprite in item.sprites)
        row = _row(self.kind, item, things)
        return SetItem(item.to_json(), arrays, row, _rows(self.item_id(index), known))

    def check(self, index: int, item: FlatScene, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare the layers and the table with a new rendering of the scene."""
        yield from _check(self, self.render(index, item), arrays, parts)

    def to_layers(self, arrays: Arrays) -> Arrays:
        """The stored layers."""
        return arrays

    def sheet(self, item: FlatScene, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """The image, its label map, and the boxes of visible things."""
        panels = {"Picture": arrays["rgb"]} if "rgb" in arrays else {}
        if "ids" in arrays:
            names = [sprite.text or sprite.id if sprite.role == "thing" else "" for sprite in item.sprites]
            panels["Things and codes"] = numbered(arrays["ids"], names)
        if panels.keys() >= {"Picture", "Things and codes"}:
            seen = truth(item).seen
            boxes = [(n, seen[s.id].box) for n, s in enumerate(item.sprites, 1) if s.role == "thing"]
            panels["Boxes of what is seen"] = boxed(arrays["rgb"], boxes)
        return picture_sheet(list(panels.values()), list(panels), columns=3)

    def describe(self, item: FlatScene, parts: list[Row]) -> list[dict[str, str]]:
        """A table of the things of a scene."""
        return [_description(row) | {"seen": f"{row['visible']:.0%}"} for row in parts if _is_listed(row)]


@dataclass(frozen=True)
class FlatClipRecipe:
    """Recipe of a set of flat clips.

    Raises:
        PixelProofError: A field is invalid.
    """

    items: ClassVar[Table] = CLIPS
    parts: ClassVar[Table] = Table("tracks", pa.schema([*PART, FRAME, *_STATED]))
    moving: ClassVar[bool] = True
    code: ClassVar[tuple[str, ...]] = ("flat", "shifts")
    edition: ClassVar[int] = 1
    known: ClassVar[tuple[str, ...]] = ("rgb", "ids", "visible")

    kind: str
    seed: int
    width: int = 512
    height: int = 512
    layers: tuple[str, ...] = known
    frames: int = 16
    movers: int = 4
    shifts: Mapping[str, float] = field(default_factory=dict)
    """World shift → strength."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of flat clips", self.kind, ("clip",))
        _require_square(self.width, self.height)
        require_recipe(self.seed, self.width, self.height, self.layers, self.known)
        require_frames(self.frames, self.width, self.height)
        _shift_arguments(self.shifts, moving=True)

    def item_id(self, index: int) -> str:
        """The id of a clip, the same in every set that contains it."""
        return f"{self.kind}/{self.seed}/{index:06d}"

    def item(self, index: int) -> Clip:
        """Generate the clip with an index."""
        wish = _shift_arguments(self.shifts, moving=True)
        return make_clip(self.seed, index, side=self.width, frames=self.frames, movers=self.movers, **wish)

    @staticmethod
    def parse(text: str) -> Clip:
        """Parse the JSON of a clip."""
        return Clip.from_json(text)

    def render(self, index: int, item: Clip) -> SetItem:
        """Render a clip, with its layers and a row for each sprite and frame."""
        frames = [truth(scene) for scene in item.scenes()]
        id = self.item_id(index)
        rows = [row for number, known in enumerate(frames) for row in _rows(id, known, number)]
        row = _row(self.kind, item.scene, len(item.motions)) | {"frames": item.frames}
        return SetItem(item.to_json(), _stored(draw_clip(item), frames, self.layers, moving=True), row, rows)

    def check(self, index: int, item: Clip, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare the layers and the tracks with a new rendering of the clip."""
        yield from _check(self, self.render(index, item), arrays, parts)

    def to_layers(self, arrays: Arrays) -> Arrays:
        """The stored layers."""
        return arrays

    def sheet(self, item: Clip, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """A contact sheet of the frames, with the boxes of the movers."""
        known = [truth(scene).seen for scene in item.scenes()]
        numbers = {sprite.id: number for number, sprite in enumerate(item.scene.sprites, 1)}
        movers = [(numbers[motion.id], motion.id) for motion in item.motions]
        pictures = [
            boxed(picture, [(number, seen[id].box) for number, id in movers])
            for picture, seen in zip(arrays["rgb"], known, strict=True)
        ]
        return contact_sheet(pictures)

    def describe(self, item: Clip, parts: list[Row]) -> list[dict[str, str]]:
        """A table of the things of a clip, with the number of frames in which each is visible."""
        last = {row["thing"]: row for row in parts}
        rows_shown = []
        for id, row in last.items():
            if _is_listed(row):
                seen = [other["visible"] for other in parts if other["thing"] == id]
                shown = sum(share > 0 for share in seen)
                rows_shown.append(
                    _description(row) | {"seen in": f"{shown} of {len(seen)} frames", "least": f"{min(seen):.0%}"}
                )
        return rows_shown


def _require_square(width: int, height: int) -> None:
    if width != height:
        raise PixelProofError(f"Flat scenes are square, not {width} × {height}: give --size one number.")


def _shift_arguments(shifts: Mapping[str, float], *, moving: bool) -> dict[str, Any]:
    """Generator arguments of world shifts."""
    wish: dict[str, Any] = {}
    for name, strength in shifts.items():
        require_word("shift of flat worlds", name, tuple(word for word in WORLD_SHIFTS if moving or word != "jitter"))
        require_share("strength of a shift", strength)
        wish |= WORLD_SHIFTS[name].wish(strength)
    return wish


def _stored(
    rgb: npt.NDArray[np.uint8], frames: list[Truth], layers: tuple[str, ...], *, moving: bool = False
) -> Arrays:
    """The layers of a scene, or of all frames of a clip, as stored."""
    sprites = [sprite.id for sprite in frames[0].scene.sprites]
    arrays: Arrays = {}
    for name in layers:
        if name == "rgb":
            arrays[name] = rgb
            continue
        if name == "ids":
            found = np.stack([known.labels for known in frames])
        elif name == "amodal":
            found = np.stack([[known.whole_mask(id) for id in sprites] for known in frames])
        else:
            found = np.array([[known.seen[id].visibility for id in sprites] for known in frames])
        arrays[name] = np.ascontiguousarray(found if moving else found[0], dtype=PRECISION[name])
    return arrays


def _row(kind: str, scene: FlatScene, things: int) -> Row:
    where = {"order": scene.index, "kind": kind, "seed": scene.seed, "index": scene.index}
    return where | {"things": things, "width": scene.width, "height": scene.height}


def _rows(id: str, known: Truth, frame: int | None = None) -> list[Row]:
    """A table row for each sprite of a scene."""
    scene = known.scene
    roles: dict[str, list[str]] = {}
    for role, owner in scene.roles.items():
        roles.setdefault(owner, []).append(role)
    rows = []
    for number, sprite in enumerate(scene.sprites, 1):
        row: Row = {
            "order": part_order(scene.index, number, frame or 0),
            "scene": id,
            "index": scene.index,
            "number": number,
        }
        row |= {} if frame is None else {"frame": frame}
        row |= {"thing": sprite.id, "roles": roles.get(sprite.id, [])}
        for name in ("shape", "colour", "role", "carrier", "text", "x", "y", "size", "angle"):
            row[name] = getattr(sprite, name)
        rows.append(row | _seen(known.seen[sprite.id]))
    return rows


def _seen(seen: Seen) -> Row:
    return {
        "pixels": seen.pixels,
        "whole_pixels": seen.whole_pixels,
        "visible": seen.visibility,
        "box": None if seen.box is None else list(seen.box),
        "whole_box": list(seen.whole),
        "glyph_boxes": [side for glyph in seen.glyphs for side in glyph.box],
    }


def _check(recipe: FlatRecipe | FlatClipRecipe, fresh: SetItem, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
    for name, array in arrays.items():
        made = fresh.arrays[name]
        if made.shape != array.shape:
            yield "size", "", f"{name} has shape {array.shape} instead of {made.shape}"
        elif not np.array_equal(made, array):
            yield "truth", "", f"{name} differs from a new rendering of the scene"
    yield from rows_that_differ(recipe, fresh.parts, parts)


def _is_listed(row: Row) -> bool:
    return row["role"] == "thing" and row["shape"] not in ("plate", "noise")


def _description(row: Row) -> dict[str, str]:
    return {"thing": row["thing"], "what": f"{row['colour']} {row['shape']}", "role": ", ".join(row["roles"])}
