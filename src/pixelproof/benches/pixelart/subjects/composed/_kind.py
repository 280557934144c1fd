"""Composed subjects: things in a stated relation, number, colour or place, each condition checked by itself.

Every thing has several wordings that mean the same drawing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import SWATCHES, Drawing, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import Kind, Params, Verdict
from pixelproof.benches.pixelart.subjects._look import Look
from pixelproof.benches.pixelart.subjects.composed._scene import CONTRAST, SMALLEST, Scene
from pixelproof.benches.pixelart.subjects.composed._sprites import Artist, Sprite, Style, draw_plan


def article(phrase: str) -> str:
    """A phrase with its indefinite article.

    >>> article("owl"), article("blue floor")
    ('an owl', 'a blue floor')
    """
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


@dataclass(frozen=True)
class Word:
    """A noun phrase without its article."""

    singular: str
    plural: str

    @property
    def a(self) -> str:
        """With the indefinite article."""
        return article(self.singular)

    @property
    def the(self) -> str:
        """With the definite article."""
        return f"the {self.singular}"


def _words(*phrases: str) -> tuple[Word, ...]:
    """Words of `singular/plural`; the plural only adds an s where it is not given."""
    parted = (phrase.partition("/") for phrase in phrases)
    return tuple(Word(singular, plural or f"{singular}s") for singular, _, plural in parted)


WORDS: dict[str, tuple[Word, ...]] = {
    "cat": _words("cat", "kitten", "house cat"),
    "dog": _words("dog", "puppy/puppies", "hound"),
    "fish": _words("fish/fish", "swimming fish/swimming fish", "fish with fins/fish with fins"),
    "bird": _words("bird", "songbird", "sparrow"),
    "butterfly": _words("butterfly/butterflies", "butterfly with open wings/butterflies with open wings"),
    "owl": _words("owl", "barn owl"),
    "rabbit": _words("rabbit", "bunny/bunnies", "hare"),
    "turtle": _words("turtle", "tortoise"),
    "ladybird": _words("ladybird", "ladybug"),
    "snail": _words("snail", "snail with its shell/snails with their shells"),
    "tree": _words("leafy tree", "broad-leaved tree", "tree with a round crown/trees with round crowns"),
    "fir-tree": _words("fir tree", "spruce", "conifer"),
    "flower": _words("flower", "blossom with its petals/blossoms with their petals", "daisy/daisies"),
    "mushroom": _words("mushroom", "toadstool"),
    "cactus": _words("cactus/cacti", "saguaro cactus/saguaro cacti"),
    "sun": _words("sun", "sun with rays/suns with rays", "shining sun"),
    "moon": _words("crescent moon", "moon in the shape of a sickle/moons in the shape of a sickle", "crescent"),
    "star": _words("five-pointed star", "star with five points/stars with five points"),
    "cloud": _words("cloud", "fluffy cloud"),
    "lightning": _words("lightning bolt", "flash of lightning/flashes of lightning", "thunderbolt"),
    "snowflake": _words("snowflake", "flake of snow/flakes of snow"),
    "apple": _words("apple", "apple with a stalk/apples with stalks"),
    "cherries": _words("pair of cherries/pairs of cherries", "couple of cherries/couples of cherries"),
    "carrot": _words("carrot", "carrot with its leaves/carrots with their leaves"),
    "pizza": _words("slice of pizza/slices of pizza", "piece of pizza/pieces of pizza"),
    "ice-cream": _words("ice cream cone", "cone of ice cream/cones of ice cream"),
    "watermelon": _words("slice of watermelon/slices of watermelon", "piece of watermelon/pieces of watermelon"),
    "heart": _words("heart", "heart as on a playing card/hearts as on playing cards", "love heart"),
    "key": _words("key", "door key", "old-fashioned key"),
    "sword": _words("sword", "knight's sword", "blade with a hilt/blades with hilts"),
    "crown": _words("crown", "king's crown", "royal crown"),
    "umbrella": _words("open umbrella", "rain umbrella", "parasol"),
    "gift": _words("wrapped gift with a bow/wrapped gifts with bows", "birthday present"),
    "candle": _words("burning candle", "lit candle", "candle with a flame/candles with flames"),
    "mug": _words("mug", "cup with a handle/cups with handles", "coffee mug"),
    "light-bulb": _words("light bulb", "electric bulb", "incandescent lamp"),
    "anchor": _words("anchor", "ship's anchor"),
    "envelope": _words("envelope", "sealed envelope", "mail envelope"),
    "bomb": _words("round bomb with a burning fuse/round bombs with burning fuses", "cartoon bomb"),
    "potion": _words("potion in a round flask/potions in round flasks", "round flask of potion/round flasks of potion"),
    "car": _words("car seen from the side/cars seen from the side", "automobile", "motor car"),
    "ship": _words("sailing ship", "sailing boat", "ship with sails/ships with sails"),
    "rocket": _words("rocket", "space rocket", "moon rocket"),
    "hot-air-balloon": _words("hot-air balloon", "balloon with a passenger basket/balloons with passenger baskets"),
    "house": _words("house", "cottage", "house with a pitched roof/houses with pitched roofs"),
    "castle": _words("castle", "fortress with battlements/fortresses with battlements", "knight's castle"),
    "volcano": _words("erupting volcano/erupting volcanoes", "volcano with lava/volcanoes with lava"),
    "lighthouse": _words("lighthouse", "lighthouse tower"),
    "face": _words("smiling face", "smiley", "happy face"),
    "skull": _words("skull", "human skull"),
    "snowman": _words("snowman/snowmen", "man of snow/men of snow"),
    "ghost": _words("ghost", "spook", "floating ghost"),
    "robot": _words("robot", "humanoid robot"),
}  # fmt: skip
"""Thing → its wordings. Things that fill their whole picture, such as a rainbow, are not among them."""


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
