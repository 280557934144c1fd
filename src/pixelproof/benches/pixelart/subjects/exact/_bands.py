"""Stripes: flags, bands of grey, diagonal stripes, progress."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng, compact, pick, several, swatch
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, box_of, cielab, collapse, equal, runs, shared_out
from pixelproof.benches.pixelart.subjects._paint import bands, contrasting, place, stretched, whole
from pixelproof.benches.pixelart.subjects.exact._wording import cells, listed, may_differ

_VISIBLE = 2.5  # in CIE L*, from 0 to 100: a little more than the least difference that the eye can tell
_RAINBOW = ("red", "orange", "yellow", "green", "blue", "purple")


class Stripes(ExactKind):
    """Stripes of named colours, all across the picture."""

    family = "stripes"
    conditions: tuple[str, ...] = ("the right number of stripes", "equal stripes", "colours in order")

    def __init__(self, id: str, grade: int, upright: bool) -> None:
        self.id, self.grade, self.upright = id, grade, upright

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"colours": several(rng, ("red", "yellow", "green", "blue", "white", "black", "orange"), 3)}

    def rule(self, p: Params) -> str:
        kind, way = ("vertical", "from left to right") if self.upright else ("horizontal", "from top to bottom")
        count, size = len(p["colours"]), "wide" if self.upright else "high"
        return (
            f"A flag of {count} straight {kind} stripes that fill the whole picture, {way} {listed(p['colours'])}. The "
            f"stripes are equally {size}; {may_differ(count, 'they')}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        stripe = bands(size, len(p["colours"])) * np.ones((size, 1), dtype=np.int64)
        return compact([swatch(rng, name) for name in p["colours"]], stripe if self.upright else stripe.T)

    def count_colours(self, p: Params) -> int:
        return len(set(p["colours"]))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        flag = collapse(look.cells if self.upright else look.cells.T)
        if flag.shape != (1, len(p["colours"])) or look.colours != self.count_colours(p):
            return ()
        right = [look.called(colour, name) for colour, name in zip(flag.cells[0], p["colours"], strict=True)]
        return True, shared_out(flag.widths), all(right)


class RainbowStripes(Stripes):
    """Six stripes in the order of the rainbow, in any of four directions."""

    def __init__(self) -> None:
        super().__init__("rainbow-stripes", 2, upright=True)

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"colours": list(pick(rng, (_RAINBOW, _RAINBOW[::-1])))}


class NordicCross(ExactKind):
    """A cross on a flag, its upright left of the middle."""

    id, family, grade, colours = "nordic-cross", "stripes", 2, 2
    conditions = (
        "a cross to all four edges",
        "colour of the ground",
        "colour of the cross",
        "upright left",
        "bar halfway",
        "exactly halfway",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        ground, cross = several(rng, ("red", "yellow", "green", "blue", "white"), 2)
        return {"ground": ground, "cross": cross}

    def rule(self, p: Params) -> str:
        return (
            f"A {p['ground']} flag that fills the whole picture, with a {p['cross']} cross on it: a straight level bar "
            "from the left edge to the right edge, with exactly as many rows above it as below it, and a straight "
            "upright bar from the top edge to the bottom edge, with fewer columns to its left than to its right. The "
            "bars may be of any thickness, and the flag shows in all four corners"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        bar = whole(rng, 2, size // 5)
        bar += (size - bar) % 2
        left = whole(rng, size // 5, (size - bar) // 2 - 1)
        cross = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
        half = (size - bar) // 2
        grid = stretched(cross, [half, bar, half], [left, bar, size - bar - left])
        return compact([swatch(rng, p["ground"]), swatch(rng, p["cross"])], grid)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        flag = collapse(look.cells)
        if flag.shape != (3, 3):
            return ()
        ground, cross = int(flag.cells[0, 0]), int(flag.cells[1, 1])
        shape = [[ground, cross, ground], [cross, cross, cross], [ground, cross, ground]]
        return (
            flag.shows(shape),
            look.called(ground, p["ground"]),
            look.called(cross, p["cross"]),
            flag.widths[0] < flag.widths[2],
            shared_out([flag.heights[0], flag.heights[2]]),
            equal([flag.heights[0], flag.heights[2]]),
        )


class Gradient(ExactKind):
    """Bands from dark to light."""

    id, family, grade = "gradient", "stripes", 2
    conditions = ("horizontal bands", "the right number", "equal bands", "each lighter than the one before", "visibly")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"bands": whole(rng, 4, 7), "light": pick(rng, ("top", "bottom"))}

    def rule(self, p: Params) -> str:
        dark = "bottom" if p["light"] == "top" else "top"
        return (
            f"{p['bands']} horizontal bands, each of one colour, that fill the whole picture: the darkest at the "
            f"{dark}, and each one visibly lighter than the one before, by at least {_VISIBLE} in CIE L*, up "
            f"to the lightest at the {p['light']}. The bands are equally high; {may_differ(p['bands'], 'they')}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        tint = np.array([whole(rng, 150, 255) for _ in range(3)])
        levels = np.linspace(0.12, 1.0, p["bands"])[:, None] * tint
        palette = [bytes(level.round().astype(np.uint8)).hex() for level in levels]
        grid = bands(size, p["bands"])[:, None] * np.ones((1, size), dtype=np.int64)
        return compact(palette if p["light"] == "bottom" else palette[::-1], grid)

    def count_colours(self, p: Params) -> int:
        return int(p["bands"])

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        layout = collapse(look.cells)
        if layout.shape[1] != 1 or layout.shape[0] < min(3, p["bands"]) or look.colours != layout.shape[0]:
            return ()
        light = cielab(look.rgb)[layout.cells[:, 0], 0]
        steps = np.diff(light if p["light"] == "bottom" else light[::-1])
        count, lighter = layout.shape[0] == p["bands"], bool((steps > 0).all())
        return count or lighter, count, shared_out(layout.heights), lighter, bool((steps >= _VISIBLE).all())


class DiagonalStripes(ExactKind):
    """Slanting stripes of a given width."""

    id, family, grade, colours = "diagonal-stripes", "stripes", 3, 2
    conditions = ("diagonal stripes", "two colours in turn", "direction", "width")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"width": whole(rng, 2, 5), "from": pick(rng, ("left", "right"))}

    def rule(self, p: Params) -> str:
        to = "right" if p["from"] == "left" else "left"
        return (
            "Diagonal stripes in two colours in turn that fill the whole picture and run down from the top "
            f"{p['from']} to the bottom {to} at 45 degrees: every row is the row above, shifted by one cell to the "
            f"{to}. Along every row each stripe is exactly {cells(p['width'])} wide, unless an edge of the picture "
            "cuts it off"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        rows, columns = np.indices((size, size))
        slant = (columns - rows + size * p["width"] + whole(rng, 0, 2 * p["width"] - 1)) // p["width"] % 2
        return compact(contrasting(rng), slant if p["from"] == "left" else slant[:, ::-1])

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        sides = (look.cells, look.cells[:, ::-1])
        falling, rising = (bool((cells[1:, 1:] == cells[:-1, :-1]).all()) for cells in sides)
        if not (falling or rising) or (falling and rising and p["width"] > 1):  # as a board of single cells is
            return ()
        cells = sides[0] if falling else sides[1]
        across = [*cells[::-1, 0], *cells[0, 1:]]
        lengths = [length for _, length in runs(across)]
        inside = lengths[1:-1]
        width = set(inside) <= {p["width"]} and max(lengths) <= p["width"]
        # Without two whole stripes it may be something else, such as a triangle, unless stripes are that wide.
        return len(inside) >= 2 or width, look.colours == 2, falling if p["from"] == "left" else rising, width


_PARTS = {1: "a quarter", 2: "half", 3: "three quarters"}


class ProgressBar(ExactKind):
    """A bar that is filled in part."""

    id, family, grade, colours = "progress-bar", "charts", 2, 3
    conditions = (
        "one level bar in two parts, wider than high",
        "colour of the left part",
        "colour of the rest",
        "the filled share",
        "long",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        done, rest, ground = several(rng, ("red", "green", "blue", "yellow", "white", "black"), 3)
        return {"quarters": whole(rng, 1, 3), "done": done, "rest": rest, "ground": ground}

    def rule(self, p: Params) -> str:
        return (
            f"A progress bar without outline on a plain {p['ground']} ground: one level bar, a rectangle that is wider "
            f"than high and at least half as wide as the picture. Exactly {_PARTS[p['quarters']]} of its width, on the "
            f"left, is {p['done']}, and the rest is {p['rest']}; the two parts meet in a straight upright line"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        length = 4 * whole(rng, -(-size // 8), (size - 2) // 4)
        height = whole(rng, 2, max(2, length // 4))
        bar = np.ones((height, length), dtype=np.int64)
        bar[:, length * p["quarters"] // 4 :] = 2
        margin = np.pad(bar, 1)
        return compact([swatch(rng, p[name]) for name in ("ground", "done", "rest")], place(rng, size, margin))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        base = look.on(p["ground"])
        if base is None or (bar := collapse(look.cells[box_of(base.ink)])).shape != (1, 2):
            return ()
        length = sum(bar.widths)
        return (
            length > bar.heights[0] and base.ground not in bar.cells,
            look.called(int(bar.cells[0, 0]), p["done"]),
            look.called(int(bar.cells[0, 1]), p["rest"]),
            4 * bar.widths[0] == length * p["quarters"],
            2 * length >= look.cells.shape[1],
        )
