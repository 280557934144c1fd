"""Sources that are made and not gathered: endless cases of known truth, kept once they are made."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.arena.palettes import design
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette
from pixelproof.stats import generator
from pixelproof.store import cache_root, digest

from ._keeping import Arrays, Kept
from ._labels import BACKGROUND, offered

_FORMAT = 2
"""Of what is kept; another one, and everything is made again."""
TARGET = "target"
MASK = Palette(("everything else", TARGET), ((0, 0, 0), (255, 255, 255)))
"""Where one thing is meant: as masks are painted everywhere."""
_LAYER = {"depth": ("depth",), "normals": ("normals",)}
"""Task → what it needs beside the picture and the ids."""
_MENTIONS = 3
"""Cases at most that one picture gives where things are referred to."""


@dataclass(frozen=True)
class Drawn:
    """What is known of a picture before it is taken."""

    text: str
    """All of it as JSON, to take the picture from."""
    kind: str
    """Of scene, such as `room`; empty where there is but one."""
    nouns: tuple[str, ...]
    """Of each id of the picture, from 1; empty for what is part of the background."""
    visible: tuple[float, ...] = ()
    """Share of each that is seen."""


@dataclass(frozen=True)
class Mention:
    """A thing that is meant, and the words that mean it alone."""

    number: int
    """Its id in the picture."""
    text: str
    form: str


@dataclass(frozen=True)
class Generated(ABC):
    """Cases made from a seed. A subclass says what is drawn, how its picture is taken and how its things are named."""

    task: str
    size: int = 512
    ignored: frozenset[str] = frozenset()
    pairs: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    root: Path | None = None
    """Where files lie that pictures are made of."""

    name = ""

    @property
    @abstractmethod
    def nouns(self) -> Sequence[str]:
        """Everything that a picture may show."""

    @property
    @abstractmethod
    def software(self) -> str:
        """Hash of all that can change a pixel."""

    @abstractmethod
    def draw(self, seed: int, index: int) -> Drawn:
        """The picture with a number, not taken yet."""

    @abstractmethod
    def take(self, seed: int, index: int, drawn: Drawn, layers: Sequence[str]) -> Arrays:
        """Layers of a picture: `rgb`, `ids`, `depth`, `normals`."""

    @abstractmethod
    def mention(self, drawn: Drawn, rng: np.random.Generator) -> Iterator[Mention]:
        """Things of a picture that words single out, in a random order."""

    @property
    def stuff(self) -> str:
        """Hash of the files that pictures are made of, if they are made of any."""
        return ""

    def unlike(self, drawn: Drawn) -> frozenset[str]:
        """Labels that must not be offered as absent."""
        return frozenset()

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every label that any case offers."""
        return MASK.labels if self.task == "referring" else (BACKGROUND, *self.nouns)

    @cached_property
    def _kept(self) -> Kept:
        return Kept(cache_root() / "arena" / self.name / digest([_FORMAT, self.software])[:16])

    def cases(self, seed: int) -> Iterator[Case]:
        """Cases without end."""
        for index in itertools.count():
            drawn = self._drawn(seed, index)
            if self.task == "referring":
                yield from self._mentions(seed, index, drawn)
            else:
                rng = generator(seed, f"arena/{self.name}/labels", index)
                labels = offered(frozenset(filter(None, drawn.nouns)), self.nouns, rng, self.unlike(drawn))
                yield self._case(seed, index, drawn, design(labels))

    def load(self, case: Case) -> Frame:
        """The picture and its truth, from the cache or made again.

        Raises:
            PixelProofError: What is made here is not what the case was made of.
        """
        seed, index, number = (case.details[key] for key in ("seed", "index", "number"))
        drawn = self._drawn(seed, index)
        if case.content != self._content(drawn, case.palette, number, case.expression):
            raise PixelProofError(
                f"Picture {case.key} of {self.name} comes out otherwise than when it was asked about, for the software "
                "that makes it, or its files, changed since: go on with those, or begin a new run."
            )
        names = ("rgb", "ids", *_LAYER.get(self.task, ()))
        layers = self._kept.arrays(
            self._key(seed, index), names, lambda missing: _stored(self.take(seed, index, drawn, missing))
        )
        table = np.zeros(len(drawn.nouns) + 1, np.uint8)
        if number:
            table[number] = case.palette.index(TARGET)
        else:
            table[1:] = [case.palette.index(noun or BACKGROUND) for noun in drawn.nouns]
        normals = layers.get("normals")
        return Frame(
            layers["rgb"], table[layers["ids"]], layers.get("depth"), None if normals is None else _unit(normals)
        )

    def _mentions(self, seed: int, index: int, drawn: Drawn) -> Iterator[Case]:
        """Some things of one picture, by different forms of expressions where there are different ones."""
        found = list(self.mention(drawn, generator(seed, f"arena/{self.name}/mentions", index)))
        forms: dict[str, list[Mention]] = {}
        for one in found:
            forms.setdefault(one.form, []).append(one)
        turns = [one for turn in itertools.zip_longest(*forms.values()) for one in turn if one is not None]
        for one in turns[:_MENTIONS]:
            yield self._case(seed, index, drawn, MASK, one)

    def _case(self, seed: int, index: int, drawn: Drawn, palette: Palette, one: Mention | None = None) -> Case:
        key = f"{seed}-{index:06d}"
        number, words = (one.number, one.text) if one else (0, "")
        return Case(
            self.name,
            f"{key}-{number}" if one else key,
            palette,
            self._content(drawn, palette, number, words),
            {"seed": seed, "index": index, "number": number},
            words,
            self.root,
            cluster=f"{self.name}-{key}" if one else "",
            tags=({"scene": drawn.kind} if drawn.kind else {}) | ({"form": one.form} if one else {}),
        )

    def _content(self, drawn: Drawn, palette: Palette, number: int, words: str) -> str:
        return digest([drawn.text, self.stuff, self.size, self.task, palette.labels, number, words])

    def _drawn(self, seed: int, index: int) -> Drawn:
        def made() -> dict[str, Any]:
            drawn = self.draw(seed, index)
            return {"text": drawn.text, "kind": drawn.kind, "nouns": drawn.nouns, "visible": drawn.visible}

        facts = self._kept.facts(self._key(seed, index), made)
        return Drawn(facts["text"], facts["kind"], tuple(facts["nouns"]), tuple(facts["visible"]))

    def _key(self, seed: int, index: int) -> str:
        return f"{self.size}/{seed}/{index // 1000:04d}/{index:06d}"


def _stored(layers: Arrays) -> Arrays:
    """Layers as they are kept; also when they are fresh, so that nobody can tell the two apart."""
    kinds = {"ids": np.uint16, "normals": np.float16}
    return {name: array.astype(kinds.get(name, array.dtype), copy=False) for name, array in layers.items()}


def _unit(normals: npt.NDArray[np.float16]) -> npt.NDArray[np.float32]:
    """Normals of length one again: half precision alone would turn a right answer by a degree."""
    wide = normals.astype(np.float32)
    lengths = np.sqrt((wide**2).sum(-1, keepdims=True))
    return np.asarray(np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0), np.float32)
