"""A clock at a full hour, and a traffic light."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Mask, Rng, compact, pick, swatch
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, box_of, equal, is_disc, pieces
from pixelproof.benches.pixelart.subjects._paint import place, round_mask, whole
from pixelproof.benches.pixelart.subjects.exact._wording import DISC

_OFF = 7  # degrees that an hour hand may be off
Cell = tuple[int, int]
"""Cells up and to the right of the centre."""


class Clock(ExactKind):
    """A clock at a full hour."""

    id, family, grade, colours = "clock", "instruments", 3, 3
    conditions = ("a round white face with hands from its centre", "the minute hand", "the hour hand", "nothing else")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"hour": whole(rng, 1, 12), "ground": pick(rng, ("red", "blue", "green", "grey"))}

    def rule(self, p: Params) -> str:
        hour = p["hour"]
        hidden = " At 12 o'clock it lies under the minute hand, so that only that shows." if hour == 12 else ""
        return (
            f"A clock on a plain {p['ground']} ground that shows exactly {hour} o'clock: a white face without numbers "
            "or marks, with two black hands. The face is a disc, at least 11 cells and an odd number of cells wide. "
            "Both hands begin at the cell in its centre and are straight lines, one cell wide: one cell in each row "
            "(or, where the hand is more level than upright, in each column), each touching the one before, and each "
            "less than one cell off the straight line from the centre to the end of the hand. The minute hand points "
            "straight up and ends at least 4 cells above the centre; it may reach the rim. The hour hand points "
            f"{hour * 30 % 360} degrees clockwise from straight up, at most {_OFF} degrees off, ends at least 2 cells "
            f"away from the centre, and is at most two thirds as long as the minute hand.{hidden} {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        diameter = whole(rng, max(15, size * 3 // 5), size - 1)
        diameter -= 1 - diameter % 2  # an odd face has a cell in its middle
        face = round_mask(diameter).astype(np.int64)
        radius = diameter // 2
        minute = whole(rng, -(-4 * radius // 5), radius)
        around = [(up, right) for up in range(-radius, radius + 1) for right in range(-radius, radius + 1)]
        ends = [end for end in around if 2 <= math.hypot(*end) <= 2 / 3 * minute and _points(end, p["hour"])]
        ends = [end for end in ends if p["hour"] < 12 or not end[1]]  # at 12 it lies under the minute hand
        long = [end for end in ends if math.hypot(*end) >= radius / 2] or [max(ends, key=lambda end: math.hypot(*end))]
        for up, right in ((minute, 0), pick(rng, long)):
            steps = max(abs(up), abs(right))
            for step in range(steps + 1):
                face[radius - round(up * step / steps), radius + round(right * step / steps)] = 2
        return compact([swatch(rng, name) for name in (p["ground"], "white", "black")], place(rng, size, face))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        hands = _hands(look, p["ground"])
        if hands is None or len(hands) < 11 or len(hands) % 2 == 0:
            return ()
        middle = len(hands) // 2
        cells = {(middle - int(row), int(column) - middle) for row, column in np.argwhere(hands)}
        minute = next(up for up in range(len(hands)) if (up, 0) not in cells) - 1
        rest = cells - {(up, 0) for up in range(minute + 1)}
        hour = _straight_hand(rest, cells)
        length = math.hypot(*hour) if hour else 0.0
        if p["hour"] == 12:  # it lies under the minute hand
            return (0, 0) in cells, minute >= 4, not rest, not rest
        points = hour is not None and _points(hour, p["hour"])
        return (0, 0) in cells, minute >= 4, points and 2 <= length <= 2 / 3 * minute, hour is not None


def _points(end: tuple[float, float], hour: int, off: float = _OFF) -> bool:
    """Whether a hand that ends so far up and to the right of the centre points to an hour."""
    angle = math.degrees(math.atan2(end[1], end[0]))
    return abs((angle - 30 * hour + 180) % 360 - 180) <= off


def _hands(look: Look, ground: str) -> Mask | None:
    """Black cells of a round white face on a ground, in its box; None where there is anything else."""
    base = look.on(ground)
    if base is None or not base.ink.any():
        return None
    box = box_of(base.ink)
    white, black = look.named("white")[box], look.named("black")[box] & base.ink[box]
    return black if is_disc(base.ink[box]) and (white | black)[base.ink[box]].all() else None


def _straight_hand(rest: set[Cell], cells: set[Cell]) -> Cell | None:
    """The end of the hand that is made of the rest of the cells, and of others near the centre; None if it is not one.

    One cell for each step along its longer side, each touching the one before and less than a cell off the line.
    """
    end = max(rest, key=lambda cell: max(map(abs, cell)), default=None)
    if end is None:
        return None
    length = max(map(abs, end))
    axis = 0 if abs(end[0]) == length else 1
    before, used = 0, set()
    for step in range(1, length + 1):
        ideal, along = end[1 - axis] * step / length, step if end[axis] > 0 else -step
        asides = [a for a in range(before - 1, before + 2) if abs(a - ideal) < 1]
        row = [(along, a) if axis == 0 else (a, along) for a in asides]
        own = [cell for cell in row if cell in rest] or [cell for cell in row if cell in cells]
        if len(own) != 1:
            return None
        before = own[0][1 - axis]
        used.add(own[0])
    return end if rest <= used else None


_LAMPS = {"red": ("top", 0), "yellow": ("middle", 1), "green": ("bottom", 2)}


class TrafficLight(ExactKind):
    """Three lamps, one of them lit."""

    id, family, grade, colours = "traffic-light", "instruments", 2, 4
    conditions = (
        "an upright black box with lamps",
        "three equal lamps",
        "the lit lamp",
        "the dark lamps",
        "squares or discs",
        "black on all sides",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"lit": pick(rng, tuple(_LAMPS)), "ground": pick(rng, ("white", "blue", "purple", "pink"))}

    def rule(self, p: Params) -> str:
        return (
            f"A traffic light on a plain {p['ground']} ground: a filled black rectangle, higher than wide, with three "
            "lamps in it, one above the other in exactly the same columns. The lamps are exactly alike, either filled "
            "squares or discs, at least 2 cells wide, with at least one black cell between them and on all sides "
            f"of them. Only the {_LAMPS[p['lit']][0]} lamp is lit, in {p['lit']}; the other two are grey. {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        lamp = whole(rng, max(2, size // 8), (size - 4) // 3)
        gap = 1 if 3 * lamp + 6 > size else whole(rng, 1, min(3, (size - 3 * lamp) // 4))
        side = max(1, min(whole(rng, 1, 3), (lamp + 2) // 2, (size - lamp) // 2))
        box = np.ones((3 * lamp + 4 * gap, lamp + 2 * side), dtype=np.int64)
        shape = round_mask(lamp) if whole(rng, 0, 3) else np.ones((lamp, lamp), dtype=np.bool_)
        for number in range(3):
            top = gap + number * (lamp + gap)
            box[top : top + lamp, side : side + lamp][shape] = 3 if number == _LAMPS[p["lit"]][1] else 2
        return compact([swatch(rng, name) for name in (p["ground"], "black", "grey", p["lit"])], place(rng, size, box))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        base = look.on(p["ground"])
        if base is None:
            return ()
        box = look.cells[box_of(base.ink)]
        # The box is its most frequent black: people call a very dark grey lamp black as well.
        blacks = [colour for colour in range(look.colours) if look.called(colour, "black")]
        black = box == max(blacks, key=lambda colour: int((box == colour).sum()), default=-1)
        lamps = sorted(pieces(~black, corners=False), key=lambda lamp: lamp.top)
        if (box == base.ground).any() or box.shape[0] <= box.shape[1] or not black.any() or not lamps:
            return ()
        shades = [np.unique(box[lamp.box][lamp.mask]).tolist() for lamp in lamps]
        alike = all(np.array_equal(lamp.mask, lamps[0].mask) for lamp in lamps)
        three = len(lamps) == 3
        right = [
            three and len(shade) == 1 and look.called(shade[0], p["lit"] if n == _LAMPS[p["lit"]][1] else "grey")
            for n, shade in enumerate(shades[:3])
        ]
        lit = right.pop(_LAMPS[p["lit"]][1]) if three else False
        inside = [lamp for lamp in lamps if lamp.top > 0 and lamp.left > 0]
        inside = [a for a in inside if a.top + a.height < box.shape[0] and a.left + a.width < box.shape[1]]
        return (
            True,
            three and alike and equal([lamp.left for lamp in lamps]),
            lit,
            three and all(right),
            (lamps[0].is_square or lamps[0].is_disc) and lamps[0].width >= 2,
            len(inside) == len(lamps),
        )
