"""Tasks about one flat scene."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.ndimage import distance_transform_edt

from pixelproof.benches.agent import _vision as vision
from pixelproof.contract import Artefact
from pixelproof.pixels import read_image
from pixelproof.stats import generator
from pixelproof.world import COLOURS
from pixelproof.world.flat import SHAPES, FlatScene, Sprite, contrasting_colours, make_flat, truth

from ._challenge import GRID, Chain, Challenge, Task, most_alike, most_different, point_of, read_text, to_grid

COUNTS = ("1", "2", "3", "4", "5")
"""Possible answers, all equally likely."""
SMALLEST = 40
"""Pixels of a region that counts; shapes have at least as many, mixed pixels along edges and cells of noise fewer."""
_CLUTTER = {"base": 14, "hard": 40}
"""Small shapes of a scene, at most."""
_CLEAR = 6.0
"""Pixels between two shapes of the colour."""


def _candidates(scene: FlatScene) -> list[Sprite]:
    """Small shapes that nothing covers, in a random but fixed order, none close to another."""
    known = truth(scene)
    chosen: list[Sprite] = []
    for sprite in scene.sprites:
        seen = known.seen[sprite.id]
        inside = sprite.role == "distractor" and seen.visibility > 0.99 and seen.pixels >= SMALLEST
        apart = all(
            np.hypot(sprite.x - other.x, sprite.y - other.y) > (sprite.size + other.size) / 2 + _CLEAR
            for other in chosen
        )
        if inside and apart:
            chosen.append(sprite)
    return chosen


def _count_clutter(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level, hop=False, textures=0.0, distractors=_CLUTTER[level])
    rng = generator(seed, "agent/count-clutter", index)
    used = {sprite.colour for sprite in scene.sprites if sprite.role != "distractor"}
    used |= {sprite.ink for sprite in scene.sprites if sprite.text}
    colours = contrasting_colours((scene.background.colour, scene.background.other))
    free = [colour for colour in colours if colour not in used]
    small = _candidates(scene)
    if len(small) < len(COUNTS) or not free:
        return _count_clutter(seed, index + NEXT, level)
    colour, count = free[int(rng.integers(len(free)))], 1 + int(rng.integers(len(COUNTS)))
    counted = [small[int(place)].id for place in rng.permutation(len(small))[:count]]
    others = [other for other in colours if other != colour]
    for sprite in scene.sprites:
        if sprite.id in counted:
            scene = scene.with_sprite(replace(sprite, colour=colour))
        elif sprite.colour == colour:
            scene = scene.with_sprite(replace(sprite, colour=others[int(rng.integers(len(others)))]))

    def chain() -> Chain:
        evidence = yield "ZOOM", {"box": [0, 0, GRID, GRID]}
        image = evidence.get("picture")
        regions = vision.find_blobs(read_image(image), [colour], SMALLEST) if isinstance(image, Artefact) else []
        return str(len(regions))

    question = f"How many {colour} shapes are there, small ones included? Answer with a number from 1 to {COUNTS[-1]}."
    targets = tuple((0, id) for id in counted)
    return Challenge(question, str(count), scene, COUNTS, targets=targets, chain=chain)


COUNT_CLUTTER = Task("count-clutter", "number of small shapes of a colour", "helps", 1, _count_clutter)


SIDE, CELL, CODE = 512, 8, 3
"""Side of a frame, side of a character's cell and so the factor of the first view, and characters of a code."""
_MARGIN = 4
"""Pixels around a plate that is read again."""
_LEVELS: dict[str, dict[str, Any]] = {"base": {"sans": 1.0}, "hard": {"sans": 0.0, "distractors": 30, "textures": 0.5}}


def make_scene(seed: int, index: int, level: str, **changes: Any) -> FlatScene:
    """The scene of a challenge."""
    return make_flat(seed, index, **(_LEVELS[level] | {"side": SIDE, "cell": CELL, "code": CODE} | changes))


def name_of(sprite: Sprite) -> str:
    """Colour and shape, as questions name a thing."""
    return f"{sprite.colour} {sprite.shape}"


def box_of(sprite: Sprite) -> tuple[float, float, float, float]:
    """Bounding box of a plate in pixels."""
    x0, y0, x1, y1 = sprite.rectangle
    return float(x0), float(y0), float(x1), float(y1)


def circle_of(sprite: Sprite) -> tuple[float, float, float, float]:
    """Box around the circle that contains a shape."""
    half = sprite.size / 2
    return sprite.x - half, sprite.y - half, sprite.x + half, sprite.y + half


def inner_point(scene: FlatScene, id: str) -> list[int]:
    """The point of a sprite that is farthest from its outline, in thousandths."""
    mask = truth(scene).visible_mask(id)
    row, column = np.unravel_index(int(distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1].argmax()), mask.shape)
    return point_of(float(column) + 0.5, float(row) + 0.5, SIDE)


def carriers(scene: FlatScene) -> list[Sprite]:
    """Things with a plate that shows a code, in painting order."""
    carried = {sprite.carrier for sprite in scene.sprites if sprite.shape == "plate" and sprite.text}
    return [sprite for sprite in scene.sprites if sprite.id in carried]


def read_plate(plate: Sprite) -> Chain:
    """Read a plate; its box is exact, because surroundings confuse the reader.

    A second call with a margin follows if the first finds no code: the reader is unsure of some letters, such as W.
    """
    text, (left, top, right, bottom) = "", box_of(plate)
    for margin in (0, _MARGIN):
        box = left - margin, top - margin, right + margin, bottom + margin
        evidence = yield "OCR", {"box": to_grid(box, SIDE)}
        text = read_text(evidence)
        if len(text) == CODE:
            break
    return text


