"""Traces: chains of challenges, with mistakes or without; what leads to the answer is kept, near-duplicates are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent._frozen import frozen_challenges
from pixelproof.benches.agent.tasks import READER, TASKS, Challenge, Request, to_grid
from pixelproof.contract import Call, PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.stats import generator
from pixelproof.tools import (
    DEFAULTS,
    GRID,
    Backends,
    Budget,
    Media,
    Step,
    Toolbox,
    ToolResult,
    Trace,
    describe_media,
    replay,
)
from pixelproof.tools.episodes import TraceFile, with_media
from pixelproof.world.flat import ALPHABET, draw, thumbnail
from pixelproof.world.sets import encode_webp

NEAR = 4.0
"""Mean difference of two first views, in grey levels of 255, below which they are near-duplicates."""
_FACTOR = 8


class KnownViews:
    """First views of a test set, to which others are compared.

    Args:
        challenges: The test set.
    """

    def __init__(self, challenges: Iterable[Challenge]) -> None:
        views = [first_view(challenge) for challenge in challenges]
        self._views = np.stack(views) if views else np.zeros((0, 0))

    def distance(self, challenge: Challenge) -> float:
        """Mean absolute difference to the nearest first view of the set, in grey levels; infinite if it is empty."""
        if not len(self._views):
            return float("inf")
        return float(np.abs(self._views - first_view(challenge)).mean(axis=1).min())


def first_view(challenge: Challenge) -> npt.NDArray[np.float32]:
    """Pixels of the first view as a vector."""
    return np.asarray(thumbnail(draw(challenge.flat_scene(0)), _FACTOR), np.float32).ravel()


Rng = np.random.Generator


def mistakes(request: Request, challenge: Challenge, rng: Rng) -> Iterator[tuple[str, Request]]:
    """Wrong versions of a call, each with the name of the mistake; in random order."""
    tool, given = request
    made: list[tuple[str, Mapping[str, Any]]] = []
    if tool in ("OCR", "ZOOM"):
        made = [("shifted-box", _shifted(given, rng)), ("over-zoom", _narrow(given))]
        made += [("wrong-object", {"box": box}) for box in _other_plates(challenge, given)]
    if tool == "SEG":
        made = [("wrong-object", {"point": point}) for point in _other_things(challenge, given)]
        made.append(("background", {"point": _corner(given)}))
    if tool in ("OCR", "SEG", "ZOOM") and challenge.frames.ndim == 4:
        frames = [frame for frame in range(len(challenge.frames)) if frame != given.get("frame", 0)]
        made.append(("wrong-frame", {"frame": int(rng.choice(frames))}))
    for place in rng.permutation(len(made)):
        name, changes = made[int(place)]
        yield name, (tool, {**given, **changes})


def _shifted(given: Mapping[str, Any], rng: Rng) -> dict[str, Any]:
    """The box moved by its own width, to the side where there is more space."""
    left, top, right, bottom = given["box"]
    width = right - left
    move = -min(width, left) if left > GRID - right else min(width, GRID - right)
    return {"box": [left + move, top, right + move, bottom]}


def _narrow(given: Mapping[str, Any]) -> dict[str, Any]:
    """The middle third of the box."""
    left, top, right, bottom = given["box"]
    third = max(1, (right - left) // 3)
    return {"box": [left + third, top, max(right - third, left + third + 1), bottom]}


def _other_plates(challenge: Challenge, given: Mapping[str, Any]) -> list[list[int]]:
    """Boxes of plates with a text in the frame, other than the one that is read."""
    scene = challenge.flat_scene(int(given.get("frame", 0)))
    boxes = [to_grid([float(side) for side in one.rectangle], scene.width) for one in scene.sprites if one.text]
    return [box for box in boxes if abs(box[0] - given["box"][0]) + abs(box[1] - given["box"][1]) > 20]


def _other_things(challenge: Challenge, given: Mapping[str, Any]) -> list[list[int]]:
    """Centres of other things in the frame."""
    scene = challenge.flat_scene(int(given.get("frame", 0)))
    centres = [[round(GRID * one.x / scene.width), round(GRID * one.y / scene.width)] for one in scene.sprites
               if not one.upright and one.role == "thing"]  # fmt: skip
    inside = [centre for centre in centres if min(centre) >= 0 and max(centre) <= GRID]
    return [centre for centre in inside if max(abs(a - b) for a, b in zip(centre, given["point"], strict=True)) > 40]


def _corner(given: Mapping[str, Any]) -> list[int]:
    x, y = given["point"]
    return [3 if x > GRID / 2 else GRID - 3, 3 if y > GRID / 2 else GRID - 3]


def misleads(wrong: ToolResult, right: ToolResult) -> bool | None:
    """Whether a wrong result looks like an answer (a trap), or is of no use (None: it is as good as the right one)."""
    if not wrong.ok:
        return False
    if wrong.tool == "OCR":
        texts = ["".join(str(result.evidence["text"]).split()).upper() for result in (wrong, right)]
        if texts[0] == texts[1]:
            return None
        return len(texts[0]) == len(texts[1]) and set(texts[0]) <= set(ALPHABET)
    if wrong.tool == "SEG":
        same_frame = wrong.evidence["frame"] == right.evidence["frame"]
        return None if same_frame and wrong.evidence["box"] == right.evidence["box"] else True
    return wrong.evidence != right.evidence or None


_UNLIMITED = Budget(None, None, None, None, None, None)
THOUGHTS = {
    "ZOOM": "Look closer at this part.",
    "SEG": "Mark the thing at this point.",
    "PROP": "Measure what is marked.",
    "OCR": "Read the text in this box.",
    "TRK": "Follow it to the last frame.",
    "TEMP": "Look at these frames.",
}
"""Tool → what is said before a call of it."""
AFTER = {
    "shifted-box": "The box was beside it. Take the right one.",
    "over-zoom": "The box was too narrow. Take the whole one.",
    "wrong-object": "That was another thing. Take the right one.",
    "background": "There is nothing. Take the right point.",
    "wrong-frame": "That was another frame. Take the right one.",
}
"""Mistake → what is said after it, before the right call."""


@dataclass
class Made:
    """What became of the challenges."""

    kept: Counter[str] = field(default_factory=Counter)
    """Kind → number of traces."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Reason → number of challenges without a trace."""


