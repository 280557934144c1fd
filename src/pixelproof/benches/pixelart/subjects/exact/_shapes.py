"""Shapes about a middle: frames, nested squares, rings, plus signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, several, swatch
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, Piece, box_of, collapse, cropped, equal
from pixelproof.benches.pixelart.subjects._paint import place, round_mask, stretched, whole
from pixelproof.benches.pixelart.subjects.exact._wording import DISC, cells, listed

_COLOURS = ("red", "yellow", "green", "blue", "white", "black")


class Frame(ExactKind):
    """A border of a given width."""

    id, family, grade, colours = "frame", "shapes", 1, 2
    conditions = (
        "a frame around a plain field",
        "its width on all sides",
        "colour of the frame",
        "colour of the field",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        frame, field = several(rng, _COLOURS, 2)
        return {"width": whole(rng, 2, 5), "frame": frame, "field": field}

    def rule(self, p: Params) -> str:
        return (
            f"A {p['frame']} frame, exactly {cells(p['width'])} wide, along all four edges of the picture, and "
            f"nothing but {p['field']} inside it"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        grid = np.pad(np.ones((size - 2 * p["width"],) * 2, dtype=np.int64), p["width"])
        return compact([swatch(rng, p["frame"]), swatch(rng, p["field"])], grid)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        layout = collapse(look.cells)
        if look.colours != 2 or layout.shape != (3, 3):
            return ()
        frame, field = int(layout.cells[0, 0]), int(layout.cells[1, 1])
        return (
            layout.shows(np.where(np.pad([[True]], 1), field, frame)),
            {*layout.heights[::2], *layout.widths[::2]} == {p["width"]},
            look.called(frame, p["frame"]),
            look.called(field, p["field"]),
        )


class NestedSquares(ExactKind):
    """Squares in squares."""

    id, family, grade = "nested-squares", "shapes", 2
    conditions = ("squares in squares", "the right number", "colours in order", "square sides", "one centre")

    def choose(self, rng: Rng) -> dict[str, Any]:
        ground, *squares = several(rng, _COLOURS, whole(rng, 3, 5))
        return {"ground": ground, "squares": squares}

    def rule(self, p: Params) -> str:
        return (
            f"{len(p['squares'])} filled squares of different sizes, one on top of the other and all with exactly the "
            f"same centre, on a plain {p['ground']} ground: from the largest to the smallest {listed(p['squares'])}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        core, count = whole(rng, 1, 3), len(p["squares"])
        most = (size - 2 - core) // 2
        steps = [1] * (count - 1)
        for _ in range(whole(rng, 0, most - len(steps)) if most > len(steps) else 0):
            steps[whole(rng, 0, len(steps) - 1)] += 1
        grid = np.full((core, core), count, dtype=np.int64)
        for number, step in zip(range(count - 1, 0, -1), steps, strict=True):
            grid = np.pad(grid, step, constant_values=number)
        names = [p["ground"], *p["squares"]]
        return compact([swatch(rng, name) for name in names], place(rng, size, np.pad(grid, 1)))

    def count_colours(self, p: Params) -> int:
        return 1 + len(p["squares"])

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        base = look.on(p["ground"])
        if base is None:
            return ()
        layout = collapse(look.cells[box_of(base.ink)])
        rows, columns = layout.shape
        depth = np.minimum(*(np.minimum(i, i[::-1, ::-1]) for i in np.indices(layout.shape)))
        middle = layout.cells[rows // 2] if rows else np.zeros(0, dtype=np.int64)
        if rows != columns or rows < 3 or rows % 2 == 0 or not layout.shows(middle[: rows // 2 + 1][depth]):
            return ()
        order = middle[: rows // 2 + 1]
        right = len(order) == len(p["squares"]) and base.ground not in order
        boxes = [(sum(layout.heights[n : rows - n]), sum(layout.widths[n : rows - n])) for n in range(len(order))]
        opposite = [abs(part[n] - part[-1 - n]) for part in (layout.heights, layout.widths) for n in range(rows // 2)]
        return (
            len(set(order.tolist())) == len(order),
            len(order) == len(p["squares"]),
            right and all(look.called(int(c), name) for c, name in zip(order, p["squares"], strict=True)),
            all(equal(box) for box in boxes),
            not any(opposite),
        )


class Rings(ExactKind):
    """A target."""

    id, family, grade = "rings", "shapes", 3
    conditions = ("a round disc of rings", "the right number", "colours in order", "round rings", "one centre")

    def choose(self, rng: Rng) -> dict[str, Any]:
        ground, one, other = several(rng, _COLOURS, 3)
        return {"ground": ground, "rings": [one, other] * 2 if whole(rng, 0, 1) else [one, other, one]}

    def rule(self, p: Params) -> str:
        return (
            f"A round target on a plain {p['ground']} ground: {len(p['rings'])} discs of different sizes, one on top "
            "of the other and all with exactly the same centre, from the largest to the smallest "
            f"{listed(p['rings'])}. Of every disc but the smallest a closed ring is left: no cell of a smaller disc "
            f"shares a side with a cell outside the next larger one. {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        count = len(p["rings"])
        step = whole(rng, 2, (size - 4) // (2 * count - 2))
        core = whole(rng, max(3, size // 2 - 2 * step * (count - 1)), size - 1 - 2 * step * (count - 1))
        outer = core + 2 * step * (count - 1)
        grid = np.zeros((outer, outer), dtype=np.int64)
        for number in range(count):
            diameter, inset = outer - 2 * step * number, step * number
            grid[inset : inset + diameter, inset : inset + diameter][round_mask(diameter)] = 1 + number % 2
        return compact([swatch(rng, name) for name in (p["ground"], *p["rings"][:2])], place(rng, size, grid))

    def count_colours(self, p: Params) -> int:
        return len({p["ground"], *p["rings"]})

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        base = look.on(p["ground"])
        if base is None or not base.ink.any():
            return ()
        discs, order = _peeled(look.cells, base.ink)
        centres = np.array([disc.centre for disc in discs]).reshape(-1, 2)
        count = len(order) == len(p["rings"])
        return (
            len(discs) >= 2 and discs[0].is_disc and (count or discs[0].height > 4),
            count,
            count and all(look.called(c, name) for c, name in zip(order, p["rings"], strict=True)),
            all(disc.is_disc for disc in discs),
            not np.ptp(centres, axis=0).any() if discs else False,
        )


def _peeled(cells: Grid, inside: Mask) -> tuple[list[Piece], list[int]]:
    """The discs of a target and their colours, from the outside; none unless each lies well inside the last."""
    discs: list[Piece] = []
    order: list[int] = []
    while inside.any():
        core = ndimage.binary_erosion(inside)
        shades = np.unique(cells[inside & ~core])
        rest = ndimage.binary_fill_holes(inside & (cells != shades[0]))
        if len(shades) != 1 or (rest & ~core).any():
            return [], []
        discs.append(Piece(cropped(inside), *(part.start for part in box_of(inside))))
        order.append(int(shades[0]))
        inside = rest
    return discs, order


class Plus(ExactKind):
    """A plus sign."""

    id, family, grade, colours = "plus", "shapes", 1, 2
    conditions = (
        "a plus sign, its arms no wider than long",
        "four equal arms",
        "colour of the sign",
        "colour of the ground",
        "equally thick bars",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        sign, ground = several(rng, _COLOURS, 2)
        return {"sign": sign, "ground": ground}

    def rule(self, p: Params) -> str:
        return (
            f"A {p['sign']} plus sign on a plain {p['ground']} ground: an upright and a level bar, equally long and "
            "equally thick, that cross exactly in the middle of both. Each of the four arms is at least as long as the "
            "bars are thick"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        bar = whole(rng, 1, size // 5)
        arm = whole(rng, max(2, bar), (size - bar) // 2 - 1)
        sign = stretched([[0, 1, 0], [1, 1, 1], [0, 1, 0]], [arm, bar, arm], [arm, bar, arm])
        return compact([swatch(rng, p["ground"]), swatch(rng, p["sign"])], place(rng, size, sign))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        sign = collapse(cropped(look.figure))
        if not sign.shows([[0, 1, 0], [1, 1, 1], [0, 1, 0]]):
            return ()
        ink = int(look.cells[look.ink][0])
        narrow = min(sign.heights[::2]) >= sign.widths[1] and min(sign.widths[::2]) >= sign.heights[1]
        return (
            narrow,
            equal([*sign.heights[::2], *sign.widths[::2]]),
            look.called(ink, p["sign"]),
            look.called(look.ground, p["ground"]),
            sign.heights[1] == sign.widths[1],
        )
