"""Make the contact sheet of pixelart's composed subjects: `python docs/images/pixelart_composed.py` writes it here.

One row per kind: the subject, our reference, drawings typed by hand in the same arrangement, the things that the words
name in a fixed arrangement, and the first of them alone. Below each picture are the conditions that it misses.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks"))

from pixelproof.benches.pixelart import PixelArt  # noqa: E402
from pixelproof.benches.pixelart._floors import arrange_words  # noqa: E402
from pixelproof.benches.pixelart.subjects import KINDS, Composed, Drawing, Subject  # noqa: E402
from pixelproof.contract import Source  # noqa: E402
from pixelproof.stats import generator  # noqa: E402
from trust_drawings import first_alone, typed  # noqa: E402

TILE, GAP, LEFT, TOP = 144, 10, 250, 26
HEADS = ("reference", "typed by hand", "words only", "first thing alone")


def pictures(subject: Subject, seed: int) -> list[Drawing]:
    """The answers of a row."""
    kind, p = subject.kind, subject.params
    assert isinstance(kind, Composed)
    return [
        subject.draw(generator(seed, "pixelart/drawing"), 24, 10),
        kind.compose(p, generator(seed, "sheet"), 24, 10, artist=typed),
        arrange_words(kind, tuple(sorted(kind.counts(p))), 24, 10),
        first_alone(subject, 0),
    ]


def missed(subject: Subject, drawing: Drawing) -> str:
    """The conditions that a drawing misses."""
    rgb = np.array([tuple(bytes.fromhex(colour)) for colour in drawing.palette], dtype=np.uint8)
    verdict = subject.check(np.array(drawing.grid), rgb)
    assert verdict is not None
    return "all met" if verdict.solved else "misses " + ", ".join(verdict.missed)


def wrapped(pen: ImageDraw.ImageDraw, text: str, width: int, font: ImageFont.FreeTypeFont) -> str:
    """Text in lines of a width in pixels."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        lines = [*lines[:-1], longer] if pen.textlength(longer, font=font) <= width else [*lines, word]
    return "\n".join(lines)


def sheet() -> Image.Image:
    """The first subject of each composed kind in the frozen set."""
    first: dict[str, tuple[Subject, int]] = {}
    for item in PixelArt().items(Source("pixelart-v2"), 0, None):
        kind = KINDS[item.truth["kind"]]
        if kind.scoring == "composed":
            first.setdefault(kind.id, (Subject(kind, item.truth["params"]), item.truth["seed"]))
    step = TILE + 50
    page = Image.new("RGB", (LEFT + len(HEADS) * (TILE + GAP), TOP + len(first) * step), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(12)
    for place, head in enumerate(HEADS):
        pen.text((LEFT + place * (TILE + GAP), 6), head, fill="black", font=font)
    for row, (subject, seed) in enumerate(first.values()):
        top = TOP + row * step
        asked = f"{subject.text.split(':')[0].split('. ')[0]}; ground {subject.params['ground']}"
        pen.text((8, top + 4), subject.kind.id, fill="grey", font=font)
        pen.multiline_text((8, top + 22), wrapped(pen, asked, LEFT - 20, font), fill="black", font=font)
        for place, drawing in enumerate(pictures(subject, seed)):
            left = LEFT + place * (TILE + GAP)
            picture = Image.fromarray(drawing.pixels()).resize((TILE, TILE), Image.Resampling.NEAREST)
            page.paste(picture, (left, top))
            pen.rectangle((left - 1, top - 1, left + TILE, top + TILE), outline="grey")
            said = missed(subject, drawing)
            colour = (20, 110, 40) if said == "all met" else (160, 30, 20)
            small = ImageFont.load_default(10)
            pen.multiline_text(
                (left, top + TILE + 3), wrapped(pen, said, TILE, small), fill=colour, font=small, spacing=1
            )
    return page


if __name__ == "__main__":
    sheet().save(HERE / "pixelart-composed.webp", lossless=True)
