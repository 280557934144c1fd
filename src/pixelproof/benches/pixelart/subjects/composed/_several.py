"""Composed subjects of several things: relations, numbers and sizes."""

from __future__ import annotations

from typing import Any

from pixelproof.benches.pixelart.subjects._drawing import Rng, pick
from pixelproof.benches.pixelart.subjects._kind import Params
from pixelproof.benches.pixelart.subjects.composed._kind import (
    GROUNDS,
    NUMBERS,
    Composed,
    Conditions,
    Placed,
    capital,
    choose_things,
    quarters,
    slot,
    word,
)
from pixelproof.benches.pixelart.subjects.composed._scene import Figure, Scene
from pixelproof.benches.pixelart.subjects.composed._sprites import Style, draw_sprite

_SIDES = {
    "left": ("to the left of", "to the right of", "farther left than", "column"),
    "right": ("to the right of", "to the left of", "farther right than", "column"),
    "above": ("above", "below", "higher up than", "row"),
    "below": ("below", "above", "lower down than", "row"),
}
"""Relation → its words, those of its inverse, its definition, and what is compared."""
_LARGER = 2


def stands(a: Figure, b: Figure, relation: str) -> bool:
    """Whether all of a figure is beyond all of another, in a direction.

    The relation is that of boxes: left means that no cell of `a` is in a column of `b` or farther right.
    """
    (top, left, bottom, right), (other_top, other_left, other_bottom, other_right) = a.box, b.box
    return {
        "left": right <= other_left,
        "right": left >= other_right,
        "above": bottom <= other_top,
        "below": top >= other_bottom,
    }[relation]


class TwoThings(Composed):
    """Two different things, one beside, above or below the other."""

    id = "two-things"
    grade = 2

    def choose(self, rng: Rng) -> dict[str, Any]:
        """Two things, a relation, the order in which they are mentioned, the ground."""
        things = choose_things(rng, "a", "b")
        return {
            **things,
            "relation": pick(rng, tuple(_SIDES)),
            "form": int(rng.integers(3)),
            "ground": pick(rng, GROUNDS),
        }

    def sentence(self, p: Params) -> str:
        """In one of three forms, with the definition of the relation."""
        a, b = word(p, "a"), word(p, "b")
        words, inverse, beyond, _ = _SIDES[p["relation"]]
        said = (
            f"{capital(a.a)} {words} {b.a}",
            f"{capital(b.a)}, and {words} it {a.a}",
            f"{capital(b.a)} {inverse} {a.a}",
        )[p["form"]]
        return f"{said}: every part of {a.the} is {beyond} every part of {b.the}"

    def counts(self, p: Params) -> dict[str, int]:
        """One of each."""
        return {p["a"]: 1, p["b"]: 1}

    def conditions(self, scene: Scene, p: Params) -> Conditions:
        """The relation."""
        a, b = scene.only(p["a"]), scene.only(p["b"])
        return [(p["relation"], a is not None and b is not None and stands(a, b, p["relation"]))]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """Each in its half of the picture."""
        side, starts = quarters(size)
        first = p["relation"] in ("left", "above")
        placed = []
        for id, start in zip((p["a"], p["b"]), starts if first else starts[::-1], strict=True):
            sprite = draw_sprite(id, rng, side, style)
            across = p["relation"] in ("left", "right")
            box = (0, start, size, side) if across else (start, 0, side, size)
            placed.append(slot(rng, sprite, *box))
        return placed


class SameThings(Composed):
    """Two to four of one thing."""

    id = "same-things"
    grade = 2

    def choose(self, rng: Rng) -> dict[str, Any]:
        """A thing, its number, the ground."""
        return {**choose_things(rng, "a"), "number": 2 + int(rng.integers(3)), "ground": pick(rng, GROUNDS)}

    def sentence(self, p: Params) -> str:
        """With the number."""
        return f"Exactly {NUMBERS[p['number']]} {word(p).plural}"

    def counts(self, p: Params) -> dict[str, int]:
        """The number asked for."""
        return {p["a"]: p["number"]}

    def conditions(self, scene: Scene, p: Params) -> Conditions:
        """The number of things that are recognised."""
        return [("number", len(scene.called(p["a"])) == p["number"])]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """In corners of the picture, some of them mirrored."""
        side, starts = quarters(size)
        sprite = draw_sprite(p["a"], rng, side, style)
        corners = [(top, left) for top in starts for left in starts]
        while len(corners) > p["number"]:
            corners.pop(int(rng.integers(len(corners))))
        return [slot(rng, sprite, top, left, side, side) for top, left in corners]


