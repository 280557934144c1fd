"""Type checks on what a bench returns, so that a mistake in a bench names the bench and the field.

Each function returns its argument unchanged, or raises a `PixelProofError` such as "Bench 'coin': score() of
coin/tosses/1/0003 returned Result.evidence['overlay'] of type str …". A mistake of this kind is in the bench's code and
not in one item, so the run should stop: call these outside of any handler that turns exceptions into instrument faults.
Answers that are stored stay stored; `rescore` continues once the bench is corrected.

| function | call it with | when |
| --- | --- | --- |
| `checked_controls` | what `bench.controls()` returned | once per run |
| `checked_items` | what `bench.items(…)` returned; checks each item as it is drawn | once per listing |
| `checked_item` | one item, where items do not come through `checked_items` | once per item |
| `checked_prompt` | what `bench.prompt(item)`, `Episode.reset()` or `Episode.step()` returned | once per prompt |
| `checked_answer` | what a control, a player, `Episode.answer()` or `bench.recorded()` returned | once per answer |
| `checked_result` | what `bench.score(…)` returned, before the harness changes it | once per result |

Each call costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np

from pixelproof.contract import (
    Answer,
    Artefact,
    Bench,
    Call,
    Control,
    Failure,
    Fault,
    Item,
    PixelProofError,
    Player,
    Prompt,
    Result,
    Tool,
    Turn,
    Usage,
    unknown_name,
)

_SHOWN = 60


def checked_controls(bench: Bench, controls: Mapping[str, Control]) -> Mapping[str, Control]:
    """Check that `controls()` returned functions or players by name."""
    where = _place(bench, "controls()")
    if not isinstance(controls, Mapping):
        raise _wrong(where, "", controls, "a mapping from names to functions")
    for name, control in controls.items():
        if not isinstance(name, str):
            raise _wrong(where, "a name", name, "str")
        if not callable(control) and not isinstance(control, Player):
            raise _wrong(where, f"[{name!r}]", control, "a function (item, rng) -> Answer, or a Player")
    return controls


def checked_items(bench: Bench, items: Iterable[Item]) -> Iterator[Item]:
    """Check that `items()` returned an iterable; yields its items, each checked."""
    if not isinstance(items, Iterable):
        raise _wrong(_place(bench, "items()"), "", items, "an iterator of Item")
    return (checked_item(bench, item) for item in items)


def checked_item(bench: Bench, item: Item) -> Item:
    """Check the fields of an item."""
    if not isinstance(item, Item):
        raise _wrong(_place(bench, "items()"), "", item, "Item")
    where = _place(bench, "items()")
    if not isinstance(item.id, str) or not item.id:
        raise _wrong(where, "Item.id", item.id, "a non-empty str, 'bench/source/version/index'")
    if not isinstance(item.inputs, Mapping):
        raise _wrong(where, f"Item.inputs of {item.id}", item.inputs, "a mapping")
    if not isinstance(item.cluster, str):
        raise _wrong(where, f"Item.cluster of {item.id}", item.cluster, "str")
    _check_texts(where, f"Item.tags of {item.id}", item.tags)
    return item


def checked_prompt(bench: Bench, prompt: Prompt) -> Prompt:
    """Check the fields of a prompt."""
    where = _place(bench, "prompt()" if bench.episode.__func__ is Bench.episode else "episode()")  # type: ignore[attr-defined]
    if not isinstance(prompt, Prompt):
        raise _wrong(where, "", prompt, "Prompt")
    _check_parts(where, "Prompt.parts", prompt.parts)
    if prompt.wants not in ("text", "image"):
        raise _wrong(where, "Prompt.wants", prompt.wants, "'text' or 'image'")
    if not isinstance(prompt.system, str):
        raise _wrong(where, "Prompt.system", prompt.system, "str")
    tokens = prompt.max_tokens
    if tokens is not None and (not isinstance(tokens, int) or tokens < 1):
        raise _wrong(where, "Prompt.max_tokens", tokens, "a positive int, or None")
    if prompt.schema is not None and not isinstance(prompt.schema, Mapping):
        raise _wrong(where, "Prompt.schema", prompt.schema, "a mapping (JSON Schema), or None")
    if prompt.grammar is not None and not isinstance(prompt.grammar, str):
        raise _wrong(where, "Prompt.grammar", prompt.grammar, "str (a Lark grammar), or None")
    if not isinstance(prompt.data, Mapping):
        raise _wrong(where, "Prompt.data", prompt.data, "a mapping")
    _check_all(where, "Prompt.tools", prompt.tools, Tool)
    for index, tool in enumerate(prompt.tools):
        if not isinstance(tool.name, str) or not isinstance(tool.parameters, Mapping):
            raise _wrong(
                where, f"Prompt.tools[{index}]", tool, "a Tool with a name and a JSON Schema of its parameters"
            )
    _check_all(where, "Prompt.history", prompt.history, Turn)
    for index, turn in enumerate(prompt.history):
        _check_parts(where, f"Prompt.history[{index}].parts", turn.parts)
    return prompt


def checked_answer(bench: Bench, giver: str, answer: Answer) -> Answer:
    """Check an answer that the bench itself gives; `giver` is such as "control 'floor-noise'" or "recorded()"."""
    where = _place(bench, giver)
    if not isinstance(answer, Answer):
        raise _wrong(where, "", answer, "Answer")
    if not isinstance(answer.text, str):
        raise _wrong(where, "Answer.text", answer.text, "str")
    _check_all(where, "Answer.images", answer.images, Artefact)
    for index, image in enumerate(answer.images):
        _check_artefact(where, f"Answer.images[{index}]", image)
    _check_all(where, "Answer.calls", answer.calls, Call)
    _check_all(where, "Answer.trace", answer.trace, Mapping)
    _check_all(where, "Answer.logprobs", answer.logprobs, Mapping)
    _check_failure(where, "Answer.failure", answer.failure)
    if not isinstance(answer.usage, Usage):
        raise _wrong(where, "Answer.usage", answer.usage, "Usage")
    return answer


def checked_result(bench: Bench, result: Result) -> Result:
    """Check the fields of a result: every metric is declared and numeric, evidence consists of artefacts."""
    if not isinstance(result, Result):
        raise _wrong(_place(bench, "score()"), "", result, "Result")
    where = _place(bench, f"score() of {result.item}")
    if not isinstance(result.item, str):
        raise _wrong(_place(bench, "score()"), "Result.item", result.item, "str, the item's id")
    if not isinstance(result.metrics, Mapping):
        raise _wrong(where, "Result.metrics", result.metrics, "a mapping from names of metrics to numbers")
    pooled_by_name = _metrics(type(bench))
    for name, value in result.metrics.items():
        pooled = pooled_by_name.get(name)
        if pooled is None:
            hint = unknown_name("metric", name, pooled_by_name)
            raise PixelProofError(
                f"{where} returned Result.metrics[{name!r}], which the bench does not declare. {hint}"
            )
        _check_value(where, name, value, pooled)
    if not isinstance(result.abstained, bool):
        raise _wrong(where, "Result.abstained", result.abstained, "bool")
    _check_confusion(where, result.confusion)
    _check_failure(where, "Result.failure", result.failure)
    _check_texts(where, "Result.notes", result.notes)
    if not isinstance(result.evidence, Mapping):
        raise _wrong(where, "Result.evidence", result.evidence, "a mapping from names to Artefacts")
    for name, evidence in result.evidence.items():
        if not isinstance(name, str):
            raise _wrong(where, "Result.evidence, a name", name, "str")
        if not isinstance(evidence, str):  # the key of a stored blob
            _check_artefact(where, f"Result.evidence[{name!r}]", evidence)
    return result


@lru_cache(maxsize=64)
def _metrics(bench: type[Bench]) -> dict[str, bool]:
    """Names of a bench's metrics → whether they are pooled."""
    return {metric.name: metric.pool is not None for metric in bench.metrics}


