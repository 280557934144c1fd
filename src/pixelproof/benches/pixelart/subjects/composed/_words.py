"""Words for things: every thing has several wordings that mean the same drawing."""

from __future__ import annotations

from dataclasses import dataclass


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
