"""Animals."""

from __future__ import annotations

from pixelproof.benches.pixelart.subjects._canvas import Canvas
from pixelproof.benches.pixelart.subjects._hand import Hand
from pixelproof.benches.pixelart.subjects._kind import Thing

_FUR = ("e08a2e", "8a8a92", "2e2a2e", "f2ece0", "8a5a34", "d8b48a")


def _eyes(art: Canvas, hand: Hand, x: float, y: float, apart: float, size: float = 1.2, iris: str = "ffffff") -> None:
    """Two eyes with pupils, or two plain dots."""
    plain = hand.maybe(0.4)
    for side in (-1, 1):
        if not plain:
            art.paint(art.dot(x + side * apart, y, size), hand.tint(iris))
        art.paint(art.dot(x + side * apart, y, size * 0.5), "101014")


def _cat(art: Canvas, hand: Hand) -> None:
    fur = hand.tint(*_FUR)
    dark, pink = hand.shade(fur, 0.7), hand.tint("f2a0b0")
    if hand.maybe(0.5):  # the face alone
        wide = hand.between(8.5, 10)
        art.paint(art.triangle((12 - wide, 2), (11, 8), (12 - wide, 14)), fur)
        art.paint(art.triangle((12 + wide, 2), (13, 8), (12 + wide, 14)), fur)
        art.paint(art.triangle((13.6 - wide, 5), (9, 8.5), (13.6 - wide, 10)), pink)
        art.paint(art.triangle((10.4 + wide, 5), (15, 8.5), (10.4 + wide, 10)), pink)
        art.paint(art.disc(12, 14.2, wide, 7.6), fur)
        if hand.maybe():
            for x in (9.4, 12, 14.6):
                art.paint(art.line((x, 7.4), (x, 9.6), width=1), dark)
        _eyes(art, hand, 12, 13, 4, 1.7, hand.pick("8fd14f", "ffd84a", "7ec8f0"))
        art.paint(art.triangle((10.6, 16), (13.4, 16), (12, 18)), pink)
        if hand.maybe():
            for side in (-1, 1):
                art.paint(
                    art.line((12 + 4 * side, 17.2), (12 + 10 * side, 16.4), width=0.8), hand.tint("1c1c20", "ffffff")
                )
        return
    art.paint(art.line((16, 21), (20.5, 20), (21, 15), (19.5, 12.5), width=hand.between(1.8, 2.4)), dark)
    art.paint(art.disc(12, 17.4, 5.6, 6.4), fur)
    art.paint(art.triangle((6.6, 1.2), (6.8, 8), (11.4, 5)), fur)
    art.paint(art.triangle((17.4, 1.2), (17.2, 8), (12.6, 5)), fur)
    art.paint(art.disc(12, 8.2, 5.6, 4.9), fur)
    if hand.maybe():
        art.paint(art.disc(12, 19, 3, 4), hand.tint("fff4e0"))
    art.paint(art.box(8, 21, 11, 24) | art.box(13, 21, 16, 24), fur)
    _eyes(art, hand, 12, 7.6, 2.5, 1.1, hand.pick("8fd14f", "ffd84a"))
    art.paint(art.dot(12, 10.2, 0.7), pink)


def _dog(art: Canvas, hand: Hand) -> None:
    fur = hand.tint("b9793c", "f0e6d2", "6a4424", "d9a866", "8a8a92")
    ear = hand.shade(fur, hand.between(0.5, 0.7))
    long = hand.between(14, 18)
    art.paint(art.disc(12, 11.5, 8, 8.6), fur)
    for side in (-1, 1):
        art.paint(art.disc(12 + 8.4 * side, (4 + long) / 2, 2.8, (long - 4) / 2 + 1, -8 * side), ear)
    art.paint(art.disc(12, 16.4, 5.2, 4.6), hand.shade(fur, 1.8) if hand.maybe(0.7) else fur)
    if hand.maybe(0.4):
        art.paint(art.disc(8.4, 9.4, 2.7, 3.2), ear)
    _eyes(art, hand, 12, 9.6, 3.4, 1.3)
    art.paint(art.disc(12, 13.6, 2.1, 1.5), "16161a")
    if hand.maybe(0.7):
        art.paint(art.disc(12, 20.2, 1.9, 2.8), hand.tint("ef6a80"))
    art.paint(art.line((12, 14), (12, 17.4), width=0.8) | art.line((8.8, 17.8), (15.2, 17.8), width=0.8), ear)


