"""The checks of a file of traces, and their findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from scipy.stats import fisher_exact

from pixelproof.contract import PixelProofError
from pixelproof.tools._trace import Trace
from pixelproof.tools.episodes import Marks, Replay, TraceFile, trace_page
from pixelproof.web import Page, plural, section, tag

from ._measures import (
    evidence_words,
    footprint,
    intersection,
    is_box,
    is_hop,
    is_repeat,
    mentions,
    telling_words,
    used_tools,
)

FEW = 20
"""Number of traces or steps below which a share is not judged."""
RARE, COLLAPSE, SIGNIFICANT = 0.05, 0.5, 0.01
"""Share of traces with tool use that is a problem; its fall from the first quarter to the last; level of the test."""
REPEATS, HOPS, ERRORS = (0.1, 0.3), (0.5, 0.8), (0.2, 0.5)
"""Shares of steps for a warning and for a problem."""
FAITHFUL = 0.5
"""Share of a target that a footprint must cover; share of traces that must do so."""


class Status(StrEnum):
    """The outcome of a check."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    UNKNOWN = "unknown"  # too few traces, or information that they do not have


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    check: str
    """Name of the check, such as `use`."""
    status: Status
    message: str
    advice: str = ""
    """What to do; empty if nothing."""
    traces: tuple[str, ...] = ()
    """Ids of the traces that show it."""


@dataclass
class Checks:
    """Findings about traces, and remarks about single ones."""

    findings: list[Finding] = field(default_factory=list)
    marks: dict[str, Marks] = field(default_factory=dict)
    """Id of a trace → remarks."""

    def mark(self, trace: Trace, text: str, step: int | None = None) -> None:
        """Add a remark about a trace, or about one of its steps, counted from 0."""
        marks = self.marks.setdefault(trace.id, Marks())
        if step is None:
            marks.trace.append(text)
        else:
            marks.steps[step] = text


def check_traces(traces: Sequence[Trace], execute: Callable[[Trace], Replay] | None = None) -> Checks:
    """Check traces, in the order in which they were made.

    Args:
        traces: The traces.
        execute: Executes a trace again; without it, results are not verified.

    Raises:
        PixelProofError: There are no traces.
    """
    if not traces:
        raise PixelProofError("There are no traces to check: give a file that has some.")
    checks = Checks()
    checks.findings = [
        _use(traces, checks),
        _executed(traces, execute, checks),
        _support(traces, checks),
        _targets(traces, checks),
        _repeats(traces, checks),
        _hops(traces, checks),
        _errors(traces),
    ]
    return checks


def p_larger(successes: int, n: int, others: int, m: int) -> float:
    """One-sided p value of Fisher's exact test that a share, of n, is larger than another one, of m.

    >>> round(p_larger(6, 6, 0, 6), 4)
    0.0011
    """
    table = np.array([[successes, n - successes], [others, m - others]])
    return float(fisher_exact(table, alternative="greater")[1])


def _use(traces: Sequence[Trace], checks: Checks) -> Finding:
    """Share of traces that use tools, and its fall from the first quarter of the file to the last."""
    used = [used_tools(trace) for trace in traces]
    unused = [trace for trace, use in zip(traces, used, strict=True) if not use]
    ids = _mark_all(unused, "No successful call: the answer rests on the first view alone.", checks)
    message = f"{sum(used):,} of {len(used):,} traces have a successful call that is no repeat."
    if len(traces) < FEW:
        message += f" Fewer than {FEW} traces say nothing about a trend."
        return Finding("use", Status.UNKNOWN, message, traces=ids)
    quarter = len(used) // 4
    first, last = sum(used[:quarter]), sum(used[-quarter:])
    message += f" In the first quarter of the file {first} of {quarter}, in the last {last} of {quarter}."
    falls = last <= COLLAPSE * first and p_larger(first, quarter, last, quarter) < SIGNIFICANT
    if not falls and sum(used) / len(used) >= RARE:
        return Finding("use", Status.OK, message, traces=ids)
    advice = (
        "Rewards that do not depend on tools, and a cost per call, drive tool use to zero where the first view is "
        "enough to guess. Use questions that cannot be answered from the first view, reward evidence that covers "
        "the target, and watch this share during training."
    )
    return Finding("use", Status.PROBLEM, f"The use of tools collapses: {message}", advice, ids)


