"""Does a model's answer depend on its evidence? Traces are answered again, with their own results and with others'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pixelproof.contract import (
    Answer,
    Artefact,
    Display,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Result,
    Source,
    Turn,
    option,
)
from pixelproof.harness._uncalibrated import UncalibratedBench
from pixelproof.options import ModelName, Settings
from pixelproof.tools import TOOLS, Step, Trace
from pixelproof.tools.episodes import SYSTEM, TraceFile, final_text
from pixelproof.tools.trace_checks import Finding, Status, p_larger

__all__ = ["EvidenceProbe", "probe_faithfulness"]

MOST = 100
"""Traces that are answered again, evenly spaced."""
LEAST = 5
SIGNIFICANT = 0.05
_ASK = "No further call is possible: give your answer alone."


@dataclass(frozen=True)
class EvidenceProbe(UncalibratedBench):
    """Questions of traces, with the results of their calls as they were, and swapped with those of another trace.

    The model is shown no picture but those of results, so that an answer can only come from the evidence.
    """

    name: ClassVar[str] = "evidence-probe"
    title: ClassVar[str] = "Answers with evidence swapped"
    sources: ClassVar[Mapping[str, str]] = {"traces": "a file of traces"}
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("same", "the answer is that of the trace", calibrated=False, higher_is_better=None, range=(0, 1)),
    )
    display: ClassVar[Display] = Display(headline=("same",))

    most: int = option(MOST, "traces that are answered again")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """Two items for each trace: `recorded` and `swapped`."""
        assert source.data is not None, "probe_faithfulness gives the file"
        file = TraceFile(source.data)
        usable = [trace for trace in file if trace.steps and isinstance(trace.answer.get("value"), str)]
        step = max(1, len(usable) // self.most)
        for number, trace in enumerate(usable[::step][: self.most]):
            donor = _donor(usable, trace)
            for kind, steps in (("recorded", trace.steps), ("swapped", donor.steps if donor else ())):
                if steps:
                    inputs = {"question": trace.question, "turns": _conversation(trace, steps, file)}
                    identity = f"{self.name}/traces/1/{number:05d}-{kind}"
                    yield Item(identity, inputs, trace.answer["value"], tags={"kind": kind})

    def prompt(self, item: Item) -> Prompt:
        """The question and the results, without the picture."""
        history = (Turn("user", (item.inputs["question"],)), *item.inputs["turns"])
        return Prompt((_ASK,), system=SYSTEM, max_tokens=512, history=history, tools=TOOLS)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Whether the answer is that of the trace, apart from case and spaces."""
        if answer.failure is not None:
            return Result(item.id, {}, failure=answer.failure)
        return Result(item.id, {"same": float(_plain(final_text(answer.text)) == _plain(item.truth))})


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _donor(traces: Sequence[Trace], trace: Trace) -> Trace | None:
    """The next trace that has another answer, with a call of the same first tool if there is one."""
    place = traces.index(trace)
    others = [*traces[place + 1 :], *traces[:place]]
    others = [other for other in others if _plain(other.answer["value"]) != _plain(trace.answer["value"])]
    same = [other for other in others if other.steps[0].result.tool == trace.steps[0].result.tool]
    return next(iter([*same, *others]), None)


def _conversation(trace: Trace, results: Sequence[Step], file: TraceFile) -> tuple[Turn, ...]:
    """The calls of a trace, each with a result of `results`; the last one stands for those that are missing."""
    turns: list[Turn] = []
    for number, step in enumerate(trace.steps):
        given = results[min(number, len(results) - 1)]
        call = replace(step.call, id=f"call-{number}")
        picture = file.picture(given.picture) if given.picture else None
        parts: tuple[str | Artefact, ...] = (given.result.text, *((Artefact(picture),) if picture else ()))
        turns += [Turn("model", (step.thought,) if step.thought else (), (call,)), Turn("tool", parts, call=call)]
    return tuple(turns)


def probe_faithfulness(
    file: TraceFile, model: ModelName, settings: Settings | None = None, most: int = MOST
) -> Finding:
    """Have a model answer the questions of traces again, with their own evidence and with that of other traces.

    A faithful model gives its answer again with its own evidence, and another one with the evidence swapped.

    Raises:
        PixelProofError: The set-up is wrong, or too few traces can be used.
    """
    probe = EvidenceProbe(most)
    done = probe.run(file.path, model, settings=settings)
    same: dict[str, list[bool]] = {"recorded": [], "swapped": []}
    for result in done.results(probe):
        if "same" in result.metrics:
            same[result.item.rpartition("-")[2]].append(result.metrics["same"] == 1)
    own, other = same["recorded"], same["swapped"]
    if min(len(own), len(other)) < LEAST:
        raise PixelProofError(
            f"Only {min(len(own), len(other))} traces with calls and different answers could be answered again: "
            f"{LEAST} are needed."
        )
    message = (
        f"With its own evidence the model gives the answer of the trace in {sum(own)} of {len(own)}; with the evidence "
        f"of another trace, in {sum(other)} of {len(other)}."
    )
    if p_larger(sum(own), len(own), sum(other), len(other)) < SIGNIFICANT and sum(other) <= sum(own) / 2:
        return Finding("swapped", Status.OK, message)
    if not sum(own):
        return Finding("swapped", Status.UNKNOWN, f"{message} It answers otherwise without the picture.")
    advice = "Reward answers only where the evidence covers the target, and test with evidence swapped during training."
    return Finding("swapped", Status.PROBLEM, f"{message} The answers do not depend on the evidence.", advice)
