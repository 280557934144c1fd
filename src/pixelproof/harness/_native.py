"""The native runner: models that are plain classes, and answers that exist already. No Inspect."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pixelproof.contract import Answer, Bench, Prompt, Usage
from pixelproof.harness import _rows as rows
from pixelproof.harness._ledger import BudgetSpent, Ledger, reply_limit
from pixelproof.harness._plan import Ask, Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import RunDirectory
from pixelproof.harness._scoring import Judge, ask_judge, converse, is_infrastructure, score
from pixelproof.models import Decoding, Model, open_model
from pixelproof.store import BlobStore, executor

WORTH_SPREADING = 64
"""Asks; for fewer, starting processes takes longer than the work."""


@dataclass(frozen=True)
class Answerer:
    """A model that can travel to worker processes: each opens its own, once."""

    bench: Bench
    name: str
    decoding: Decoding

    @classmethod
    def around(cls, model: Model, bench: Bench, decoding: Decoding) -> Answerer:
        """An answerer whose model is open already in this process."""
        answerer = cls(bench, model.name, decoding)
        answerer.__dict__["model"] = model
        return answerer

    @cached_property
    def model(self) -> Model:
        """The model of this process."""
        model = open_model(self.name, self.bench, self.decoding)
        assert model is not None, "only native models are run natively"
        return model

    def __getstate__(self) -> dict[str, object]:
        """An open model stays where it is."""
        return {name: getattr(self, name) for name in ("bench", "name", "decoding")}

    def answer(self, ask: Ask, ledger: Ledger) -> Answer:
        """Ask the model, within the budget."""
        if self.model.answers_items:
            answer = self.item_answer(ask)
            return replace(answer, usage=ledger.book(answer.usage))

        def reply(prompt: Prompt) -> Answer:
            reserved, usage = ledger.reserve(prompt, reply_limit(prompt, self.decoding.max_tokens)), Usage()
            try:
                answer = self.model.answer(prompt, ask.item, ask.sample, ask.seed)
                usage = answer.usage
            finally:
                usage = ledger.settle(reserved, usage)
            return replace(answer, usage=usage)

        return converse(self.bench, ask.item, reply)

    def item_answer(self, ask: Ask) -> Answer:
        """The answer of a model that needs no prompt."""
        return self.model.answer(Prompt(()), ask.item, ask.sample, ask.seed)


@dataclass(frozen=True)
class Spread:
    """Fetches, scores and makes rows in another process: pictures go to the blobs from there and do not travel."""

    answerer: Answerer
    blobs: Path

    def __call__(self, ask: Ask) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """The row of the answer, if there is one, and the row of the result."""
        answer = self.answerer.item_answer(ask)
        result = score(self.answerer.bench, ask, answer, {})
        blobs = BlobStore(self.blobs)
        kept = None if is_infrastructure(answer) else rows.answer_row(ask.order, ask.item.id, ask.sample, answer, blobs)
        return kept, rows.result_row(ask.order, result, self.answerer.bench.metrics, blobs)


@dataclass(frozen=True)
class NativeRunner:
    """Asks, judges and scores what a run directory lacks."""

    run: RunDirectory
    plan: Plan
    answerer: Answerer
    ledger: Ledger
    progress: Progress
    judge: Judge | None = None
    connections: int = 1
    """Asks in flight at once; more than one only helps where a judge is waited for."""
    workers: int | None = 1
    """Processes that fetch and score, for models that answer whole items without being asked; None: as many as there
    are cores, if there is enough to do."""

    def __call__(self) -> None:
        """Run to the end, or until the budget is spent."""
        pending: Iterator[Ask] = (ask for ask in self.plan.asks() if ask.order not in self.run.answers)
        if self.judge is None and self.answerer.model.answers_items and self.workers != 1:
            first = list(islice(pending, WORTH_SPREADING))
            pending = chain(first, pending)
            if self.workers is not None or len(first) == WORTH_SPREADING:
                return self._spread(pending)
        if self.connections > 1:
            self._threads(pending)
        else:
            try:
                for ask in pending:
                    self._one(ask)
            except BudgetSpent:
                return

    def _one(self, ask: Ask) -> None:
        answer = self.answerer.answer(ask, self.ledger)
        if not is_infrastructure(answer):
            self.run.keep_answer(ask, answer)
        finish(self.run, ask, answer, self.judge, self.progress, self.ledger)

    def _spread(self, pending: Iterator[Ask]) -> None:
        with executor("processes", self.workers) as pool:
            for answer, result in pool.map(Spread(self.answerer, self.run.path / "blobs"), pending, chunk=4):
                if answer is not None:
                    answer["cost"] = self.ledger.book(rows.usage_of(answer)).cost
                self.run.keep_rows(answer, result)
                self.progress.advance(result["status"], self.ledger.total)

    def _threads(self, pending: Iterator[Ask]) -> None:
        flying: set[Future[None]] = set()
        with ThreadPoolExecutor(self.connections) as pool:
            for ask in pending:
                if self.ledger.stopped:
                    break
                flying.add(pool.submit(self._one, ask))
                if len(flying) >= 2 * self.connections:
                    flying = _reap(flying)
            while flying:
                flying = _reap(flying)


def _reap(flying: set[Future[None]]) -> set[Future[None]]:
    done, flying = wait(flying, return_when=FIRST_COMPLETED)
    for future in done:
        error = future.exception()
        if error is not None and not isinstance(error, BudgetSpent):
            raise error
    return flying


def finish(
    run: RunDirectory, ask: Ask, answer: Answer, judge: Judge | None, progress: Progress, ledger: Ledger
) -> None:
    """Judge and score an answer that is in the store, and keep the result."""
    judgements = ask_judge(run.bench, ask, answer, judge)
    run.keep_judgements(ask, judgements)
    result = score(run.bench, ask, answer, judgements)
    run.keep_result(ask, result)
    progress.advance(result.status, ledger.total)


def settle_stored(run: RunDirectory, plan: Plan, judge: Judge | None, progress: Progress, ledger: Ledger) -> None:
    """Score the answers that an interrupted run left without a result, asking only the judge again."""
    settled = run.settled()
    if len(settled) >= len(run.answers):
        return
    for ask, answer, judgements in run.stored(plan):
        if ask.order in settled:
            continue
        try:
            if judgements and not any(told.failure for told in judgements.values()):
                result = score(run.bench, ask, answer, judgements)
                run.keep_result(ask, result)
                progress.advance(result.status, ledger.total)
            else:
                finish(run, ask, answer, judge, progress, ledger)
        except BudgetSpent:
            return
