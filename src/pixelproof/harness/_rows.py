"""Rows of the tables of answers, judgements and results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from pixelproof.contract import Answer, Artefact, Call, Failure, Fault, Metric, PixelProofError, Prompt, Result, Usage
from pixelproof.pixels import media_type_of
from pixelproof.store import BlobStore, scrub

INLINE_TEXT = 1 << 16
"""Longer texts are stored as blobs, so that reading a table stays cheap."""

ARTEFACT = "$artefact"
"""Marks a reference to an artefact within the JSON of a trace: the blob key, beside `media_type`."""

MAX_COUNT = 1 << 53
"""Largest number of tokens that is stored; data sets of replies may contain arbitrary numbers."""

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
        ("calls", pa.string()),
        ("logprobs", pa.string()),
        ("prompt", pa.string()),
    ]
)
"""`calls`, `logprobs` and `prompt` hold JSON."""

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
            ("channel", pa.string()),
            ("confusion", pa.string()),
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


def without_keys(answer: Answer) -> Answer:
    """The answer with every known key replaced, in all of its texts."""
    texts = (answer.text, answer.trace, answer.failure, answer.stop, answer.calls, answer.logprobs)
    text, trace, failure, stop, calls, logprobs = clean = scrub(texts)
    if clean is texts:
        return answer
    return replace(answer, text=text, trace=trace, failure=failure, stop=stop, calls=calls, logprobs=logprobs)


def answer_row(
    order: int, item: str, sample: int, answer: Answer, blobs: BlobStore, prompt: Prompt | None = None
) -> dict[str, Any]:
    """The row of an answer; its images, and the artefacts of its trace, go to the blob store.

    The prompt is stored with the first sample only: all samples of an item receive the same.
    """
    try:
        return _answer_row(order, item, sample, without_keys(answer), blobs, prompt)
    except (TypeError, RecursionError) as error:
        raise PixelProofError(
            f"The answer to {item} cannot be stored ({error}): its trace and the arguments of its calls must be JSON."
        ) from error


def _answer_row(
    order: int, item: str, sample: int, answer: Answer, blobs: BlobStore, prompt: Prompt | None
) -> dict[str, Any]:
    text = clean(answer.text)
    long = len(text) > INLINE_TEXT
    return {
        "order": order,
        "item": item,
        "sample": sample,
        "text": text[:INLINE_TEXT] if long else text,
        "text_blob": blobs.put(text.encode()) if long else None,
        "images": [blobs.put(image) for image in answer.images],
        "trace": json.dumps(packed(answer.trace, blobs)) if answer.trace else None,
        "calls": json.dumps([[c.id, c.tool, packed(c.arguments, blobs)] for c in answer.calls])
        if answer.calls
        else None,
        "logprobs": json.dumps(packed(answer.logprobs, blobs)) if answer.logprobs else None,
        "prompt": json.dumps(_prompt_document(prompt, blobs)) if prompt is not None and sample == 0 else None,
        "stop": answer.stop,
        **_failure_row(answer.failure),
        "input_tokens": min(answer.usage.input_tokens, MAX_COUNT),
        "output_tokens": min(answer.usage.output_tokens, MAX_COUNT),
        "image_count": answer.usage.images,
        "cost": answer.usage.cost,
        "seconds": answer.usage.seconds,
    }


def answer_of(row: Mapping[str, Any], blobs: BlobStore, artefacts: bool = True) -> Answer:
    """The answer of a row; without `artefacts`, its images are left out and its trace refers to blobs."""
    images = [blobs.get(key) for key in row["images"] or ()] if artefacts else []
    return Answer(
        text=blobs.get(row["text_blob"]).decode() if row["text_blob"] else row["text"] or "",
        images=tuple(Artefact(data, media_type_of(data)) for data in images),
        trace=tuple(unpacked(json.loads(row["trace"]), blobs if artefacts else None)) if row["trace"] else (),
        failure=_failure_of(row),
        usage=usage_of(row),
        stop=row["stop"],
        calls=tuple(Call(*call) for call in json.loads(row["calls"])) if row["calls"] else (),
        logprobs=tuple(json.loads(row["logprobs"])) if row["logprobs"] else (),
    )


def packed(value: Any, blobs: BlobStore | None) -> Any:
    """A value of a trace as JSON: artefacts become references to blobs, or data URIs if there is no blob store.

    Raises:
        TypeError: The value contains something that JSON cannot represent.
    """
    match value:
        case Artefact():
            reference = value.data_uri if blobs is None else blobs.put(value)
            return {ARTEFACT: reference, "media_type": value.media_type}
        case str():
            return clean(value)
        case Mapping():
            return {clean(str(name)): packed(part, blobs) for name, part in value.items()}
        case list() | tuple():
            return [packed(part, blobs) for part in value]
        case None | bool() | int() | float():
            return value
        case _ if hasattr(value, "item") and hasattr(value, "tolist"):  # numpy scalars and arrays
            return packed(value.tolist(), blobs)
        case _:
            raise TypeError(f"a trace holds JSON values and artefacts, not {type(value).__name__}")


def unpacked(value: Any, blobs: BlobStore | None) -> Any:
    """The value of a trace with its artefacts; without a blob store, references stay as they are."""
    if isinstance(value, list):
        return [unpacked(part, blobs) for part in value]
    if not isinstance(value, dict):
        return value
    if blobs is not None and value.keys() == {ARTEFACT, "media_type"}:
        return Artefact(blobs.get(value[ARTEFACT]), value["media_type"])
    return {name: unpacked(part, blobs) for name, part in value.items()}


def _prompt_document(prompt: Prompt, blobs: BlobStore) -> dict[str, Any]:
    """The prompt as JSON; images are listed by type and hash, and are not stored."""
    parts = [
        clean(part) if isinstance(part, str) else {"media_type": part.media_type, "sha256": part.sha256}
        for part in prompt.parts
    ]
    document: dict[str, Any] = {"system": clean(prompt.system), "parts": parts}
    if prompt.tools:
        document["tools"] = [
            {"name": tool.name, "about": tool.about, "parameters": packed(tool.parameters, blobs)}
            for tool in prompt.tools
        ]
    if sum(len(part) for part in parts if isinstance(part, str)) > INLINE_TEXT:
        return {"blob": blobs.put(json.dumps(document).encode())}
    return document


def prompt_of(row: Mapping[str, Any], blobs: BlobStore) -> dict[str, Any] | None:
    """The prompt stored with an answer: `system`, `parts`, `tools`; None if the model received none."""
    if not row["prompt"]:
        return None
    document: dict[str, Any] = json.loads(row["prompt"])
    if "blob" in document:
        document = json.loads(blobs.get(document["blob"]))
    return {"tools": [], **document}


def usage_of(row: Mapping[str, Any]) -> Usage:
    """The usage of the answer in a row."""
    return Usage(row["input_tokens"], row["output_tokens"], row["image_count"], row["cost"], row["seconds"])


def judgement_row(
    order: int, item: str, sample: int, answers: Mapping[str, Answer], blobs: BlobStore
) -> dict[str, Any]:
    """The row of a judge's answers about one answer, by the names of the questions."""
    judged = {name: answer_row(order, item, sample, answer, blobs) for name, answer in answers.items()}
    return {"order": order, "item": item, "sample": sample, "answers": json.dumps(judged)}


