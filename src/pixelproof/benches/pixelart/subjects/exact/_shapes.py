"""Shapes about a middle: frames, nested squares, rings, plus signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Mask, Rng, compact, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import (
    Look,
    Piece,
    box_of,
    collapse,
    cropped,
    even,
    filled,
    largest,
    pieces,
)
from pixelproof.benches.pixelart.subjects._names import swatch
from pixelproof.benches.pixelart.subjects._paint import place, round_mask, stretched, whole

_COLOURS = ("red", "yellow", "green", "blue", "white", "black")


class Frame(ExactKind):
    """A border of a given width."""

    id, family, grade = "frame", "shapes", 1
    conditions = (
        "a frame around a plain field",
        "its width on all sides",
        "colour of the frame",
        "colour of the field",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        frame, field = several(rng, _COLOURS, 2)
        return {"width": whole(rng, 2, 5), "frame": frame, "field": field}

    def text(self, p: Params) -> str:
        return (
            f"A {p['frame']} frame, exactly {p['width']} cells wide, along all four edges of the picture, and "
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

    def text(self, p: Params) -> str:
        *first, last = p["squares"]
        return (
            f"{len(p['squares'])} filled squares of different sizes, one on top of the other with one common centre, "
            f"on a plain {p['ground']} ground: from the largest to the smallest {', '.join(first)} and {last}"
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

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        layout = collapse(look.cells[box_of(look.ink)])
        rows, columns = layout.shape
        depth = np.minimum(*(np.minimum(i, i[::-1, ::-1]) for i in np.indices(layout.shape)))
        middle = layout.cells[rows // 2] if rows else np.zeros(0, dtype=np.int64)
        if rows != columns or rows < 3 or rows % 2 == 0 or not layout.shows(middle[: rows // 2 + 1][depth]):
            return ()
        order = middle[: rows // 2 + 1]
        right = len(order) == len(p["squares"]) and look.called(look.ground, p["ground"])
        boxes = [(sum(layout.heights[n : rows - n]), sum(layout.widths[n : rows - n])) for n in range(len(order))]
        opposite = [abs(part[n] - part[-1 - n]) for part in (layout.heights, layout.widths) for n in range(rows // 2)]
        return (
            len(set(order.tolist())) == len(order),
            len(order) == len(p["squares"]),
            right and all(look.called(int(c), name) for c, name in zip(order, p["squares"], strict=True)),
            all(even(box) for box in boxes),
            max(opposite) <= 1,
        )


class Rings(ExactKind):
    """A target."""

    id, family, grade = "rings", "shapes", 3
    conditions = ("a round disc of rings", "the right number", "colours in order", "round rings", "one centre")

    def choose(self, rng: Rng) -> dict[str, Any]:
        ground, one, other = several(rng, _COLOURS, 3)
        return {"ground": ground, "rings": [one, other] * 2 if whole(rng, 0, 1) else [one, other, one]}

    def text(self, p: Params) -> str:
        *first, last = p["rings"]
        return (
            f"A round target on a plain {p['ground']} ground: {len(p['rings'])} circles with one common centre, from "
            f"the outermost ring to the disc in the middle {', '.join(first)} and {last}"
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

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        whole_disc = largest(look.ink)
        if whole_disc is None or not look.called(look.ground, p["ground"]):
            return ()
        inside = filled(whole_disc, look.cells.shape)
        discs: list[Piece] = []
        order: list[int] = []
        while inside.any() and len(discs) < 8:
            rim = inside & ~ndimage.binary_erosion(inside)
            shades = np.unique(look.cells[rim])
            if len(shades) != 1:
                break
            discs.append(Piece(cropped(inside), *(part.start for part in box_of(inside))))
            order.append(int(shades[0]))
            inside = inside & ~_touching(inside & (look.cells == shades[0]), rim)
        complete = bool((look.ink == filled(whole_disc, look.cells.shape)).all() and not inside.any())
        centres = np.array([disc.centre for disc in discs]).reshape(-1, 2)
        count = len(order) == len(p["rings"])
        return (
            complete and len(discs) >= 2 and discs[0].is_round and discs[0].height > 4,
            count,
            count and all(look.called(c, name) for c, name in zip(order, p["rings"], strict=True)),
            all(disc.is_round for disc in discs),
            bool(len(discs)) and float(np.ptp(centres, axis=0).max()) <= 1,
        )


def _touching(mask: Mask, seeds: Mask) -> Mask:
    """The parts of a mask that hold a seed."""
    kept = np.zeros_like(mask)
    for piece in pieces(mask, corners=False):
        if (piece.mask & seeds[piece.box]).any():
            kept[piece.box] |= piece.mask
    return kept


class Plus(ExactKind):
    """A plus sign."""

    id, family, grade = "plus", "shapes", 1
    conditions = ("a plus sign", "four equal arms", "colour of the sign", "colour of the ground")

    def choose(self, rng: Rng) -> dict[str, Any]:
        sign, ground = several(rng, _COLOURS, 2)
        return {"sign": sign, "ground": ground}

    def text(self, p: Params) -> str:
        return f"A {p['sign']} plus sign on a plain {p['ground']} ground, its arms equally long and no wider than long"

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
        arms, bars = [*sign.heights[::2], *sign.widths[::2]], [sign.heights[1], sign.widths[1]]
        return (
            even(bars) and min(arms) >= min(bars),
            even(arms),
            look.called(ink, p["sign"]),
            look.called(look.ground, p["ground"]),
        )