def _largest_colour(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level)
    largest = scene.sprite(scene.roles["largest"])

    def chain() -> Chain:
        yield from ()  # no call is needed
        return largest.colour

    question = "What is the colour of the largest shape?"
    guesses = contrasting_colours((scene.background.colour, scene.background.other))
    return Challenge(question, largest.colour, scene, tuple(COLOURS), guesses=tuple(guesses), chain=chain)


def _read_code(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level, hop=False)
    thing = carriers(scene)[int(generator(seed, "agent/read-code", index).integers(len(carriers(scene))))]
    plate = scene.plate_of(thing.id)
    question = f"What is the code on the plate below the {name_of(thing)}? It has {CODE} characters."
    return Challenge(
        question, plate.text, scene, length=CODE, targets=((0, plate.id),), chain=partial(read_plate, plate)
    )


def _compare_areas(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level, textures=0.0, gap=(0.06, 0.12) if level == "base" else (0.03, 0.06))
    pair = [scene.sprite(scene.roles[role]) for role in ("larger", "smaller")]
    if generator(seed, "agent/compare-areas", index).random() < 0.5:
        shown = pair
    else:
        shown = pair[::-1]

    def chain() -> Chain:
        areas = []
        for thing in shown:
            segment = yield "SEG", {"point": inner_point(scene, thing.id)}
            properties = yield "PROP", {"ref": str(segment.get("ref", "none")), "keys": ["area"]}
            areas.append(float(properties.get("area", 0.0)))
        return name_of(shown[0] if areas[0] > areas[1] else shown[1])

    names = tuple(name_of(thing) for thing in shown)
    question = f"Which has the larger area: the {names[0]} or the {names[1]}?"
    return Challenge(
        question, name_of(pair[0]), scene, names, targets=tuple((0, thing.id) for thing in pair), chain=chain
    )


def _same_code(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level)
    first, second = (scene.sprite(scene.roles[role]) for role in ("first", "second"))
    others = [thing for thing in carriers(scene) if thing.id != first.id]
    others = [others[place] for place in generator(seed, "agent/same-code", index).permutation(len(others)).tolist()]
    if len({thing.shape for thing in others}) < len(others):
        return _same_code(seed, index + NEXT, level)

    def chain() -> Chain:
        wanted = yield from read_plate(scene.plate_of(first.id))
        texts: list[str] = []
        for thing in others:
            texts.append((yield from read_plate(scene.plate_of(thing.id))))
            if texts[-1] and texts[-1] == wanted:
                break
        return others[most_alike(wanted, texts)].shape

    targets = tuple((0, scene.plate_of(thing.id).id) for thing in (first, second))
    question = f"One other plate shows the same code as the plate below the {name_of(first)}. Which shape is above it?"
    guesses = tuple(thing.shape for thing in others)
    return Challenge(question, second.shape, scene, tuple(SHAPES), guesses=guesses, targets=targets, chain=chain)


NEXT = 1_000_000
"""Distance to the scene that is tried instead of one that does not suit a task."""


def _odd_code(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level, hop=False)
    things = carriers(scene)
    if len({thing.shape for thing in things}) < len(things):
        return _odd_code(seed, index + NEXT, level)
    rng = generator(seed, "agent/odd-code", index)
    odd = things[int(rng.integers(len(things)))]
    common, other = rng.permutation(sorted({scene.plate_of(thing.id).text for thing in things})).tolist()[:2]
    for thing in things:
        plate = scene.plate_of(thing.id)
        scene = scene.with_sprite(replace(plate, text=other if thing.id == odd.id else common))

    def chain() -> Chain:
        texts = []
        for thing in things:
            texts.append((yield from read_plate(scene.plate_of(thing.id))))
        return things[most_different(texts)].shape

    targets = tuple((0, scene.plate_of(thing.id).id) for thing in things)
    question = "All plates but one show the same code. Which shape is above the plate with the other code?"
    guesses = tuple(thing.shape for thing in things)
    return Challenge(question, odd.shape, scene, tuple(SHAPES), guesses=guesses, targets=targets, chain=chain)


def _two_codes(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level, hop=False)
    order = generator(seed, "agent/two-codes", index).permutation(len(carriers(scene)))[:2]
    pair = [carriers(scene)[int(place)] for place in order]
    plates = [scene.plate_of(thing.id) for thing in pair]

    def chain() -> Chain:
        return (yield from read_plate(plates[0])) + (yield from read_plate(plates[1]))

    question = (
        f"Read the code on the plate below the {name_of(pair[0])}, then the one below the {name_of(pair[1])}. What are "
        f"both codes together, {2 * CODE} characters without a space?"
    )
    answer = plates[0].text + plates[1].text
    return Challenge(
        question, answer, scene, length=2 * CODE, targets=tuple((0, plate.id) for plate in plates), chain=chain
    )


LARGEST_COLOUR = Task("largest-colour", "colour of the largest shape", "nothing", 0, _largest_colour)
READ_CODE = Task("read-code", "code on the plate of a thing", "tools", 1, _read_code, reads=True)
COMPARE_AREAS = Task("compare-areas", "which of two shapes is larger, by 6 to 12 %", "helps", 4, _compare_areas)
SAME_CODE = Task("same-code", "shape of the other plate with the same code", "tools", 5, _same_code, reads=True)
ODD_CODE = Task("odd-code", "shape of the only plate with another code", "tools", 5, _odd_code, reads=True)
TWO_CODES = Task("two-codes", "codes on two plates, in order", "tools", 2, _two_codes, reads=True)
