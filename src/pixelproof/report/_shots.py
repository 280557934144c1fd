"""The rows of a gallery from run directories, within a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from pixelproof.contract import Item, Metric, Result
from pixelproof.web import EmbeddedSheet, Entry, GalleryRow, GallerySheet, LinkedSheet, Message, cut, evenly, plural

from ._conversations import Draft, Prompts, trace_drafts
from ._leaderboard import headline_metrics
from ._views import ABSTAINED, SCORED, View

MOST_ANSWERS = 10_000
_LONGEST_TEXT = 20_000
_SHORTEST_TEXT = 300
_LONGEST_NOTE = 1_000


@dataclass(frozen=True)
class Collected:
    """Rows of the gallery, their images and prompts, and remarks on what was left out."""

    rows: list[GalleryRow]
    images: list[str]
    prompts: list[list[Message]]
    metrics: list[Metric]
    remarks: list[str]


def collect(views: Sequence[View], max_bytes: int, link: Callable[[str], str] | None = None) -> Collected:
    """Rows for the items of all runs together.

    Args:
        views: Runs on the same items.
        max_bytes: About how large the gallery may become; a fifth of it is for text, the rest for images.
        link: From the key of a blob to its address, for pages with a server; None: images are embedded.
    """
    items: dict[str, Item] = {}
    for view in views:
        items |= view.items
    chosen = _choose(items, views)
    asked = len(chosen) * sum(int(view.about.samples) for view in views)
    longest = max(_SHORTEST_TEXT, min(_LONGEST_TEXT, max_bytes // 5 // max(1, asked)))
    metrics = _metrics_first(views)
    sheet: GallerySheet = LinkedSheet(link) if link else EmbeddedSheet(max_bytes * 4 // 5)
    answers = [_read_answers(view, chosen, metrics, longest) for view in views]
    prompts = Prompts(views, chosen, longest)
    labels = _labels(chosen)
    keys = list(chosen)
    rows: dict[str, GalleryRow] = {}
    for key in (keys[place] for place in evenly(len(keys))):
        if not any(key in of_run for of_run in answers):  # not asked yet
            continue
        given, cells = _placed(views, [of_run.get(key, []) for of_run in answers], sheet)
        asked_with = [prompts.place(i, key, sheet) for i in range(len(views))]
        cells = [[replace(e, prompt=p) for e in cell] for cell, p in zip(cells, asked_with, strict=True)]
        request = _request(cells, views[0].bench.display.request)
        rows[key] = GalleryRow(labels[key], _about(chosen[key], labels[key]), key, cells, given, request)
    without = sum(any(entry.left_out for cell in row.cells for entry in cell) for row in rows.values())
    remarks = _remarks(len(items), len(chosen), without, sheet)
    return Collected([rows[key] for key in keys if key in rows], sheet.uris, prompts.messages, metrics, remarks)


def _choose(items: Mapping[str, Item], views: Sequence[View]) -> dict[str, Item]:
    """As many items as a page can hold, evenly chosen."""
    per_item = sum(int(view.about.samples) for view in views)
    most = max(1, MOST_ANSWERS // max(1, per_item))
    keys = list(items)
    kept = sorted(islice(evenly(len(keys)), most))
    return {keys[i]: items[keys[i]] for i in kept}


def _metrics_first(views: Sequence[View]) -> list[Metric]:
    """The metrics, headline first, in the order of the bench; headline metrics without values come last."""
    first = headline_metrics(views)
    return [*first, *(metric for metric in views[0].bench.metrics if metric not in first)]


@dataclass(frozen=True)
class _Answer:
    """An answer of which the images are not placed yet."""

    entry: Entry
    images: Mapping[str, str]
    """Name → blob key."""
    trace: Sequence[Draft] = ()


def _read_answers(
    view: View, chosen: Mapping[str, Item], metrics: Sequence[Metric], longest: int
) -> dict[str, list[_Answer]]:
    replies = {
        (item, sample): (answer.text[:longest], len(answer.text), keys, trace_drafts(answer.trace, longest))
        for item, sample, answer, keys in view.run.answers()
        if item in chosen
    }
    answers: dict[str, list[_Answer]] = {}
    for result in view.run.results(view.bench):
        if result.item not in chosen:
            continue
        text, length, keys, trace = replies.get((result.item, result.sample), ("", 0, [], []))
        # The last image of the model represents the answer.
        images = {"answer": keys[-1]} if keys else {}
        images |= {name: key for name, key in result.evidence.items() if isinstance(key, str)}
        images |= {f"earlier answer {i + 1}": key for i, key in enumerate(keys[:-1])}
        entry = replace(_entry(result, metrics), text=text, length=length)
        answers.setdefault(result.item, []).append(_Answer(entry, images, trace))
    return answers


def _entry(result: Result, metrics: Sequence[Metric]) -> Entry:
    failure = result.failure
    notes = [(name, cut(note, _LONGEST_NOTE)) for name, note in result.notes.items()]
    numbers = [(i, value) for i, m in enumerate(metrics) if (value := _number(result, m)) is not None]
    if failure is not None:
        detail = f"{failure.fault} fault: {cut(failure.detail, _LONGEST_NOTE)}"
        return Entry(result.sample, failure.name, "failed", detail, notes, numbers=numbers)
    kind = "abstained" if result.abstained else ""
    return Entry(result.sample, ABSTAINED if kind else SCORED, kind, notes=notes, numbers=numbers)


def _number(result: Result, metric: Metric) -> float | None:
    value = result.metrics.get(metric.name)
    if value is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        single = float(metric.pool(np.asarray(value))) if metric.pool else float(value)  # type: ignore[arg-type]
    return float(f"{single:.4g}") if math.isfinite(single) else None


def _placed(
    views: Sequence[View], cells: Sequence[Sequence[_Answer]], sheet: GallerySheet
) -> tuple[list[tuple[str, int]], list[list[Entry]]]:
    """Put the images of an item on the sheet: those of the item itself once, the others with their answers."""
    given = _given(views[0].bench.display.item_evidence, [answer.images for cell in cells for answer in cell])
    own: dict[str, int] = {}
    entries: list[list[Entry]] = []
    for view, cell in zip(views, cells, strict=True):
        entries.append([])
        for answer in cell:
            numbers = {name: sheet.place(key, view.blobs) for name, key in answer.images.items()}
            shown = [(name, number) for name, number in numbers.items() if number is not None]
            own |= {name: number for name, number in shown if name in given}
            rest = [(name, number) for name, number in shown if name not in given]
            trace = [draft.placed(sheet, view) for draft in answer.trace]
            entry = replace(answer.entry, images=rest, left_out=len(numbers) - len(shown), trace=trace)
            entries[-1].append(entry)
    return [(name, own[name]) for name in given if name in own], entries


def _given(names: Sequence[str], images: Sequence[Mapping[str, str]]) -> list[str]:
    """The names under which all answers have the same image; with other colours, the truth is another image."""
    return [name for name in names if len({named[name] for named in images if name in named}) == 1]


def _labels(items: Mapping[str, Item]) -> dict[str, str]:
    """The cluster where it has one item; where it has several, with the item's own number."""
    clusters: dict[str, int] = {}
    for item in items.values():
        clusters[item.cluster] = clusters.get(item.cluster, 0) + 1
    labels = {}
    for key, item in items.items():
        tail = key.rpartition("/")[2]
        named = item.cluster and item.cluster != key
        labels[key] = (item.cluster if clusters[item.cluster] == 1 else f"{item.cluster} · {tail}") if named else tail
    return labels


def _about(item: Item, label: str) -> str:
    """The tags of an item that its label does not contain."""
    known = label.split(" · ")
    return " · ".join(f"{name} {value}" for name, value in item.tags.items() if value and value not in known)


def _request(cells: Sequence[Sequence[Entry]], names: Sequence[str]) -> str:
    """The question or instruction of an item, from the notes on its answers; empty where there is none."""
    notes = (note for cell in cells for entry in cell for note in entry.notes)
    return next((text for name, text in notes if name in names), "")


def _remarks(items: int, shown: int, without: int, sheet: GallerySheet) -> list[str]:
    remarks = []
    if shown < items:
        remarks.append(f"The gallery shows {shown:,} of {plural(items, 'item')}, evenly chosen.")
    if sheet.full:
        remarks.append(
            f"To keep the page small, {plural(without, 'item')} of {shown:,} lack some or all of their images here; "
            "those with images are evenly chosen, and the run directories have every image."
        )
    if sheet.unreadable:
        remarks.append(f"{plural(sheet.unreadable, 'image')} could not be read and cannot be shown.")
    return remarks
