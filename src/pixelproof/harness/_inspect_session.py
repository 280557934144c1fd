"""The session of a task: none, or a run directory that stores answers, with a budget and a progress display."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore
from inspect_ai.util import EarlyStop, LimitExceededError

from pixelproof.contract import Answer, Failure, PixelProofError, Prompt, Result
from pixelproof.harness._conversation import Exchange
from pixelproof.harness._ledger import BudgetSpent, Ledger, Reservation
from pixelproof.harness._plan import Ask, order_of
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import RunDirectory

RETRIES = 1
"""How often a sample that ends in an error is tried again; providers also retry single calls."""
HOPELESS = 20
"""Stop a run after this many failed calls without a single answer."""


class Lost(Exception):  # noqa: N818 - it says what became of an answer
    """There is no answer, and that is not the model's fault."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.name}: {failure.detail}")
        self.failure = failure


class Session:
    """The session of a task that was started by Inspect: nothing is stored, nothing is limited."""

    halted = False
    """Whether asking has stopped."""
    pictures = True
    """Whether images go to Inspect's log."""

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Handle errors of the work on one sample."""
        yield

    reached = False
    """Whether the run has had an answer."""

    async def reserve(self, prompt: Prompt, max_tokens: int) -> Reservation | None:
        """Reserve the cost of a call."""
        return None

    def settle(self, reservation: Reservation | None, answer: Answer | None) -> Answer | None:
        """Book the actual cost of a call; returns the answer with its cost."""
        return answer

    async def answered(self, ask: Ask, exchange: Exchange) -> None:
        """An answer arrived."""

    async def scored(self, ask: Ask, judgements: Mapping[str, Answer], result: Result) -> None:
        """An answer was scored."""

    async def lost(self, ask: Ask, failure: Failure) -> None:
        """There is no answer."""


class RunSession(Session):
    """A session with a run directory, a ledger and a progress display; used within one event loop."""

    def __init__(
        self,
        run: RunDirectory,
        ledger: Ledger,
        progress: Progress,
        pictures: bool,
        connections: int | None = None,
    ) -> None:
        """Make a session.

        Args:
            run: Where answers are stored.
            ledger: Limits the cost.
            progress: Receives every result.
            pictures: Whether images go to Inspect's log.
            connections: Most calls that may hold a reservation at once; None: no limit.
        """
        self.run, self.ledger, self.progress, self.pictures = run, ledger, progress, pictures
        self.reached = len(run.answers) > 0
        self._slots = None if connections is None else anyio.Semaphore(connections)
        self.broken: Exception | None = None
        """Why the run cannot go on."""
        self._tries: Counter[int] = Counter()
        self._lost = 0
        self._landed: anyio.Event | None = None
        self._writing = threading.Lock()

    @property
    def halted(self) -> bool:  # type: ignore[override]
        """Whether the budget is spent or the run is broken."""
        return self.broken is not None or self.ledger.stopped

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Stop the run at any error that is neither a lost answer nor a limit: wrong set-up, a full disk."""
        try:
            yield
        except (Lost, LimitExceededError):
            raise
        except Exception as error:
            self.broken = self.broken or error
            raise

    async def reserve(self, prompt: Prompt, max_tokens: int) -> Reservation:
        """Reserve the highest possible cost of a call, once a connection is free.

        Calls in flight mostly cost less than reserved, so they are waited for before a call is refused.

        Raises:
            BudgetSpent: The budget does not allow the call, and nothing in flight can change that.
        """
        if self._slots is not None:
            await self._slots.acquire()
        try:
            while True:
                try:
                    return self.ledger.reserve(prompt, max_tokens, wait=False)
                except BudgetSpent:
                    if self.ledger.stopped:
                        raise
                    self._landed = self._landed or anyio.Event()
                    await self._landed.wait()
        except BaseException:
            if self._slots is not None:
                self._slots.release()
            raise

    def settle(self, reservation: Reservation | None, answer: Answer | None) -> Answer | None:
        """Book the actual cost of a call, and wake up the calls that wait for the budget."""
        assert reservation is not None, "this session reserves every call"
        usage = self.ledger.settle(reservation, answer)
        if self._landed is not None:
            self._landed.set()
            self._landed = None
        if self._slots is not None:
            self._slots.release()
        return None if answer is None else replace(answer, usage=usage)

    async def answered(self, ask: Ask, exchange: Exchange) -> None:
        """Store an answer before anything else happens."""
        self.reached = True
        await self._write(lambda: self.run.keep_answer(ask, exchange.answer, exchange.prompt))

    async def scored(self, ask: Ask, judgements: Mapping[str, Answer], result: Result) -> None:
        """Store judgements and result of an answer."""

        def keep() -> None:
            self.run.keep_judgements(ask, judgements)
            self.run.keep_result(ask, result)
            self.progress.advance(result.status, self.ledger.total)

        await self._write(keep)

    async def lost(self, ask: Ask, failure: Failure) -> None:
        """Record that there is no answer, unless it will be tried again.

        Raises:
            PixelProofError: The first calls all failed, as with a wrong key.
        """
        self._lost += 1
        if self._lost >= HOPELESS and not self.reached:
            raise PixelProofError(
                f"The first {self._lost} calls all failed ({failure.detail}): correct the cause, then add --resume."
            )
        self._tries[ask.order] += 1
        if self._tries[ask.order] > RETRIES:
            await self.scored(ask, {}, Result(ask.item.id, {}, ask.sample, failure))

    async def _write(self, keep: Callable[[], None]) -> None:
        def alone() -> None:
            with self._writing:
                keep()

        with anyio.CancelScope(shield=True):  # a paid answer is stored even if the user presses Ctrl-C now
            await anyio.to_thread.run_sync(alone)


SESSION: ContextVar[Session] = ContextVar("pixelproof_session", default=Session())  # noqa: B039 - it has no state


class Gate:
    """Lets Inspect skip answered samples, and all samples once the session has stopped."""

    def __init__(self, session: RunSession, indices: Mapping[str, int]) -> None:
        self._session, self._indices = session, indices

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Name the gate for the log."""
        return "pixelproof"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Skip a sample, or let it run."""
        if self._session.halted:
            return EarlyStop(id=id, epoch=epoch, reason="halted")
        if order_of(self._indices[str(id)], epoch - 1) in self._session.run.answers:
            return EarlyStop(id=id, epoch=epoch, reason="answered")
        return None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:
        """Nothing to do."""

    async def complete_task(self) -> dict[str, Any]:
        """Nothing to add to the log."""
        return {}