def make_traces(
    file: TraceFile, count: int, seed: int, tasks: Sequence[str] = (), level: str = "base", wrong: float = 0.4
) -> Made:
    """Write traces of challenges: golden ones, and with some probability one with a mistake instead.

    A trace is kept if its answer, which follows from the evidence, is right, and if executing it again gives the same
    digests. A mistake is executed like any other call, and left out of the loss. It makes a `trap` if its result looks
    like an answer, and a `recovery` if it is of no use. Challenges whose first view resembles one of the frozen set are
    left out.

    Args:
        file: Where to.
        count: Number of challenges.
        seed: Seed of the challenges.
        tasks: Names of tasks; all, if empty.
        level: `base` or `hard`.
        wrong: Share of challenges of which a trace with a mistake is made.
    """
    names, made = list(tasks or TASKS), Made()
    known = KnownViews(challenge for _, challenge in frozen_challenges())  # tasks share scenes
    backends = Backends(ocr=READER)

    def traces() -> Iterator[Trace]:
        for number in range(count):
            name = names[number % len(names)]
            challenge = TASKS[name].make(seed, number, level)
            if known.distance(challenge) < NEAR:
                made.dropped["near-duplicate of the frozen set"] += 1
                continue
            rng = generator(seed, f"agent/traces/{name}/{level}", number)
            steps = _attempt(challenge, backends, rng, rng.random() < wrong)
            if isinstance(steps, str):
                made.dropped[steps] += 1
                continue
            trace = _trace(f"{name}-{level}-{seed}-{number:06d}", challenge, steps, name, level, seed)
            made.kept[trace.kind] += 1
            yield _stored(trace, challenge, file)

    file.write(traces())
    return made


@dataclass(frozen=True)
class _Executed:
    steps: tuple[Step, ...]
    kind: str
    mistake: str = ""


def _attempt(challenge: Challenge, backends: Backends, rng: np.random.Generator, wrong: bool) -> _Executed | str:
    """The steps of a chain that leads to the answer, or why there are none."""
    media = _media(challenge)
    golden = _execute(challenge, Toolbox(media, backends, _UNLIMITED))
    if isinstance(golden, str):
        return golden
    executed = _Executed(golden, "golden")
    if wrong and golden:
        executed = _with_mistake(challenge, media, backends, golden, rng) or executed
    if replay(executed.steps, media, backends):
        return "executing it again gives something else"
    return executed


