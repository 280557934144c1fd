"""Training drawings by the bench's own drawers, as batches that are a function of (seed, step)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart.subjects import KINDS, Drawing, Kind, Subject
from pixelproof.harness import TRAINING_SEEDS, split_filter
from pixelproof.nets.draw import BEGIN, COLOUR0, END_PALETTE, SIDE, Canvas, Vocabulary, encode_grid
from pixelproof.pixels import oklab
from pixelproof.stats import generator

Pixels = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]

EASY = frozenset(
    "checkerboard diagonal-stripes frame horizontal-flag vertical-flag ladder nordic-cross plus progress-bar quadrants "
    "traffic-light window".split()
)
"""Kinds that a trial solved after 20 CPU minutes: they are drawn half as often as the others."""
_TRIES = 100
"""Subjects of a kind that are drawn before it counts as one without training texts."""
_FREQUENT = 20
"""Occurrences among 2,000 drawings from which on a colour is in the code book as it is."""


@dataclass(frozen=True)
class Drawings:
    """Training subjects with a drawing of each.

    A subject's text belongs to the training split: neither to evaluation nor to a frozen set.
    """

    seed: int = 0

    def draw(self, purpose: str, index: int, count: int) -> Iterator[tuple[Subject, Drawing]]:
        """Up to `count` subjects with a drawing of each: a function of the seed and the arguments."""
        rng = generator(TRAINING_SEEDS + self.seed, f"drawing/{purpose}", index)
        names, chances = self._kinds
        for name in rng.choice(names, count, p=chances):
            subject = self._subject(KINDS[str(name)], rng)
            if subject is not None:
                yield subject, subject.draw(rng, SIDE, 10)

    @cached_property
    def _may_train(self) -> Callable[[str], bool]:
        return split_filter(PixelArt(), "train")

    @cached_property
    def _kinds(self) -> tuple[list[str], npt.NDArray[np.float64]]:
        """Names of the exact kinds that have training texts, and the probability of each."""
        rng = generator(TRAINING_SEEDS, "drawing/kinds")
        names = [kind.id for kind in KINDS.values() if kind.exact and self._subject(kind, rng)]
        weights = np.array([0.5 if name in EASY else 1.0 for name in names])
        return names, weights / weights.sum()

    def _subject(self, kind: Kind, rng: np.random.Generator) -> Subject | None:
        """A random subject of a kind with a training text; None if there is none among some."""
        for _ in range(_TRIES):
            subject = kind.subject(rng)
            if self._may_train(subject.text):
                return subject
        return None


@dataclass(frozen=True)
class Encoder:
    """Texts and drawings to tokens."""

    vocabulary: Vocabulary
    book: Pixels
    """Code book of colours, (k, 3)."""
    _codes: dict[str, int] = field(default_factory=dict)

    @classmethod
    def fit(cls, seed: int, colours: int, least: int) -> Encoder:
        """Vocabulary and code book of 2,000 training drawings.

        Args:
            seed: Of the drawings.
            colours: Size of the code book: frequent colours, then those farthest from all chosen ones in OKLab.
            least: Occurrences from which on a segment of text is a token.
        """
        pairs = list(Drawings(seed).draw("fit", 0, 2000))
        counts = Counter(colour for _, drawing in pairs for colour in drawing.palette)
        names = sorted(counts, key=lambda name: (-counts[name], name))
        rgb = np.array([tuple(bytes.fromhex(name)) for name in names], np.uint8)
        lab = oklab(rgb)
        chosen = [place for place, name in enumerate(names) if counts[name] >= _FREQUENT][:colours]
        distance = ((lab[:, None] - lab[chosen]) ** 2).sum(-1).min(1)
        while len(chosen) < colours:
            chosen.append(int(distance.argmax()))
            distance = np.minimum(distance, ((lab - lab[chosen[-1]]) ** 2).sum(-1))
        return cls(Vocabulary.fit((subject.text for subject, _ in pairs), least), rgb[chosen])

    def encode(self, text: str, drawing: Drawing) -> Example:
        """The tokens of a text and a drawing, and the place of the token after each of them."""
        grid = np.array(drawing.grid)
        used, first = np.unique(grid, return_index=True)
        order = used[np.argsort(first)]
        numbers = np.zeros(len(drawing.palette), np.int64)
        numbers[order] = np.arange(len(order))
        colours = [self._nearest(drawing.palette[index]) for index in order]
        tokens = [BEGIN, *(COLOUR0 + code for code in colours), END_PALETTE, *encode_grid(numbers[grid])]
        canvas, places = Canvas(len(self.book)), []
        for token in tokens:
            canvas.push(token)
            places.append(canvas.place())
        return Example(self.vocabulary.encode(text), tokens, places)

    def _nearest(self, colour: str) -> int:
        """Index of the colour in the code book that is nearest in OKLab."""
        if colour not in self._codes:
            rgb = np.array(tuple(bytes.fromhex(colour)), np.uint8)
            self._codes[colour] = int(((oklab(self.book) - oklab(rgb)) ** 2).sum(-1).argmin())
        return self._codes[colour]


@dataclass(frozen=True)
class Example:
    """A training sequence: a text, then a drawing."""

    text: Sequence[int]
    tokens: Sequence[int]
    places: Sequence[tuple[int, int, int, int]]
    """Of the token after each one: see `Canvas.place`."""

    def __len__(self) -> int:
        return len(self.text) + len(self.tokens) - 1


class Batch(NamedTuple):
    """Padded sequences of shape (n, t); position i predicts the drawing token at i + 1."""

    texts: Integers
    tokens: Integers
    places: Integers
    """(n, t, 4)."""
    targets: Integers
    """The next drawing token; 0 where none is predicted."""

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Batch:
        """Examples side by side."""
        shape = len(examples), max(map(len, examples))
        texts, tokens, targets = (np.zeros(shape, np.int64) for _ in range(3))
        places = np.zeros((*shape, 4), np.int64)
        for row, example in enumerate(examples):
            middle, end = len(example.text), len(example)
            texts[row, :middle] = example.text
            tokens[row, middle:end] = example.tokens[:-1]
            places[row, middle:end] = example.places[:-1]
            targets[row, middle:end] = example.tokens[1:]
        return cls(texts, tokens, places, targets)


class Stream:
    """Batches by their number: equal numbers give equal batches, in whatever order they are read.

    A pool of drawings is sorted by length and cut into `batches` batches of about equal numbers of tokens.

    Args:
        encoder: Of texts and drawings.
        seed: Of the drawings.
        pool: Drawings in a pool.
        batches: Batches in a pool.
    """

    def __init__(self, encoder: Encoder, seed: int, pool: int, batches: int) -> None:
        self._encoder, self._drawings, self._size, self._batches = encoder, Drawings(seed), pool, batches
        self._pool: tuple[int, list[Batch]] = (-1, [])

    def batch(self, step: int) -> Batch:
        """The batch of a step."""
        number, place = divmod(step, self._batches)
        if self._pool[0] != number:
            self._pool = number, self._read_pool(number)
        return self._pool[1][place]

    def _read_pool(self, number: int) -> list[Batch]:
        drawings = self._drawings.draw("pool", number, self._size)
        examples = sorted((self._encoder.encode(subject.text, drawing) for subject, drawing in drawings), key=len)
        ends = np.cumsum([len(example) for example in examples])
        cuts = np.searchsorted(ends, ends[-1] * np.arange(1, self._batches) / self._batches)
        parts = np.split(np.arange(len(examples)), cuts)
        batches = [Batch.of([examples[place] for place in part]) for part in parts if len(part)]
        order = generator(TRAINING_SEEDS + self._drawings.seed, "drawing/order", number).permutation(self._batches)
        return [batches[place % len(batches)] for place in order]
