"""Tasks about solid scenes: a code on a thing in a rendered scene, and codes that appear on it for a moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import MissingExtra
from pixelproof.world.flat import ALPHABET

from ._challenge import Chain, Challenge, Task, read_text, to_grid
from ._solid_media import SIDE, Sign, SolidMedia
from ._stills import CODE

if TYPE_CHECKING:
    from pixelproof.world.solid import Scene, Thing

Rng = np.random.Generator
Ids = npt.NDArray[np.uint16]
_TRIES = 256
"""Scenes that are tried for a challenge, at most."""
_FACING = 0.7
"""Least cosine of the angle between the normal of a label and the direction to the camera."""
_CAPITALS = 0.36, 0.86
"""Height of capitals that fill a label with a code: share of its width and of its height, whichever is less."""
_UNCOVERED = 0.9
"""Share of a label's box in which its thing is visible."""
_FRAMES = 6
"""Frames of a clip."""
_LIT = {"base": 2, "hard": 1}
"""Frames in which a single code is shown."""


@dataclass(frozen=True)
class _Limits:
    """What a level allows."""

    capitals: tuple[float, float]
    """Height of a code in pixels; a sixteenth of it in the first view."""
    slant: float
    """Largest angle of a line of text to the horizontal, in degrees."""
    clutter: float
    """How close things stand, from 0 to 1."""


_LEVELS = {
    "base": _Limits((15, 30), 10, 0.3),
    "hard": _Limits((11, 15), 18, 0.8),
}


def _scenes(stream: str, seed: int, index: int, limits: _Limits) -> Iterator[Scene]:
    """Scenes of all kinds in random order, as many as are tried."""
    from pixelproof.world.solid import KINDS, make_scene

    rng = generator(seed, f"{stream}/kinds", index)
    for attempt in range(_TRIES):
        kind = KINDS[int(rng.integers(len(KINDS)))]
        try:
            yield make_scene(kind, seed, index * _TRIES + attempt, clutter=limits.clutter, occlusion=0.2)
        except MissingExtra:
            raise
        except PixelProofError:  # this arrangement finds no place for its things
            continue


def _no_scene(task: str, seed: int, index: int) -> PixelProofError:
    return PixelProofError(f"No scene suits {task} {index} of seed {seed} in {_TRIES} attempts: choose another --seed.")


def _readable_signs(scene: Scene, limits: _Limits) -> list[Sign]:
    """Labels of things that face the camera, upright, with space for a code of the right size."""
    from pixelproof.world.solid.shapes import shape_of

    signs = []
    for thing in scene.movable:
        boxes = [_label_box(scene, thing, label.frame, limits) for label in shape_of(thing).labels]
        signs += [Sign(thing.id, box) for box in boxes if box is not None][:1]
    return signs


def _label_box(
    scene: Scene, thing: Thing, label: npt.NDArray[np.float64], limits: _Limits
) -> tuple[int, int, int, int] | None:
    """Bounding box in pixels of a label, given by its frame, that can be read; None if it cannot."""
    centre, right, up, normal = label
    own = np.array([centre + a * right + b * up for b in (1, -1) for a in (-1, 1)])
    corners = own @ thing.matrix[:3, :3].T + thing.matrix[:3, 3]
    facing = thing.matrix[:3, :3] @ normal
    way = np.array(scene.camera.position) - corners.mean(axis=0)
    if facing @ way < _FACING * np.linalg.norm(facing) * np.linalg.norm(way):
        return None
    shown = scene.camera.project(corners, SIDE, SIDE)[:, :2]
    line, column = shown[1] - shown[0], shown[2] - shown[0]
    capitals = min(_CAPITALS[0] * np.hypot(*line), _CAPITALS[1] * np.hypot(*column))
    upright = abs(np.degrees(np.arctan2(line[1], line[0]))) <= limits.slant
    low, high = np.floor(shown.min(axis=0)), np.ceil(shown.max(axis=0))
    if not (upright and limits.capitals[0] <= capitals <= limits.capitals[1] and low.min() >= 0 and high.max() <= SIDE):
        return None
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _ids(scene: Scene) -> Ids:
    from pixelproof.world.solid.render import render

    return render(scene, SIDE, layers=("ids",)).ids