def _executed(traces: Sequence[Trace], execute: Callable[[Trace], Replay] | None, checks: Checks) -> Finding:
    """Results that differ from those of executing the calls again."""
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
            wrong.append(trace.id)
            for mismatch, text in zip(replayed.mismatches, replayed.messages, strict=False):
                checks.mark(trace, text, mismatch.step)
            if not replayed.mismatches:
                checks.mark(trace, replayed.messages[0])
    lost = f" The media of {missing} are missing." if missing else ""
    if wrong:
        message = (
            f"{len(wrong):,} of {len(traces):,} traces show results that their calls do not give: they were replaced, "
            f"the source is another one, or the back end is.{lost}"
        )
        advice = "Do not train on them. 'pixelproof tools trace replay' names every step."
        return Finding("executed", Status.PROBLEM, message, advice, tuple(wrong))
    if missing:
        message = f"All traces with media give the same results again.{lost}"
        return Finding("executed", Status.WARNING, message, "Keep the folder .blobs beside the file.")
    return Finding("executed", Status.OK, f"All {len(traces):,} traces give the same results again.")


def _support(traces: Sequence[Trace], checks: Checks) -> Finding:
    """Answers that the evidence contains, against the evidence of other traces.

    Only answers whose words occur in some result of the file are judged, which excludes yes and no.
    """
    known = {word for trace in traces for word in evidence_words(trace.steps)}
    answers = [(trace, telling_words(trace.answer.get("value"))) for trace in traces if trace.steps]
    judged = [trace for trace, words in answers if words and words <= known]
    if len(judged) < FEW:
        message = f"Fewer than {FEW} traces have calls and an answer in words of the evidence."
        return Finding("support", Status.UNKNOWN, message)
    lacking = [trace for trace in judged if not mentions(trace.steps, trace.answer.get("value"))]
    swapped = [value for place in range(len(judged)) if (value := _swapped(judged, place)) is not None]
    own, other = len(judged) - len(lacking), sum(swapped)
    message = (
        f"The evidence contains the answer in {own:,} of {len(judged):,} traces; swapped with the evidence of another "
        f"trace with another answer, in {other:,} of {len(swapped):,}."
    )
    if rest := len(answers) - len(judged):
        message += f" {rest:,} further answers are not words of any evidence."
    ids = _mark_all(lacking, "No result contains the answer.", checks)
    if p_larger(own, len(judged), other, len(swapped)) < SIGNIFICANT and own >= len(judged) / 2:
        return Finding("support", Status.OK, message, traces=ids)
    message += " The calls are unfaithful to the answers: the evidence does not carry them."
    advice = "Look at the traces on the page. Reward an answer only where the evidence carries it."
    return Finding("support", Status.WARNING, message, advice, ids)


def _swapped(judged: Sequence[Trace], place: int) -> bool | None:
    """Whether an answer is in the evidence of the next trace with another answer; None if there is none."""
    value = judged[place].answer.get("value")
    for other in (*judged[place + 1 :], *judged[:place]):
        if other.answer.get("value") != value:
            return mentions(other.steps, value)
    return None


def _targets(traces: Sequence[Trace], checks: Checks) -> Finding:
    """Traces with a call that covers a target box, where boxes are known."""
    known = [trace for trace in traces if trace.steps and isinstance(trace.targets.get("boxes"), list)]
    if not known:
        return Finding("targets", Status.UNKNOWN, "The traces name no target boxes.")
    missed = [trace for trace in known if not _covers_target(trace)]
    ids = _mark_all(missed, "No call covers the target.", checks)
    message = f"{len(known) - len(missed):,} of {len(known):,} traces have a call that covers the target."
    if len(missed) <= (1 - FAITHFUL) * len(known):
        return Finding("targets", Status.OK, message, traces=ids)
    advice = "Right answers without a look at the target are guesses: reward calls that cover it."
    return Finding("targets", Status.PROBLEM, message, advice, ids)


def _covers_target(trace: Trace) -> bool:
    named = [entry.get("box") if isinstance(entry, Mapping) else entry for entry in trace.targets["boxes"]]
    places = [place[1] for step in trace.steps if step.result.ok and (place := footprint(step))]
    return any(
        intersection(place, box) >= FAITHFUL * (box[2] - box[0]) * (box[3] - box[1])
        for box in named
        if is_box(box)
        for place in places
    )


