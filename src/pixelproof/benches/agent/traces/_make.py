"""Executing the chains of challenges, with and without mistakes, and keeping what leads to the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from pixelproof.benches.agent._frozen import frozen_challenges
from pixelproof.benches.agent.tasks import READER, TASKS, Challenge, Request, to_grid
from pixelproof.contract import Call, PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.stats import generator
from pixelproof.tools import DEFAULTS, Backends, Budget, Media, Step, Toolbox, ToolResult, Trace, describe_media, replay
from pixelproof.tools.episodes import TraceFile, with_media
from pixelproof.world.sets import encode_webp

from ._duplicates import NEAR, KnownViews
from ._mistakes import misleads, mistakes

_UNLIMITED = Budget(None, None, None, None, None, None)
_THOUGHTS = {
    "ZOOM": "Look closer at this part.",
    "SEG": "Mark the thing at this point.",
    "PROP": "Measure what is marked.",
    "OCR": "Read the text in this box.",
    "TRK": "Follow it to the last frame.",
    "TEMP": "Look at these frames.",
}
_AFTER = {
    "shifted-box": "The box was beside it. Take the right one.",
    "over-zoom": "The box was too narrow. Take the whole one.",
    "wrong-object": "That was another thing. Take the right one.",
    "background": "There is nothing. Take the right point.",
    "wrong-frame": "That was another frame. Take the right one.",
}


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
            step = _step(toolbox, request, _THOUGHTS[request[0]])
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
            slip = _step(toolbox, request, _THOUGHTS[request[0]], mask_loss=True)
            trap = misleads(slip.result, golden[place].result)
            if trap is None or (not slip.result.ok and slip.result.error == "BACKEND"):
                continue
            after = [_again(toolbox, step) for step in golden[place:]]
            after[0] = Step(after[0].call, after[0].result, _AFTER[name], picture=after[0].picture)
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
            "generator": f"pixelproof trace make {task}",
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