def _check_value(where: str, name: str, value: object, pooled: bool) -> None:
    if not pooled:
        if not isinstance(value, float | int | np.bool_) and not isinstance(value, Real):
            raise _wrong(where, f"Result.metrics[{name!r}]", value, "a number; leave the metric out if it has no value")
        return
    if isinstance(value, np.ndarray):
        numeric = value.ndim == 1 and value.dtype.kind in "biuf"
    else:
        numeric = isinstance(value, Sequence) and not isinstance(value, str | bytes) and _adds_up(value)
    if not numeric:
        raise _wrong(where, f"Result.metrics[{name!r}]", value, "a sequence of counts, since the metric is pooled")


def _check_confusion(where: str, confusion: object) -> None:
    expected = "a mapping from classes of the reference to mappings from classes of the answer to counts"
    if not isinstance(confusion, Mapping):
        raise _wrong(where, "Result.confusion", confusion, expected)
    for truth, row in confusion.items():
        if not isinstance(truth, str) or not isinstance(row, Mapping):
            raise _wrong(where, f"Result.confusion[{truth!r}]", row, expected)
        if {*map(type, row)} <= {str} and {*map(type, row.values())} <= {int} and min(row.values(), default=0) >= 0:
            continue  # as nearly always; the general check takes ten times as long
        for answer, count in row.items():
            if not isinstance(answer, str) or not isinstance(count, Real) or not 0 <= float(count) < float("inf"):
                raise _wrong(where, f"Result.confusion[{truth!r}][{answer!r}]", count, "a count, not negative")


