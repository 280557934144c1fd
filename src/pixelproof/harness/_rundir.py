"""A run directory: all that is needed to verify a number and to compute it again."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from pixelproof.contract import Answer, Bench, Item, PixelProofError, Prompt, Result, Summary
from pixelproof.harness import _rows as rows
from pixelproof.harness._calls import CallTable
from pixelproof.harness._plan import Ask, Plan
from pixelproof.harness._run_card import FORMAT, CardError, RunCard
from pixelproof.harness._ties import check_ties, foreign_card, tie
from pixelproof.store import (
    BlobStore,
    Lock,
    Records,
    VerifiedTable,
    digest,
    is_held,
    read_sealed_json,
    sync_ancestors,
    view_problem,
    write_parquet,
    write_sealed_json,
    zeroed_reason,
    zeroed_tail,
)

_BATCH = 4096
CARD, CARD_COPY = "card.json", "card.copy.json"
"""The card, and its copy, from which a damaged card is restored: nothing else has its content."""


@dataclass(frozen=True)
class StoredRows:
    """An answer as it is stored, with its judgements; can be sent to other processes."""

    ask: Ask
    answer: dict[str, Any]
    judgements: dict[str, Any] | None

    def read(self, blobs: BlobStore) -> tuple[Answer, dict[str, Answer]]:
        """The answer and its judgements, with their blobs."""
        judgements = {} if self.judgements is None else rows.judgements_of(self.judgements, blobs)
        return rows.answer_of(self.answer, blobs), judgements


class RunDirectory:
    """Card, items, answers, judgements, results and blobs of one run.

    Answers are written the moment they arrive and survive a killed process; results can be made again from them.
    """

    def __init__(
        self, path: Path, bench: Bench, read_only: bool = False, remake: bool = False, locked: bool = False
    ) -> None:
        """Open the tables.

        Args:
            path: The directory.
            bench: Whose metrics the results have.
            read_only: Whether others may write meanwhile.
            remake: Whether results that cannot be read are dropped, because they are about to be made again.
            locked: Whether the caller holds the lock of the directory.
        """
        self.path = path
        self.bench = bench
        self.blobs = BlobStore(path / "blobs", refers=not bench.copies_answers)
        self._durable_blobs = BlobStore(path / "blobs", sync=True)
        self._lock = None if read_only or locked else Lock(path)
        if not read_only:
            sync_ancestors(path)
        self._writing = threading.Lock()
        try:
            self.answers = Records(path, "answers", rows.ANSWER_SCHEMA)
            self.judgements = Records(path, "judgements", rows.JUDGEMENT_SCHEMA)
            self.calls = CallTable(path)
            self.results = self._open_results(remake)
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise

    def _open_results(self, remake: bool) -> Records:
        schema = rows.result_schema(self.bench.metrics)
        try:
            results = Records(self.path, "results", schema)
            if remake:
                deque(results.rows(), maxlen=0)
            return results
        except PixelProofError as error:
            if remake and len(self.answers):
                (self.path / "results.parquet").unlink(missing_ok=True)
                shutil.rmtree(self.path / "results.parts", ignore_errors=True)
                return Records(self.path, "results", schema)
            raise damaged_results(self.path, error) from error

    def close(self) -> None:
        """Let go of the files and the lock."""
        for table in (self.answers, self.judgements, self.results):
            table.close()
        self.calls.close_files()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def compact(self) -> None:
        """Turn what a run has collected into one file per table."""
        self.answers.compact()
        self.results.compact()
        if len(self.judgements):
            self.judgements.compact()
        self.calls.compact()

    def keep_answer(self, ask: Ask, answer: Answer, prompt: Prompt | None = None, sync: bool = True) -> None:
        """Store an answer durably, with the prompt that the model received.

        Args:
            ask: What was asked.
            answer: Of the model.
            prompt: As the model received it.
            sync: Wait for the disk, so that the answer survives a power failure. Answers that cost nothing to get again
                need not.
        """
        blobs = self._durable_blobs if sync else self.blobs
        row = rows.answer_row(ask.order, ask.item.id, ask.sample, answer, blobs, prompt)
        with self._writing:
            self.answers.put(row, sync=sync)

    def keep_judgements(self, ask: Ask, judgements: Mapping[str, Answer]) -> None:
        """Store the answers of the judge; they survive a power failure."""
        if judgements:
            row = rows.judgement_row(ask.order, ask.item.id, ask.sample, judgements, self._durable_blobs)
            with self._writing:
                self.judgements.put(row, sync=True)

    def keep_result(self, ask: Ask, result: Result) -> None:
        """Store a result; a later one for the same answer replaces it."""
        row = rows.result_row(ask.order, result, self.bench.metrics, self.blobs)
        with self._writing:
            self.results.put(row)

    def keep_rows(self, answer: Mapping[str, Any] | None, result: Mapping[str, Any]) -> None:
        """Store an answer, if there is one, and a result, both of which another process made rows of."""
        with self._writing:
            if answer is not None:
                self.answers.put(answer)
            self.results.put(result)

    def doubts(self) -> list[str]:
        """What to say of journals at whose end there are zeros; the next row that is written removes them."""
        tails = ((file, zeroed_tail(file)) for file in sorted(self.path.glob("*.parts/journal.jsonl")))
        return [
            f"{file.relative_to(self.path)} was cut after its last row, because {zeroed_reason(count)}. Answers that "
            "were there are asked for again."
            for file, count in tails
            if count
        ]

    def refers_to_files(self) -> bool:
        """Whether answers are stored as references to files elsewhere; all are, or none."""
        images = (row["images"] for row in self.answers.rows(["images"]) if row["images"])
        first = next(images, None)
        return first is not None and self.blobs.is_reference(first[0])

    def settled(self) -> set[int]:
        """Keys of the results that are final: scored, abstained, or a model fault."""
        final = ("scored", "abstained", "model-fault")
        return {row["order"] for row in self.results.rows(["status"]) if row["status"] in final}

    def stored(self, plan: Plan) -> Iterator[tuple[Ask, Answer, dict[str, Answer]]]:
        """Every stored answer that the plan asks for, with its judgements, in order."""
        return ((stored.ask, *stored.read(self.blobs)) for stored in self.stored_rows(plan))

    def stored_rows(self, plan: Plan) -> Iterator[StoredRows]:
        """The rows of every stored answer that the plan asks for, and of its judgements, in order."""
        asks, judged = plan.asks(), self.judgements.rows()
        ask, judgement = next(asks, None), next(judged, None)
        for row in self.answers.rows():
            while ask is not None and ask.order < row["order"]:
                ask = next(asks, None)
            while judgement is not None and judgement["order"] < row["order"]:
                judgement = next(judged, None)
            if ask is None:
                return
            if ask.order == row["order"]:
                judged_here = judgement is not None and judgement["order"] == row["order"]
                yield StoredRows(ask, row, judgement if judged_here else None)

    def write_items(self, plan: Plan, check: Callable[[Item], None] = lambda item: None) -> tuple[str, int]:
        """Write the table of items; gives the hash of all their contents, and their number.

        Args:
            plan: What is asked.
            check: Refuses an item that cannot be asked here.

        Raises:
            PixelProofError: An item that the run already knows has changed, or is refused.
        """
        known = read_column(self.path / "items.parquet", "digest")
        content, count, ids = hashlib.sha256(), 0, set[str]()

        def batches() -> Iterator[pa.RecordBatch]:
            nonlocal count
            batch: list[dict[str, Any]] = []
            for index, item in plan.items():
                check(item)
                row = _item_row(item, plan)
                if index < len(known) and known[index].as_py() != row["digest"]:
                    raise PixelProofError(
                        f"{item.id} is not what it was when {self.path} began: the data or the bench has changed, "
                        "so start a new run with another --out."
                    )
                if item.id in ids:
                    raise PixelProofError(f"The bench {self.bench.name} has two items with the id {item.id}.")
                ids.add(item.id)
                content.update(row["digest"].encode())
                count += 1
                batch.append(row)
                if len(batch) == _BATCH:
                    yield pa.RecordBatch.from_pylist(batch, rows.ITEM_SCHEMA)
                    batch = []
            yield pa.RecordBatch.from_pylist(batch, rows.ITEM_SCHEMA)
            if not count:
                raise PixelProofError(f"The source {plan.source.name!r} of {self.bench.name} gave no items.")
            if count < len(known):
                raise PixelProofError(
                    f"{self.path} has {len(known)} items, and this plan only {count}: a run can grow but not shrink, "
                    "so leave out --limit or choose another --out."
                )

        write_parquet(self.path / "items.parquet", batches(), rows.ITEM_SCHEMA)
        return content.hexdigest(), count

    def write_summary(self, summary: Summary) -> None:
        """Write the summary."""
        write_sealed_json(self.path / "summary.json", summary)


def _item_row(item: Item, plan: Plan) -> dict[str, Any]:
    return {
        "item": item.id,
        "source": plan.source.name,
        "seed": plan.seed,
        "cluster": item.cluster or item.id,
        "tags": json.dumps(dict(item.tags), sort_keys=True),
        "digest": digest((item.id, item.inputs, item.truth)),
    }


def damaged_results(path: Path, error: PixelProofError) -> PixelProofError:
    """What to say of results that cannot be used: unlike answers, those of another version can be made again."""
    why, foreign, _ = str(error).partition(": restore it from a backup")
    if not foreign:
        return error
    return PixelProofError(
        f"{why}: run 'pixelproof runs rescore {path}', which makes all results again from the answers."
    )


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """A table of a run directory, verified, with all the columns that are asked for."""
    with closing(open_table(path, columns or ())) as table:
        return table.read(columns)


def open_table(path: Path, columns: Sequence[str]) -> VerifiedTable:
    """A table of a run directory, verified, which has at least these columns."""
    if not path.exists():
        raise PixelProofError(
            f"{path} is missing: run 'pixelproof runs repair {path.parent}', which makes results, controls and items "
            "again, or restore it from a backup."
        )
    table = VerifiedTable(path)
    absent = [name for name in columns if name not in table.names]
    if not absent:
        return table
    table.close()
    raise PixelProofError(
        f"{path} is damaged or of another version, for it has no column {absent[0]!r}: run 'pixelproof runs rescore "
        f"{path.parent}', or restore it from a backup."
    )


def read_column(path: Path, column: str) -> pa.ChunkedArray:
    """One column of a table; empty if the table is not there yet."""
    return read_table(path, [column]).column(0) if path.exists() else pa.chunked_array([], pa.string())


def no_run(path: Path, problem: str) -> PixelProofError:
    """The refusal of a path that should be a run directory; names the right command for files of traces."""
    from pixelproof.tools.episodes import trace_files

    files = trace_files(path)
    hint = f" For its traces, run 'pixelproof tools trace show {files[0]}'." if files else ""
    return PixelProofError(f"{path} {problem}.{hint}")


def write_card(path: Path, card: RunCard, tied: bool = True) -> RunCard:
    """Write the card of a run directory, and its copy.

    Args:
        path: The run directory.
        card: Its card; the list of files is added if the run has ended, and removed otherwise.
        tied: Whether the files stay as they are; before they change, the list has to go.

    Returns:
        The card with the list of files.
    """
    card = tie(path, card) if tied else card.with_state(files=None)
    for name in (CARD, CARD_COPY):
        write_sealed_json(path / name, card.to_json())
    return card


def read_card(path: Path) -> RunCard:
    """The card of a run directory, verified; its files have to be those that it lists.

    Args:
        path: The run directory.

    Raises:
        PixelProofError: There is none, or it is damaged, or a file is not that of the run.
    """
    card = read_card_alone(path)
    try:
        check_ties(path, card)
    except PixelProofError:
        again = read_card_alone(path)
        if again == card:
            raise
        check_ties(path, again)  # another process wrote it meanwhile
        return again
    return card


def parse_card(content: Any) -> RunCard:
    """The card from the content of an intact file.

    Raises:
        ValueError: The message says why it is no usable card.
    """
    if foreign_card(content, content):
        raise ValueError("it is not the card of a run")
    if (written := content["format"]) != FORMAT:
        raise ValueError(f"it has format {written}, and this version reads format {FORMAT}")
    try:
        return RunCard.from_json(content)
    except CardError as error:
        raise ValueError(f"it has no usable {str(error)!r}") from error
    except PixelProofError as error:
        raise ValueError(str(error)) from error


def read_card_alone(path: Path) -> RunCard:
    """The card of a run directory, verified, whatever its files are."""
    try:
        content = read_sealed_json(path / CARD)
    except (FileNotFoundError, NotADirectoryError):
        if problem := view_problem(path):
            raise PixelProofError(problem) from None
        if not path.exists():
            raise no_run(path, "does not exist: 'pixelproof runs list' shows the runs below a directory") from None
        raise no_run(
            path, f"is not a run directory: it has no card.json. 'pixelproof runs list {path}' shows the runs below it"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise PixelProofError(
            f"The card of {path} cannot be read ({error}): run 'pixelproof runs repair {path}', which restores it from "
            "its copy."
        ) from error
    try:
        card = parse_card(content)
    except ValueError as error:
        raise PixelProofError(
            f"{path / CARD} is damaged or of another version, for {error}: run 'pixelproof runs repair {path}', "
            "which restores it from its copy, or open it with the version that wrote it."
        ) from error
    if card.state.state == "running" and not is_held(path):  # its process was killed
        return card.with_state(state="interrupted")
    return card
