"""The scripted agent: for each question its calls, and an answer from what they return; as a net."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent import _vision as vision
from pixelproof.benches.agent._controls import play_chain
from pixelproof.benches.agent._reply import with_confidence
from pixelproof.benches.agent.tasks import (
    COUNTS,
    SMALLEST,
    Chain,
    Evidence,
    Request,
    most_alike,
    most_different,
    read_text,
    to_grid,
)
from pixelproof.contract import Answer, Artefact, PixelProofError, Prompt
from pixelproof.pixels import read_image
from pixelproof.world.flat import ALPHABET, SHAPES

Pixels = npt.NDArray[np.uint8]
Rng = np.random.Generator
_WHOLE = [0, 0, 1000, 1000]
_STRIP, _GAP = 320, 4
"""Side of a frame in a strip of TEMP, and the space between two."""
_PATCH = 3
"""Pixels around the middle of a lamp that its colour is read from."""


class Guess(NamedTuple):
    """An answer with the confidence in it, from 0 to 1."""

    answer: str
    confidence: float


Plan = Generator[Request, Evidence, Guess]
"""Yields calls, receives their results, returns the answer."""


@dataclass(frozen=True)
class Scene:
    """What the first prompt says."""

    view: Pixels | None
    """The first view; None if there is none."""
    side: int
    """Width of the frame in pixels."""
    frames: int
    rng: Rng

    def choose(self, options: Sequence[str]) -> Guess:
        """One of the options, at random, without confidence."""
        return Guess(options[int(self.rng.integers(len(options)))], 0.0)

    def code(self, length: int) -> Guess:
        """A random code, without confidence."""
        return Guess("".join(self.rng.choice(list(ALPHABET), length)), 0.0)

    def grid(self, box: Sequence[float]) -> list[int]:
        """A box in pixels as coordinates of a call."""
        return to_grid(box, self.side)


def plan_for(question: str, scene: Scene) -> Plan:
    """The plan for a question.

    Raises:
        PixelProofError: It is none of the questions that the agent knows.
    """
    for pattern, make in _PLANS:
        if match := pattern.search(question):
            return make(scene, match)
    raise PixelProofError(f"The scripted agent does not know this question: {question[:120]!r}. Choose another model.")


def _look(frame: int = 0) -> Generator[Request, Evidence, Pixels | None]:
    """The whole frame at the resolution of ZOOM; None if the call failed."""
    evidence = yield "ZOOM", {"box": _WHOLE, "frame": frame}
    return _picture(evidence)


def _picture(evidence: Evidence) -> Pixels | None:
    image = evidence.get("picture")
    return read_image(image) if isinstance(image, Artefact) else None


def _read(scene: Scene, box: vision.Box, frame: int = 0) -> Generator[Request, Evidence, Guess]:
    """Text in a box, and the confidence of the reader."""
    evidence = yield "OCR", {"box": scene.grid(box), "frame": frame}
    return Guess(read_text(evidence), float(evidence.get("conf", 0.0)))


def _plate_of(blob: vision.Blob, picture: Pixels) -> vision.Box:
    left, _, right, bottom = blob.box
    return vision.find_plate(picture, (left + right) / 2, bottom, bottom + 10)[0]


def _largest(scene: Scene, match: re.Match[str]) -> Plan:
    """The colour of the largest region of the first view; without one, of the whole frame."""
    picture = scene.view
    if picture is None:
        picture = yield from _look()
    blobs = vision.find_blobs(picture) if picture is not None else []
    if not blobs:
        return scene.choose(vision.WORDS)
    second = next((blob.area for blob in blobs[1:]), 0)
    return Guess(blobs[0].colour, 1 - second / blobs[0].area)


def _code_below(scene: Scene, match: re.Match[str]) -> Plan:
    return (yield from _codes(scene, [match.groups()]))


def _two_codes(scene: Scene, match: re.Match[str]) -> Plan:
    return (yield from _codes(scene, [match.groups()[:2], match.groups()[2:]]))


def _codes(scene: Scene, names: Sequence[Sequence[str]]) -> Plan:
    """The codes below some things, one after the other."""
    picture = yield from _look()
    parts = []
    for colour, shape in names:
        thing = None if picture is None else vision.find_thing(picture, colour, shape)
        if picture is None or thing is None:
            parts.append(scene.code(3))
            continue
        read = yield from _read(scene, _plate_of(thing, picture))
        parts.append(read if len(read.answer) == 3 else scene.code(3))
    return Guess("".join(part.answer for part in parts), min(part.confidence for part in parts))


def _compare(scene: Scene, match: re.Match[str]) -> Plan:
    picture = yield from _look()
    pair = [(match[1], match[2]), (match[3], match[4])]
    names = [" ".join(words) for words in pair]
    areas = []
    for colour, shape in pair:
        thing = None if picture is None else vision.find_thing(picture, colour, shape)
        if thing is None:
            return scene.choose(names)
        x, y = thing.inner_point
        segment = yield "SEG", {"point": [round(1000 * x / scene.side), round(1000 * y / scene.side)]}
        properties = yield "PROP", {"ref": str(segment.get("ref", "none")), "keys": ["area"]}
        areas.append(float(properties.get("area", 0.0)))
    if not all(areas) or areas[0] == areas[1]:
        return scene.choose(names)
    return Guess(names[int(areas[1] > areas[0])], min(1.0, 10 * abs(areas[0] / areas[1] - 1)))


def _follow(scene: Scene, match: re.Match[str]) -> Plan:
    last = scene.frames - 1
    segment = yield "SEG", {"point": [int(match[1]), int(match[2])], "frame": 0}
    if not segment.get("ok"):
        return scene.code(3)
    track = yield "TRK", {"ref": segment["ref"], "t0": 0, "t1": last}
    picture = yield from _look(last)
    if not track.get("boxes") or picture is None:
        return scene.code(3)
    left, _, right, bottom = (value * scene.side / 1000 for value in track["boxes"][-1])
    plate, _ = vision.find_plate(picture, (left + right) / 2, round(bottom) - 4, round(bottom) + 26)
    read = yield from _read(scene, plate, last)
    return read if len(read.answer) == 3 else scene.code(3)


def _lit_colours(scene: Scene, x: int, y: int) -> Generator[Request, Evidence, list[Guess]]:
    """Colours of a lamp, in order, read from strips that show all frames; pauses are grey."""
    shown: list[Guess] = []
    for first in range(0, scene.frames, 4):
        evidence = yield "TEMP", {"t0": first, "t1": min(first + 3, scene.frames - 1)}
        strip = _picture(evidence)
        for place in range(len(evidence.get("frames", ())) if strip is not None else 0):
            assert strip is not None
            column, row = place * (_STRIP + _GAP) + x * _STRIP // 1000, y * _STRIP // 1000
            patch = strip[max(row - _PATCH, 0) : row + _PATCH + 1, max(column - _PATCH, 0) : column + _PATCH + 1]
            shown.append(Guess(*vision.word_of(np.median(patch.reshape(-1, 3), axis=0))))
    runs = [frame for place, frame in enumerate(shown) if not place or shown[place - 1].answer != frame.answer]
    return [run for run in runs if run.answer != "grey"]


_LAMP = tuple(word for word in vision.WORDS if word not in ("grey", "brown"))


def _flash(scene: Scene, match: re.Match[str]) -> Plan:
    lit = yield from _lit_colours(scene, int(match[1]), int(match[2]))
    return lit[0] if len(lit) == 1 and lit[0].answer in _LAMP else scene.choose(_LAMP)


def _order(scene: Scene, match: re.Match[str]) -> Plan:
    count = int(match[3])
    lit = yield from _lit_colours(scene, int(match[1]), int(match[2]))
    if len(lit) != count:
        return Guess(", ".join(scene.rng.choice(_LAMP, count, replace=False)), 0.0)
    return Guess(", ".join(run.answer for run in lit), min(run.confidence for run in lit))


def _count(scene: Scene, match: re.Match[str]) -> Plan:
    picture = yield from _look()
    if picture is None:
        return scene.choose(COUNTS)
    found = vision.find_blobs(picture, [match[1]], SMALLEST)
    return Guess(str(len(found)), 0.9) if str(len(found)) in COUNTS else scene.choose(COUNTS)


def _all_codes(scene: Scene) -> Generator[Request, Evidence, list[tuple[vision.Blob, Guess]]]:
    """Every thing with a plate, and what the plate says."""
    picture = yield from _look()
    read = []
    for blob, plate in [] if picture is None else vision.find_labelled(picture):
        read.append((blob, (yield from _read(scene, plate))))
    return read


def _shape_of(blob: vision.Blob) -> str:
    scores = vision.shape_scores(blob.mask)
    return max(scores, key=scores.__getitem__)


def _same(scene: Scene, match: re.Match[str]) -> Plan:
    read = yield from _all_codes(scene)
    named = [pair for pair in read if pair[0].colour == match[1]]
    if not named:
        return scene.choose(tuple(SHAPES))
    first = max(named, key=lambda pair: vision.shape_scores(pair[0].mask).get(match[2], 0.0))
    others = [pair for pair in read if pair[0] is not first[0]]
    if not first[1].answer or not any(guess.answer for _, guess in others):
        return scene.choose([_shape_of(blob) for blob, _ in others] or tuple(SHAPES))
    blob, same = others[most_alike(first[1].answer, [guess.answer for _, guess in others])]
    sure = min(first[1].confidence, same.confidence) if same.answer == first[1].answer else 0.0
    return Guess(_shape_of(blob), sure)


def _odd(scene: Scene, match: re.Match[str]) -> Plan:
    read = yield from _all_codes(scene)
    texts = [guess.answer for _, guess in read]
    if len(read) < 3 or len(set(texts)) == 1:
        return scene.choose([_shape_of(blob) for blob, _ in read] or tuple(SHAPES))
    sure = min(guess.confidence for _, guess in read) if len(set(texts)) == 2 else 0.0
    return Guess(_shape_of(read[most_different(texts)][0]), sure)


_THING = r"(\w+) (\w+)"
_LAMP_AT = r"x = (\d+), y = (\d+) is a lamp\. "
_PLANS: tuple[tuple[re.Pattern[str], Callable[[Scene, Any], Plan]], ...] = tuple(
    (re.compile(pattern), plan)
    for pattern, plan in (
        (r"colour of the largest shape", _largest),
        (rf"same code as the plate below the {_THING}\.", _same),
        (r"All plates but one show the same code", _odd),
        (rf"Read the code on the plate below the {_THING}, then the one below the {_THING}\.", _two_codes),
        (rf"code on the plate below the {_THING}\?", _code_below),
        (rf"larger area: the {_THING} or the {_THING}\?", _compare),
        (r"How many (\w+) shapes", _count),
        (r"has its centre at x = (\d+), y = (\d+)\. It moves", _follow),
        (_LAMP_AT + r"In a few frames", _flash),
        (_LAMP_AT + r"It shows (\d+) colours", _order),
    )
)
"""Questions, and what to do about each."""


_SIZE = re.compile(r"of (\d+) × (\d+) pixels")
_FRAMES = re.compile(r"A clip of (\d+) frames")


class ScriptedAgent:
    """Answers the questions of the bench by a fixed program: real tools, no truth, nothing but the prompt.

    It finds things in pictures by colour and outline, reads plates by OCR, and measures by SEG, PROP, TRK and TEMP.
    Where the evidence does not tell, it guesses, with a confidence of 0.
    """

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """The next call, or the answer.

        Raises:
            PixelProofError: The prompt asks none of the questions that it knows.
        """
        parts = prompt.history[0].parts if prompt.history else prompt.parts
        texts = [part for part in parts if isinstance(part, str)]
        view = next((part for part in parts if isinstance(part, Artefact)), None)
        size = _SIZE.search(texts[0]) if texts else None
        if size is None:
            raise PixelProofError(
                "The scripted agent answers questions of the bench 'agent' alone: choose another model."
            )
        frames = _FRAMES.search(texts[0])
        picture = None if view is None else read_image(view)
        scene = Scene(picture, int(size[1]), int(frames[1]) if frames else 1, rng)
        return play_chain(_worded(plan_for(texts[-1], scene)), prompt)

    def card(self) -> Mapping[str, Any]:
        """Its revision."""
        return {"revision": 1}


def _worded(plan: Plan) -> Chain:
    """A plan whose answer is the text of a reply."""
    guess = yield from plan
    return with_confidence(guess.answer, guess.confidence)