def _fish(art: Canvas, hand: Hand) -> None:
    skin = hand.tint("f28c28", "4aa3e0", "e0504a", "ffd23f", "9a6ad0", "56b870")
    fin = hand.shade(skin, 0.7) if hand.maybe(0.6) else hand.tint("ffd23f", "e0504a", "ffffff")
    high = hand.between(4.4, 6.4)
    art.paint(art.triangle((15.5, 12), (23, 12 - high), (23, 12 + high)), fin)
    art.paint(art.triangle((7, 12 - high * 0.6), (14.5, 12 - high * 0.6), (14, 11 - high * 1.5)), fin)
    if hand.maybe():
        art.paint(art.triangle((9, 12 + high * 0.6), (14, 12 + high * 0.6), (14, 12 + high * 1.5)), fin)
    body = art.disc(10, 12, 8.8, high)
    art.paint(body, skin)
    for x in hand.pick((), (), (9,), (8.5, 13)):
        art.paint(body & (abs(art.x - x) < 1), hand.tint("ffffff", "16161a"))
    if hand.maybe(0.4):
        art.paint(body & (art.y > 12 + high * 0.4), hand.shade(skin, 1.6))
    art.paint(art.dot(5, 10.8, 1.5), "ffffff")
    art.paint(art.dot(5, 10.8, 0.6), "101014")
    if hand.maybe():
        art.paint(art.dot(1.4, 6, 0.6) | art.dot(2.6, 3, 0.8), hand.tint("dff4ff"))


def _bird(art: Canvas, hand: Hand) -> None:
    coat = hand.tint("4a8fe0", "e0504a", "ffd23f", "7a5230", "56b870", "3a3a44")
    wing = hand.shade(coat, 0.7)
    art.paint(art.polygon((16, 13), (23.5, 9 + hand.between(0, 4)), (23, 16), (16, 17)), wing)
    art.paint(art.disc(12.4, 14.5, 6.8, 5.2), coat)
    art.paint(art.disc(7.6, 8, 4.4), coat)
    art.paint(art.triangle((4.2, 6.6), (4.2, 9.8), (0.2, 8.6)), hand.tint("ffa41c", "ffd23f"))
    if hand.maybe(0.7):
        art.paint(art.disc(10, 16.4, 4, 3), hand.tint("fff4e0", "f6c58a"))
    art.paint(art.disc(14.5, 13.6, 4.2, 2.6, 15), wing)
    art.paint(art.dot(6.8, 7, 1.2), "ffffff")
    art.paint(art.dot(6.6, 7, 0.6), "101014")
    for x in (11, 14):
        art.paint(art.line((x, 19), (x, 23), width=0.9), hand.tint("e08a1c"))
    if hand.maybe(0.4):
        art.paint(art.triangle((6, 4.4), (10, 4.4), (9.4, 0.6)), wing)


def _butterfly(art: Canvas, hand: Hand) -> None:
    wing = hand.tint("f28c28", "4aa3e0", "e0609a", "ffd23f", "9a6ad0", "e0504a")
    low = hand.shade(wing, 0.72) if hand.maybe() else hand.tint("f28c28", "4aa3e0", "e0609a", "ffd23f")
    spot = hand.tint("ffffff", "16161a", "ffe890")
    reach, spotted = hand.between(5.8, 6.4), hand.maybe(0.7)
    for side in (-1, 1):
        art.paint(art.disc(12 + reach * side, 8.4, 5.4, 6.2, -28 * side), wing)
        art.paint(art.disc(12 + 4.8 * side, 17.4, 4, 4.8, 24 * side), low)
        if spotted:
            art.paint(art.dot(12 + 7 * side, 7.4, 1.6) | art.dot(12 + 5 * side, 17.8, 1.2), spot)
    art.paint(art.disc(12, 13, 1.4, 7.4), hand.tint("2a2024", "5a3a22"))
    for side in (-1, 1):
        art.paint(art.line((12, 6), (12 + 3 * side, 1), width=0.8), "2a2024")


def _owl(art: Canvas, hand: Hand) -> None:
    coat = hand.tint("8a5a34", "a8825a", "6e6e78", "b08a4a", "5a4636")
    pale = hand.shade(coat, 1.9)
    art.paint(art.triangle((5, 1), (5, 9), (11, 5)) | art.triangle((19, 1), (19, 9), (13, 5)), coat)
    art.paint(art.disc(12, 13.5, 7.6, 9.4), coat)
    art.paint(art.disc(12, 17.5, 4.6, 5.4), pale)
    for side in (-1, 1):
        art.paint(art.disc(12 + 7 * side, 15.5, 1.8, 5.4, -8 * side), hand.shade(coat, 0.7))
        art.paint(art.disc(12 + 3.3 * side, 9.2, 3.2), hand.pick("ffffff", "ffe08a"))
        art.paint(art.dot(12 + 3.3 * side, 9.2, hand.between(1.3, 1.8)), "16161a")
    art.paint(art.triangle((10.7, 11), (13.3, 11), (12, 14)), hand.tint("ffa41c"))
    for side in (-1, 1):
        art.paint(art.box(12 + 2.4 * side - 1.2, 22, 12 + 2.4 * side + 1.2, 23.8), hand.tint("ffa41c"))


