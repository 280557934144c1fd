"""How answers, judgements and results lie in tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from pixelproof.contract import Answer, Artefact, Failure, Fault, Metric, Result, Usage
from pixelproof.pixels import media_type_of
from pixelproof.store import BlobStore

INLINE_TEXT = 1 << 16
"""Replies longer than this lie in a blob, so that reading a table stays cheap whatever models say."""

MAX_COUNT = 1 << 53
"""More tokens than any call has; data sets of replies may claim anything."""

ITEM_SCHEMA = pa.schema(
    [
        ("item", pa.string()),
        ("source", pa.string()),
        ("seed", pa.int64()),
        ("cluster", pa.string()),
        ("tags", pa.string()),
        ("digest", pa.string()),
    ]
)

_FAILURE_FIELDS = [("fault", pa.string()), ("failure", pa.string()), ("detail", pa.string())]

ANSWER_SCHEMA = pa.schema(
    [
        ("order", pa.int64()),
        ("item", pa.string()),
        ("sample", pa.int32()),
        ("text", pa.string()),
        ("text_blob", pa.string()),
        ("images", pa.list_(pa.string())),
        ("trace", pa.string()),
        ("stop", pa.string()),
        *_FAILURE_FIELDS,
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("image_count", pa.int64()),
        ("cost", pa.float64()),
        ("seconds", pa.float64()),
    ]
)

JUDGEMENT_SCHEMA = pa.schema(
    [("order", pa.int64()), ("item", pa.string()), ("sample", pa.int32()), ("answers", pa.string())]
)


def result_schema(metrics: Sequence[Metric]) -> pa.Schema:
    """Columns of a results table: a metric is a number, or a list of counts if it is pooled."""
    return pa.schema(
        [
            ("order", pa.int64()),
            ("item", pa.string()),
            ("sample", pa.int32()),
            ("status", pa.string()),
            *_FAILURE_FIELDS,
            ("notes", pa.string()),
            ("evidence", pa.string()),
            *((m.name, pa.float64() if m.pool is None else pa.list_(pa.float64())) for m in metrics),
        ]
    )


def clean(text: str) -> str:
    r"""Replace lone surrogates, which neither UTF-8 nor Parquet can hold.

    >>> clean("a\ud800b") == "a\ufffdb"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _failure_row(failure: Failure | None) -> dict[str, Any]:
    if failure is None:
        return {"fault": None, "failure": None, "detail": None}
    return {"fault": str(failure.fault), "failure": failure.name, "detail": clean(failure.detail)}


def _failure_of(row: Mapping[str, Any]) -> Failure | None:
    if row["fault"] is None:
        return None
    return Failure(Fault(row["fault"]), row["failure"], row["detail"] or "")


def answer_row(order: int, item: str, sample: int, answer: Answer, blobs: BlobStore) -> dict[str, Any]:
    """A row for an answer; its pictures go to the blob store."""
    text = clean(answer.text)
    long = len(text) > INLINE_TEXT
    return {
        "order": order,
        "item": item,
        "sample": sample,
        "text": text[:INLINE_TEXT] if long else text,
        "text_blob": blobs.put(text.encode()) if long else None,
        "images": [blobs.put(image) for image in answer.images],
        "trace": json.dumps(answer.trace) if answer.trace else None,
        "stop": answer.stop,
        **_failure_row(answer.failure),
        "input_tokens": min(answer.usage.input_tokens, MAX_COUNT),
        "output_tokens": min(answer.usage.output_tokens, MAX_COUNT),
        "image_count": answer.usage.images,
        "cost": answer.usage.cost,
        "seconds": answer.usage.seconds,
    }


def answer_of(row: Mapping[str, Any], blobs: BlobStore) -> Answer:
    """The answer back from its row."""
    pictures = [blobs.get(key) for key in row["images"] or ()]
    return Answer(
        text=blobs.get(row["text_blob"]).decode() if row["text_blob"] else row["text"] or "",
        images=tuple(Artefact(data, media_type_of(data)) for data in pictures),
        trace=tuple(json.loads(row["trace"])) if row["trace"] else (),
        failure=_failure_of(row),
        usage=usage_of(row),
        stop=row["stop"],
    )


def usage_of(row: Mapping[str, Any]) -> Usage:
    """What the answer of a row cost."""
    return Usage(row["input_tokens"], row["output_tokens"], row["image_count"], row["cost"], row["seconds"])


def judgement_row(
    order: int, item: str, sample: int, answers: Mapping[str, Answer], blobs: BlobStore
) -> dict[str, Any]:
    """A row for what the judge said of one answer, by the names of the questions."""
    told = {name: answer_row(order, item, sample, answer, blobs) for name, answer in answers.items()}
    return {"order": order, "item": item, "sample": sample, "answers": json.dumps(told)}


def judgements_of(row: Mapping[str, Any], blobs: BlobStore) -> dict[str, Answer]:
    """The judgements back from their row."""
    return {name: answer_of(told, blobs) for name, told in json.loads(row["answers"]).items()}


def result_row(order: int, result: Result, metrics: Sequence[Metric], blobs: BlobStore) -> dict[str, Any]:
    """A row for a result; its evidence goes to the blob store."""
    evidence = {name: e if isinstance(e, str) else blobs.put(e) for name, e in result.evidence.items()}
    row: dict[str, Any] = {
        "order": order,
        "item": result.item,
        "sample": result.sample,
        "status": result.status,
        **_failure_row(result.failure),
        "notes": json.dumps({name: clean(note) for name, note in result.notes.items()}) if result.notes else None,
        "evidence": json.dumps(evidence) if evidence else None,
    }
    for metric in metrics:
        value = result.metrics.get(metric.name)
        if metric.pool is None:
            row[metric.name] = None if value is None else float(value)  # type: ignore[arg-type]
        else:
            row[metric.name] = None if value is None else [float(v) for v in value]  # type: ignore[union-attr]
    return row


def result_of(row: Mapping[str, Any], metrics: Sequence[Metric]) -> Result:
    """The result back from its row; evidence stays in the store, by key."""
    return Result(
        item=row["item"],
        sample=row["sample"],
        metrics={m.name: row[m.name] for m in metrics if row.get(m.name) is not None},
        failure=_failure_of(row),
        notes=json.loads(row["notes"]) if row["notes"] else {},
        evidence=json.loads(row["evidence"]) if row["evidence"] else {},
    )
