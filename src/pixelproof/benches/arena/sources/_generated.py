"""Cases of generated scenes: which labels are offered, and which objects are referred to."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.arena.palettes import design
from pixelproof.benches.sources import GeneratedScenes, SceneFacts
from pixelproof.contract import PixelProofError
from pixelproof.metrics import contour_map
from pixelproof.pixels import Palette
from pixelproof.stats import generator
from pixelproof.store import digest

from ._keypoints import markable
from ._labels import BACKGROUND, LINES, offered

TARGET = "target"
MASK = Palette(("everything else", TARGET), ((0, 0, 0), (255, 255, 255)))
"""Palette of the referring task: black and white, as masks usually are."""
_LAYER = {"depth": ("depth",), "normals": ("normals",)}
"""Task → layers that it needs besides the image and the ids."""
_MENTIONS = 3
"""Largest number of referring cases per scene."""


@dataclass(frozen=True)
class Mention:
    """An object, and an expression that refers to it alone."""

    number: int
    """Id of the object in the image."""
    text: str
    form: str
    """Form of the expression, such as `superlative`."""


@dataclass(frozen=True)
class Generated(ABC):
    """Endless cases from a seed. A subclass names the objects of its scenes and refers to them."""

    task: str
    scenes: GeneratedScenes
    ignored: frozenset[str] = frozenset()
    pairs: tuple[tuple[str, str], ...] = ()
    stuff: frozenset[str] = frozenset({BACKGROUND})
    has_instances: bool = True
    notes: tuple[str, ...] = ()
    root: Path | None = None
    """Folder of the files that scenes are made of."""

    name = ""

    @property
    @abstractmethod
    def nouns(self) -> Sequence[str]:
        """Every noun that a scene may show."""

    @abstractmethod
    def mention(self, facts: SceneFacts, rng: np.random.Generator) -> Iterator[Mention]:
        """Objects with an expression that refers to each alone, in random order."""

    def unlike(self, facts: SceneFacts) -> frozenset[str]:
        """Labels that must not be offered as absent."""
        return frozenset()

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every label that any case offers."""
        palette = {"referring": MASK, "edges": LINES}.get(self.task)
        return palette.labels if palette else (BACKGROUND, *self.nouns)

    def cases(self, seed: int) -> Iterator[Case]:
        """Cases without end."""
        for index in itertools.count():
            yield from self.cases_of(seed, index, self.scenes.facts(seed, index))

    def cases_of(self, seed: int, index: int, facts: SceneFacts) -> Iterator[Case]:
        """The cases of one scene: some for the referring task, otherwise one, or none without keypoints."""
        if self.task == "referring":
            yield from self._mentions(seed, index, facts)
        elif self.task == "edges":
            yield self._case(seed, index, facts, LINES)
        elif labels := self._offered(seed, index, facts):
            yield self._case(seed, index, facts, design(labels))

    def _offered(self, seed: int, index: int, facts: SceneFacts) -> tuple[str, ...]:
        """Labels of a scene, background first: nouns of its objects, and nouns that it does not show.

        Empty for the keypoint task if no object of the scene can be marked.
        """
        rng = generator(seed, f"arena/{self.name}/labels", index)
        present = frozenset(filter(None, facts.nouns))
        if self.task != "keypoints":
            return offered(present, self.nouns, rng, self.unlike(facts))
        points = markable(self.scenes.layers(seed, index, ("ids",))["ids"], facts)
        # An object without a clear point must not be offered as absent, nor anything that could be taken for it.
        hidden = present - points.keys()
        return (
            ()
            if not points
            else tuple(label for label in offered(present, self.nouns, rng, self.unlike(facts)) if label not in hidden)
        )

    def load(self, case: Case, photo: bool = True) -> Frame:
        """The image and its truth, from the cache or rendered again.

        Args:
            case: Of this source.
            photo: Whether to render the image, which takes most of the time.

        Raises:
            PixelProofError: The scene differs from the one that the case was made of.
        """
        seed, index, number = (case.details[key] for key in ("seed", "index", "number"))
        facts = self.scenes.facts(seed, index)
        if case.content != self._content(facts, case.palette, number, case.expression):
            raise PixelProofError(
                f"Scene {case.key} of {self.name} differs from the one in the run, because the software that generates "
                "it, or its files, changed since: use those versions, or start a new run."
            )
        layers = self.scenes.layers(seed, index, (*["rgb"][: int(photo)], "ids", *_LAYER.get(self.task, ())))
        if self.task == "edges":
            fixed = np.array([False, *(not noun for noun in facts.nouns)])
            ids = layers["ids"]
            return Frame(layers.get("rgb"), contours=contour_map(np.where(fixed[ids], 0, ids), ids))
        if self.task == "keypoints":
            points = markable(layers["ids"], facts)
            found = (
                replace(points[label], label=place)
                for place, label in enumerate(case.palette.labels)
                if label in points
            )
            return Frame(layers.get("rgb"), keypoints=tuple(found))
        table = np.zeros(len(facts.nouns) + 1, np.uint8)
        if number:
            table[number] = case.palette.index(TARGET)
        else:
            table[1:] = [case.palette.index(noun or BACKGROUND) for noun in facts.nouns]
        objects = np.array([0, *(place if noun else 0 for place, noun in enumerate(facts.nouns, 1))], np.int32)
        ids = layers["ids"]
        return Frame(layers.get("rgb"), table[ids], layers.get("depth"), layers.get("normals"), objects[ids])

    def _mentions(self, seed: int, index: int, facts: SceneFacts) -> Iterator[Case]:
        """Some objects of one scene, by different forms of expressions as far as there are any."""
        forms: dict[str, list[Mention]] = {}
        for mention in self.mention(facts, generator(seed, f"arena/{self.name}/mentions", index)):
            forms.setdefault(mention.form, []).append(mention)
        rounds = itertools.zip_longest(*forms.values())
        mentions = [mention for taken in rounds for mention in taken if mention is not None]
        for mention in mentions[:_MENTIONS]:
            yield self._case(seed, index, facts, MASK, mention)

    def _case(self, seed: int, index: int, facts: SceneFacts, palette: Palette, mention: Mention | None = None) -> Case:
        key = f"{seed}-{index:06d}"
        number, words = (mention.number, mention.text) if mention else (0, "")
        return Case(
            self.name,
            f"{key}-{number}" if mention else key,
            palette,
            self._content(facts, palette, number, words),
            {"seed": seed, "index": index, "number": number},
            words,
            self.root,
            cluster=f"{self.name}-{key}" if mention else "",
            tags=({"scene": facts.kind} if facts.kind else {}) | ({"form": mention.form} if mention else {}),
        )

    def _content(self, facts: SceneFacts, palette: Palette, number: int, words: str) -> str:
        scenes = self.scenes
        return digest([facts.json, scenes.content, scenes.size, self.task, palette.labels, number, words])
