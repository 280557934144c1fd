"""A run in progress: its stages, and the state on its card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from pixelproof.contract import Bench, Item, PixelProofError, Usage
from pixelproof.harness import _rows as rows
from pixelproof.harness._budget_note import overshoot_note
from pixelproof.harness._channels import count_channels, frequent_channels
from pixelproof.harness._controls import measure_controls, write_controls
from pixelproof.harness._counted import check_calls, counted
from pixelproof.harness._judge import CachedJudge, OpenJudge, open_judge
from pixelproof.harness._ledger import Ledger, Prices
from pixelproof.harness._native import Answerer, NativeRunner, settle_stored
from pixelproof.harness._plan import Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._run_card import ABSENT, Entries, RunCard, State
from pixelproof.harness._rundir import RunDirectory, read_card_alone, read_column, write_card
from pixelproof.harness._scoring import Judge
from pixelproof.harness._summary import summarise
from pixelproof.models import Model, allow_failures, name_of, open_model
from pixelproof.options import Decoding, ModelName, Settings
from pixelproof.store import Workers

BUDGETED_CONNECTIONS = 10
"""Concurrent calls of a run through Inspect that has a budget; without one, Inspect adapts their number."""
_NOT_PORTABLE = (
    "The run refers to the files of the answers by path and hash, and has no copies: it is not portable. Keep these "
    "files where they are to rescore it, or to show them in a report."
)
_JUDGE_INCOMPLETE = "The judge did not answer all questions about floors and ceilings."


def shard_remark(shard: str) -> str:
    """What the card of a shard says."""
    return f"This is shard {shard}: 'pixelproof runs merge' puts shards together, and measures floors and ceilings."


def prices_of(settings: Settings) -> Prices | None:
    """The prices that the user states."""
    return None if settings.price is None else Prices.parse(settings.price)


@dataclass(frozen=True)
class OpenModels:
    """The models of a run, and how they are asked."""

    name: str
    model: Model | None
    """None: one of Inspect AI."""
    judge: OpenJudge | None
    decoding: Decoding
    settings: Settings

    @classmethod
    def open(
        cls, model: ModelName, bench: Bench, judge: str | None, decoding: Decoding, settings: Settings
    ) -> OpenModels:
        """Open the model and the judge of a run.

        Raises:
            PixelProofError: One of them cannot be used.
        """
        return cls(model_name(model), open_model(model, bench, decoding), open_judge(judge, bench), decoding, settings)

    @property
    def judge_card(self) -> Entries | None:
        """What identifies the judge."""
        return None if self.judge is None else self.judge.card

    @property
    def plays(self) -> bool:
        """Whether the model receives prompts."""
        return self.model is None or not self.model.answers_items

    @property
    def asked(self) -> bool:
        """Whether each answer takes a call."""
        return self.model is None or not (self.model.answers_items or self.model.spreads)

    @property
    def connections(self) -> int:
        """The number of calls in flight at once."""
        if self.settings.connections or self.model is None:
            return self.settings.connections or BUDGETED_CONNECTIONS
        judge = self.judge if self.model.answers_items else None
        return judge.connections if judge else self.model.connections

    def close(self) -> None:
        """Close the judge; the model is closed as soon as it has been asked."""
        if self.judge is not None:
            self.judge.close()


def model_name(model: object) -> str:
    """The name of a model on the run card."""
    if not model or not (isinstance(model, str) or callable(model)):
        raise PixelProofError(f"A model is a name, such as gguf/smollm2, or a Python function, not {model!r}.")
    return name_of(model)


class Session:
    """A run in progress: `list_items`, `ask`, `calibrate`, `summarise`.

    The conditions on its card never change. Its state is replaced as a whole, and written after each stage.
    """

    def __init__(
        self, directory: RunDirectory, plan: Plan, card: RunCard, progress: Progress, workers: Workers = None
    ) -> None:
        self.directory, self.plan, self.card = directory, plan, card
        self._progress, self._workers = progress, workers
        self._ledger: Ledger | None = None
        self._judge: CachedJudge | None = None
        if judge_card := card.card.judge_card:
            self._judge = CachedJudge(judge_card, None)

    def enter(self, **changes: Any) -> None:
        """Change the state on the card."""
        if self._ledger is not None:
            changes["ledger"] = self._ledger.card()
        self.card = self.card.with_state(**changes)

    def write_card(self, **changes: Any) -> None:
        """Change the state, and write the card; if the run has ended, it lists the files."""
        self.enter(**changes)
        self.card = write_card(self.directory.path, self.card)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """If an exception ends the run, its card says so."""
        try:
            yield
        except BaseException:
            self.write_card(state="interrupted")
            raise

    def list_items(self, check: Callable[[Item], None] | None = None) -> None:
        """Write the table of items; the state gets their hash and the number of answers.

        Args:
            check: Refuses an item that cannot be asked here.
        """
        data_hash, count = self.directory.write_items(self.plan, *([check] if check else []))
        self.enter(data_hash=data_hash, planned=self.plan.count(count))

    def ask(self, models: OpenModels) -> None:
        """Ask for every answer that is missing, judge and score it."""
        directory, settings, known = self.directory, models.settings, self.card.state
        doubts = directory.doubts()
        for doubt in doubts:
            self._progress.announce(doubt)
        billable = models.asked or models.judge is not None
        if billable:
            check_calls(directory, known.counted, models.asked, settings.max_cost is not None)
        ledger = _open_ledger(directory, settings, known.ledger)
        self.write_card(**({"counted": counted(directory, models.asked)} if billable else {}))
        self._ledger = ledger
        self._announce_budget(models)
        self._progress.begin(models.name, self.card.state.planned, len(directory.settled()))
        try:
            judge = None if models.judge is None else models.judge.within(ledger)
            settle_stored(directory, self.plan, judge, self._progress, ledger)
            self._runner(models, ledger, judge)()
        finally:
            if models.model is not None:
                models.model.close()
            self._progress.end()
            self.write_card(**({"counted": counted(directory, models.asked)} if billable else {}))
        remarks = [*self.plan.bench.remarks(self.plan.source, self.plan.samples), *doubts]
        portable = not directory.refers_to_files()
        if self.plan.shard is not None:
            remarks.append(shard_remark(str(self.plan.shard)))
        self.enter(remarks=remarks if portable else [*remarks, _NOT_PORTABLE], portable=portable)
        if models.judge is not None:
            asked = models.judge
            self._judge = CachedJudge(asked.card, asked.within(ledger), asked.connections)

    def _announce_budget(self, models: OpenModels) -> None:
        budget = models.settings.max_cost
        if len(self.directory.answers):
            allow_failures(models.model, None)
        if budget is not None and (models.model is None or not models.model.spreads):
            self._progress.announce(overshoot_note(budget, models.connections, (models.name, self.card.card.judge)))

    def _runner(self, models: OpenModels, ledger: Ledger, judge: Judge | None) -> Callable[[], None]:
        """What asks, judges and scores all that the run directory lacks."""
        if models.model is None:
            from pixelproof.harness._inspect_run import run_inspect

            return partial(
                run_inspect,
                self.directory,
                self.plan,
                models.name,
                models.decoding,
                ledger,
                self._progress,
                judge=self.card.card.judge,
                connections=models.connections if ledger.max_cost is not None else models.settings.connections,
            )
        return NativeRunner(
            self.directory,
            self.plan,
            Answerer.around(models.model, self.plan.bench, models.decoding),
            ledger,
            self._progress,
            judge,
            connections=models.connections,
            workers=self._workers,
        )

    def calibrate(self, known: Mapping[str, pa.Table] | None = None) -> Mapping[str, pa.Table]:
        """Floors and ceilings: measured, or from the cache, unless they are known."""
        self.directory.compact()
        if known:
            return known
        state = self.card.state
        results = self.directory.path / "results.parquet"
        channels = frequent_channels(count_channels(read_column(results, "channel")))
        count = state.planned // self.plan.samples
        items = None if state.calibrated_on is ABSENT else state.calibrated_on
        controls = measure_controls(
            self.plan,
            state.data_hash,
            count,
            self._progress,
            items,
            self._workers,
            judge=self._judge,
            channels=channels,
        )
        if self._judge is not None and not self._judge.complete:
            self.enter(remarks=[*state.remarks, _JUDGE_INCOMPLETE])
        write_controls(self.directory.path, controls)
        return controls

    def summarise(self, controls: Mapping[str, pa.Table], outcome: State | None = None) -> None:
        """Write summary and card.

        Args:
            controls: Floors and ceilings.
            outcome: What the run has come to, apart from answers that are missing; None: whether its budget is spent.
        """
        card, planned = self.card.card, self.card.state.planned
        summary = summarise(self.directory.path, self.plan.bench, card.model, planned, controls, self.plan.source)
        counts = summary.counts
        state: State = outcome or ("stopped" if self._ledger is not None and self._ledger.stopped else "complete")
        if state == "complete" and counts.completed + counts.unscored + counts.errored < counts.planned:
            state = "stopped"
        if state == "complete" and counts.errored + counts.unscored:
            state = "incomplete"
        self.directory.write_summary(summary)
        self.write_card(state=state)


def money_spent(path: Path, bench: Bench, settings: Settings) -> float:
    """Dollars that a run has cost, with every call that may be billed, also where a killed process left an old card."""
    with RunDirectory(path, bench, read_only=True) as directory:
        return _open_ledger(directory, settings, read_card_alone(path).state.ledger).total.cost or 0.0


def _open_ledger(directory: RunDirectory, settings: Settings, known: Entries | None) -> Ledger:
    """The ledger of a run with what it has used so far: at least what its calls and its answers say, and its card."""
    prices = prices_of(settings)

    def price(usage: Usage) -> float | None:
        return usage.cost if prices is None else prices.cost(usage)

    answers = Usage()
    for row in directory.answers.rows(["input_tokens", "output_tokens", "image_count", "cost", "seconds"]):
        usage = rows.usage_of(row)
        answers = answers + replace(usage, cost=price(usage) if usage.cost is None else usage.cost)
    calls, assumed = directory.calls.spent(price)
    noted = Usage(**{field.name: (known or {}).get(field.name) or 0 for field in fields(Usage)})
    spent = Usage(
        **{f.name: max(getattr(usage, f.name) or 0 for usage in (answers, calls, noted)) for f in fields(Usage)}
    )
    return Ledger(prices, settings.max_cost, spent, directory.calls, assumed)
