"""The native runner: models that are plain classes, and answers that exist already. No Inspect."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property

from pixelproof.contract import Answer, Bench, Prompt, Result, Usage
from pixelproof.harness._ledger import BudgetSpent, Ledger, reply_limit
from pixelproof.harness._plan import Ask, Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import RunDirectory
from pixelproof.harness._scoring import Judge, ask_judge, converse, is_infrastructure, score
from pixelproof.models import Decoding, Model, open_model
from pixelproof.store import executor


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
            answer = self.model.answer(Prompt(()), ask.item, ask.sample, ask.seed)
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

    def __call__(self, ask: Ask) -> tuple[Ask, Answer, Result]:
        """Fetch and score an answer, in one go: for work that is spread over processes."""
        answer = self.model.answer(Prompt(()), ask.item, ask.sample, ask.seed)
        return ask, answer, score(self.bench, ask, answer, {})


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
    workers: int = 1
    """Processes that fetch and score, for models that answer whole items without being asked."""

    def __call__(self) -> None:
        """Run to the end, or until the budget is spent."""
        pending = (ask for ask in self.plan.asks() if ask.order not in self.run.answers)
        if self.workers > 1 and self.judge is None and self.answerer.model.answers_items:
            self._spread(pending)
        elif self.connections > 1:
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
            for ask, answer, result in pool.map(self.answerer, pending):
                if not is_infrastructure(answer):
                    self.run.keep_answer(ask, replace(answer, usage=self.ledger.book(answer.usage)))
                self.run.keep_result(ask, result)
                self.progress.advance(result.status, self.ledger.total)

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
