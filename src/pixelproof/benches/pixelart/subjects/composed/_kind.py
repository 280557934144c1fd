"""Composed subjects: things in a stated relation, number, colour or place, each condition checked by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import Kind, Params, Verdict
from pixelproof.benches.pixelart.subjects._look import Look
from pixelproof.benches.pixelart.subjects._names import SWATCHES
from pixelproof.benches.pixelart.subjects.composed._scene import CONTRAST, SMALLEST, Scene
from pixelproof.benches.pixelart.subjects.composed._sprites import Artist, Sprite, Style, draw_plan
from pixelproof.benches.pixelart.subjects.composed._words import WORDS, Word

GROUNDS = ("white", "black", "grey", "blue", "green", "yellow", "purple", "pink")
PAINTS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black", "white")
_TRIES = 6  # compositions, of which the first that meets every condition is the reference
Conditions = Sequence[tuple[str, bool]]
Placed = Sequence[tuple[Sprite, int, int]]
"""Figures with the row and column of their top left corner."""


class Composed(Kind):
    """A kind of composed subject. The first conditions say that its things are recognised, and are its gate."""

    scoring = "composed"
    family = "compositions"
    smallest = 24
    where = ", the most frequent colour of the outermost cells of the picture"
    """Which colour counts as the background."""

    @abstractmethod
    def sentence(self, p: Params) -> str:
        """What is asked for, in words; without the ground, which all kinds state alike."""

    @abstractmethod
    def conditions(self, scene: Scene, p: Params) -> Conditions:
        """Conditions beside the things, by name; those of a thing that is not recognised are not met."""

    @abstractmethod
    def counts(self, p: Params) -> dict[str, int]:
        """Thing → how many of it are asked for."""

    @abstractmethod
    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """Figures and their places in a reference drawing."""

    def text(self, p: Params) -> str:
        """The sentence, and the rules that everything is checked by."""
        many = sum(self.counts(p).values()) > 1
        apart = "Different things have at least two cells of background between them, also diagonally. "
        return (
            f"{self.sentence(p)}. The background is one plain {p['ground']}{self.where}, and nothing else is in the "
            f"picture. {apart if many else ''}Parts of one thing have at most one cell of background between them. "
            f"{'Every thing' if many else 'It'} is at least {SMALLEST} cells wide or at least {SMALLEST} cells tall, "
            "and more than half of the cells at its edge differ clearly from the background (by at least "
            f"{CONTRAST} in CIELAB). {'Everything' if many else 'It'} must be easy to recognise by its shape"
        )

    def scenes(self, look: Look, p: Params) -> Sequence[Scene]:
        """Ways to see a drawing: on the most frequent colour of its border; kinds with a frame or floor take it out."""
        return [Scene(look, look.ground)]

    def check(self, grid: npt.ArrayLike, rgb: npt.ArrayLike, p: Params) -> Verdict:
        """The conditions that a drawing meets; none if none of its things is recognised."""
        return self.examine(grid, rgb, p)[0]

    def examine(self, grid: npt.ArrayLike, rgb: npt.ArrayLike, p: Params) -> tuple[Verdict, Scene]:
        """The verdict, and the scene that it is about: the one that meets most conditions."""
        look = Look(np.asarray(grid, dtype=np.int64), rgb)
        verdicts = [(self._verdict(scene, p), scene) for scene in self.scenes(look, p)]
        return max(verdicts, key=lambda pair: pair[0].share)

    def _verdict(self, scene: Scene, p: Params) -> Verdict:
        counts = self.counts(p)
        recognised = [(id, bool(scene.called(id))) for id in counts]
        met = [
            *recognised,
            *self.conditions(scene, p),
            ("ground", scene.is_ground(p["ground"])),
            ("nothing else", Counter(figure.name for figure in scene.figures) <= Counter(counts)),
        ]
        gate = any(yes for _, yes in recognised)
        return Verdict(tuple((name, bool(yes) and gate) for name, yes in met))

    def statements(self, p: Params) -> tuple[str, ...]:
        """The conditions in words, for a judge."""
        listed = " and ".join(_some(id, number) for id, number in self.counts(p).items())
        return (f"It shows {listed}, and nothing else.", f"{self.sentence(p)}.", f"The background is {p['ground']}.")

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        """A reference drawing: the first composition that meets every condition, or of some the one that meets most."""
        drawn = []
        for _ in range(_TRIES):
            drawing = self.compose(p, rng, size, colours)
            verdict = self.check(np.array(drawing.grid), _rgb(drawing), p)
            if verdict.solved:
                return drawing
            drawn.append((verdict.share, drawing))
        return max(drawn, key=lambda pair: pair[0])[1]

    def compose(
        self, p: Params, rng: Rng, size: int, colours: int, *, artist: Artist = draw_plan, shade: str | None = None
    ) -> Drawing:
        """One composition, whether its things are recognised or not.

        Args:
            p: Parameters of the subject.
            rng: Where chance comes from.
            size: Cells to the side.
            colours: The most that the palette may hold.
            artist: Who draws the things; those of others are drawn as they are, ours until one is recognised.
            shade: Hexadecimal colour of the ground; None: any that has its name.
        """
        ground = shade or pick(rng, SWATCHES[p["ground"]])
        tries = 12 if artist is draw_plan else 1
        style = Style(ground, (colours - 2) // len(self.counts(p)), artist=artist, tries=tries)
        return on_ground(ground, self.place(p, rng, size, style), *self.backdrop(p, rng, size))

    def backdrop(self, p: Params, rng: Rng, size: int) -> tuple[str, npt.NDArray[np.bool_]]:
        """Colour and cells of a frame or floor."""
        return "000000", np.zeros((size, size), dtype=np.bool_)


def _rgb(drawing: Drawing) -> npt.NDArray[np.uint8]:
    return np.array([tuple(bytes.fromhex(colour)) for colour in drawing.palette], dtype=np.uint8)


def on_ground(ground: str, placed: Placed, colour: str, fixed: npt.NDArray[np.bool_]) -> Drawing:
    """A drawing of figures on a ground, with fixed cells in a colour of their own."""
    palette, cells = [ground, colour], fixed.astype(np.int64)
    for sprite, top, left in placed:
        height, width = sprite.shape
        page = cells[top : top + height, left : left + width]
        page[sprite.cells > 0] = (sprite.cells + len(palette) - 1)[sprite.cells > 0]
        palette += sprite.palette[1:]
    return compact(palette, cells)


def word(p: Params, which: str = "a") -> Word:
    """The wording of one of the things of a subject."""
    return WORDS[p[which]][p[f"{which}_word"]]


def choose_things(rng: Rng, *keys: str) -> dict[str, Any]:
    """Different things with a wording for each."""
    chosen: dict[str, Any] = {}
    for key, id in zip(keys, several(rng, sorted(WORDS), len(keys)), strict=True):
        chosen |= {key: id, f"{key}_word": int(rng.integers(len(WORDS[id])))}
    return chosen


def slot(rng: Rng, sprite: Sprite, top: int, left: int, height: int, width: int) -> tuple[Sprite, int, int]:
    """A figure somewhere within a box."""
    free = height - sprite.shape[0], width - sprite.shape[1]
    return sprite, top + int(rng.integers(free[0] + 1)), left + int(rng.integers(free[1] + 1))


def capital(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


NUMBERS = ("no", "one", "two", "three", "four")


def _some(id: str, number: int) -> str:
    noun = WORDS[id][0]
    return noun.a if number == 1 else f"{NUMBERS[number]} {noun.plural}"


def quarters(size: int) -> tuple[int, tuple[int, int]]:
    """Side of four boxes with two cells between them, and where they start."""
    side = (size - 2) // 2
    return side, (0, size - side)
