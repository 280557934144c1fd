"""Generation of flat scenes that questions can be asked about."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import LARGEST, counted, require_number, require_seed, require_share, require_whole

from ._sampling import (
    COMPACT,
    Board,
    Rng,
    background,
    code,
    contrasting_colours,
    draw,
    extent,
    plate,
    plate_look,
    plate_space,
    require_code,
    sized,
)
from ._scene import Background, FlatScene, Sprite
from ._shapes import ALPHABET, CELL, SHAPES, TEXTURES

_TRIES = 40
_MOST = 64
"""Maximum number of things, tiles and characters: more never fit, because things scale with the image."""


@dataclass(frozen=True)
class _Request:
    side: int
    things: int
    plates: int
    code: int
    pair: bool
    hop: bool
    noise: int
    distractors: int
    sans: float
    hue: float
    prior: float
    cell: int
    alphabet: str
    gap: tuple[float, float]
    textures: float

    def __post_init__(self) -> None:
        """Validate the arguments."""
        require_whole("pixels of a side", self.side, 1, LARGEST)
        require_whole("things of a scene", self.things, 1, _MOST)
        require_whole("plates of a scene", self.plates, 0, _MOST)
        require_whole("characters of a code", self.code, 1, _MOST)
        require_whole("tiles of noise", self.noise, 0, _MOST)
        require_whole("distractors", self.distractors, 0, 1000)
        require_share("share of plates in the other font", self.sans)
        require_share("prior", self.prior)
        require_code(self.alphabet, self.cell, self.sans, self.code, self.plates)
        require_share("share of things with a texture", self.textures)
        low, high = self.gap
        require_number("smallest gap of a pair", low, 0.001, 1)
        require_number("largest gap of a pair", high, low, 1)
        fewest = 1 + 2 * bool(self.pair) + self.plates
        if self.things < fewest or (self.hop and self.plates < 2):
            raise PixelProofError(
                f"A scene with {counted(self.plates, 'plates')}{' and a pair' if self.pair else ''} has "
                f"{counted(fewest, 'things')} or more, and two plates for a hop: change these numbers."
            )


def make_flat(
    seed: int,
    index: int = 0,
    *,
    side: int = 512,
    things: int = 8,
    plates: int = 5,
    code: int = 3,
    pair: bool = True,
    hop: bool = True,
    noise: int = 1,
    distractors: int = 10,
    sans: float = 0.0,
    hue: float = 0.0,
    prior: float = 0.0,
    cell: int = CELL,
    alphabet: str = ALPHABET,
    gap: tuple[float, float] = (0.06, 0.12),
    textures: float = 0.0,
) -> FlatScene:
    """Generate a flat scene; the same arguments give the same scene.

    No two things share both colour and shape. The thing with the role `largest` is larger than any other by half and
    the only one of its colour. Nothing covers a thing or a plate.

    >>> scene = make_flat(7)
    >>> larger, smaller = scene.sprite(scene.roles["larger"]), scene.sprite(scene.roles["smaller"])
    >>> round(larger.area / smaller.area - 1, 2)
    0.07
    >>> scene.plate_of(scene.roles["first"]).text == scene.plate_of(scene.roles["second"]).text
    True

    Args:
        seed: Seed of the set.
        index: Index in the set.
        side: Side of the image in pixels; things scale with it, codes do not.
        things: Number of things, including the largest and the pair.
        plates: Number of things that carry a plate with a code.
        code: Number of characters of a code.
        pair: Whether two things, `larger` and `smaller`, differ in area by 6 to 12 %, or by `gap`.
        hop: Whether the plates of two things, `first` and `second`, show the same code; no others do.
        noise: Number of tiles of noise.
        distractors: Maximum number of small shapes without a plate below the things.
        sans: Share of plates whose codes are in the other font.
        hue: Hue rotation of all colours in degrees.
        prior: Skew of the answers (colours, shapes, characters): 0 uniform, 1 strongly skewed.
        cell: Side of a plate's cell in pixels, which holds one character: a multiple of 8, any from 8 on with `sans=1`.
            Codes are hidden from thumbnails by this factor, and by no other.
        alphabet: Characters of codes; some of `ALPHABET`.
        gap: Smallest and largest difference in area of the pair, as a share of the smaller.
        textures: Share of things that are striped, checked or dotted in a shade of their colour.

    Raises:
        PixelProofError: The things do not fit, or the arguments contradict each other.
    """
    require_seed(seed, index)
    request = _Request(
        side, things, plates, code, pair, hop, noise, distractors, sans, hue, prior, cell, alphabet, gap, textures
    )
    rng = generator(seed, "flat/still", index)
    for _ in range(_TRIES):
        made = _attempt(rng, request)
        if made is not None:
            sprites, ground, roles = made
            return FlatScene(int(seed), int(index), side, side, tuple(sprites), ground, roles, hue)
    raise PixelProofError(
        f"{counted(things, 'things')}, {counted(plates, 'plates')} and {counted(noise, 'tiles')} of noise do not "
        f"fit in {side} × {side} pixels: ask for fewer or a larger side."
    )


def _attempt(rng: Rng, request: _Request) -> tuple[list[Sprite], Background, dict[str, str]] | None:
    ground, board = background(rng), Board(request.side, request.side)
    colours = contrasting_colours((ground.colour, ground.other))
    things = _things(rng, request, colours)
    roles = {"largest": things[0].id}
    if request.pair:
        roles |= {"larger": things[1].id, "smaller": things[2].id}
    bare = request.things - request.plates
    sprites: list[Sprite] = []
    codes: list[str] = []
    wide, high = plate_space(request.code, request.cell)
    for place, thing in enumerate(things):
        box = extent(thing)
        width = box[2] - box[0] if place < bare else max(box[2] - box[0], wide)
        corner = board.place(rng, width, box[3] - box[1] + (0.0 if place < bare else high))
        if corner is None:
            return None
        thing = replace(thing, x=corner[0] + width / 2 - (box[0] + box[2]) / 2, y=corner[1] - box[1])
        sprites.append(thing)
        if place >= bare:
            same = request.hop and place == bare + 1
            text = codes[0] if same else code(rng, request.code, request.prior, codes, request.alphabet)
            codes.append(text)
            look = plate_look(rng, [colour for colour in colours if colour != thing.colour])
            sans = bool(rng.random() < request.sans)
            own = plate(thing, thing.y + box[3], text, request.code, look, sans, request.cell)
            sprites.append(replace(own, x=corner[0] + width / 2))
    if request.hop:
        roles |= {"first": things[bare].id, "second": things[bare + 1].id}
    tiles = [_noise(rng, request, board, number) for number in range(request.noise)]
    below = [*_distractors(rng, request, sprites, colours), *(tile for tile in tiles if tile is not None)]
    return None if None in tiles else ([*below, *sprites], ground, roles)


def _noise(rng: Rng, request: _Request, board: Board, number: int) -> Sprite | None:
    size = 8.0 * round(float(rng.uniform(5, 8)) * request.side / 512)
    corner = board.place(rng, size, size)
    if corner is None:
        return None
    x, y = corner[0] + size / 2, corner[1] + size / 2
    return Sprite(f"noise-{number + 1}", "noise", "", x, y, size, seed=int(rng.integers(1 << 20)))


def _things(rng: Rng, request: _Request, colours: tuple[str, ...]) -> list[Sprite]:
    """Things without a position: the largest, the pair, others, and last those that will carry plates."""
    unit = (request.side / 512) ** 2
    best = draw(rng, colours, request.prior)
    others = [colour for colour in colours if colour != best]
    areas = [float(rng.uniform(7500, 12000)) * unit]
    if request.pair:
        larger = float(rng.uniform(2400, 4800)) * unit
        areas += [larger, larger / float(rng.uniform(1 + request.gap[0], 1 + request.gap[1]))]
    areas += [float(area) * unit for area in rng.uniform(1300, 3600, request.things - len(areas))]
    things: list[Sprite] = []
    looks: set[tuple[str, str]] = set()
    for place, area in enumerate(areas):
        while True:
            colour = best if place == 0 else draw(rng, others, 0.0)
            shape = draw(rng, COMPACT if place == 0 else list(SHAPES), request.prior)
            if (colour, shape) not in looks:
                break
        looks.add((colour, shape))
        number = 1 + sum(thing.shape == shape for thing in things)
        angle = float(rng.uniform(0, 360))
        texture = draw(rng, TEXTURES, 0.0) if request.textures and rng.random() < request.textures else ""
        size = sized(shape, area)
        things.append(Sprite(f"{shape}-{number}", shape, colour, 0.0, 0.0, size, angle, texture=texture))
    return things


def _distractors(rng: Rng, request: _Request, placed: list[Sprite], colours: tuple[str, ...]) -> list[Sprite]:
    """Small shapes anywhere: none looks like a thing, has the colour of the largest or touches its own colour."""
    looks = {(sprite.colour, sprite.shape) for sprite in placed}
    small: list[Sprite] = []
    for number in range(request.distractors):
        shape = draw(rng, list(SHAPES), 0.0)
        size = sized(shape, float(rng.uniform(60, 260))) * request.side / 512
        x, y, turn = (float(value) for value in rng.uniform(0, (request.side, request.side, 360)))
        near = {other.colour for other in (*placed, *small) if _away(other, x, y) < size / 2 + 4}
        free = [c for c in colours if c != placed[0].colour and c not in near and (c, shape) not in looks]
        if free:
            small.append(Sprite(f"small-{number + 1}", shape, draw(rng, free, 0.0), x, y, size, turn, "distractor"))
    return small


def _away(sprite: Sprite, x: float, y: float) -> float:
    """Distance in pixels from a point to a plate, or to the circle around a shape."""
    if not sprite.upright:
        return math.hypot(x - sprite.x, y - sprite.y) - sprite.size / 2
    x0, y0, x1, y1 = sprite.rectangle
    return math.hypot(max(x0 - x, x - x1, 0.0), max(y0 - y, y - y1, 0.0))
