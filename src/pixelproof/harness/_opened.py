"""A run directory, opened for reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from pixelproof.benches import get_bench
from pixelproof.contract import Answer, Bench, Item, PixelProofError, Result
from pixelproof.harness import _rows as rows
from pixelproof.harness._controls import read_controls
from pixelproof.harness._frames import BlobUse, answer_rows, blob_uses, to_pandas
from pixelproof.harness._notebook import ImageGrid, run_html
from pixelproof.harness._plan import Plan, plan_run
from pixelproof.harness._run_card import Card, RunCard, RunState
from pixelproof.harness._rundir import RunDirectory, damaged_results, read_card, read_table
from pixelproof.harness._summary import describe_only_faults, read_summary
from pixelproof.store import BlobStore, Records, local_path
from pixelproof.web import data_uri


@dataclass(frozen=True, repr=False)
class Run:
    """A run directory, opened for reading. Notebooks show its headline table."""

    path: Path
    card: RunCard
    """As a mapping, the entries of `card.json`."""

    @classmethod
    def open(cls, path: str | Path) -> Run:
        """Open a run directory, or the view of one at a URL."""
        path = local_path(path)
        return cls(path, read_card(path))

    @property
    def about(self) -> Card:
        """The conditions of the run."""
        return self.card.card

    @property
    def state(self) -> RunState:
        """What the run has come to."""
        return self.card.state

    @property
    def summary(self) -> dict[str, Any]:
        """What `--json` prints."""
        return read_summary(self.path)

    @property
    def tied(self) -> bool:
        """Whether its files can be compared with its card; not if a process that changed them was killed."""
        return not self.state.ended or self.state.files is not None

    @property
    def complete(self) -> bool:
        """Whether every planned answer is there and scored."""
        return self.state.state == "complete"

    @property
    def only_faults(self) -> str:
        """Why its values say nothing about the model, if every answer is a model fault; otherwise empty."""
        counts = self.summary["counts"]
        all_of_them = counts["completed"] and counts["model_faults"] == counts["completed"]
        return describe_only_faults(self.summary["failures"]) if all_of_them else ""

    def failure_examples(self) -> dict[str, str]:
        """For each failure, what was said of the first answer that had it."""
        table = read_table(self.path / "results.parquet", ["failure", "detail"])
        examples: dict[str, str] = {}
        for name, detail in zip(table["failure"].to_pylist(), table["detail"].to_pylist(), strict=True):
            if name is not None:
                examples.setdefault(name, detail or "")
        return examples

    def check_whole(self) -> None:
        """Refuse a run whose tables have lost what its summary counts.

        Raises:
            PixelProofError: Results or answers are missing.
        """
        counts = self.summary["counts"]
        statuses = read_table(self.path / "results.parquet", ["status"])["status"].to_pylist()
        answers = len(read_table(self.path / "answers.parquet", ["order"])) if any(statuses) else 0
        answered = sum(status != "infrastructure-fault" for status in statuses)
        if len(statuses) != counts["completed"] + counts["unscored"] + counts["errored"] or answers < answered:
            raise PixelProofError(
                f"{self.path} has lost results or answers: run 'pixelproof runs rescore {self.path}'."
            )

    def controls(self) -> dict[str, Any]:
        """Control → table of its metrics, one row per item, as they calibrate the summary."""
        return read_controls(self.path)

    def results(self, bench: Bench | None = None) -> Iterator[Result]:
        """Every result, in order."""
        bench = bench or bench_of(self.about)
        with RunDirectory(self.path, bench, read_only=True) as directory:
            try:
                for row in directory.results.rows():
                    yield rows.result_of(row, bench.metrics)
            except PixelProofError as error:
                raise damaged_results(self.path, error) from error

    def items(self) -> Iterator[Item]:
        """Every item, in order, as far as the run's table tells: id, cluster and tags."""
        table = read_table(self.path / "items.parquet", ["item", "cluster", "tags"])
        columns = [table[name].to_pylist() for name in ("item", "cluster", "tags")]
        for identity, cluster, tags in zip(*columns, strict=True):
            yield Item(identity, {}, cluster=cluster, tags=json.loads(tags))

    def answers(self) -> Iterator[tuple[str, int, Answer, list[str]]]:
        """Every answer, in order: item, sample, the answer without its images, and the blob keys of these.

        Artefacts in a trace are `{"$artefact": blob key, "media_type": …}`.
        """
        blobs = BlobStore(self.path / "blobs")
        with Records(self.path, "answers", rows.ANSWER_SCHEMA) as table:
            for row in table.rows():
                yield row["item"], row["sample"], rows.answer_of(row, blobs, artefacts=False), row["images"] or []

    def prompts(self) -> dict[str, dict[str, Any]]:
        """Item → the prompt that the model received: `system`, `parts` (images by type and hash) and `tools`.

        Items are absent where no prompt was sent: controls, folders and recorded answers.
        """
        blobs = BlobStore(self.path / "blobs")
        with Records(self.path, "answers", rows.ANSWER_SCHEMA) as table:
            stored = ((row["item"], rows.prompt_of(row, blobs)) for row in table.rows(["item", "prompt"]))
            return {item: prompt for item, prompt in stored if prompt is not None}

    def prompt(self, item: str) -> dict[str, Any] | None:
        """The prompt that the model received for an item; None if none was sent."""
        return self.prompts().get(item)

    def blob(self, key: str) -> bytes:
        """The content of a blob by its key (of evidence, or of an answer's image), verified."""
        return BlobStore(self.path / "blobs").get(key)

    def blobs(self, bench: Bench | None = None) -> Iterator[BlobUse]:
        """Every stored file with its media type, its size, and the answer and role that it is used in."""
        return blob_uses(self.path, bench or bench_of(self.about))

    def rows(self, bench: Bench | None = None) -> Iterator[dict[str, Any]]:
        """One flat row per answer, in order; the columns are those of `to_pandas`."""
        return answer_rows(self.path, self.about, bench or bench_of(self.about))

    def to_pandas(self, bench: Bench | None = None) -> Any:
        """A data frame with a row per answer.

        Columns: `bench`, `model`, `item`, `sample`, `status`, `fault`, `failure`, `detail`, `cluster`, `tag.NAME`, a
        column per metric (a pooled metric is computed for each answer alone), `note.NAME`, `evidence.NAME` (blob keys),
        `text`, `images` (blob keys), `stop`, `input_tokens`, `output_tokens`, `image_count`, `cost`, `seconds`.

        Args:
            bench: The bench of the run, if it is not an installed one.

        Raises:
            PixelProofError: pandas is not installed.
        """
        return to_pandas(self.rows(bench))

    def gallery(self, n: int = 12, bench: Bench | None = None) -> ImageGrid:
        """The first n answers that have images, each beside the truth; for notebooks.

        Args:
            n: Number of answers.
            bench: The bench of the run, if it is not an installed one.
        """
        bench = bench or bench_of(self.about)
        last = {(item, sample): keys[-1] for item, sample, _, keys in islice(self.answers(), 4 * n) if keys}
        figures = []
        for result in self.results(bench):
            images = _images_of(result, bench, last.get((result.item, result.sample)))
            shown = [(kind, uri) for kind, key in images if (uri := data_uri(self.blob(key)))]
            if shown:
                caption = (
                    f"{result.item.rpartition('/')[2]}: {result.failure.name if result.failure else result.status}"
                )
                figures.append((caption, shown))
            if len(figures) == n:
                break
        return ImageGrid(figures)

    def __repr__(self) -> str:
        """Bench, model, source, state and directory, in one line."""
        about = self.about
        return f"Run({about.bench}: {about.model} on {about.source}, {self.state.state}, {str(self.path)!r})"

    def _repr_html_(self) -> str:
        """Images of the first answers and the headline table, for notebooks."""
        try:
            summary = self.summary
        except PixelProofError:  # an unfinished run is shown as such
            summary = None
        try:
            bench = bench_of(self.about)
        except PixelProofError:  # a bench that is not installed: all metrics are shown
            bench = None
        try:
            grid = self.gallery(_FIRST, bench).html() if bench and summary else None
        except PixelProofError:  # images that are missing do not keep the table from being shown
            grid = None
        return run_html(self.card, summary, bench, str(self.path), grid)


