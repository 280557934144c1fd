"""Texts and drawings as short sequences of tokens.

A drawing is a palette in the order of first appearance, one token per colour of a code book, then its rows from the
top. A row is a sequence of runs (colour, length), one token each; `REPEAT0 + n - 1` repeats the row above n times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Grid = npt.NDArray[np.int64]

SIDE, MOST_COLOURS = 24, 10
BEGIN, END_PALETTE = 1, 2
RUN0 = 3
"""First run: + colour * SIDE + length - 1."""
REPEAT0 = RUN0 + MOST_COLOURS * SIDE
"""First repetition of the row above: + times - 1."""
COLOUR0 = REPEAT0 + SIDE - 1
"""First colour: + index into the code book."""
LONGEST = 2 + MOST_COLOURS + SIDE * SIDE
"""More tokens than any drawing has."""

_WORD = re.compile(r"\d|[A-Za-z]+(?:'[a-z]+)?|[^\sA-Za-z\d]")
_PARAMETERS = frozenset(
    "black white grey red orange yellow green blue purple pink left right up down top bottom upper lower upright level "
    "horizontal vertical horizontally vertically higher wider lighter darker darkest lightest middle centre clockwise "
    "anticlockwise half quarter third quarters thirds two three four five six seven eight nine no both inside outside "
    "filled outline hollow square disc squares discs rises above below farther lowest highest largest smallest "
    "tallest".split()
)
"""Words that the parameters of a subject set."""


def split_words(text: str) -> list[str]:
    """Words, single digits and punctuation marks; pairs of capital letters are split.

    >>> split_words("The letters AH, 10 times")
    ['The', 'letters', 'A', 'H', ',', '1', '0', 'times']
    """
    parts = ([*word] if word.isupper() and len(word) == 2 else [word] for word in _WORD.findall(text))
    return [word for part in parts for word in part]


def _segments(text: str) -> list[tuple[str, ...]]:
    """Words of parameters alone, and what lies between them as one segment."""
    segments: list[tuple[str, ...]] = []
    between: list[str] = []
    for word in [*split_words(text), ""]:
        is_letter = len(word) == 1 and word.isupper() and word != "A"
        if word and not (word in _PARAMETERS or word.isdigit() or is_letter):
            between.append(word)
            continue
        segments += [tuple(between)] if between else []
        segments += [(word,)] if word else []
        between = []
    return segments


class Vocabulary:
    """Text tokens: single words, and segments that are frequent. Token 0 is an unknown word."""

    def __init__(self, pieces: Sequence[Sequence[str]]) -> None:
        self.pieces = [tuple(piece) for piece in pieces]
        self._tokens = {piece: number for number, piece in enumerate(self.pieces, 1)}

    @classmethod
    def fit(cls, texts: Iterable[str], least: int) -> Vocabulary:
        """All words of some texts, and the segments that occur at least `least` times."""
        segments = Counter(segment for text in texts for segment in _segments(text))
        words = sorted({(word,) for segment in segments for word in segment})
        return cls([*words, *sorted(piece for piece, n in segments.items() if n >= least and len(piece) > 1)])

    def __len__(self) -> int:
        return len(self.pieces) + 1

    def encode(self, text: str, most: int = 256) -> list[int]:
        """Tokens of a text, `most` at most.

        >>> Vocabulary([("a",), ("b",), ("a", "b")]).encode("a b red a c")
        [3, 0, 1, 0]
        """
        tokens: list[int] = []
        for segment in _segments(text):
            whole = self._tokens.get(segment)
            tokens += [whole] if whole else [self._tokens.get((word,), 0) for word in segment]
        return tokens[:most]


def encode_grid(grid: Grid) -> list[int]:
    """Tokens of a grid whose colours are numbered in the order of their first appearance.

    >>> grid = np.zeros((SIDE, SIDE), np.int64)
    >>> grid[1] = 1
    >>> [token - RUN0 if token < REPEAT0 else token - REPEAT0 for token in encode_grid(grid)]
    [23, 47, 23, 20]
    """
    tokens: list[int] = []
    row = 0
    while row < SIDE:
        same = 0
        while row and row + same < SIDE and (grid[row + same] == grid[row - 1]).all():
            same += 1
        if same:
            tokens.append(REPEAT0 + same - 1)
        else:
            starts = np.flatnonzero(np.r_[True, grid[row, 1:] != grid[row, :-1]])
            lengths = np.diff(np.r_[starts, SIDE])
            tokens += (RUN0 + grid[row, starts] * SIDE + lengths - 1).tolist()
        row += same or 1
    return tokens


class Canvas:
    """What the tokens have drawn so far, and which tokens may follow."""

    def __init__(self, codes: int, most_colours: int = MOST_COLOURS) -> None:
        self.palette: list[int] = []
        self.grid = np.zeros((SIDE, SIDE), np.int64)
        self._codes, self._most_colours = codes, min(most_colours, MOST_COLOURS)
        self._row = self._column = self._used = 0
        self._has_palette = self._repeated = False

    @property
    def done(self) -> bool:
        """Whether all rows are full."""
        return self._row >= SIDE

    def push(self, token: int) -> None:
        """Carry out a token that is legal here."""
        if token >= COLOUR0:
            self.palette.append(token - COLOUR0)
        elif token >= REPEAT0:
            end = self._row + token - REPEAT0 + 1
            self.grid[self._row : end] = self.grid[self._row - 1]
            self._row, self._repeated = end, True
        elif token >= RUN0:
            colour, length = divmod(token - RUN0, SIDE)
            end = self._column + length + 1
            self.grid[self._row, self._column : end] = colour
            self._used, self._repeated = max(self._used, colour + 1), False
            self._row, self._column = (self._row + 1, 0) if end >= SIDE else (self._row, end)
        elif token == END_PALETTE:
            self._has_palette = True

    def place(self) -> tuple[int, int, int, int]:
        """Row, column, colour above and length of its run from here on, counted from 1; 0 outside of the grid."""
        if not self._has_palette or self.done:
            return 0, 0, 0, 0
        if not self._row:
            return 1, self._column + 1, 0, 0
        line = self.grid[self._row - 1, self._column :]
        differs = line != line[0]
        run = int(differs.argmax()) or len(line)
        return self._row + 1, self._column + 1, int(line[0]) + 1, run

    def legal(self) -> npt.NDArray[np.bool_]:
        """Which tokens may follow: never none, and any choice of them ends in a drawing of two colours or more."""
        mask = np.zeros(COLOUR0 + self._codes, np.bool_)
        if not self._has_palette:
            mask[COLOUR0:] = len(self.palette) < self._most_colours
            mask[[COLOUR0 + code for code in self.palette]] = False
            mask[END_PALETTE] = len(self.palette) >= 2
            return mask
        before = self.grid[self._row, self._column - 1] if self._column else -1
        runs = mask[RUN0:REPEAT0].reshape(MOST_COLOURS, SIDE)
        runs[: min(self._used + 1, len(self.palette)), : SIDE - self._column] = True
        runs[before] &= before < 0
        if self._column == 0 and self._row and not self._repeated:
            mask[REPEAT0 : REPEAT0 + SIDE - self._row] = True
        return mask