def _execute(challenge: Challenge, toolbox: Toolbox) -> tuple[Step, ...] | str:
    """All steps of the oracle's chain; why not, if its answer is wrong or a call fails."""
    assert challenge.chain is not None
    chain, steps = challenge.chain(), []
    try:
        request = next(chain)
        while True:
            step = _step(toolbox, request, THOUGHTS[request[0]])
            if not step.result.ok:
                return f"a call of {step.result.tool} fails"
            steps.append(step)
            request = chain.send(_evidence(step.result))
    except StopIteration as end:
        return tuple(steps) if end.value == challenge.answer else "the tools do not lead to the answer"


def _evidence(result: ToolResult) -> dict[str, Any]:
    shown = {"ok": result.ok, "ref": result.ref, **result.evidence}
    return shown if result.image is None else {**shown, "picture": result.image}


def _with_mistake(
    challenge: Challenge, media: Media, backends: Backends, golden: Sequence[Step], rng: np.random.Generator
) -> _Executed | None:
    """The chain with a wrong call before one of its calls; None if there is no such mistake."""
    for place in rng.permutation(len(golden)).tolist():
        call = golden[place].call
        assert not isinstance(call.arguments, str)
        for name, request in mistakes((call.tool, dict(call.arguments)), challenge, rng):
            toolbox = Toolbox(media, backends, _UNLIMITED)
            before = [_again(toolbox, step) for step in golden[:place]]
            slip = _step(toolbox, request, THOUGHTS[request[0]], mask_loss=True)
            trap = misleads(slip.result, golden[place].result)
            if trap is None or (not slip.result.ok and slip.result.error == "BACKEND"):
                continue
            after = [_again(toolbox, step) for step in golden[place:]]
            after[0] = Step(after[0].call, after[0].result, AFTER[name], picture=after[0].picture)
            return _Executed((*before, slip, *after), "trap" if trap else "recovery", name)
    return None


def _step(toolbox: Toolbox, request: Request, thought: str, mask_loss: bool = False) -> Step:
    tool, arguments = request
    call = Call(f"call-{len(toolbox.results)}", tool, arguments)
    return Step(call, toolbox.call(call), thought, mask_loss)


def _again(toolbox: Toolbox, step: Step) -> Step:
    """The same step in another session; calls are numbered anew."""
    assert not isinstance(step.call.arguments, str)
    return _step(toolbox, (step.call.tool, dict(step.call.arguments)), step.thought)


def _media(challenge: Challenge) -> Media:
    frames = challenge.frames
    return Media(frames if frames.ndim == 3 else list(frames), 0.0 if frames.ndim == 3 else _FPS)


_FPS = 8.0


def _trace(id: str, challenge: Challenge, made: _Executed, task: str, level: str, seed: int) -> Trace:
    targets = []
    for frame, sprite in challenge.targets:
        box = challenge.truth(frame).seen[sprite].box
        if box is not None:
            targets.append({"frame": frame, "box": to_grid(box, challenge.scene(frame).width)})
    plates = [challenge.scene(frame).sprite(sprite).text for frame, sprite in challenge.targets]
    return Trace(
        id,
        (describe_media(_media(challenge)),),
        challenge.question,
        {"type": "text", "value": challenge.answer},
        made.steps,
        difficulty=float(TASKS[task].calls + (level == "hard")),
        kind=made.kind,
        targets={"boxes": targets, "text": [text for text in plates if text]},
        provenance={
            "generator": f"pixelproof tools trace make {task}",
            "version": version("pixelproof"),
            "seed": seed,
            "task": task,
            "level": level,
            "backends": {tool.lower(): name for tool, name in DEFAULTS.items()} | {"ocr": READER},
            **({"mistake": made.mistake} if made.mistake else {}),
        },
    )


def _stored(trace: Trace, challenge: Challenge, file: TraceFile) -> Trace:
    """The trace with its media and the pictures of its results in the file's blobs."""
    for step in trace.steps:
        if step.result.image is not None:
            file.blobs.put(step.result.image.data)
    frames = challenge.frames
    data = encode_png(frames).data if frames.ndim == 3 else encode_webp(list(frames), _FPS, lossless=True, quality=0)
    stored = with_media(trace, file, data)
    if file.media(stored).sha256 != trace.media[0]["sha256"]:
        raise PixelProofError(f"The clip of {trace.id} cannot be stored without loss: update Pillow.")
    return stored