def _adds_up(values: Sequence[Any]) -> bool:
    try:
        return isinstance(sum(values), Real)
    except TypeError:
        return False


def _check_failure(where: str, field: str, failure: object) -> None:
    if failure is None:
        return
    if not isinstance(failure, Failure):
        raise _wrong(where, field, failure, "Failure, or None")
    if not isinstance(failure.fault, Fault):
        raise _wrong(where, f"{field}.fault", failure.fault, "Fault")
    for name in ("name", "detail"):
        if not isinstance(getattr(failure, name), str):
            raise _wrong(where, f"{field}.{name}", getattr(failure, name), "str")


def _check_parts(where: str, field: str, parts: object) -> None:
    if not isinstance(parts, tuple | list):
        raise _wrong(where, field, parts, "a tuple of str and Artefacts: write (text,) with a comma")
    for index, part in enumerate(parts):
        if not isinstance(part, str):
            _check_artefact(where, f"{field}[{index}]", part)


def _check_all(where: str, field: str, values: object, kind: type) -> None:
    if not isinstance(values, tuple | list):
        raise _wrong(where, field, values, f"a tuple of {kind.__name__}s")
    for index, value in enumerate(values):
        if not isinstance(value, kind):
            raise _wrong(where, f"{field}[{index}]", value, kind.__name__)


def _check_texts(where: str, field: str, texts: object) -> None:
    if not isinstance(texts, Mapping):
        raise _wrong(where, field, texts, "a mapping from str to str")
    for name, text in texts.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise _wrong(where, f"{field}[{name!r}]", text if isinstance(name, str) else name, "str")


def _check_artefact(where: str, field: str, value: object) -> None:
    if not isinstance(value, Artefact):
        raise _wrong(where, field, value, "Artefact; pixelproof.pixels.encode_png makes one of an array")
    if not isinstance(value.data, bytes):
        raise _wrong(
            where, f"{field}.data", value.data, "bytes; pixelproof.pixels.encode_png makes an Artefact of an array"
        )
    if not isinstance(value.media_type, str):
        raise _wrong(where, f"{field}.media_type", value.media_type, "str, such as 'image/png'")


def _place(bench: Bench, function: str) -> str:
    return f"Bench {bench.name!r}: {function}"


def _wrong(where: str, field: str, value: object, expected: str) -> PixelProofError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    kind = type(value).__name__
    given = f"{field} of type {kind}" if field else kind
    return PixelProofError(f"{where} returned {given} ({shown}); expected {expected}.")