def _images_of(result: Result, bench: Bench, answer: str | None) -> list[tuple[str, str]]:
    """The last image of the item and that of the answer, or else the first evidence: kind and blob key."""
    keys = {name: key for name, key in result.evidence.items() if isinstance(key, str)}
    truth = [name for name in bench.display.item_evidence if name in keys][-1:]
    own = [name for name in keys if name not in bench.display.item_evidence][:1]
    images = [(name, keys[name]) for name in truth]
    return [*images, ("answer", answer)] if answer else [*images, *((name, keys[name]) for name in own)]


_FIRST = 6
"""Answers whose images stand above the table of a run."""


_OF_COMMANDS = {"ask": ".asking:AskedFile", "evidence-probe": ".probing:EvidenceProbe"}
"""Benches of `pixelproof ask` and `tools trace check`, which are not for `pixelproof run`; imported when needed."""


def bench_of(card: Card) -> Bench:
    """The bench of a run, with its options."""
    if card.bench not in _OF_COMMANDS:
        return get_bench(card.bench, **card.options)
    module, _, name = _OF_COMMANDS[card.bench].partition(":")
    kind: type[Bench] = getattr(import_module(module, __package__), name)
    return kind(**card.options)


def plan_of(card: Card, bench: Bench) -> Plan:
    """The plan of a run, from its card."""
    return plan_run(bench, card)
