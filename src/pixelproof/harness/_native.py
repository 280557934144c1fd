"""The native runner: for models of this package, and for existing answers. No Inspect, no event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pixelproof.contract import Answer, Bench, Failure, Fault, PixelProofError, Prompt
from pixelproof.harness import _rows as rows
from pixelproof.harness._checks import checked_answer
from pixelproof.harness._conversation import CONTROL_CRASHED, Exchange, converse, describe_crash, is_lost
from pixelproof.harness._ledger import BudgetSpent, Ledger, reply_limit
from pixelproof.harness._plan import Ask, Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import RunDirectory
from pixelproof.harness._scoring import Judge, ask_judge, score
from pixelproof.models import METER, Model, gpus_of, open_model
from pixelproof.options import Decoding
from pixelproof.store import BlobStore, Cluster, Workers, executor_for

WORTH_SPREADING = 64
"""Least number of asks for which starting processes pays off."""


@dataclass(frozen=True)
class Answerer:
    """A model that can be sent to worker processes, each of which opens its own."""

    bench: Bench
    name: str
    decoding: Decoding

    @classmethod
    def around(cls, model: Model, bench: Bench, decoding: Decoding) -> Answerer:
        """An answerer whose model is already open in this process."""
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
        """Leave out the open model."""
        return {name: getattr(self, name) for name in ("bench", "name", "decoding")}

    def answer(self, ask: Ask, ledger: Ledger) -> Exchange:
        """Ask the model, within the budget."""
        if self.model.answers_items or self.model.spreads:
            exchange = self.free_exchange(ask)
            return replace(exchange, answer=replace(exchange.answer, usage=ledger.book(exchange.answer.usage)))
        call = partial(self.model.answer, item=ask.item, sample=ask.sample, seed=ask.seed)
        return converse(self.bench, ask.item, within(ledger, call, self.decoding.max_tokens))

    def free_exchange(self, ask: Ask) -> Exchange:
        """The answer of a model that costs nothing, without a budget."""
        return exchange_with(self.model, self.bench, ask)


def within(
    ledger: Ledger, call: Callable[[Prompt], Answer], max_tokens: int | None = None, thinks: bool = False
) -> Callable[[Prompt], Answer]:
    """A call that may be billed, as a function that reserves and books its cost.

    Args:
        ledger: Its function raises `BudgetSpent` if the budget does not allow the call.
        call: Answers a prompt.
        max_tokens: Longest reply; None: that of the prompt.
        thinks: Whether replies may contain reasoning tokens.
    """

    def reply(prompt: Prompt) -> Answer:
        reservation, answer = ledger.reserve(prompt, reply_limit(prompt, max_tokens, thinks)), None
        token = METER.set(reservation)
        try:
            answer = rows.without_keys(call(prompt))
        except PixelProofError:
            if not reservation.metered:  # the prompt or the set-up was refused before anything was sent
                reservation.declined()
            raise
        finally:
            METER.reset(token)
            usage = ledger.settle(reservation, answer)
        return replace(answer, usage=usage)

    return reply


def exchange_with(model: Model, bench: Bench, ask: Ask) -> Exchange:
    """Have a model of this package answer an ask: from the item alone, or through prompts."""
    if model.answers_items:
        return Exchange(guarded_reply(model, bench, ask, Prompt(())))
    return converse(bench, ask.item, lambda prompt: guarded_reply(model, bench, ask, prompt))


def guarded_reply(model: Model, bench: Bench, ask: Ask, prompt: Prompt) -> Answer:
    """The reply of a control or a net; an exception in its code is an instrument fault of the item."""
    try:
        answer = model.answer(prompt, ask.item, ask.sample, ask.seed)
    except PixelProofError:
        raise
    except Exception as error:
        return Answer(failure=Failure(Fault.INSTRUMENT, CONTROL_CRASHED, describe_crash(error)))
    return checked_answer(bench, model.name, answer)


@dataclass(frozen=True)
class Spread:
    """Answers, scores and makes rows in a worker process, which writes blobs itself."""

    answerer: Answerer
    blobs: Path

    @property
    def gpus(self) -> float:
        """GPUs that a worker reserves in a cluster."""
        return gpus_of(self.answerer.model)

    def __call__(self, ask: Ask) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """The row of the answer, if there is one, and the row of the result."""
        exchange = self.answerer.free_exchange(ask)
        result = score(self.answerer.bench, ask, exchange.answer, {})
        blobs = BlobStore(self.blobs, refers=not self.answerer.bench.copies_answers)
        kept = (
            None
            if is_lost(exchange.answer)
            else rows.answer_row(ask.order, ask.item.id, ask.sample, exchange.answer, blobs, exchange.prompt)
        )
        return kept, rows.result_row(ask.order, result, self.answerer.bench.metrics, blobs)


@dataclass(frozen=True)
class NativeRunner:
    """Asks, judges and scores whatever a run directory lacks."""

    run: RunDirectory
    plan: Plan
    answerer: Answerer
    ledger: Ledger
    progress: Progress
    judge: Judge | None = None
    connections: int = 1
    """Asks in flight at once."""
    workers: Workers = 1
    """Processes, or a cluster, that answer and score, for models that can be opened in several processes at no cost;
    None: a process per core if there are enough asks."""

    def __call__(self) -> None:
        """Run to the end, or until the budget is spent."""
        pending: Iterator[Ask] = (ask for ask in self.plan.asks() if ask.order not in self.run.answers)
        if self.judge is None and self.answerer.model.spreads and self.workers != 1:
            first = list(islice(pending, WORTH_SPREADING))
            pending = chain(first, pending)
            if worth_spreading(self.plan.bench, len(first), self.workers):
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
        exchange = self.answerer.answer(ask, self.ledger)
        if not is_lost(exchange.answer):
            self.run.keep_answer(ask, exchange.answer, exchange.prompt, sync=not self.answerer.model.spreads)
        finish(self.run, ask, exchange.answer, self.judge, self.progress, self.ledger)

    def _spread(self, pending: Iterator[Ask]) -> None:
        with executor_for(self.workers) as pool:
            for answer, result in pool.map(Spread(self.answerer, self.run.path / "blobs"), pending, chunk=4):
                if answer is not None:
                    answer["cost"] = self.ledger.book(rows.usage_of(answer)).cost
                self.run.keep_rows(answer, result)
                self.progress.advance(result["status"], self.ledger.total)

    def _threads(self, pending: Iterator[Ask]) -> None:
        flying: set[Future[None]] = set()
        pool = ThreadPoolExecutor(self.connections)
        try:
            for ask in pending:
                if self.ledger.stopped:
                    break
                flying.add(pool.submit(self._one, ask))
                if len(flying) >= 2 * self.connections:
                    flying = _reap(flying)
            while flying:
                flying = _reap(flying)
        except BaseException:
            self.ledger.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def worth_spreading(bench: Bench, asks: int, workers: Workers) -> bool:
    """Whether to use other processes; a bench that is defined in the main script cannot be sent to them."""
    if workers is None:
        return asks >= WORTH_SPREADING and type(bench).__module__ != "__main__"
    return isinstance(workers, Cluster) or workers > 1


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
    """Judge and score a stored answer, and store the result."""
    judgements = ask_judge(run.bench, ask, answer, judge)
    run.keep_judgements(ask, judgements)
    result = score(run.bench, ask, answer, judgements)
    run.keep_result(ask, result)
    progress.advance(result.status, ledger.total)


def settle_stored(run: RunDirectory, plan: Plan, judge: Judge | None, progress: Progress, ledger: Ledger) -> None:
    """Score the answers that an interrupted run left without a result; only the judge is asked again."""
    settled = run.settled()
    if len(settled) >= len(run.answers):
        return
    for ask, answer, judgements in run.stored(plan):
        if ask.order in settled:
            continue
        try:
            if judgements and not any(judgement.failure for judgement in judgements.values()):
                result = score(run.bench, ask, answer, judgements)
                run.keep_result(ask, result)
                progress.advance(result.status, ledger.total)
            else:
                finish(run, ask, answer, judge, progress, ledger)
        except BudgetSpent:
            return
