"""Scores of images by any judge, stored as they come: in processes, on a cluster, or from a service with a budget."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from pixelproof.benches.evalmi._bench import EvalMi
from pixelproof.benches.evalmi._judge import judge_questions, read_judgements
from pixelproof.benches.evalmi._prompts import CORRESPONDENCE, PERCEPTION
from pixelproof.benches.evalmi.data import load
from pixelproof.contract import Answer, Artefact, Item, PixelProofError, Prompt
from pixelproof.harness import (
    Ask,
    BudgetSpent,
    CallTable,
    Ledger,
    OpenJudge,
    Prices,
    Run,
    bench_of,
    find_runs,
    image_id,
    open_judge,
)
from pixelproof.models import CHOICES
from pixelproof.pixels import ImageError, media_type_of, read_image
from pixelproof.store import (
    BlobStore,
    Columns,
    Lock,
    Records,
    Workers,
    as_texts,
    digest,
    executor_for,
    is_url,
    plain,
    read_sealed_json,
    read_table,
    replacing,
    require_inside,
    table_column,
    writable,
    write_sealed_json,
)

LOCAL = ("nets", "fn")
"""Kinds of judges whose answers cost nothing, so that worker processes may ask them."""
_BLIND = {choice.prefix for choice in CHOICES} - {*LOCAL, "chat", "gemini", ""}
"""Kinds of models that cannot judge: they read no images, or answer nothing but items of a bench."""
_MOST_BYTES = 64 << 20
"""Size of the largest image that is read."""
COLUMNS = ("perception", "correspondence")
_JUDGED = tuple(metric.name for metric in EvalMi.metrics if metric.name.startswith("judge."))
_Row = dict[str, Any]
_SCHEMA = pa.schema(
    [
        ("order", pa.int64()),
        ("image_id", pa.string()),
        *((name, pa.float64()) for name in COLUMNS),
        ("note", pa.string()),
    ]
)


@dataclass(frozen=True)
class ImageRow:
    """An image that the judge is asked about."""

    order: int
    image_id: str
    """Its file, relative to the folder of images; of a run, the name that studies give it."""
    prompt: str
    """The text that it was made from."""
    run: str = ""
    """The run that it is from, and the key of its blob."""
    key: str = ""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """What the judge of that run said of it, by metric."""


def run_images(path: Path) -> Iterator[ImageRow]:
    """The last image of every answer of a run of the bench, or of the runs in a folder.

    Raises:
        PixelProofError: A run is of another bench, or cannot be read.
    """
    order = 0
    for run in (Run.open(directory) for directory in find_runs(path)):
        bench = bench_of(run.about)
        if not isinstance(bench, EvalMi):
            raise PixelProofError(f"{run.path} is a run of {bench.name}, not of {EvalMi.name}: choose others.")
        for row in run.rows(bench):
            if row["images"]:
                name = image_id(row["model"], row["item"], row["sample"])
                scores = {metric: row[metric] for metric in _JUDGED}
                yield ImageRow(order, name, row.get("note.prompt", ""), str(run.path), row["images"][-1], scores)
                order += 1


def scores_of_runs(path: Path) -> Columns:
    """The scores of the judge of runs of the bench, by `image_id`: a column per metric that any image has.

    Raises:
        PixelProofError: There are no such runs, or no judge scored them.
    """
    images = list(run_images(path))
    columns = {metric.removeprefix("judge."): [image.scores[metric] for image in images] for metric in _JUDGED}
    columns = {name: values for name, values in columns.items() if any(value is not None for value in values)}
    if not columns:
        raise PixelProofError(
            f"{path} has no image that a judge scored: run 'pixelproof judge score {path} --judge …'."
        )
    return {"image_id": [image.image_id for image in images], **columns}


def read_images(path: Path) -> list[ImageRow]:
    """Images of a rated data set, of a table with the columns `image_id` and `prompt`, or of runs of the bench.

    Raises:
        PixelProofError: It cannot be read, has no images, or names an image twice.
    """
    if path.is_dir() and (images := list(run_images(path))):
        _require_unique(path, [image.image_id for image in images])
        return images
    if path.is_dir():
        data = load(path)
        ids, texts = list(data.image_ids), [data.prompts.texts[code] for code in data.prompt]
    else:
        table = read_table(path)
        ids, texts = (as_texts(table_column(table, name, path)) for name in ("image_id", "prompt"))
    if not ids:
        raise PixelProofError(f"{path} has no images.")
    _require_unique(path, ids)
    return [ImageRow(order, name, text) for order, (name, text) in enumerate(zip(ids, texts, strict=True))]


def _require_unique(path: Path, ids: Sequence[str]) -> None:
    if len(set(ids)) < len(ids):
        twice = next(name for place, name in enumerate(ids) if name in ids[:place])
        raise PixelProofError(f"{path} has the image {twice} twice: an image_id must be unique.")


@dataclass(frozen=True)
class ImageJudge:
    """Asks a judge about an image, in any process; each opens the judge once."""

    judge: str
    images: str
    """Folder, or URL, of the images."""
    prices: Prices | None = None
    """Of a service."""
    max_cost: float | None = None
    """Dollars that all calls for one folder of scores may cost."""

    @cached_property
    def opened(self) -> OpenJudge:
        """The judge of this process.

        Raises:
            PixelProofError: It cannot be opened, or does not read images.
        """
        if self.judge.partition("/")[0] in _BLIND:
            raise PixelProofError(
                f"{self.judge} does not judge images: name nets/NAME, fn/MODULE:FUNCTION, chat/MODEL, gemini/MODEL or "
                "a model of Inspect AI."
            )
        judge = open_judge(self.judge, EvalMi())
        assert judge is not None, "it has a name"
        return judge

    @property
    def local(self) -> bool:
        """Whether asking costs nothing."""
        return self.judge.partition("/")[0] in LOCAL

    @property
    def gpus(self) -> float:
        """GPUs that a worker reserves in a cluster."""
        return self.opened.gpus

    @cached_property
    def _read(self) -> Callable[[str], bytes]:
        if is_url(self.images):
            from pixelproof.store.remote import RemoteFolder

            folder = RemoteFolder(self.images)
            return lambda name: folder.read(name, _MOST_BYTES)
        return partial(_read_file, Path(self.images))

    def __getstate__(self) -> dict[str, str]:
        """Leave out what is open."""
        return {"judge": self.judge, "images": self.images}

    def __call__(self, row: ImageRow, ledger: Ledger | None = None) -> _Row:
        """The row of the scores: numbers, or a note that says why there are none.

        Raises:
            BudgetSpent: The ledger has a budget that does not allow all questions.
        """
        empty = {"order": row.order, "image_id": row.image_id, **dict.fromkeys(COLUMNS)}
        try:
            data = BlobStore(Path(row.run) / "blobs").get(row.key) if row.key else self._read(row.image_id)
            read_image(data)
        except ImageError as error:
            return {**empty, "note": f"the image cannot be decoded: {error}"}
        except OSError as error:
            return {**empty, "note": f"the image cannot be read: {error.strerror or error}"}
        item = Item(f"evalmi/images/{EvalMi.version}/{row.order:05d}", {"prompt": row.prompt})
        questions = judge_questions(Artefact(data, media_type_of(data)), row.prompt, ())
        ask = self.opened.call if ledger is None else self.opened.within(ledger)
        answers = {question.name: _reply(ask, question.prompt, Ask(row.order, item, 0, 0)) for question in questions}
        verdict = read_judgements({name: a for name, a in answers.items() if isinstance(a, Answer)}, ())
        failed = [f"{name}: {a}" for name, a in answers.items() if isinstance(a, str)]
        abstained = [f"{name}: cannot tell" for name in verdict.abstained]
        scores = {name: verdict.metrics.get(f"judge.{name}") for name in COLUMNS}
        return {**empty, **scores, "note": "; ".join([*failed, *verdict.unreadable, *abstained])}


def _reply(ask: Callable[[Prompt, Ask], Answer], prompt: Prompt, about: Ask) -> Answer | str:
    """The judge's reply, or why there is none."""
    try:
        answer = ask(prompt, about)
    except (PixelProofError, BudgetSpent):  # all other questions would fail, too
        raise
    except Exception as error:
        return f"the judge crashed: {type(error).__name__} {error}"
    return answer if answer.failure is None else f"{answer.failure.name} {answer.failure.detail}"


