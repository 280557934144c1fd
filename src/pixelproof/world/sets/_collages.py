"""Sets of collages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path
from pixelproof.world.collage import (
    Collage,
    CollageLayers,
    Folder,
    Library,
    Photographs,
    SolidCutouts,
    TuxPaintStamps,
    collage_sheet,
    entities,
    make_collage,
    render_collage,
)

from ._columns import BOX, PART, SCENES, part_order
from ._files import Arrays
from ._recipe import Made, Row, Table, Wrong, require_possible
from ._sheets import picture_sheet

CUTOUTS = ("solid", "tuxpaint-stamps")
"""What can be named instead of a folder of cut-outs."""
NATURE = "nature-photographs"
"""What can be named instead of a folder of photographs."""
_SOLID = 200
"""Things of the solid world that collages of one seed are made of."""
_THINGS = pa.schema(
    [
        *PART,
        ("cutout", pa.string()),
        ("noun", pa.string()),
        ("caption", pa.string()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("size", pa.float64()),
        ("rotation", pa.float64()),
        ("flip", pa.bool_()),
        ("pixels", pa.int32()),
        ("visible", pa.float64()),
        ("box", BOX),
        ("amodal_box", BOX),
    ]
)


@dataclass(frozen=True)
class CollageRecipe:
    """What a set of collages is made from.

    Raises:
        PixelProofError: Something in it is not known or impossible.
    """

    items: ClassVar[Table] = SCENES
    parts: ClassVar[Table] = Table("things", _THINGS)
    moving: ClassVar[bool] = False
    code: ClassVar[tuple[str, ...]] = ("collage", "solid")
    known: ClassVar[tuple[str, ...]] = ("rgb", "ids", "alpha", "visible")

    kind: str
    seed: int
    cutouts: str = ""
    """A folder of cut-outs, or a name in `CUTOUTS`."""
    photographs: str = ""
    """A folder of photographs, `NATURE`, or nothing: grounds that need none."""
    width: int = 512
    height: int = 512
    layers: tuple[str, ...] = known
    things: int | None = None
    clutter: float = 0.5
    occlusion: float = 0.5
    content: str = ""
    """Hash of all cut-outs and photographs; found out unless given."""

    def __post_init__(self) -> None:
        """Refuse at once what would fail at the first collage."""
        if not self.cutouts:
            raise PixelProofError(
                "A collage is made of cut-outs: give --cutouts with a folder of PNG or WebP files with transparency, "
                "tuxpaint-stamps (photographs, after pixelproof assets get tuxpaint-stamps), or solid (our own things)."
            )
        require_possible(self.seed, self.width, self.height, self.layers, self.known)
        if not self.content:
            object.__setattr__(self, "content", _content(self.cutouts, self.photographs))

    def item_id(self, index: int) -> str:
        """The name of a collage; it says nothing of the cut-outs."""
        return f"{self.kind}/{self.seed}/{index:06d}"

    def item(self, index: int) -> Collage:
        """The collage with an index.

        Raises:
            PixelProofError: The cut-outs or photographs are no longer those that the set was begun with.
        """
        library, photographs = self._libraries()
        return make_collage(
            library,
            self.seed,
            index,
            photographs=photographs,
            pieces=self.things,
            clutter=self.clutter,
            occlusion=self.occlusion,
            aspect=self.width / self.height,
        )

    def _libraries(self) -> tuple[Library, Photographs | None]:
        if _content(self.cutouts, self.photographs) != self.content:
            raise PixelProofError(
                f"The pictures of {self.cutouts} are not those that the set was begun with: bring those back, or make "
                "another set."
            )
        return _library(self.cutouts, self.seed), _photographs(self.photographs)

    @staticmethod
    def parse(text: str) -> Collage:
        """A collage from its JSON text."""
        return Collage.from_json(text)

    def taken(self, index: int, item: Collage) -> Made:
        """A collage with its picture, its truth and its rows."""
        library, photographs = self._libraries()
        layers = render_collage(item, library, self.width, self.height, photographs=photographs)
        stored: Arrays = {"rgb": layers.rgb, "ids": layers.ids, "visible": layers.visible}
        stored["alpha"] = np.asarray(layers.alpha * 255 + 0.5, np.uint8)
        rows = []
        for number, (piece, entity) in enumerate(zip(item.pieces, entities(item, library, layers), strict=True), 1):
            row: Row = {"order": part_order(index, number), "scene": self.item_id(index), "index": index}
            row |= {"number": number, "thing": piece.id, "noun": entity.noun, "caption": entity.caption}
            for name in ("cutout", "x", "y", "size", "rotation", "flip"):
                row[name] = getattr(piece, name)
            row |= {"pixels": entity.area, "visible": entity.visible}
            row |= {"box": _list(entity.box), "amodal_box": _list(entity.amodal_box)}
            rows.append(row)
        row = {"order": index, "kind": self.kind, "seed": self.seed, "index": index, "things": len(item.pieces)}
        row |= {"width": self.width, "height": self.height}
        return Made(item.to_json(), {name: stored[name] for name in self.layers}, row, rows)

    def check(self, index: int, item: Collage, arrays: Arrays, parts: list[Row]) -> Iterator[Wrong]:
        """Layers against one another, and the table against them; the cut-outs are not needed for that."""
        size, count = (self.height, self.width), len(item.pieces)
        shapes = {"rgb": (*size, 3), "ids": size, "alpha": (count, *size), "visible": (count,)}
        wrong = [name for name, array in arrays.items() if array.shape != shapes[name]]
        for name in wrong:
            yield "size", "", f"{name} is of shape {arrays[name].shape} and not {shapes[name]}"
        if wrong:
            return
        if len(parts) != count:
            yield "table", "", f"things.parquet has {len(parts)} of {count} things"
            return
        if "alpha" in arrays and "ids" in arrays:
            nearest = np.max(np.where(arrays["alpha"] >= 128, np.arange(1, count + 1)[:, None, None], 0), axis=0)
            if (arrays["ids"] != nearest).any():
                yield "ids", "", "there are pixels that do not belong to the nearest piece that covers half of them"
        if "ids" in arrays:
            for row in parts:
                pixels = int((arrays["ids"] == row["number"]).sum())
                if pixels != row["pixels"]:
                    yield "table", row["thing"], f"things.parquet has {row['pixels']} pixels, and {pixels} are seen"

    def opened(self, arrays: Arrays) -> Arrays:
        """Stored layers as they are."""
        return arrays

    def sheet(self, item: Collage, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """The picture, its pieces, and the outlines of all of each; the picture alone if layers are missing."""
        if not set(self.known) <= arrays.keys():
            return picture_sheet([arrays["rgb"]])
        alpha = np.asarray(arrays["alpha"] / np.float32(255), np.float32)
        return collage_sheet(CollageLayers(arrays["rgb"], arrays["ids"], alpha, arrays["visible"]))

    def told(self, item: Collage, parts: list[Row]) -> list[dict[str, str]]:
        """The pieces, from the farthest to the nearest."""
        return [{"thing": row["thing"], "what": row["caption"], "seen": f"{row['visible']:.0%}"} for row in parts]


@lru_cache(4)
def _library(name: str, seed: int) -> Library:
    if name == "solid":
        return SolidCutouts(seed, _SOLID)
    return TuxPaintStamps() if name == "tuxpaint-stamps" else Folder(name)


@lru_cache(4)
def _photographs(name: str) -> Photographs | None:
    return Photographs(asset_path(NATURE) if name == NATURE else name) if name else None


@lru_cache(4)
def _content(cutouts: str, photographs: str) -> str:
    """A hash of all files that pictures are made of; read once in each process."""
    _library(cutouts, 0) if cutouts != "solid" else None  # which says in a sentence what is missing
    _photographs(photographs)
    code = hashlib.sha256()
    for name in (cutouts, photographs):
        if name and name != "solid":
            folder = asset_path(name) if name in (*CUTOUTS, NATURE) else Path(name)
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                code.update(
                    file.relative_to(folder).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest()
                )
    return code.hexdigest()[:16]


def _list(box: tuple[int, ...] | None) -> list[int] | None:
    return None if box is None else list(box)
