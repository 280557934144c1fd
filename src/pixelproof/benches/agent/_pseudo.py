"""VisFid-PR: fidelity of evidence without the truth, against what several answers to one question agree on.

A step is compared with the steps of other trajectories that give the same answer and behave alike: the n-th call of its
tool in each. What at least three of them, itself included, agree on is the pseudo-reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent import _process as process
from pixelproof.contract import Answer, Result
from pixelproof.metrics import edit_distance, span_iou
from pixelproof.tools import Step, ToolResult, decode_mask
from pixelproof.tools.episodes import steps_of

_CELLS = 32
_ALIKE = 0.5
"""Similarity of behaviour above which a trajectory counts for another."""
FEWEST = 3
"""Members of a pseudo-reference; with fewer, fidelity is undefined."""


@dataclass(frozen=True)
class Trajectory:
    """One answer to a question, and the calls before it."""

    answer: str
    steps: tuple[Step, ...]

    @property
    def tools(self) -> tuple[str, ...]:
        """Tools in order."""
        return tuple(step.result.tool for step in self.steps)

    def footprint(self) -> Mapping[int, npt.NDArray[np.bool_]]:
        """Frame → cells of a grid of 32 × 32 that the evidence touches."""
        grids: dict[int, npt.NDArray[np.bool_]] = {}
        for step in self.steps:
            for frame, (left, top, right, bottom) in process.footprints(step).items():
                grid = grids.setdefault(frame, np.zeros((_CELLS, _CELLS), bool))
                low, high = (int(value * _CELLS // 1000) for value in (left, top)), (right, bottom)
                (x, y), (x1, y1) = low, (int(-(-value * _CELLS // 1000)) for value in high)
                grid[y : max(y1, y + 1), x : max(x1, x + 1)] = True
        return grids


def behaviour(a: Trajectory, b: Trajectory) -> float:
    """Similarity of two trajectories, 0 to 1: half by the order of their tools, half by the overlap of places.

    >>> behaviour(Trajectory("x", ()), Trajectory("y", ()))
    1.0
    """
    longest = max(len(a.tools), len(b.tools))
    order = 1 - edit_distance(a.tools, b.tools) / longest if longest else 1.0
    first, second = a.footprint(), b.footprint()
    empty = np.zeros((_CELLS, _CELLS), bool)
    pairs = [(first.get(frame, empty), second.get(frame, empty)) for frame in first.keys() | second.keys()]
    union = sum(int((one | other).sum()) for one, other in pairs)
    overlap = sum(int((one & other).sum()) for one, other in pairs) / union if union else 1.0
    return (order + overlap) / 2


def pseudo_fidelity(trajectories: Sequence[Trajectory], place: int) -> float | None:
    """VisFid-PR of one of several trajectories; None if no step has a pseudo-reference.

    Args:
        trajectories: All answers to one question.
        place: Which one.
    """
    own = trajectories[place]
    alike = [
        other
        for other in trajectories
        if other is own or (other.answer == own.answer and behaviour(own, other) > _ALIKE)
    ]
    values = []
    for number, step in enumerate(own.steps):
        if not step.result.ok:
            continue
        turn = own.tools[:number].count(step.result.tool)
        members = [result for other in alike if (result := _nth(other, step.result.tool, turn)) is not None]
        if len(members) >= FEWEST:
            values.append(_AGREEMENT[step.result.tool](step.result, members))
    return sum(values) / len(values) if values else None


def run_fidelities(
    results: Sequence[Result], answers: Sequence[tuple[str, int, Answer, list[str]]]
) -> list[tuple[float, float]]:
    """Fidelity against the truth and against pseudo-references of each answer of a run that has both.

    Args:
        results: Of the run.
        answers: Item, sample, answer and images, as `Run.answers` returns them.
    """
    scored = {(result.item, result.sample): result for result in results}
    by_item: dict[str, list[tuple[Trajectory, Result]]] = {}
    for item, sample, answer, _ in answers:
        result = scored.get((item, sample))
        if result is not None:
            given = result.notes.get("answer", "")
            by_item.setdefault(item, []).append((Trajectory(given, steps_of(answer.trace)), result))
    pairs = []
    for several in by_item.values():
        trajectories = [trajectory for trajectory, _ in several]
        for place, (_, result) in enumerate(several):
            agreed, truth = pseudo_fidelity(trajectories, place), result.metrics.get("visfid")
            if agreed is not None and isinstance(truth, int | float):
                pairs.append((float(truth), agreed))
    return pairs


def _nth(trajectory: Trajectory, tool: str, turn: int) -> ToolResult | None:
    """The n-th call of a tool, if it succeeded."""
    results = [step.result for step in trajectory.steps if step.result.tool == tool]
    return results[turn] if turn < len(results) and results[turn].ok else None


def _by_box(result: ToolResult, members: Sequence[ToolResult]) -> float:
    """IoU with the median box, in the same frame."""
    frame = result.args.get("frame", 0)
    boxes = np.array([one.args["box"] for one in members if one.args.get("frame", 0) == frame], float)
    return process.box_iou(process.as_box(result.args["box"]), process.as_box(np.median(boxes, axis=0).tolist()))


def _by_mask(result: ToolResult, members: Sequence[ToolResult]) -> float:
    """IoU with the pixels that at least half of the masks of the frame have."""
    frame = result.evidence["frame"]
    masks = np.stack([decode_mask(one.evidence["mask"]) for one in members if one.evidence["frame"] == frame])
    agreed, own = masks.mean(axis=0) >= 0.5, decode_mask(result.evidence["mask"])
    return float((agreed & own).sum() / max(1, (agreed | own).sum()))


def _by_text(result: ToolResult, members: Sequence[ToolResult]) -> float:
    """1 − edit distance to the medoid of the texts, relative to its length."""
    texts = ["".join(str(one.evidence["text"]).split()).upper() for one in members]
    medoid = min(texts, key=lambda text: sum(edit_distance(text, other) for other in texts))
    own = "".join(str(result.evidence["text"]).split()).upper()
    return max(0.0, 1 - edit_distance(own, medoid) / max(1, len(medoid)))


def _by_track(result: ToolResult, members: Sequence[ToolResult]) -> float:
    """Mean IoU with the median box of each frame."""
    overlaps = []
    for frame, box in zip(result.evidence["frames"], result.evidence["boxes"], strict=True):
        tracks = [dict(zip(one.evidence["frames"], one.evidence["boxes"], strict=True)) for one in members]
        median = np.median(np.array([track[frame] for track in tracks if frame in track], float), axis=0).tolist()
        overlaps.append(process.box_iou(process.as_box(box), process.as_box(median)))
    return float(np.mean(overlaps))


def _by_span(result: ToolResult, members: Sequence[ToolResult]) -> float:
    """IoU with the median span of frames."""
    first, last = np.median(np.array([one.evidence["span"] for one in members], float), axis=0).tolist()
    own = result.evidence["span"]
    return span_iou((own[0], own[1] + 1), (first, last + 1))


def _by_properties(result: ToolResult, members: Sequence[ToolResult]) -> float:
    """Share of colour and area (to 5 %) that agree with the most frequent word and the median."""
    agreed = []
    if "colour_word" in result.evidence:
        words = Counter(one.evidence.get("colour_word") for one in members)
        agreed.append(result.evidence["colour_word"] == words.most_common(1)[0][0])
    if "area" in result.evidence:
        median = float(np.median([one.evidence["area"] for one in members if "area" in one.evidence]))
        agreed.append(abs(result.evidence["area"] - median) <= 0.05 * median)
    return sum(agreed) / len(agreed) if agreed else 1.0


_AGREEMENT: Mapping[str, Callable[[ToolResult, Sequence[ToolResult]], float]] = {
    "ZOOM": _by_box,
    "SEG": _by_mask,
    "PROP": _by_properties,
    "OCR": _by_text,
    "TRK": _by_track,
    "TEMP": _by_span,
}
