"""From an answer and its trace to a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pixelproof.benches.agent import _process as process
from pixelproof.benches.agent._reply import read_reply
from pixelproof.benches.agent.tasks import Challenge, Task
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, Result
from pixelproof.pixels import encode_png
from pixelproof.tools import ErrorCode, Step
from pixelproof.tools.episodes import steps_of


def score_answer(item: Item, answer: Answer, challenge: Challenge, task: Task) -> Result:
    """Measure an answer; the trace is that of the episode, which the harness played."""
    steps = steps_of(answer.trace)
    metrics = process_metrics(steps, challenge, task)
    broken = next((step.result for step in steps if step.result.error == ErrorCode.BACKEND), None)
    if broken is not None:
        return Result(item.id, metrics, failure=Failure(Fault.INSTRUMENT, "tool-failed", broken.message))
    if answer.failure is not None:
        return Result(item.id, metrics, failure=answer.failure)
    reply = read_reply(answer.text, challenge)
    if reply is None:
        detail = f"the reply names no answer, or several: {answer.text[:80]!r}"
        return Result(item.id, metrics, failure=Failure(Fault.MODEL, "unclear-answer", detail))
    right = reply == challenge.answer
    metrics["accuracy"] = float(right)
    if challenge.targets:
        metrics["faithful"] = [float(right and process.covers(steps, challenge)), float(right)]
    notes = {"answer": reply, "truth": challenge.answer}
    return Result(item.id, metrics, notes=notes, evidence={"picture": first_frame(challenge)})


def first_frame(challenge: Challenge) -> Artefact:
    """The picture, or the first frame of the clip."""
    frames = challenge.frames
    return encode_png(frames[0] if frames.ndim == 4 else frames)


def process_metrics(steps: Sequence[Step], challenge: Challenge, task: Task) -> dict[str, Any]:
    """Metrics of the chain of calls, whether the answer is right or not."""
    good = [step for step in steps if step.result.ok]
    fresh = [step for step in good if not step.result.repeat]
    values = list(process.fidelities(steps, challenge))
    hops, stays = process.hops(steps), process.stays(steps)
    metrics: dict[str, Any] = {
        "uses_tools": float(bool(steps)),
        "uses_valid": float(bool(fresh)),
        "composite": float(process.is_composite(steps)),
        "calls": float(len(steps)),
        "success": [float(len(good)), float(len(steps))],
        "repeats": [float(sum(step.result.repeat for step in steps)), float(len(steps))],
        "hops": [float(sum(hops)), float(len(hops))],
        "stays": [float(sum(stays)), float(len(stays))],
    }
    if values:
        metrics["visfid"] = sum(values) / len(values)
    elif task.needs == "tools":
        metrics["visfid"] = 0.0
    return metrics
