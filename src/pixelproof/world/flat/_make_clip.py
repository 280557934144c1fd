"""Generation of flat clips: a target to track among identical movers, and a flash."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import (
    FEWEST_FRAMES,
    LARGEST,
    counted,
    require_number,
    require_seed,
    require_share,
    require_whole,
    require_word,
)

from ._clip import Change, Clip, Motion
from ._sampling import (
    COMPACT,
    Rectangle,
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
    touch,
)
from ._scene import FlatScene, Sprite
from ._shapes import ALPHABET, CELL, SHAPES

Paths = Literal["linear", "bouncing", "circular", "crossing", "mixed"]
_TRIES = 60
_SMALLEST = 128
"""Smallest image side in pixels: a mover with its plate must fit beside a screen."""
_MOST_FLASHES = 6
"""There are more colours than these on every background."""
_LEAVING = 4
"""Frames that a bouncing mover of normal speed needs to get behind a screen, or out."""


@dataclass(frozen=True)
class _Request:
    side: int
    frames: int
    movers: int
    paths: str
    code: int
    reveal: int
    screen: bool
    flash: int
    noise: int
    distractors: int
    jitter: float
    sans: float
    hue: float
    prior: float
    cell: int
    alphabet: str
    flashes: int
    clear_flash: bool

    def __post_init__(self) -> None:
        """Validate the arguments."""
        require_whole("pixels of a side", self.side, _SMALLEST, LARGEST)
        require_whole("frames of a flat clip", self.frames, FEWEST_FRAMES, 10_000)
        require_whole("movers", self.movers, 1, 32)
        require_word("kind of paths", self.paths, get_args(Paths))
        require_whole("characters of a code", self.code, 1, 64)
        require_whole("frames of codes", self.reveal, 0, self.frames - 2)
        require_whole("frames of a flash", self.flash, 0, self.frames - 2)
        require_whole("tiles of noise", self.noise, 0, 64)
        require_whole("distractors", self.distractors, 0, 1000)
        require_number("jitter of a clip in pixels", self.jitter, 0, self.side / 8)
        require_share("share of plates in the other font", self.sans)
        require_share("prior", self.prior)
        if self.screen and self.reveal >= self.frames - self.hidden:
            raise PixelProofError(
                f"Codes that are shown in {self.reveal} of {self.frames} frames are shown while the target is behind "
                f"the screen, in frame {self.hidden}: show them in fewer, or leave out the screen."
            )
        require_code(self.alphabet, self.cell, self.sans, self.code, self.movers)
        require_whole("flashes", self.flashes, 1, _MOST_FLASHES)
        if self.flashes > 1 and self.flashes * (self.flash + 1) > self.frames - 1:
            raise PixelProofError(
                f"{counted(self.flashes, 'flashes')} of {counted(self.flash, 'frames')} with a pause after each do not "
                f"fit into {counted(self.frames, 'frames')}: ask for fewer, shorter ones or more frames."
            )

    @property
    def hidden(self) -> int:
        """Frame in which the screen hides the target: the middle, or earlier if it could not reappear in time."""
        return min(self.frames // 2, max(2, self.first_shown - 3))

    @property
    def first_shown(self) -> int:
        """First of the last frames, in which all movers must be fully visible."""
        return self.frames - max(self.reveal, 1)

    @property
    def haste(self) -> float:
        """Speed factor of bouncing movers, so that the target is beside the screen in time."""
        between = min(self.hidden, self.first_shown - self.hidden)
        return max(1.0, _LEAVING / between) if self.screen else 1.0


def make_clip(
    seed: int,
    index: int = 0,
    *,
    side: int = 512,
    frames: int = 16,
    movers: int = 4,
    paths: Paths = "mixed",
    code: int = 3,
    reveal: int = 2,
    screen: bool = True,
    flash: int = 2,
    noise: int = 1,
    distractors: int = 6,
    jitter: float = 0.0,
    sans: float = 0.0,
    hue: float = 0.0,
    prior: float = 0.0,
    cell: int = CELL,
    alphabet: str = ALPHABET,
    flashes: int = 1,
    clear_flash: bool = False,
) -> Clip:
    """Generate a clip; the same arguments give the same clip.

    All movers look the same. Each carries a plate that is empty until the last frames, in which it shows its own code.
    In the first frame and the last ones, no mover touches or occludes another.

    >>> clip = make_clip(7)
    >>> lamp = clip.scene.roles["lamp"]
    >>> sum(frame.sprite(lamp).colour != "grey" for frame in clip.scenes())
    2

    Args:
        seed: Seed of the set.
        index: Index in the set.
        side: Side of the image in pixels; things and paths scale with it, codes do not.
        frames: Number of frames, at least 5.
        movers: Number of movers; the one with the role `target` is to be tracked.
        paths: Kind of motion; `crossing`: straight, half of them from the left and half from the right.
        code: Number of characters of a code.
        reveal: Number of frames at the end in which codes are shown; 0: never.
        screen: Whether the target passes behind a thing with the role `screen`, which hides it and its plate in about
            the middle frame.
        flash: Number of frames in which the thing with the role `lamp` shows a colour instead of grey; 0: no lamp.
        noise: Number of tiles of noise, which flicker.
        distractors: Number of small shapes below everything.
        jitter: Maximum camera shake in pixels.
        sans: Share of plates whose codes are in the other font.
        hue: Hue rotation of all colours in degrees.
        prior: Skew of the answers (colours, characters): 0 uniform, 1 strongly skewed.
        cell: Side of a plate's cell in pixels, which holds one character: a multiple of 8, any from 8 on with `sans=1`.
        alphabet: Characters of codes; some of `ALPHABET`.
        flashes: Number of flashes, each of another colour, with a pause after each: an order of events to be found.
        clear_flash: Whether a flash never has the colour of the movers, so that colour alone tells them apart.

    Raises:
        PixelProofError: No such clip was found, or the arguments contradict each other.
    """
    require_seed(seed, index)
    request = _Request(
        side, frames, movers, paths, code, reveal, screen, flash, noise, distractors, jitter, sans, hue, prior, cell,
        alphabet, flashes, clear_flash,
    )  # fmt: skip
    rng = generator(seed, "flat/clip", index)
    ground = background(rng)
    colours = [
        colour for colour in contrasting_colours((ground.colour, ground.other)) if colour not in ("grey", "brown")
    ]
    shape, colour = draw(rng, COMPACT, 0.0), draw(rng, colours, 0.0)
    size = sized(shape, float(rng.uniform(1300, 2000))) * side / 512
    things, motions, fixed = _movers(
        rng, request, Sprite("", shape, colour, 0.0, 0.0, size, float(rng.uniform(0, 360)))
    )
    look = plate_look(rng, [other for other in contrasting_colours((ground.colour, ground.other)) if other != colour])
    plates = [plate(own, own.y + own.size / 2, "", code, look, bool(rng.random() < sans), cell) for own in things]
    carried = [sprite for both in zip(things, plates, strict=True) for sprite in both]
    below = _below(rng, request, [other for other in colours if other != colour], shape)
    roles = {"target": things[0].id} | {sprite.id: sprite.id for sprite in fixed}
    scene = FlatScene(int(seed), int(index), side, side, (*below, *carried, *fixed), ground, roles, hue)
    lights = [other for other in colours if not (clear_flash and other == colour)]
    changes = [*_codes(rng, request, plates), *_flash(rng, request, lights)]
    camera = tuple((float(x), float(y)) for x, y in rng.uniform(-jitter, jitter, (frames, 2))) if jitter else ()
    return Clip(scene, frames, tuple(motions), tuple(changes), camera)


def _movers(rng: Rng, request: _Request, model: Sprite) -> tuple[list[Sprite], list[Motion], list[Sprite]]:
    for _ in range(_TRIES):
        movers = _attempt(rng, request, model)
        if movers is not None:
            return movers
    raise PixelProofError(
        f"No {request.paths} paths were found for {counted(request.movers, 'movers')} in {request.side} × "
        f"{request.side} pixels and {request.frames} frames: ask for fewer movers, a larger side or more frames."
    )


def _attempt(rng: Rng, request: _Request, model: Sprite) -> tuple[list[Sprite], list[Motion], list[Sprite]] | None:
    """Movers, their motions, and fixed sprites on top; None if some of them touch."""
    things: list[Sprite] = []
    motions: list[Motion] = []
    fixed: list[Sprite] = []
    taken: list[list[Rectangle]] = [[] for _ in _shown(request)]
    for number in range(request.movers):
        for _ in range(_TRIES):
            thing, motion = _started(rng, request, replace(model, id=f"{model.shape}-{number + 1}"), number)
            before = fixed if number else _fixed(rng, request, thing, motion)
            around = [extent(sprite) for sprite in before]
            places = [_place(request, thing, motion, frame) for frame in _shown(request)]
            if all(_free(request, here, [*around, *others]) for here, others in zip(places, taken, strict=True)):
                break
        else:
            return None
        fixed = before
        things.append(thing)
        motions.append(motion)
        for others, here in zip(taken, places, strict=True):
            others.append(here)
    return things, motions, fixed


def _shown(request: _Request) -> list[int]:
    """Frames in which all movers must be fully visible."""
    return [0, *range(request.first_shown, request.frames)]


def _place(request: _Request, thing: Sprite, motion: Motion, frame: int) -> Rectangle:
    """Bounding box of a mover and its plate in a frame."""
    x, y = motion.position(thing, frame, request.side, request.side)
    wide, high = plate_space(request.code, request.cell)
    half = max(thing.size / 2, wide / 2)
    return x - half, y - thing.size / 2, x + half, y + thing.size / 2 + high


def _free(request: _Request, here: Rectangle, others: list[Rectangle]) -> bool:
    margin = request.jitter + 2.0
    inside = min(here[:2]) >= margin and max(here[2:]) <= request.side - margin
    return inside and not any(touch(here, other, 4.0) for other in others)


def _started(rng: Rng, request: _Request, thing: Sprite, number: int) -> tuple[Sprite, Motion]:
    """A mover at its start, and its motion."""
    plate_height = plate_space(request.code, request.cell)[1]
    side, low, high = request.side, thing.size / 2 + 12, request.side - thing.size / 2 - 12 - plate_height
    x, y, to_x, to_y = (float(value) for value in rng.uniform(low, high, 4))
    kind = request.paths
    if kind == "mixed":
        kind = ("linear", "bouncing", "circular", "crossing")[int(rng.integers(4))]
    spin = float(rng.uniform(-12, 12))
    if kind == "crossing":
        x, to_x = (float(rng.uniform(low, max(low, side * 0.3))), float(rng.uniform(min(high, side * 0.7), high)))
        x, to_x = (x, to_x) if number % 2 == 0 else (to_x, x)
    if kind == "circular":
        period = request.frames * float(rng.uniform(0.9, 1.25) * rng.choice([-1, 1]))
        radius, phase = float(rng.uniform(0.12, 0.2)) * side, float(rng.uniform(0, 360))
        x, y = (float(value) for value in rng.uniform(low + radius, max(low, high - 2 * radius) + radius, 2))
        x, y = x + radius * math.cos(math.radians(phase)), y + radius * math.sin(math.radians(phase))
    thing = replace(thing, x=x, y=y)
    if kind == "circular":
        return thing, Motion(thing.id, "circular", radius=radius, period=period, phase=phase, spin=spin)
    if kind == "bouncing":
        speed = request.haste * side
        vx, vy = (float(value) for value in rng.uniform(0.02, 0.06, 2) * speed * rng.choice([-1, 1], 2))
        return thing, Motion(thing.id, "bouncing", vx, vy, spin=spin)
    last = request.frames - 1
    return thing, Motion(thing.id, "linear", (to_x - x) / last, (to_y - y) / last, spin=spin)


def _fixed(rng: Rng, request: _Request, target: Sprite, motion: Motion) -> list[Sprite]:
    """The screen that hides the target, and the lamp; both are on top of everything."""
    fixed, unit = [], request.side / 512
    if request.screen:
        x0, y0, x1, y1 = _place(request, target, motion, request.hidden)
        across = max(x1 - x0, y1 - y0)  # the plate, too: it would tell where the target is
        fixed.append(Sprite("screen", "square", "brown", (x0 + x1) / 2, (y0 + y1) / 2, across * math.sqrt(2), 45.0))
    if request.flash:
        x, y = (float(value) for value in rng.uniform(40 * unit, request.side - 40 * unit, 2))
        fixed.append(Sprite("lamp", "circle", "grey", x, y, 44 * unit))
    return fixed


def _below(rng: Rng, request: _Request, colours: list[str], avoid: str) -> list[Sprite]:
    """Noise and small shapes, under everything else."""
    below, shapes = [], [shape for shape in SHAPES if shape != avoid]
    for number in range(request.distractors):
        shape, area = draw(rng, shapes, 0.0), float(rng.uniform(60, 260)) * (request.side / 512) ** 2
        x, y, turn = (float(value) for value in rng.uniform(0, (request.side, request.side, 360)))
        colour = draw(rng, colours, 0.0)
        below.append(Sprite(f"small-{number + 1}", shape, colour, x, y, sized(shape, area), turn, "distractor"))
    for number in range(request.noise):
        size = 8.0 * round(float(rng.uniform(5, 8)) * request.side / 512)
        x, y = (float(value) for value in rng.uniform(size / 2, request.side - size / 2, 2))
        below.append(Sprite(f"noise-{number + 1}", "noise", "", x, y, size, seed=int(rng.integers(1 << 20))))
    return below


def _codes(rng: Rng, request: _Request, plates: list[Sprite]) -> list[Change]:
    texts: list[str] = []
    for _ in plates:
        texts.append(code(rng, request.code, request.prior, texts, request.alphabet))
    if not request.reveal:
        return []
    first = request.frames - request.reveal
    return [Change(own.id, first, request.frames, text=text) for own, text in zip(plates, texts, strict=True)]


def _flash(rng: Rng, request: _Request, colours: list[str]) -> list[Change]:
    if not request.flash:
        return []
    if request.flashes == 1:
        first = int(rng.integers(1, request.frames - request.flash))
        return [Change("lamp", first, first + request.flash, colour=draw(rng, colours, request.prior))]
    # Pauses of random length: sorted places among the frames that are neither flash nor its pause.
    free = request.frames - 1 - request.flashes * (request.flash + 1)
    before = sorted(int(place) for place in rng.integers(0, free + 1, request.flashes))
    changes: list[Change] = []
    for number, extra in enumerate(before):
        first = 1 + extra + number * (request.flash + 1)
        left = [colour for colour in colours if all(colour != change.colour for change in changes)]
        changes.append(Change("lamp", first, first + request.flash, colour=draw(rng, left, request.prior)))
    return changes