def _rabbit(art: Canvas, hand: Hand) -> None:
    fur = hand.tint("f4f0ec", "a8a8b0", "c89a6a", "8a6a4a")
    lean = hand.between(-10, 10)
    for side in (-1, 1):
        art.paint(art.disc(12 + 3.6 * side, 6, 2.4, 6.4, lean), fur)
        art.paint(art.disc(12 + 3.6 * side, 6.6, 1.1, 4.4, lean), hand.tint("f2a0b0"))
    art.paint(art.disc(12, 16, 7.4, 6.6), fur)
    _eyes(art, hand, 12, 14.6, 3.2, 1.2)
    art.paint(art.dot(12, 17, 0.9), hand.tint("f2808f"))
    if hand.maybe(0.7):
        art.paint(art.box(10.6, 19, 13.4, 21.2), "ffffff")
    if hand.maybe(0.4):
        for side in (-1, 1):
            art.paint(art.dot(12 + 5 * side, 17.6, 1.1), hand.tint("f6b8c4"))


def _turtle(art: Canvas, hand: Hand) -> None:
    skin, shell = hand.tint("8bc34a", "a5c86a", "6fae6a"), hand.tint("5a7a2e", "8a5a34", "3f6b3a", "a06a3a")
    for x in (6.0, 15.0):
        art.paint(art.disc(x, 19, 2.2, 3), skin)
    art.paint(art.disc(20.2, 13.6, 3.2, 2.8), skin)
    art.paint(art.box(15, 14, 20, 17.4), skin)
    art.paint(art.triangle((3, 16), (0.4, 18.4), (4, 18.4)), skin)
    dome = art.disc(10.6, 17.6, 8.4, hand.between(9, 12)) & (art.y < 17.8)
    art.paint(dome, shell)
    art.paint(art.box(2, 16.6, 19, 18.6), hand.shade(shell, 0.7))
    for x, y in ((7, 12), (11.4, 10.4), (14.4, 13.6), (10, 15)):
        art.paint(dome & art.disc(x, y, 1.5), hand.shade(shell, 1.7) if hand.maybe(0.8) else shell)
    art.paint(art.dot(21, 13, 0.6), "101014")


def _ladybird(art: Canvas, hand: Hand) -> None:
    red = hand.tint("e0201c", "e8442a", "c41e2a")
    art.paint(art.disc(12, 6.4, 5, 4.2), "16161a")
    for side in (-1, 1):
        art.paint(art.line((12 + 2 * side, 4), (12 + 5 * side, 0.8), width=0.8), "16161a")
        for y in (10.0, 14.0, 18.0):
            art.paint(art.line((12, y), (12 + 10.6 * side, y + 1), width=1), "16161a")
        art.paint(art.dot(12 + 2.4 * side, 5.4, 0.8), "ffffff")
    wings = art.disc(12, 14.4, 8.2, 8.2) & (art.y > 7.6)
    art.paint(wings, red)
    art.paint(wings & (abs(art.x - 12) < 0.6 * max(1.0, art.cell)), "16161a")
    radius = hand.between(1.2, 1.9)
    for x, y in ((8, 11.4), (16, 11.4), (7, 16), (17, 16), (9.2, 19.6), (14.8, 19.6)):
        art.paint(art.dot(x, y, radius), "16161a")


def _snail(art: Canvas, hand: Hand) -> None:
    body = hand.tint("d8c08a", "b8a890", "e6b89a", "a8b86a")
    shell = hand.tint("a0562e", "d07a3a", "8a5aa0", "c85a6a", "6a8ac0")
    art.paint(art.box(2, 18, 20, 21) | art.disc(20, 17, 2.4, 4) | art.disc(3, 20, 3, 1.6), body)
    for x in (19.2, 21.6):
        art.paint(art.line((x - 0.4, 14), (x, 9.6), width=0.9), body)
        art.paint(art.dot(x, 9, 0.7), "16161a")
    art.paint(art.disc(9.6, 12.2, 7.2), shell)
    art.paint(art.disc(9.6, 12.2, 5) & ~art.disc(9.6, 12.2, 3.4), hand.shade(shell, 0.6))
    art.paint(art.disc(9.6, 12.2, 1.6), hand.shade(shell, 0.6))


ANIMALS = (
    Thing("cat", "A cat", "animals", _cat),
    Thing("dog", "A dog", "animals", _dog),
    Thing("fish", "A fish", "animals", _fish),
    Thing("bird", "A bird", "animals", _bird),
    Thing("butterfly", "A butterfly", "animals", _butterfly),
    Thing("owl", "An owl", "animals", _owl),
    Thing("rabbit", "A rabbit", "animals", _rabbit),
    Thing("turtle", "A turtle", "animals", _turtle),
    Thing("ladybird", "A ladybird", "animals", _ladybird),
    Thing("snail", "A snail", "animals", _snail),
)
