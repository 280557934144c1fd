"""The judge of a run, and a cache of its answers about controls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from pixelproof.contract import Answer, Bench, Failure, Fault, PixelProofError, Prompt
from pixelproof.harness._ledger import Ledger
from pixelproof.harness._native import within
from pixelproof.harness._plan import Ask
from pixelproof.harness._scoring import Judge
from pixelproof.models import Model, allow_failures, gpus_of, open_model
from pixelproof.store import cache_root, digest, read_sealed_json, write_sealed_json

CONNECTIONS = 8
"""Questions in flight at once to a judge behind an API."""
PATIENCE = 20
"""Failures before the first answer of a judge that stop a run: its answers are stored, so a few cost little."""


@dataclass(frozen=True)
class OpenJudge:
    """A judge that is ready to answer, within the budget of a run."""

    name: str
    card: Mapping[str, Any]
    """Identifies the judge: its name, and for models of this package their own card."""
    call: Judge
    """Asks without a budget."""
    connections: int
    """Questions in flight at once while only the judge is waited for."""
    close: Callable[[], None]

    def within(self, ledger: Ledger) -> Judge:
        """The judge as a function that books what it uses."""

        def ask(prompt: Prompt, ask: Ask) -> Answer:
            return within(ledger, lambda prompt: self.call(prompt, ask), thinks=self.thinks)(prompt)

        return ask

    thinks: bool = False
    """Whether replies may contain reasoning tokens."""
    gpus: float = 0.0
    """GPUs that each worker of a cluster reserves for it."""


def open_judge(name: str | None, bench: Bench) -> OpenJudge | None:
    """The judge of that name; None if no judge is named."""
    if name is None:
        return None
    judge = open_model(name, bench)
    if judge is None:
        return OpenJudge(name, {"name": name}, _inspect_judge(name), CONNECTIONS, lambda: None, thinks=True)
    allow_failures(judge, PATIENCE)
    card = {"name": name, **judge.card()}
    return OpenJudge(name, card, _native_judge(judge), judge.connections, judge.close, gpus=gpus_of(judge))


def _native_judge(model: Model) -> Judge:
    return lambda prompt, ask: model.answer(prompt, ask.item, ask.sample, ask.seed)


def _inspect_judge(name: str) -> Judge:
    from pixelproof.harness._inspect_judge import inspect_judge

    return inspect_judge(name, PATIENCE)


@dataclass
class CachedJudge:
    """Answers questions about controls from the cache, so that floors and ceilings are judged once per judge.

    Answers are stored by the judge's card and the content of the question. Without a judge, as when a run is rescored,
    only the cache answers.
    """

    card: Mapping[str, Any]
    ask: Judge | None
    connections: int = 1
    complete: bool = True
    """Whether every question so far has been answered."""
    _asking: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock), repr=False)
    """Key of a question → lock, so that threads do not ask the same question twice."""

    def __call__(self, prompt: Prompt, ask: Ask) -> Answer:
        """The judge's answer; a failure if it is unknown and there is no judge to ask."""
        key = digest((self.card, replace(prompt, data={})))
        path = cache_root() / "judgements" / key[:2] / f"{key[2:]}.json"
        with self._asking[key]:
            return self._answer(path, prompt, ask)

    def _answer(self, path: Path, prompt: Prompt, ask: Ask) -> Answer:
        with suppress(OSError, ValueError, KeyError, TypeError):
            known = read_sealed_json(path)
            return Answer(str(known["text"]), logprobs=tuple(known["logprobs"]))
        if self.ask is None:
            self.complete = False
            return Answer(failure=Failure(Fault.INSTRUMENT, "not-judged", "the judge is not asked while rescoring"))
        answer = self.ask(prompt, ask)
        if answer.failure is not None:
            self.complete = False
            return answer
        with suppress(PixelProofError, OSError):  # an unwritable cache only costs time
            path.parent.mkdir(parents=True, exist_ok=True)
            write_sealed_json(path, {"text": answer.text, "logprobs": list(answer.logprobs)})
        return answer
