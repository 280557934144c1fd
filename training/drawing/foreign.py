"""Drawings that are not ours, with what they show: pixel art, icons, emoji, and sketches by people."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path
from training.drawing.labels import (
    CRAFTAX,
    CRAWL,
    EMOJI,
    HACKERNOON,
    MINETEST,
    NOTHING,
    PIXELARTICONS,
    QUICK_DRAW,
    UNCLEAR,
    Table,
    label,
)
from training.drawing.svg import cells_of

Rgba = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture with transparency, and what it shows."""

    source: str
    name: str
    subject: str
    rgba: Rgba
    group: str
    """Figures of one group are versions of one drawing."""
    ink: bool = False
    """It is a line in one colour, so its colour says nothing."""


def _tiles(source: str, table: Table) -> Iterator[Figure]:
    """Named PNG files; the name includes the folder only where the folder says what is in it."""
    root = asset_path(source)
    for path in sorted(root.rglob("*.png")):
        name = path.relative_to(root).with_suffix("").as_posix() if table is CRAWL else path.stem
        if table is HACKERNOON:
            name = name.removesuffix("-solid")
        subject = label(name, table)
        if subject != UNCLEAR:
            with Image.open(path) as image:
                rgba = np.asarray(image.convert("RGBA"))
            if max(rgba.shape) <= 64:  # larger ones are sheets of animations
                base = re.sub(r"[\d_]+$", "", path.stem)
                yield Figure(source, path.stem, subject, rgba, f"{source}/{subject}/{base}", table is HACKERNOON)


def _icons(source: str) -> Iterator[Figure]:
    for path in sorted(asset_path(source).glob("*.svg")):
        name = re.sub("-(sharp|solid|glyph)$", "", path.stem)
        subject = label(name, PIXELARTICONS)
        if subject != UNCLEAR:
            rgba = np.zeros((24, 24, 4), dtype=np.uint8)
            rgba[cells_of(path.read_text("utf-8")), 3] = 255
            yield Figure(source, path.stem, subject, rgba, f"{source}/{subject}/{name}", ink=True)


def _sketches(source: str) -> Iterator[Figure]:
    for path in sorted(asset_path(source).glob("*.ndjson.gz")):
        word = path.name.removesuffix(".ndjson.gz")
        subject = label(word, QUICK_DRAW)
        if subject != UNCLEAR:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for number, line in enumerate(lines):
                    rgba = np.zeros((28, 28, 4), dtype=np.uint8)
                    rgba[..., 3] = np.rint(255 * np.array(json.loads(line)[:784], dtype=np.float64)).reshape(28, 28)
                    name = f"{word} {number}"
                    yield Figure(source, name, subject, rgba, f"{source}/{name}", ink=True)


def _emoji(source: str) -> Iterator[Figure]:
    """Emoji in colour."""
    font = ImageFont.truetype(str(asset_path(source) / "NotoColorEmoji.ttf"), 109)  # the one size it has
    for subject, character in _characters():
        picture = Image.new("RGBA", (136, 128))
        ImageDraw.Draw(picture).text((0, 0), character, font=font, embedded_color=True)
        yield Figure(source, f"U+{ord(character):04X}", subject, np.asarray(picture), f"{source}/{character}")


def _glyphs(source: str) -> Iterator[Figure]:
    """Emoji in one colour: 16 × 16 cells of Unifont, outlines of Symbola."""
    cells = source == "unifont"
    names = ("unifont.otf", "unifont_upper.otf") if cells else ("Symbola_hint.ttf",) * 2
    fonts = [ImageFont.truetype(str(asset_path(source) / name), 16 if cells else 96) for name in names]
    for subject, character in _characters():
        font = fonts[ord(character) > 0xFFFF]
        ink = _bits(font, character, cells)
        if not np.array_equal(ink, _bits(font, _NEVER, cells)):
            rgba = np.zeros((*ink.shape, 4), dtype=np.uint8)
            rgba[..., 3] = ink
            yield Figure(source, f"U+{ord(character):04X}", subject, rgba, f"{source}/{character}", ink=True)


_NEVER = "\U0010ffff"  # no font has it, so it shows what a font draws for what it lacks


def _bits(font: ImageFont.FreeTypeFont, character: str, cells: bool) -> npt.NDArray[np.uint8]:
    """How opaque each pixel of a character is."""
    picture = Image.new("1", (16, 16)) if cells else Image.new("L", (144, 144))
    ImageDraw.Draw(picture).text((0, 0), character, font=font, fill=255)
    return np.asarray(picture.convert("L"))


def _characters() -> Iterator[tuple[str, str]]:
    return ((subject, character) for subject, characters in EMOJI.items() for character in characters)


@dataclass(frozen=True)
class Corpus:
    """Where figures come from."""

    asset: str
    read: Callable[[str], Iterator[Figure]]


TRAINED = (
    Corpus("crawl-tiles", partial(_tiles, table=CRAWL)),
    Corpus("minetest-textures", partial(_tiles, table=MINETEST)),
    Corpus("quick-draw", _sketches),
    Corpus("unifont", _glyphs),
)
"""Sources that the network learns from, but for the figures that are kept for validation."""

UNSEEN = (
    Corpus("pixelarticons", _icons),
    Corpus("hackernoon-pixel-icons", partial(_tiles, table=HACKERNOON)),
    Corpus("craftax-tiles", partial(_tiles, table=CRAFTAX)),
    Corpus("noto-color-emoji", _emoji),
    Corpus("symbola", _glyphs),
)
"""Sources of which the network never sees a picture before it is tested. Craftax includes the tiles of Crafter."""


def read_figures(corpora: tuple[Corpus, ...]) -> list[Figure]:
    """All figures of some sources, each picture once.

    Raises:
        PixelProofError: An asset is not here; the message has the command that gets all of them.
    """
    need(corpora)
    figures: dict[str, Figure] = {}
    for corpus in corpora:
        for figure in corpus.read(corpus.asset):
            key = _fingerprint(figure.rgba)
            # The same picture may have two names, of which the one that says more counts.
            if figure.rgba[..., 3].any() and (key not in figures or figures[key].subject == NOTHING):
                figures[key] = figure
    return list(figures.values())


def need(corpora: tuple[Corpus, ...]) -> None:
    """See that all of some sources are here.

    Raises:
        PixelProofError: One is not; the message has the command that gets all that are missing.
    """
    missing = [corpus.asset for corpus in corpora if not _is_here(corpus.asset)]
    if missing:
        raise PixelProofError(f"Drawings of others are missing: run pixelproof data assets get {' '.join(missing)}.")


def is_validation(figure: Figure) -> bool:
    """Whether a figure of a trained source is kept from training: one group in seven, by the hash of its name."""
    return int(hashlib.sha256(figure.group.encode()).hexdigest(), 16) % 7 == 0


def _is_here(asset: str) -> bool:
    try:
        return Path(asset_path(asset)).exists()
    except PixelProofError:
        return False


def _fingerprint(rgba: Rgba) -> str:
    return hashlib.sha256(repr(rgba.shape).encode() + rgba.tobytes()).hexdigest()