def _read_file(folder: Path, name: str) -> bytes:
    path = require_inside(folder / name, folder)
    if path.stat().st_size > _MOST_BYTES:
        raise OSError(f"{path} has more than {_MOST_BYTES >> 20} MB")
    return path.read_bytes()


def judge_images(
    rows: Sequence[ImageRow],
    judge: ImageJudge,
    out: str | Path,
    workers: Workers = None,
    advance: Callable[[], None] = lambda: None,
) -> dict[str, float]:
    """Ask a judge about images, and write `scores.csv`; images that have their scores are not asked about again.

    Args:
        rows: The images.
        judge: Whom to ask.
        out: Folder, or URL, of the scores; if it has scores of the same images and judge, it is continued.
        workers: Processes or a cluster, for a judge that runs here; None: a process per core.
        advance: Called after every image.

    Returns:
        Numbers of images: `planned`, `scored` (with both scores), and `asked` this time; with a service, `cost`.

    Raises:
        PixelProofError: The folder holds something else, or cannot be written.
    """
    card = plain(
        {
            "kind": "judge scores",
            "judge": judge.judge,
            "judge_card": dict(judge.opened.card),
            "questions": {prompt.key: prompt.version for prompt in (PERCEPTION, CORRESPONDENCE)},
            "images": digest([(row.image_id, row.prompt) for row in rows]),
        }
    )
    with writable(out) as folder, Lock(folder):
        _require_same(folder, card, out)
        with Records(folder, "rows", _SCHEMA) as records:
            done = {row["order"] for row in records.rows() if not row["note"]}
            missing = [row for row in rows if row.order not in done]
            counts: dict[str, float] = {"planned": len(rows), "scored": 0, "asked": 0}
            if judge.local:
                with executor_for(workers if len(missing) > 1 else 1) as pool:
                    for row in pool.map(judge, missing, chunk=4):
                        records.put(row)
                        counts["asked"] += 1
                        advance()
            else:
                ledger = _open_ledger(folder, judge)
                for row in _ask_service(judge, missing, ledger):
                    records.put(row, sync=True)
                    counts["asked"] += 1
                    advance()
                counts["cost"] = ledger.total.cost or 0.0
            records.compact()
            table = list(records.rows())
        _write_scores(folder / "scores.csv", table)
    return counts | {"scored": sum(not row["note"] for row in table)}


