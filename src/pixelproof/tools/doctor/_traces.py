"""Checks of a set of traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pixelproof.contract import PixelProofError
from pixelproof.tools._trace import Trace
from pixelproof.tools.episodes import Marks, Replay

from ._finding import Finding, Status
from ._measures import (
    evidence_words,
    footprint,
    is_box,
    is_hop,
    is_repeat,
    mentions,
    p_larger,
    telling_words,
    used_tools,
)

FEW = 20
"""Traces below which no share is judged."""
RARE, COLLAPSE, SIGNIFICANT = 0.05, 0.5, 0.01
"""Use of tools below which it is a problem; fall of it, from the first quarter to the last; level of the test."""
REPEATS, HOPS, ERRORS = (0.1, 0.3), (0.5, 0.8), (0.2, 0.5)
"""Shares from which on there is a warning, and a problem."""
FAITHFUL = 0.5
"""Share of a target that a footprint must cover; share of traces that must do so."""


@dataclass
class Diagnosis:
    """Findings about a set of traces, and what is said about single ones."""

    findings: list[Finding] = field(default_factory=list)
    marks: dict[str, Marks] = field(default_factory=dict)

    def mark(self, trace: Trace, text: str, step: int | None = None) -> None:
        """Note what is wrong with a trace, or with one of its steps, counted from 0."""
        marks = self.marks.setdefault(trace.id, Marks())
        if step is None:
            marks.trace.append(text)
        else:
            marks.steps[step] = text


def check_traces(traces: Sequence[Trace], execute: Callable[[Trace], Replay] | None = None) -> Diagnosis:
    """Check a set of traces, in the order in which they were made.

    Args:
        traces: The traces.
        execute: Executes a trace again; without it, results are not verified.

    Raises:
        PixelProofError: There are no traces.
    """
    if not traces:
        raise PixelProofError("There are no traces to check: give a file that has some.")
    diagnosis = Diagnosis()
    diagnosis.findings = [
        _use(traces, diagnosis),
        _executed(traces, execute, diagnosis),
        _support(traces, diagnosis),
        _targets(traces, diagnosis),
        _repeats(traces, diagnosis),
        _hops(traces, diagnosis),
        _errors(traces, diagnosis),
    ]
    return diagnosis


def traces_lede(diagnosis: Diagnosis, traces: Sequence[Trace], name: str) -> str:
    """How many traces of a file have a part in a problem or a warning, and how many others have remarks.

    Args:
        diagnosis: What was found.
        traces: All traces.
        name: Name of the file.
    """
    serious = [one for one in diagnosis.findings if one.status in (Status.PROBLEM, Status.WARNING)]
    concerned = {id for finding in serious for id in finding.traces}
    remarked = set(diagnosis.marks) - concerned
    lede = f"{len(concerned):,} of {len(traces):,} traces in {name} have a part in a problem or warning"
    return f"{lede}; {len(remarked):,} others have remarks that are none" if remarked else lede


def _use(traces: Sequence[Trace], diagnosis: Diagnosis) -> Finding:
    """Use of tools over the whole file, and from its first quarter to its last."""
    used = [used_tools(trace) for trace in traces]
    share, unused = sum(used) / len(used), [trace for trace, use in zip(traces, used, strict=True) if not use]
    message = f"{sum(used):,} of {len(used):,} traces have a successful call that is no repeat."
    names = _marked(unused, diagnosis, "No successful call: the answer rests on the first view alone.")
    if len(traces) < FEW:
        return Finding(
            "use", Status.UNKNOWN, f"{message} Fewer than {FEW} traces say nothing about a trend.", traces=names
        )
    quarter = len(used) // 4
    first, last = sum(used[:quarter]), sum(used[-quarter:])
    p = p_larger(first, quarter, last, quarter)
    trend = f" In the first quarter of the file {first} of {quarter}, in the last {last} of {quarter}."
    if share < RARE or (first and last <= COLLAPSE * first and p < SIGNIFICANT):
        return Finding(
            "use",
            Status.PROBLEM,
            f"The use of tools collapses: {message[0].lower()}{message[1:]}{trend}",
            "Rewards that do not depend on tools, and a cost per call, drive tool use to zero where the first view is "
            "enough to guess. Use questions that cannot be answered from the first view, reward evidence that covers "
            "the target, and watch this share during training.",
            traces=names,
        )
    return Finding("use", Status.OK, message + trend, traces=names)


def _executed(traces: Sequence[Trace], execute: Callable[[Trace], Replay] | None, diagnosis: Diagnosis) -> Finding:
    """Results that are not what the calls give."""
    if execute is None:
        return Finding("executed", Status.UNKNOWN, "The calls were not executed again.")
    wrong, missing = [], 0
    for trace in traces:
        try:
            replayed = execute(trace)
        except PixelProofError:
            missing += 1
            continue
        if not replayed.same:
            wrong.append(trace)
            for mismatch, text in zip(replayed.mismatches, replayed.messages, strict=False):
                diagnosis.mark(trace, text, mismatch.step)
            if not replayed.mismatches:
                diagnosis.mark(trace, replayed.messages[0])
    lost = f" The media of {missing} are missing." if missing else ""
    if wrong:
        return Finding(
            "executed",
            Status.PROBLEM,
            f"{len(wrong):,} of {len(traces):,} traces show results that their calls do not "
            f"give: they were replaced, the source is another one, or the back end is.{lost}",
            "Do not train on them. 'pixelproof trace replay' names every step.",
            traces=tuple(t.id for t in wrong),
        )
    if missing:
        return Finding(
            "executed",
            Status.WARNING,
            f"All traces with media give the same results again.{lost}",
            "Keep the folder .blobs beside the file.",
        )
    return Finding("executed", Status.OK, f"All {len(traces):,} traces give the same results again.")


def _support(traces: Sequence[Trace], diagnosis: Diagnosis) -> Finding:
    """Answers that the evidence contains, against the evidence of other traces.

    Only answers whose words some result in the file contains are judged: others, such as yes and no, cannot be found.
    """
    known = {word for trace in traces for word in evidence_words(trace.steps)}
    answers = [(trace, telling_words(trace.answer.get("value"))) for trace in traces if trace.steps]
    judged = [trace for trace, words in answers if words and words <= known]
    rest = f" {len(answers) - len(judged):,} further answers are not words of any evidence."
    if len(judged) < FEW:
        message = f"Fewer than {FEW} traces have calls and an answer in words of the evidence."
        return Finding("support", Status.UNKNOWN, message)
    held = [bool(mentions(trace.steps, trace.answer.get("value"))) for trace in judged]
    swapped = [value for place in range(len(judged)) if (value := _swapped(judged, place)) is not None]
    own, other = sum(held), sum(swapped)
    message = (
        f"The evidence contains the answer in {own:,} of {len(judged):,} traces; swapped with the evidence of another "
        f"trace with another answer, in {other:,} of {len(swapped):,}.{rest if len(judged) < len(answers) else ''}"
    )
    lacking = [trace for trace, contains in zip(judged, held, strict=True) if not contains]
    names = _marked(lacking, diagnosis, "No result contains the answer.")
    if p_larger(own, len(judged), other, len(swapped)) < SIGNIFICANT and own >= len(judged) / 2:
        return Finding("support", Status.OK, message, traces=names)
    return Finding(
        "support",
        Status.WARNING,
        f"{message} The calls are unfaithful to the answers: the evidence does not carry them.",
        "Look at the traces below. Reward an answer only where the evidence carries it.",
        traces=names,
    )


def _swapped(judged: Sequence[Trace], place: int) -> bool | None:
    """Whether an answer is in the evidence of the next trace whose answer is another; None if there is none."""
    value = judged[place].answer.get("value")
    for step in range(1, len(judged)):
        other = judged[(place + step) % len(judged)]
        if other.answer.get("value") != value:
            return mentions(other.steps, value)
    return None


def _targets(traces: Sequence[Trace], diagnosis: Diagnosis) -> Finding:
    """Calls that cover what the question is about, where the traces say what that is."""
    known = [trace for trace in traces if trace.steps and isinstance(trace.targets.get("boxes"), list)]
    if not known:
        return Finding("targets", Status.UNKNOWN, "The traces name no target boxes.")
    missed = [trace for trace in known if not _covers(trace)]
    names = _marked(missed, diagnosis, "No call covers the target.")
    message = f"{len(known) - len(missed):,} of {len(known):,} traces have a call that covers the target."
    if len(missed) > (1 - FAITHFUL) * len(known):
        return Finding(
            "targets",
            Status.PROBLEM,
            message,
            "Right answers without a look at the target are guesses: reward calls that cover it.",
            traces=names,
        )
    return Finding("targets", Status.OK, message, traces=names)


def _covers(trace: Trace) -> bool:
    named = [entry.get("box") if isinstance(entry, Mapping) else entry for entry in trace.targets["boxes"]]
    boxes = [box for box in named if is_box(box)]
    for step in trace.steps:
        place = footprint(step)
        for target in boxes if step.result.ok else ():
            if place is None:
                continue
            a = place[1]
            width = max(0.0, min(a[2], target[2]) - max(a[0], target[0]))
            height = max(0.0, min(a[3], target[3]) - max(a[1], target[1]))
            if width * height >= FAITHFUL * (target[2] - target[0]) * (target[3] - target[1]):
                return True
    return False


def _repeats(traces: Sequence[Trace], diagnosis: Diagnosis) -> Finding:
    flagged = [(t, n) for t in traces for n in range(len(t.steps)) if is_repeat(t.steps, n)]
    calls = sum(len(trace.steps) for trace in traces)
    return _share(
        "repeats",
        "calls repeat an earlier one, or look again at the same place",
        flagged,
        calls,
        REPEATS,
        "The call was made before.",
        "Return cached results flagged as repeats, and give no reward for them.",
        diagnosis,
    )


def _hops(traces: Sequence[Trace], diagnosis: Diagnosis) -> Finding:
    flagged = [(t, n) for t in traces for n in range(1, len(t.steps)) if is_hop(t.steps[n - 1], t.steps[n])]
    pairs = sum(max(0, len(trace.steps) - 1) for trace in traces)
    return _share(
        "hopping",
        "adjacent steps jump to another tool at another place without using the result before",
        flagged,
        pairs,
        HOPS,
        "It jumps here without using the result before.",
        "A reward for novelty alone pays for it: add one for steps that build on each other.",
        diagnosis,
    )


def _errors(traces: Sequence[Trace], diagnosis: Diagnosis) -> Finding:
    flagged = [(t, n) for t in traces for n, step in enumerate(t.steps) if not step.result.ok]
    codes = _most(str(trace.steps[n].result.error) for trace, n in flagged)
    calls = sum(len(trace.steps) for trace in traces)
    return _share(
        "errors",
        f"calls failed{codes}",
        flagged,
        calls,
        ERRORS,
        "",
        "Show the model the message of the error, and one example of a right call in the system text.",
        diagnosis,
    )


def _most(codes: Iterable[str]) -> str:
    listed = list(codes)
    return f" (most often {max(set(listed), key=listed.count)})" if listed else ""


def _share(
    name: str,
    what: str,
    flagged: Sequence[tuple[Trace, int]],
    total: int,
    limits: tuple[float, float],
    mark: str,
    advice: str,
    diagnosis: Diagnosis,
) -> Finding:
    """The finding about a share of steps."""
    if not total:
        return Finding(name, Status.UNKNOWN, "There are no steps to judge.")
    for trace, number in flagged if mark else ():
        diagnosis.mark(trace, mark, number)
    share, names = len(flagged) / total, tuple(dict.fromkeys(trace.id for trace, _ in flagged))
    message = f"{len(flagged):,} of {total:,} {what}."
    if total < FEW:
        return Finding(name, Status.UNKNOWN, f"{message} Fewer than {FEW} say little.", traces=names)
    if share >= limits[0]:
        status = Status.PROBLEM if share >= limits[1] else Status.WARNING
        return Finding(name, status, message, advice, traces=names)
    return Finding(name, Status.OK, message, traces=names)


def _marked(traces: Sequence[Trace], diagnosis: Diagnosis, text: str) -> tuple[str, ...]:
    for trace in traces:
        diagnosis.mark(trace, text)
    return tuple(trace.id for trace in traces)
