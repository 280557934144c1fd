"""The recipe of collages, and the sources of their images: folders or named libraries, identified by a hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path, require_inside
from pixelproof.world._limits import require_word
from pixelproof.world.sets import (
    BOX,
    PART,
    SCENES,
    Arrays,
    Finding,
    Row,
    SetItem,
    Table,
    box_cell,
    folder,
    part_order,
    require_recipe,
)
from pixelproof.world.sheets import picture_sheet

from ._collage import Collage
from ._library import Folder, Library, Photographs
from ._make import make_collage
from ._named import SolidCutouts, TuxPaintStamps
from ._render import LEAST, CollageLayers, collage_sheet, entities, render_collage

SOLID, STAMPS, NATURE = "solid", "tuxpaint-stamps", "nature-photographs"
"""Names that can be given instead of a folder: two for cut-outs, one for photographs."""
_SOLID_THINGS = 200
"""Number of solid things that collages of one seed use."""

_State = tuple[tuple[str, int, int], ...]
"""(path, modification time, size) of each file."""


def absolute(name: str) -> str:
    """The absolute path of a folder; names of libraries and an empty string are unchanged."""
    return name if name in (SOLID, STAMPS, NATURE, "") else os.path.abspath(os.path.expanduser(name))


class Sources:
    """The cut-outs and photographs of collages.

    Raises:
        PixelProofError: They are missing.
    """

    def __init__(self, cutouts: str, photographs: str, seed: int, files: tuple[_State, _State]) -> None:
        self.photographs = Photographs(_folder(photographs)) if photographs else None
        self._open = partial(_library, cutouts, seed)
        if cutouts != SOLID:
            _ = self.library  # raises an error now if something is wrong; solid things take long to open
        self.content = _content((cutouts, photographs), files)
        """Hash of all files, and of the names of libraries with a special reader."""

    @cached_property
    def library(self) -> Library:
        """The cut-outs."""
        return self._open()


def sources(cutouts: str, photographs: str, seed: int) -> Sources:
    """The sources of collages, opened once per process unless files change."""
    return _opened(cutouts, photographs, seed if cutouts == SOLID else 0, (_state(cutouts), _state(photographs)))


def same_sources(cutouts: str, photographs: str, seed: int, content: str) -> Sources:
    """The sources that a set was begun with.

    Raises:
        PixelProofError: A folder is missing, or has other content.
    """
    for option, path in (("--cutouts", cutouts), ("--photographs", photographs)):
        if os.path.isabs(path) and not os.path.isdir(path):
            raise PixelProofError(
                f"The set was made with images of {path}, which is missing: restore it, or give its new path with "
                f"{option}."
            )
    found = sources(cutouts, photographs, seed)
    if found.content != content:
        options = " and --photographs" if photographs else ""
        raise PixelProofError(
            f"The images of {' and '.join(filter(None, (cutouts, photographs)))} differ from those of the set: "
            f"restore them, or give their new path with --cutouts{options}."
        )
    return found


_opened = lru_cache(4)(Sources)


def _library(name: str, seed: int) -> Library:
    if name == SOLID:
        return SolidCutouts(seed, _SOLID_THINGS)
    return TuxPaintStamps() if name == STAMPS else Folder(name)


def _content(names: tuple[str, str], files: tuple[_State, _State]) -> str:
    code = hashlib.sha256()
    for name, state in zip(names, files, strict=True):
        code.update(b"" if os.path.isabs(name) else name.encode())
        for file, _, _ in state:
            data = (_folder(name) / file).read_bytes()
            code.update(b"\0" + file.encode() + b"\0" + hashlib.sha256(data).digest())
        code.update(b"\0\0")  # separates cut-outs from photographs
    return code.hexdigest()[:16]


def _folder(name: str) -> Path:
    return Path(name) if os.path.isabs(name) else asset_path(name)


def _state(name: str) -> _State:
    """The files of a library, without hidden ones."""
    if name in ("", SOLID):
        return ()
    folder, found = _folder(name), list[tuple[str, int, int]]()
    for path in folder.rglob("*"):
        place = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in place.parts):
            facts = require_inside(path, folder).stat()
            found.append((place.as_posix(), facts.st_mtime_ns, facts.st_size))
    return tuple(sorted(found))


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
    """Recipe of a set of collages.

    Raises:
        PixelProofError: A field is invalid.
    """

    items: ClassVar[Table] = SCENES
    parts: ClassVar[Table] = Table("things", _THINGS)
    moving: ClassVar[bool] = False
    code: ClassVar[tuple[str, ...]] = ("collage", "solid")
    edition: ClassVar[int] = 2
    known: ClassVar[tuple[str, ...]] = ("rgb", "ids", "alpha", "visible")

    kind: str
    seed: int
    cutouts: str = folder()
    """A folder of cut-outs, `tuxpaint-stamps` or `solid`. Sets are compared by its content, not by its path."""
    photographs: str = folder()
    """A folder of photographs, `nature-photographs`, or empty: drawn backgrounds."""
    width: int = 512
    height: int = 512
    layers: tuple[str, ...] = known
    things: int | None = None
    clutter: float = 0.5
    occlusion: float = 0.5
    content: str = ""
    """Hash of all cut-outs and photographs; computed unless given."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not self.cutouts:
            raise PixelProofError(
                "A collage needs cut-outs: give --cutouts with a folder of PNG or WebP files with transparency, "
                "tuxpaint-stamps (photographs, after pixelproof data assets get tuxpaint-stamps), or solid (our own "
                "things)."
            )
        require_word("kind of collages", self.kind, ("collage",))
        require_recipe(self.seed, self.width, self.height, self.layers, self.known, LEAST)
        for name in ("cutouts", "photographs"):
            object.__setattr__(self, name, absolute(getattr(self, name)))
        if not self.content:
            object.__setattr__(self, "content", sources(self.cutouts, self.photographs, self.seed).content)

    def item_id(self, index: int) -> str:
        """The id of a collage; it does not depend on the cut-outs."""
        return f"{self.kind}/{self.seed}/{index:06d}"

    def item(self, index: int) -> Collage:
        """Generate the collage with an index.

        Raises:
            PixelProofError: The cut-outs or photographs are missing, or differ from those of the set.
        """
        found = same_sources(self.cutouts, self.photographs, self.seed, self.content)
        return make_collage(
            found.library,
            self.seed,
            index,
            photographs=found.photographs,
            pieces=self.things,
            clutter=self.clutter,
            occlusion=self.occlusion,
            aspect=self.width / self.height,
        )

    @staticmethod
    def parse(text: str) -> Collage:
        """Parse the JSON of a collage."""
        return Collage.from_json(text)

    def render(self, index: int, item: Collage) -> SetItem:
        """Render a collage, with its layers and table rows."""
        found = same_sources(self.cutouts, self.photographs, self.seed, self.content)
        layers = render_collage(item, found.library, self.width, self.height, photographs=found.photographs)
        stored: Arrays = {"rgb": layers.rgb, "ids": layers.ids, "visible": layers.visible}
        stored["alpha"] = np.asarray(layers.alpha * 255 + 0.5, np.uint8)
        rows = []
        for number, (piece, entity) in enumerate(
            zip(item.pieces, entities(item, found.library, layers), strict=True), 1
        ):
            row: Row = {"order": part_order(index, number), "scene": self.item_id(index), "index": index}
            row |= {"number": number, "thing": piece.id, "noun": entity.noun, "caption": entity.caption}
            for name in ("cutout", "x", "y", "size", "rotation", "flip"):
                row[name] = getattr(piece, name)
            row |= {"pixels": entity.area, "visible": entity.visible}
            row |= {"box": box_cell(entity.box), "amodal_box": box_cell(entity.amodal_box)}
            rows.append(row)
        row = {"order": index, "kind": self.kind, "seed": self.seed, "index": index, "things": len(item.pieces)}
        row |= {"width": self.width, "height": self.height}
        return SetItem(item.to_json(), {name: stored[name] for name in self.layers}, row, rows)

    def check(self, index: int, item: Collage, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare the layers with each other and with the table; the cut-outs are not needed."""
        size, count = (self.height, self.width), len(item.pieces)
        shapes = {"rgb": (*size, 3), "ids": size, "alpha": (count, *size), "visible": (count,)}
        wrong = [name for name, array in arrays.items() if array.shape != shapes[name]]
        for name in wrong:
            yield "size", "", f"{name} has shape {arrays[name].shape} instead of {shapes[name]}"
        if wrong:
            return
        if len(parts) != count:
            yield "table", "", f"things.parquet has {len(parts)} of {count} things"
            return
        if "alpha" in arrays and "ids" in arrays:
            nearest = np.max(np.where(arrays["alpha"] >= 128, np.arange(1, count + 1)[:, None, None], 0), axis=0)
            if (arrays["ids"] != nearest).any():
                yield "ids", "", "some pixels do not belong to the nearest piece that covers half of them"
        if "ids" in arrays:
            for row in parts:
                pixels = int((arrays["ids"] == row["number"]).sum())
                if pixels != row["pixels"]:
                    yield "table", row["thing"], f"things.parquet has {row['pixels']} pixels, but {pixels} are visible"

    def to_layers(self, arrays: Arrays) -> Arrays:
        """The stored layers."""
        return arrays

    def sheet(self, item: Collage, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """The image, its label map, and the amodal outlines; the image alone if layers are missing."""
        if not set(self.known) <= arrays.keys():
            return picture_sheet([arrays["rgb"]])
        alpha = np.asarray(arrays["alpha"] / np.float32(255), np.float32)
        return collage_sheet(CollageLayers(arrays["rgb"], arrays["ids"], alpha, arrays["visible"]))

    def describe(self, item: Collage, parts: list[Row]) -> list[dict[str, str]]:
        """A table of the pieces, from the farthest to the nearest."""
        return [{"thing": row["thing"], "what": row["caption"], "seen": f"{row['visible']:.0%}"} for row in parts]
