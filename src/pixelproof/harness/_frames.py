"""Runs and comparisons as flat rows: for data frames and for one's own analysis."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness._run_card import Card
from pixelproof.harness._rundir import RunDirectory, damaged_results, read_table
from pixelproof.pixels import media_type_of
from pixelproof.store import BlobStore

_FROM_ANSWER = ("stop", "input_tokens", "output_tokens", "image_count", "cost", "seconds")


def answer_rows(path: Path, card: Card, bench: Bench) -> Iterator[dict[str, Any]]:
    """One flat row per answer, in order: identity, outcome, tags, metrics, notes, evidence, reply and usage."""
    table = read_table(path / "items.parquet", ["item", "cluster", "tags"])
    items = {
        item: {"cluster": cluster, **_prefixed("tag", tags)}
        for item, cluster, tags in zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    }
    blobs = BlobStore(path / "blobs")
    with RunDirectory(path, bench, read_only=True) as directory:
        for result, answer in _joined(path, directory):
            yield {
                "bench": card.bench,
                "model": card.model,
                **{name: result[name] for name in ("item", "sample", "status", "fault", "failure", "detail")},
                **items.get(result["item"], {}),
                **{metric.name: _value(result[metric.name], metric.pool) for metric in bench.metrics},
                **_prefixed("note", result["notes"]),
                **_prefixed("evidence", result["evidence"]),
                "text": _text(answer, blobs),
                "images": (answer.get("images") or []) if answer else [],
                **{name: answer.get(name) for name in _FROM_ANSWER},
            }


def image_id(model: str, item: str, sample: int) -> str:
    """The name of an answer's image in tables of images.

    >>> image_id("m", "evalmi/flat/1/0", 0), image_id("m", "evalmi/flat/1/0", 1)
    ('m/evalmi/flat/1/0', 'm/evalmi/flat/1/0.1')
    """
    return f"{model}/{item}" + (f".{sample}" if sample else "")


def _joined(path: Path, directory: RunDirectory) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every result with its answer, or with an empty one where the model gave none."""
    answers = iter(directory.answers.rows())
    answer = next(answers, None)
    try:
        for result in directory.results.rows():
            while answer is not None and answer["order"] < result["order"]:
                answer = next(answers, None)
            yield result, answer if answer is not None and answer["order"] == result["order"] else {}
    except PixelProofError as error:
        raise damaged_results(path, error) from error


def _prefixed(prefix: str, text: str | None) -> dict[str, Any]:
    return {f"{prefix}.{name}": value for name, value in json.loads(text or "{}").items()}


def _value(stored: Any, pool: Any) -> Any:
    """A metric of one answer; a pooled one is computed from the counts of this answer alone."""
    if stored is None or pool is None:
        return stored
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(pool(np.asarray(stored, dtype=float)))


def _text(answer: Mapping[str, Any], blobs: BlobStore) -> str | None:
    return blobs.get(answer["text_blob"]).decode() if answer.get("text_blob") else answer.get("text")


@dataclass(frozen=True)
class BlobUse:
    """A stored file, and one of its uses."""

    key: str
    """SHA-256 of the content; `Run.blob(key)` returns the bytes."""
    media_type: str
    size: int
    """In bytes."""
    item: str
    sample: int
    role: str
    """`text`, `image`, `evidence.NAME`; `other` for what no result and no answer refers to by itself, such as
    artefacts of a trace."""


def blob_uses(path: Path, bench: Bench) -> Iterator[BlobUse]:
    """Every use of a blob by an answer or a result, in order of the answers; then the remaining blobs, by key."""
    blobs = BlobStore(path / "blobs")
    used: set[str] = set()
    with RunDirectory(path, bench, read_only=True) as directory:
        for result, answer in _joined(path, directory):
            roles = [("text", answer["text_blob"])] if answer.get("text_blob") else []
            roles += [("image", key) for key in answer.get("images") or ()]
            roles += list(_prefixed("evidence", result["evidence"]).items())
            for role, key in roles:
                used.add(key)
                yield _use(blobs, key, result["item"], result["sample"], role)
    for key in blobs.keys():
        if key not in used:
            yield _use(blobs, key, "", 0, "other")


def _use(blobs: BlobStore, key: str, item: str, sample: int, role: str) -> BlobUse:
    data = blobs.get(key)
    return BlobUse(key, "text/plain" if role == "text" else media_type_of(data), len(data), item, sample, role)


def to_pandas(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A data frame of flat rows.

    Raises:
        PixelProofError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise PixelProofError("to_pandas() needs pandas, which is not installed: run 'pip install pandas'.") from None
    return pandas.DataFrame.from_records(list(rows))