def _repeats(traces: Sequence[Trace], checks: Checks) -> Finding:
    repeats = [(trace, n) for trace in traces for n in range(len(trace.steps)) if is_repeat(trace.steps, n)]
    for trace, n in repeats:
        checks.mark(trace, "The call was made before.", n)
    what = "calls repeat an earlier one, or look again at the same place"
    advice = "Return cached results flagged as repeats, and give no reward for them."
    return _share("repeats", repeats, _calls(traces), what, REPEATS, advice)


def _hops(traces: Sequence[Trace], checks: Checks) -> Finding:
    pairs = [(trace, n) for trace in traces for n in range(1, len(trace.steps))]
    hops = [(trace, n) for trace, n in pairs if is_hop(trace.steps[n - 1], trace.steps[n])]
    for trace, n in hops:
        checks.mark(trace, "It jumps here without using the result before.", n)
    what = "adjacent steps jump to another tool at another place without using the result before"
    advice = "A reward for novelty alone pays for it: add one for steps that build on each other."
    return _share("hopping", hops, len(pairs), what, HOPS, advice)


def _errors(traces: Sequence[Trace]) -> Finding:
    failed = [(trace, n) for trace in traces for n, step in enumerate(trace.steps) if not step.result.ok]
    codes = Counter(str(trace.steps[n].result.error) for trace, n in failed)
    what = f"calls failed (most often {codes.most_common(1)[0][0]})" if codes else "calls failed"
    advice = "Show the model the message of the error, and one example of a right call in the system text."
    return _share("errors", failed, _calls(traces), what, ERRORS, advice)


def _calls(traces: Sequence[Trace]) -> int:
    return sum(len(trace.steps) for trace in traces)


def _share(
    check: str, steps: Sequence[tuple[Trace, int]], total: int, what: str, limits: tuple[float, float], advice: str
) -> Finding:
    """The finding about a share of steps."""
    if not total:
        return Finding(check, Status.UNKNOWN, "There are no steps to judge.")
    ids = tuple(dict.fromkeys(trace.id for trace, _ in steps))
    message, share = f"{len(steps):,} of {total:,} {what}.", len(steps) / total
    if total < FEW:
        return Finding(check, Status.UNKNOWN, f"{message} Fewer than {FEW} say little.", traces=ids)
    if share < limits[0]:
        return Finding(check, Status.OK, message, traces=ids)
    return Finding(check, Status.PROBLEM if share >= limits[1] else Status.WARNING, message, advice, ids)


def _mark_all(traces: Sequence[Trace], text: str, checks: Checks) -> tuple[str, ...]:
    """Add the same remark to traces; returns their ids."""
    for trace in traces:
        checks.mark(trace, text)
    return tuple(trace.id for trace in traces)


def findings_page(file: TraceFile, traces: Sequence[Trace], checks: Checks) -> Page:
    """A table of the findings about the traces of a file, then every trace that has a remark."""
    rows = [
        tag(
            "tr",
            tag("th", finding.check),
            tag("td", str(finding.status)),
            tag("td", finding.message, tag("span", finding.advice, class_="setting") if finding.advice else None),
        )
        for finding in checks.findings
    ]
    table = section("findings", "Findings", tag("table", tag("tbody", rows), class_="plain"))
    marked = [trace for trace in traces if trace.id in checks.marks]
    return trace_page(file, marked, "Findings about traces", _page_summary(file, traces, checks), table, checks.marks)


def _page_summary(file: TraceFile, traces: Sequence[Trace], checks: Checks) -> str:
    """How many traces show a problem or a warning, and how many others have remarks."""
    serious = [finding for finding in checks.findings if finding.status in (Status.PROBLEM, Status.WARNING)]
    concerned = {id for finding in serious for id in finding.traces}
    others = len(checks.marks.keys() - concerned)
    page_summary = f"{len(concerned):,} of {plural(len(traces), 'trace')} in {file.path.name} show a problem or warning"
    return f"{page_summary}; {plural(others, 'other')} with remarks only" if others else page_summary
