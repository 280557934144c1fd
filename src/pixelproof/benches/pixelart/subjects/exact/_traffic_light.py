"""A traffic light."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng, compact, pick
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, box_of, equal, pieces
from pixelproof.benches.pixelart.subjects._names import swatch
from pixelproof.benches.pixelart.subjects._paint import place, round_mask, whole
from pixelproof.benches.pixelart.subjects.exact._wording import DISC

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
