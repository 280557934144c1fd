"""Answers to questions about solid scenes, computed from the poses of the things and the words of the question.

An implementation of its own, for tests and for docs/methods/language.md: it shares neither views nor margins with
`pixelproof.world.language`. Every comparison is of centres or sizes, without margins: where a question is asked at all,
the two must agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from pixelproof.world.language import Sentence
from pixelproof.world.solid import Scene, Thing, rotation_matrix
from pixelproof.world.solid.shapes import CATEGORIES

NOUNS = {
    "tabletop": "table",
    "camera": "photo camera",
    "bread loaf": "loaf of bread",
    "cheese wedge": "wedge of cheese",
}
IRREGULAR = {"knives": "knife", "loaves": "loaf", "tomatoes": "tomato", "dice": "die", "snowmen": "snowman"}
NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
WAYS = "to the left of|to the right of|in front of|behind|above|below|on|in"
SUPERLATIVES = "leftmost|rightmost|largest|smallest|tallest|shortest|highest|lowest"
MORE = {
    "further to the left": "leftmost", "further to the right": "rightmost", "closer to the viewer": "nearest",
    "farther from the viewer": "farthest", "higher up": "highest", "lower down": "lowest", "taller": "tallest",
    "larger": "largest", "smaller": "smallest", "furthest to the left": "leftmost", "the tallest": "tallest",
    "furthest to the right": "rightmost", "closest to the viewer": "nearest", "highest up": "highest",
    "lowest down": "lowest", "the largest": "largest", "the smallest": "smallest",
}  # fmt: skip


class Ambiguous(Exception):
    """An expression that fits no thing, or several."""


class SceneAnswers:
    """A scene that questions are put to."""

    def __init__(self, scene: Scene, visible: Mapping[str, float] | None = None) -> None:
        """A scene with the visible shares of its things; None: all are visible."""
        self.everything = {thing.id: thing for thing in scene.things}
        shares = visible or {}
        self.things = [one for one in scene.things if not one.fixed and shares.get(one.id, 1.0) > 0]
        self.eye = np.array(scene.camera.position)
        looks = rotation_matrix(scene.camera.rotation)
        self.right = looks[:, 0] * (1, 1, 0) / np.linalg.norm(looks[:2, 0])
        self.away = np.cross([0, 0, 1], self.right)

    def noun(self, thing: Thing) -> str:
        """The noun of a thing."""
        return NOUNS.get(thing.category) or CATEGORIES[thing.category].word or thing.category

    def centre(self, thing: Thing) -> np.ndarray:
        """The centre of a thing in the world."""
        return np.array(thing.position) + rotation_matrix(thing.rotation) @ (0, 0, thing.size[2] / 2)

    def height(self, thing: Thing) -> float:
        """The height of the box of a thing, as it stands or lies."""
        return float(np.abs(rotation_matrix(thing.rotation)[2]) @ thing.size)

    def measure(self, name: str, thing: Thing) -> float:
        """A number that is largest for the thing that a superlative names."""
        offset = self.centre(thing) - self.eye
        side, far = float(offset @ self.right), float(np.linalg.norm(offset))
        return {
            "leftmost": -side, "rightmost": side, "nearest": -far, "farthest": far, "highest": float(offset[2]),
            "lowest": -float(offset[2]), "tallest": self.height(thing), "shortest": -self.height(thing),
            "largest": max(thing.size), "smallest": -max(thing.size),
        }[name]  # fmt: skip

    def apart(self, first: Thing, second: Thing) -> float:
        """Distance of two centres, in metres."""
        return float(np.linalg.norm(self.centre(first) - self.centre(second)))

    def holds(self, first: Thing, way: str, second: Thing) -> bool:
        """Whether a relation holds of two things."""
        if way in ("on", "in"):
            return first.support == second.id
        offset = self.centre(first) - self.centre(second)
        axis = {"left": -self.right, "right": self.right, "front": -self.away, "behind": self.away}
        up = np.array([0.0, 0.0, 1.0])
        (name,) = [name for name in ("left", "right", "front", "behind", "above", "below") if name in way]
        return float(offset @ {**axis, "above": up, "below": -up}[name]) > 0

    def of_class(self, words: str) -> list[Thing]:
        """The things that words such as `red wooden mug` describe, singular or plural."""
        return [thing for thing in [*self.things, *self._grounds()] if self._describes(thing, words)]

    def _grounds(self) -> list[Thing]:
        return [thing for thing in self.everything.values() if thing.fixed]

    def _describes(self, thing: Thing, words: str) -> bool:
        noun = self.noun(thing)
        for name in (noun, "object") if not thing.fixed else (noun,):
            for form in (name, _plural(name)):
                if words == form or words.endswith(f" {form}"):
                    said = set(words.removesuffix(form).split())
                    if said <= {thing.colour, thing.material}:
                        return True
        return False

    def find(self, words: str) -> Thing:
        """The only thing that a definite expression fits.

        Raises:
            Ambiguous: There is none, or there are several.
        """
        words = words.lower().removeprefix("the ")
        if said := re.fullmatch(rf"(.+) that is ({WAYS}) (the .+)", words):
            anchor = self.find(said[3])
            fits = [one for one in self.of_class(said[1]) if one is not anchor and self.holds(one, said[2], anchor)]
        elif said := re.fullmatch(r"(.+) (closest to|farthest from) the viewer", words):
            fits = self._most("nearest" if said[2] == "closest to" else "farthest", self.of_class(said[1]))
        elif said := re.fullmatch(rf"({SUPERLATIVES}) (.+)", words):
            fits = self._most(said[1], self.of_class(said[2]))
        else:
            fits = self.of_class(words)
        if len(fits) != 1:
            raise Ambiguous(f"{words!r} fits {len(fits)} things")
        return fits[0]

    def _most(self, name: str, things: Sequence[Thing]) -> list[Thing]:
        return [max(things, key=lambda one: self.measure(name, one))] if things else []

    def answer(self, question: Sentence) -> str:
        """The answer to a question in English.

        Raises:
            Ambiguous: One of its expressions does not fit exactly one thing.
            ValueError: It is of no known form.
        """
        text = question.text.lower().removesuffix("?")
        for pattern, answer in _FORMS.items():
            if said := re.fullmatch(pattern, text):
                found = answer(self, *said.groups(), *([question.choices] if question.choices else []))
                return {True: "yes", False: "no"}[found] if isinstance(found, bool) else str(found)
        raise ValueError(f"No form of question: {question.text}")

    def _own_left(self, owner: str, other: str) -> bool:
        one = self.find(owner)
        front = rotation_matrix(one.rotation) @ np.array(one.front)
        left = np.array([-front[1], front[0], 0.0])  # a quarter turn anticlockwise, as seen from above
        return float(left @ (self.centre(self.find(other)) - self.centre(one))) > 0

    def _between(self, middle: str, first: str, second: str) -> float:
        """Length of the way by a thing, as a multiple of the direct way."""
        thing, *ends = (self.find(words) for words in (middle, first, second))
        return sum(self.apart(thing, end) for end in ends) / self.apart(*ends)

    def _which(self, more: str, *names: str) -> str:
        return max(names, key=lambda name: self.measure(MORE[more], self.find(name)))

    def _rank(self, more: str, name: str) -> int:
        measures = [self.measure(MORE[more], one) for one in self.things]
        return sum(measure > self.measure(MORE[more], self.find(name)) for measure in measures)

    def _length(self, first: str, second: str, choices: Sequence[str]) -> str:
        metres = self.apart(self.find(first), self.find(second))
        lengths = {choice: float(choice.split()[0]) / (100 if "cm" in choice else 1) for choice in choices}
        return min(lengths, key=lambda choice: abs(np.log(lengths[choice] / metres)))

    def _exactly(self, number: str, words: str) -> bool:
        return len(self.of_class(words)) == NUMBERS.index(number)

    def _made_of(self, name: str) -> str:
        material = self.find(name).material
        return "wood" if material == "wooden" else material


def _plural(noun: str) -> str:
    """The plural of a noun, by rules for the nouns of the solid world."""
    head, of, rest = noun.partition(" of ")
    *front, last = head.split(" ")
    known = {one: many for many, one in IRREGULAR.items()}
    ending = re.sub("([^aeiou])y$", r"\1ie", last)
    many = known.get(last) or (f"{ending}es" if re.search("(s|x|ch|sh)$", last) else f"{ending}s")
    return " ".join([*front, many]) + of + rest


_MORE = "|".join(sorted(MORE, key=len, reverse=True))
_FORMS = {
    r"is there exactly one (.+)": lambda s, words: s._exactly("one", words),
    r"are there exactly (\w+) (.+)": lambda s, number, words: s._exactly(number, words),
    r"is there anything (?:on|in) (the .+)": lambda s, x: any(
        thing.support == s.find(x).id for thing in s.everything.values()
    ),
    r"is there an? (.+)": lambda s, words: bool(s.of_class(words)),
    rf"is (the .+) ({_MORE}) than (the .+)": lambda s, x, more, y: s._which(more, x, y) == x,
    r"is (the .+) nearer to (the .+) than (the .+) is": lambda s, x, z, y: (
        s.apart(s.find(x), s.find(z)) < s.apart(s.find(y), s.find(z))
    ),
    r"is (the .+) between (the .+) and (the .+)": lambda s, x, y, z: s._between(x, y, z) < 1.15,
    rf"is (the .+?) ({WAYS}) (the .+)": lambda s, x, way, y: s.holds(s.find(x), way, s.find(y)),
    r"is (the .+) (\w+)": lambda s, x, colour: s.find(x).colour == colour,
    r"from the point of view of (the .+), is (the .+) on its left or on its right": lambda s, owner, x: (
        "left" if s._own_left(owner, x) else "right"
    ),
    r"from the point of view of (the .+), is (the .+) on its (left|right)": lambda s, owner, x, side: (
        s._own_left(owner, x) == (side == "left")
    ),
    r"which of these is (.+)": lambda s, more, choices: s._which(more, *choices),
    rf"which is ({_MORE}), (the .+) or (the .+)": lambda s, more, x, y: s._which(more, x, y),
    r"which is nearer to (the .+), (the .+) or (the .+)": lambda s, z, x, y: min(
        (x, y), key=lambda name: s.apart(s.find(z), s.find(name))
    ),
    r"which is between (the .+) and (the .+), (the .+) or (the .+)": lambda s, y, z, x, other: min(
        (x, other), key=lambda name: s._between(name, y, z)
    ),
    r"which is (?:on|in) (the .+), (the .+) or (the .+)": lambda s, ground, x, y: next(
        name for name in (x, y) if s.find(name).support == s.find(ground).id
    ),
    r"what colour is (the .+)": lambda s, x, *choices: s.find(x).colour,
    r"what is (the .+) made of": lambda s, x, *choices: s._made_of(x),
    r"what is (the .+) resting on": lambda s, x, choices: s.noun(s.everything[s.find(x).support]),
    rf"how many objects are ({_MORE}) than (the .+)": lambda s, more, x, choices: s._rank(more, x),
    r"how many (.+) are there": lambda s, words, choices: len(s.of_class(words)),
    r"about how far is (the .+) from (the .+)": lambda s, x, y, choices: s._length(x, y, choices),
}
"""Pattern of a question → its answer, from the scene and the parts of the pattern."""