def _open_ledger(folder: Path, judge: ImageJudge) -> Ledger:
    """The ledger of a folder, with what all calls for it have cost so far."""
    calls, prices = CallTable(folder), judge.prices
    spent, assumed = calls.spent(lambda usage: usage.cost if prices is None else prices.cost(usage))
    return Ledger(prices, judge.max_cost, spent, calls, assumed)


def _ask_service(judge: ImageJudge, rows: Sequence[ImageRow], ledger: Ledger) -> Iterator[_Row]:
    """The rows of images, several at a time, in order, as far as the budget goes."""

    def ask(row: ImageRow) -> _Row | None:
        try:
            return judge(row, ledger)
        except BudgetSpent:
            return None

    try:
        with ThreadPoolExecutor(judge.opened.connections) as pool:
            try:
                yield from filter(None, pool.map(ask, rows))
            except BaseException:
                ledger.stop()
                pool.shutdown(cancel_futures=True)
                raise
    finally:
        judge.opened.close()


def _require_same(folder: Path, card: Mapping[str, Any], out: str | Path) -> None:
    """Write the card of a new folder; refuse a folder of another judge, other images, or something else."""
    path = folder / "card.json"
    if not path.exists():
        if any(not file.name.startswith(".") for file in folder.iterdir()):
            raise PixelProofError(f"{out} exists and has no scores of a judge: choose another --out.")
        write_sealed_json(path, dict(card))
        return
    try:
        known = read_sealed_json(path)
    except (OSError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}): choose another --out.") from error
    for name, value in card.items():
        if known.get(name) != value:
            raise PixelProofError(f"{out} has scores with another {name.replace('_', ' ')}: choose another --out.")


def _write_scores(path: Path, table: Sequence[Mapping[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["image_id", *COLUMNS, "note"])
    for row in table:
        numbers = ("" if row[name] is None else repr(float(row[name])) for name in COLUMNS)
        writer.writerow([row["image_id"], *numbers, row["note"]])
    with replacing(path) as temporary:
        temporary.write_text(text.getvalue(), "utf-8")
