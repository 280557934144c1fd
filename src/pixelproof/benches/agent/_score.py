"""From an answer and its trace to a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pixelproof.benches.agent import _process as process
from pixelproof.benches.agent._process import tool_quality
from pixelproof.benches.agent._reply import UNKNOWN, read_confidence, read_reply
from pixelproof.benches.agent.tasks import Challenge, Task
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, Result
from pixelproof.pixels import encode_png
from pixelproof.tools import ErrorCode, Step
from pixelproof.tools.episodes import steps_of

_UNCLEAR = "unclear-answer"
_INVALID = frozenset(ErrorCode) - {ErrorCode.BACKEND, ErrorCode.BUDGET, ErrorCode.NOT_FOUND}


def score_answer(
    item: Item, answer: Answer, challenge: Challenge, task: Task, replaced: frozenset[str] = frozenset()
) -> Result:
    """Measure an answer; the trace is that of the episode, which the harness played.

    Args:
        item: What was asked.
        answer: The answer. Without a trace, nothing is known about its calls, and metrics of the chain are missing.
        challenge: The scene, the question and the truth.
        task: The kind of question.
        replaced: Tools whose results were about another picture.
    """
    steps = steps_of(answer.trace)
    shown = [step for step in steps if step.result.tool not in replaced]
    metrics = process_metrics(steps, shown, challenge, task) if answer.trace else {}
    metrics["chance"] = challenge.chance
    failure, reply = tool_failure(steps) or answer.failure, None
    if failure is None:
        reply = read_reply(answer.text, challenge)
        if reply is None:
            detail = f"the reply names no answer, or several: {answer.text[:80]!r}"
            failure = Failure(Fault.MODEL, _UNCLEAR, detail)
    if failure is not None:
        unclear = float(failure.name == _UNCLEAR)  # other faults of a model are no answers
        selected = {"answered": unclear, "selected_errors": [unclear, unclear]} if failure.fault is Fault.MODEL else {}
        return Result(item.id, metrics | selected, failure=failure)
    right = reply == challenge.answer
    metrics |= _selection(reply == UNKNOWN, right, read_confidence(answer))
    if answer.trace:
        metrics["calls_right"] = [metrics["calls"] if right else 0.0, float(right)]
        if challenge.targets:
            metrics["faithful"] = [float(right and process.covers(shown, challenge)), float(right)]
    notes = {"question": challenge.question, "answer": str(reply), "truth": challenge.answer}
    return Result(item.id, metrics, notes=notes, evidence={"picture": first_frame(challenge)})


def tool_failure(steps: Sequence[Step]) -> Failure | None:
    """The instrument fault of the first call whose back end failed."""
    broken = next((step.result for step in steps if step.result.error == ErrorCode.BACKEND), None)
    return None if broken is None else Failure(Fault.INSTRUMENT, "tool-failed", broken.message)


def _selection(abstains: bool, right: bool, confidence: float | None) -> dict[str, Any]:
    """Metrics of whether the model answers, and how sure it is."""
    metrics: dict[str, Any] = {
        "accuracy": float(right),
        "answered": float(not abstains),
        "selected_errors": [float(not right and not abstains), float(not abstains)],
    }
    return metrics if confidence is None else metrics | {"confidence": confidence}


def first_frame(challenge: Challenge) -> Artefact:
    """The picture, or the first frame of the clip."""
    frames = challenge.frames
    return encode_png(frames[0] if frames.ndim == 4 else frames)


def process_metrics(steps: Sequence[Step], shown: Sequence[Step], challenge: Challenge, task: Task) -> dict[str, Any]:
    """Metrics of the chain of calls, whether the answer is right or not.

    Args:
        steps: All calls.
        shown: Those whose results are about the picture of the item; the evidence of the others has a fidelity of 0.
        challenge: The truth.
        task: The kind of question.
    """
    values = list(process.fidelities(shown, challenge))
    values += [0.0] * sum(step.result.ok for step in steps if step not in shown)
    metrics = chain_metrics(steps) | tool_quality(shown, challenge)
    if values:
        metrics["visfid"] = sum(values) / len(values)
    elif task.needs == "tools":
        metrics["visfid"] = 0.0
    return metrics


def chain_metrics(steps: Sequence[Step]) -> dict[str, Any]:
    """Metrics of the chain of calls that need no truth. Calls beyond the budget are not executed, and do not count."""
    steps = [step for step in steps if step.result.error != ErrorCode.BUDGET]
    good = [step for step in steps if step.result.ok]
    fresh = [step for step in good if not step.result.repeat]
    hops, stays = process.hops(steps), process.stays(steps)
    calls = float(len(steps))
    return {
        "uses_tools": float(bool(steps)),
        "uses_valid": float(bool(fresh)),
        "composite": float(process.is_composite(steps)),
        "calls": calls,
        "success": [float(len(good)), calls],
        "invalid": [float(sum(step.result.error in _INVALID for step in steps)), calls],
        "repeats": [float(sum(step.result.repeat for step in steps)), calls],
        "hops": [float(sum(hops)), float(len(hops))],
        "stays": [float(sum(stays)), float(len(stays))],
    }