def judgements_of(row: Mapping[str, Any], blobs: BlobStore) -> dict[str, Answer]:
    """The judgements of a row."""
    return {name: answer_of(judged, blobs) for name, judged in json.loads(row["answers"]).items()}


def result_row(order: int, result: Result, metrics: Sequence[Metric], blobs: BlobStore) -> dict[str, Any]:
    """The row of a result, without keys; its evidence goes to the blob store."""
    texts = (result.failure, result.notes, result.channel)
    failure, notes, channel = scrub(texts)
    if (failure, notes, channel) != texts:
        result = replace(result, failure=failure, notes=notes, channel=channel)
    evidence = {name: e if isinstance(e, str) else blobs.put(e) for name, e in result.evidence.items()}
    row: dict[str, Any] = {
        "order": order,
        "item": result.item,
        "sample": result.sample,
        "status": result.status,
        **_failure_row(result.failure),
        "notes": json.dumps({name: clean(note) for name, note in result.notes.items()}) if result.notes else None,
        "evidence": json.dumps(evidence) if evidence else None,
        "channel": clean(result.channel) or None,
        "confusion": _confusion_json(result.confusion) if result.confusion else None,
    }
    for metric in metrics:  # what is not measured is left out: missing columns are null
        value = result.metrics.get(metric.name)
        if value is not None:
            row[metric.name] = float(value) if metric.pool is None else [float(v) for v in value]  # type: ignore[arg-type,union-attr]
    return row


def _confusion_json(confusion: Mapping[str, Mapping[str, float]]) -> str:
    """A confusion matrix as JSON; whole counts as integers."""
    if type(confusion) is dict and all(
        type(row) is dict and {*map(type, row.values())} <= {int} for row in confusion.values()
    ):
        text = _compact(confusion)
        if clean(text) is text:
            return text
    names = {name: clean(name) for name in {*confusion}.union(*confusion.values())}
    cells = {
        names[truth]: {names[answer]: n if type(n) is int else _whole(n) for answer, n in row.items()}
        for truth, row in confusion.items()
    }
    return _compact(cells)


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def _whole(number: float) -> float:
    """The number, as an integer if it is whole."""
    return int(number) if float(number).is_integer() else float(number)


def result_of(row: Mapping[str, Any], metrics: Sequence[Metric]) -> Result:
    """The result of a row, with evidence by blob key."""
    return Result(
        item=row["item"],
        sample=row["sample"],
        metrics={m.name: row[m.name] for m in metrics if row[m.name] is not None},
        failure=_failure_of(row),
        notes=json.loads(row["notes"]) if row["notes"] else {},
        evidence=json.loads(row["evidence"]) if row["evidence"] else {},
        abstained=row["status"] == "abstained",
        channel=row["channel"] or "",
        confusion=json.loads(row["confusion"]) if row["confusion"] else {},
    )