class GroupAndThing(Composed):
    """Two of one thing, and another thing in a relation to both."""

    id = "group-and-thing"
    grade = 3

    def choose(self, rng: Rng) -> dict[str, Any]:
        """Two things, which of them are two, a relation, the ground."""
        return {**choose_things(rng, "a", "b"), "relation": pick(rng, tuple(_SIDES)), "ground": pick(rng, GROUNDS)}

    def sentence(self, p: Params) -> str:
        """With the definition of the relation."""
        a, b = word(p, "a"), word(p, "b")
        words, _, beyond, _ = _SIDES[p["relation"]]
        return f"Two {a.plural} {words} {b.a}: every part of both is {beyond} every part of {b.the}"

    def counts(self, p: Params) -> dict[str, int]:
        """Two and one."""
        return {p["a"]: 2, p["b"]: 1}

    def conditions(self, scene: Scene, p: Params) -> Conditions:
        """The number, and the relation of both."""
        group, b = scene.called(p["a"]), scene.only(p["b"])
        two = len(group) == 2
        beyond = two and b is not None and all(stands(a, b, p["relation"]) for a in group)
        return [("number", two), (p["relation"], beyond)]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """The two in corners of one side, the other in the half across."""
        side, starts = quarters(size)
        near, far = starts if p["relation"] in ("left", "above") else starts[::-1]
        across = p["relation"] in ("left", "right")
        a, b = draw_sprite(p["a"], rng, side, style), draw_sprite(p["b"], rng, side, style)
        corners = [(start, near) if across else (near, start) for start in starts]
        box = (0, far, size, side) if across else (far, 0, side, size)
        return [*(slot(rng, a, top, left, side, side) for top, left in corners), slot(rng, b, *box)]


class SizedThings(Composed):
    """Two different things, one larger than the other."""

    id = "sized-things"
    grade = 3

    def choose(self, rng: Rng) -> dict[str, Any]:
        """Two things, the first the larger one; which is mentioned first; the ground."""
        return {**choose_things(rng, "a", "b"), "form": int(rng.integers(2)), "ground": pick(rng, GROUNDS)}

    def sentence(self, p: Params) -> str:
        """With the definition of larger."""
        a, b = word(p, "a"), word(p, "b")
        said = (
            f"A large picture of {a.a} and a smaller one of {b.a}",
            f"{capital(b.a)} and {a.a}, {a.the} being the larger of the two",
        )[p["form"]]
        return (
            f"{said}: the longer side of the box around {a.the} is at least {NUMBERS[_LARGER]} cells longer than that "
            f"of the box around {b.the}"
        )

    def counts(self, p: Params) -> dict[str, int]:
        """One of each."""
        return {p["a"]: 1, p["b"]: 1}

    def conditions(self, scene: Scene, p: Params) -> Conditions:
        """Which is the larger one."""
        a, b = scene.only(p["a"]), scene.only(p["b"])
        return [("larger", a is not None and b is not None and a.side >= b.side + _LARGER)]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """Side by side, or one above the other."""
        small = (size - 4) // 2 - int(rng.integers(2))
        large = size - 2 - small
        a, b = draw_sprite(p["a"], rng, large, style), draw_sprite(p["b"], rng, small, style)
        boxes = [(0, 0, size, large), (0, size - small, size, small)]
        if rng.integers(2):
            boxes = [(left, top, width, height) for top, left, height, width in boxes]
        return [slot(rng, a, *boxes[0]), slot(rng, b, *boxes[1])]
