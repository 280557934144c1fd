"""Make the contact sheet of pixelart's drawings by hand: `python docs/images/pixelart_fixtures.py` writes it here.

It also prints the table of docs/methods/pixelart-checkers.md: the number of drawings per kind, and of wrong verdicts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from pixelart_fixtures import Fixture, read_fixtures  # noqa: E402
from pixelproof.benches.pixelart.subjects import KINDS, Subject  # noqa: E402

TILE, GAP, LEFT, SHOWN = 44, 4, 110, 10


def tile(fixture: Fixture) -> Image.Image:
    """A drawing in a tile: cells of equal size where they fit, white around."""
    picture = Image.fromarray(np.array(fixture.palette, dtype=np.uint8)[fixture.grid])
    side = max(1, TILE // len(fixture.grid)) * len(fixture.grid)
    return picture.resize((min(side, TILE),) * 2, Image.Resampling.NEAREST)


def sheet(fixtures: list[Fixture]) -> Image.Image:
    """One row per kind: ten drawings that are right, on green, and ten that are wrong, on red; half from either set."""
    kinds = [id for id, kind in KINDS.items() if kind.exact]
    step = TILE + GAP
    page = Image.new("RGB", (LEFT + 2 * SHOWN * step + GAP, len(kinds) * step), "white")
    pen = ImageDraw.Draw(page)
    for row, id in enumerate(kinds):
        pen.text((4, row * step + TILE // 3), id, fill="black")
        for half, right in enumerate((True, False)):
            ours = [fixture for fixture in fixtures if fixture.kind == id and fixture.right is right]
            left = LEFT + half * (SHOWN * step + GAP)
            pen.rectangle((left, row * step, left + SHOWN * step - 1, (row + 1) * step - 1), fill=_GROUND[right])
            first, second = by_set(ours)
            for place, fixture in enumerate(first[: SHOWN // 2] + second[: SHOWN // 2]):
                drawn = tile(fixture)
                inset = (TILE - drawn.width) // 2 + GAP // 2
                page.paste(drawn, (left + place * step + inset, row * step + inset))
    return page


_GROUND = {True: (196, 228, 200), False: (240, 205, 200)}


def by_set(fixtures: list[Fixture]) -> tuple[list[Fixture], list[Fixture]]:
    """The drawings by the author of the checkers, and those by readers of the texts."""
    first = [fixture for fixture in fixtures if "/readers/" not in fixture.place]
    return first, [fixture for fixture in fixtures if "/readers/" in fixture.place]


def table(fixtures: list[Fixture]) -> str:
    """Markdown: per kind the numbers of drawings of either set, and of wrong verdicts."""
    rows = ["| kind | right | wrong | wrong verdicts |", "| --- | --- | --- | --- |"]
    for id in [*(id for id, kind in KINDS.items() if kind.exact), "all"]:
        ours = [fixture for fixture in fixtures if id in ("all", fixture.kind)]
        checks = [Subject(KINDS[one.kind], one.params).check(one.grid, one.palette).solved != one.right for one in ours]
        right, wrong = (
            " + ".join(str(sum(one.right is verdict for one in part)) for part in by_set(ours))
            for verdict in (True, False)
        )
        rows.append(f"| {id} | {right} | {wrong} | {sum(checks)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    drawings = read_fixtures()
    sheet(drawings).save(HERE / "pixelart-fixtures.webp", lossless=True)
    print(table(drawings))