def _is_uncovered(scene: Scene, ids: Ids, sign: Sign) -> bool:
    left, top, right, bottom = sign.box
    place = [thing.id for thing in scene.things].index(sign.thing) + 1
    return bool((ids[top:bottom, left:right] == place).mean() >= _UNCOVERED)


def _named(scene: Scene, id: str, rng: Rng) -> str | None:
    """A phrase that identifies a thing by its kind, colour and material, such as `the red mug`."""
    from pixelproof.world.language import refer, view_of

    expression = refer(view_of(scene), id, rng, ("noun", "attribute"))
    return None if expression is None else expression.text


def _sign_scene(task: str, seed: int, index: int, level: str) -> tuple[Scene, Ids, Sign, str, str]:
    """A scene with a sign that can be read: its ids, the sign, the phrase for it, and a random code."""
    limits = _LEVELS[level]
    rng = generator(seed, f"agent/{task}", index)
    for scene in _scenes(f"agent/{task}", seed, index, limits):
        signs = _readable_signs(scene, limits)
        for sign in [signs[place] for place in rng.permutation(len(signs)).tolist()]:
            name = _named(scene, sign.thing, rng)
            ids = None if name is None else _ids(scene)
            if name is not None and ids is not None and _is_uncovered(scene, ids, sign):
                return scene, ids, sign, name, "".join(rng.choice(list(ALPHABET), CODE))
    raise _no_scene(task, seed, index)


def _with_text(scene: Scene, id: str, text: str) -> Scene:
    return scene.with_thing(replace(scene.thing(id), text=text))


def _read_box(sign: Sign, frame: int) -> Chain:
    evidence = yield "OCR", {"box": to_grid(sign.box, SIDE), "frame": frame}
    return read_text(evidence)


def _read_sign(seed: int, index: int, level: str) -> Challenge:
    scene, ids, sign, name, code = _sign_scene("read-sign", seed, index, level)
    media = SolidMedia((_with_text(scene, sign.thing, code),), ids, (sign,))
    question = f"What is the code on {name}? It has {CODE} characters."
    return Challenge(question, code, media, length=CODE, targets=((0, sign.id),), chain=lambda: _read_box(sign, 0))


def _flash_sign(seed: int, index: int, level: str) -> Challenge:
    scene, ids, sign, name, code = _sign_scene("flash-sign", seed, index, level)
    lit = _LIT[level]
    first = 1 + int(generator(seed, "agent/flash-sign/frame", index).integers(_FRAMES - lit))
    states = tuple(_with_text(scene, sign.thing, text) for text in ("", code))
    media = SolidMedia(states, ids, (sign,), tuple(int(first <= frame < first + lit) for frame in range(_FRAMES)))
    question = f"At first, {name} is blank. In some frames, it shows a code of {CODE} characters. What is that code?"
    return Challenge(
        question, code, media, length=CODE, targets=((first, sign.id),), chain=lambda: _read_box(sign, first)
    )


def _order_sign(seed: int, index: int, level: str) -> Challenge:
    scene, ids, sign, name, first = _sign_scene("order-sign", seed, index, level)
    rng = generator(seed, "agent/order-sign/frames", index)
    codes = first, "".join(rng.choice(list(ALPHABET), CODE))
    frames = sorted((1 + rng.choice(_FRAMES - 1, len(codes), replace=False)).tolist())
    states = tuple(_with_text(scene, sign.thing, text) for text in ("", *codes))
    shown = tuple(frames.index(frame) + 1 if frame in frames else 0 for frame in range(_FRAMES))

    def chain() -> Chain:
        return (yield from _read_box(sign, frames[0])) + (yield from _read_box(sign, frames[1]))

    question = (
        f"At first, {name} is blank. Then it shows two codes, one after the other, each in one frame. What are both "
        f"codes together, {len(codes) * CODE} characters without a space?"
    )
    return Challenge(
        question, "".join(codes), SolidMedia(states, ids, (sign,), shown), length=len(codes) * CODE,
        targets=tuple((frame, sign.id) for frame in frames), chain=chain,
    )  # fmt: skip


READ_SIGN = Task("read-sign", "code on a thing in a rendered scene", "unproven", 1, _read_sign, reads=True)
FLASH_SIGN = Task("flash-sign", "code that a thing shows in some frames", "tools", 1, _flash_sign, reads=True)
ORDER_SIGN = Task("order-sign", "two codes that a thing shows, in order", "tools", 2, _order_sign, reads=True)
