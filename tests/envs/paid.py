"""A bench with a reward: guess a digit."""

from dataclasses import dataclass, replace

from pixelproof.contract import Item, PixelProofError
from support import Guess


@dataclass(frozen=True)
class Paid(Guess):
    """Guessing a digit, paid by closeness; a 9 cannot be asked here."""

    def items(self, source, seed, n):
        return replace(Guess(), n=1500).items(source, seed, 20 if n is None else n)

    def content(self, item: Item) -> object:
        return item.id

    def reward(self, item: Item) -> str:
        return "close"

    def check_item(self, item: Item) -> None:
        if item.truth == 9:
            raise PixelProofError("There is no 9 here.")
