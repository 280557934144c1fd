"""Instruments: a traffic light, a clock."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng, compact, pick
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, even, filled, largest, pieces
from pixelproof.benches.pixelart.subjects._names import swatch
from pixelproof.benches.pixelart.subjects._paint import place, round_mask, whole

_LAMPS = {"red": ("top", 0), "yellow": ("middle", 1), "green": ("bottom", 2)}


class TrafficLight(ExactKind):
    """Three lamps, one of them lit."""

    id, family, grade = "traffic-light", "instruments", 2
    conditions = ("an upright black box with lamps", "three equal lamps", "the lit lamp", "the dark lamps")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"lit": pick(rng, tuple(_LAMPS)), "ground": pick(rng, ("white", "blue", "purple", "pink"))}

    def text(self, p: Params) -> str:
        return (
            f"A traffic light on a plain {p['ground']} ground: an upright black box with three equal lamps, one above "
            f"the other; only the {_LAMPS[p['lit']][0]} lamp is lit, in {p['lit']}, and the other two are grey"
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
        if side > 1 and gap > 1 and whole(rng, 0, 1):
            box[[0, 0, -1, -1], [0, -1, 0, -1]] = 0
        return compact([swatch(rng, name) for name in (p["ground"], "black", "grey", p["lit"])], place(rng, size, box))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        # The box is its biggest black: people call a very dark grey lamp black as well.
        blacks = [colour for colour in range(look.colours) if look.called(colour, "black")]
        black = look.cells == max(blacks, key=lambda colour: int((look.cells == colour).sum()), default=-1)
        box = largest(black, corners=True)
        if box is None:
            return ()
        housing = filled(box, look.cells.shape)
        case = pieces(housing)[0]
        lamps = pieces(housing & ~black, corners=False)
        if not (case.is_block and case.height >= 1.4 * case.width and lamps):
            return ()
        lamps = sorted(lamps, key=lambda lamp: lamp.top)
        shades = [np.unique(look.cells[lamp.box][lamp.mask]).tolist() for lamp in lamps]
        alike = even([lamp.height for lamp in lamps]) and even([lamp.width for lamp in lamps])
        in_line = even([lamp.centre[1] for lamp in lamps])
        three = len(lamps) == 3
        right = [
            three and len(shade) == 1 and look.called(shade[0], p["lit"] if n == _LAMPS[p["lit"]][1] else "grey")
            for n, shade in enumerate(shades[:3])
        ]
        lit = right.pop(_LAMPS[p["lit"]][1]) if three else False
        outside = np.unique(look.cells[~housing]).tolist()
        plain = len(outside) == 1 and look.called(outside[0], p["ground"])
        return plain, three and alike and in_line, lit, three and all(right)


class Clock(ExactKind):
    """A clock at a full hour."""

    id, family, grade = "clock", "instruments", 3
    conditions = ("a round white face with hands from its centre", "the minute hand", "the hour hand", "nothing else")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"hour": whole(rng, 1, 12), "ground": pick(rng, ("red", "blue", "green", "grey"))}

    def text(self, p: Params) -> str:
        return (
            f"A round white clock face without numbers or marks on a plain {p['ground']} ground, with two thin black "
            f"hands from its centre that show exactly {p['hour']} o'clock: a long minute hand, and an hour hand about "
            "half as long as the face's radius"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        diameter = whole(rng, max(15, size * 3 // 5), size - 1)
        diameter -= 1 - diameter % 2  # an odd face has a cell in its middle
        face = round_mask(diameter).astype(np.int64)
        radius = diameter // 2
        for angle, share in ((0.0, 0.8), (p["hour"] * math.pi / 6, 0.55)):
            length = round(radius * share)
            for step in np.linspace(0, length, 4 * length):
                row, column = radius - step * math.cos(angle), radius + step * math.sin(angle)
                face[round(row), round(column)] = 2
        return compact([swatch(rng, name) for name in (p["ground"], "white", "black")], place(rng, size, face))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        white = largest(look.named("white"))
        if white is None or look.called(look.ground, "white"):
            return ()
        disc = filled(white, look.cells.shape)
        face = pieces(disc)[0]
        hands = disc & look.named("black")
        if not face.is_round or face.height < 9 or len(pieces(hands)) != 1:
            return ()
        radius = face.height / 2
        rows, columns = np.nonzero(hands)
        up, right = face.centre[0] - rows, columns - face.centre[1]
        angle = p["hour"] * math.pi / 6
        minute = _on_ray(up, right, 0.0)
        hour = _on_ray(up, right, angle)
        far_up = float(up[minute].max(initial=0))
        along = up * math.cos(angle) + right * math.sin(angle)
        reach = float(along[hour & (~minute | (p["hour"] == 12))].max(initial=0))
        centred = bool((np.hypot(up, right) <= 1.5).any())
        plain = np.array_equal(look.cells == look.ground, ~disc) and look.called(look.ground, p["ground"])
        hour_right = 0.35 * radius <= reach <= 0.78 * radius or (p["hour"] == 12 and far_up >= 0.65 * radius)
        others = bool((disc & ~hands & ~look.named("white")).any())
        return centred, far_up >= 0.65 * radius, hour_right, bool((minute | hour).all()) and plain and not others


def _on_ray(up: Any, right: Any, angle: float) -> Any:
    """Which cells lie on a hand, up to its thickness and its stub behind the centre."""
    along = up * math.cos(angle) + right * math.sin(angle)
    aside = np.abs(right * math.cos(angle) - up * math.sin(angle))
    return (aside <= 1.05) & (along >= -1.5)
