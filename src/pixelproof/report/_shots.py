"""From run directories to the rows of the gallery, within a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from pixelproof.contract import Item, Metric, Result
from pixelproof.web import Album, GalleryRow, Shot, cut, evenly, plural

from ._leaderboard import headline_metrics
from ._views import SCORED, View

MOST_SHOTS = 10_000
_LONGEST_TEXT = 20_000
_SHORTEST_TEXT = 300
_LONGEST_NOTE = 1_000


@dataclass(frozen=True)
class Collected:
    """Rows of the gallery, their pictures, and what had to be left out."""

    rows: list[GalleryRow]
    pictures: list[str]
    metrics: list[Metric]
    remarks: list[str]


def collect(views: Sequence[View], max_bytes: int) -> Collected:
    """Rows for the items of all runs together; a fifth of the budget is for text, the rest for pictures."""
    items: dict[str, Item] = {}
    for view in views:
        items |= view.items
    chosen = _choose(items, views)
    asked = len(chosen) * sum(int(view.card["samples"]) for view in views)
    longest = max(_SHORTEST_TEXT, min(_LONGEST_TEXT, max_bytes // 5 // max(1, asked)))
    metrics = _metrics_first(views)
    shots = [_read_shots(view, chosen, metrics, longest) for view in views]
    album = Album(max_bytes * 4 // 5)
    labels = _labels(chosen)
    keys = list(chosen)
    rows: dict[str, GalleryRow] = {}
    for key in (keys[place] for place in evenly(len(keys))):
        given, cells = _placed(views, [of_run.get(key, []) for of_run in shots], album)
        rows[key] = GalleryRow(labels[key], _about(chosen[key], labels[key]), key, cells, given)
    without = sum(any(shot.left_out for cell in row.cells for shot in cell) for row in rows.values())
    remarks = _remarks(len(items), len(chosen), without, album)
    return Collected([rows[key] for key in keys], album.uris, metrics, remarks)


def _choose(items: Mapping[str, Item], views: Sequence[View]) -> dict[str, Item]:
    """As many items as a page can carry, evenly chosen."""
    per_item = sum(int(view.card["samples"]) for view in views)
    room = max(1, MOST_SHOTS // max(1, per_item))
    keys = list(items)
    kept = sorted(islice(evenly(len(keys)), room))
    return {keys[i]: items[keys[i]] for i in kept}


def _metrics_first(views: Sequence[View]) -> list[Metric]:
    """The metrics, headline first, in the order of the bench; those of no value here come last."""
    first = headline_metrics(views)
    return [*first, *(metric for metric in views[0].bench.metrics if metric not in first)]


Keyed = tuple[Shot, dict[str, str]]
"""A shot, with the names and keys of its pictures."""


def _read_shots(
    view: View, chosen: Mapping[str, Item], metrics: Sequence[Metric], longest: int
) -> dict[str, list[Keyed]]:
    texts = {
        (item, sample): (answer.text[:longest], len(answer.text), keys)
        for item, sample, answer, keys in view.run.answers()
        if item in chosen
    }
    found: dict[str, list[Keyed]] = {}
    for result in view.run.results(view.bench):
        if result.item not in chosen:
            continue
        text, length, images = texts.get((result.item, result.sample), ("", 0, []))
        # What was painted stands for the answer; of several pictures the last counts.
        pictures = {"answer": images[-1]} if images else {}
        pictures |= {name: key for name, key in result.evidence.items() if isinstance(key, str)}
        pictures |= {f"earlier answer {i + 1}": key for i, key in enumerate(images[:-1])}
        shot = replace(_shot(result, metrics), text=text, length=length)
        found.setdefault(result.item, []).append((shot, pictures))
    return found


def _shot(result: Result, metrics: Sequence[Metric]) -> Shot:
    failure = result.failure
    notes = [(name, cut(note, _LONGEST_NOTE)) for name, note in result.notes.items()]
    numbers = [(i, value) for i, m in enumerate(metrics) if (value := _number(result, m)) is not None]
    if failure is None:
        return Shot(result.sample, SCORED, notes=notes, numbers=numbers)
    detail = cut(failure.detail, _LONGEST_NOTE)
    return Shot(result.sample, failure.name, True, f"{failure.fault} fault: {detail}", notes, numbers=numbers)


def _number(result: Result, metric: Metric) -> float | None:
    value = result.metrics.get(metric.name)
    if value is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        single = float(metric.pool(np.asarray(value))) if metric.pool else float(value)  # type: ignore[arg-type]
    return float(f"{single:.4g}") if math.isfinite(single) else None


def _placed(
    views: Sequence[View], cells: Sequence[Sequence[Keyed]], album: Album
) -> tuple[list[tuple[str, int]], list[list[Shot]]]:
    """Put the pictures of an item into the album: those of the item itself once, the others with their answers."""
    given = _given(views[0].bench.display.item_evidence, [pictures for cell in cells for _, pictures in cell])
    own: dict[str, int] = {}
    shots: list[list[Shot]] = []
    for view, cell in zip(views, cells, strict=True):
        shots.append([])
        for shot, pictures in cell:
            numbers = {name: album.place(key, view.run.blob) for name, key in pictures.items()}
            shown = [(name, number) for name, number in numbers.items() if number is not None]
            own |= {name: number for name, number in shown if name in given}
            rest = [(name, number) for name, number in shown if name not in given]
            shots[-1].append(replace(shot, pictures=rest, left_out=len(numbers) - len(shown)))
    return [(name, own[name]) for name in given if name in own], shots


def _given(names: Sequence[str], pictures: Sequence[Mapping[str, str]]) -> list[str]:
    """Those of the names that are the same picture for all answers that have it; other colours make another truth."""
    return [name for name in names if len({found[name] for found in pictures if name in found}) == 1]


def _labels(items: Mapping[str, Item]) -> dict[str, str]:
    """The cluster where it names one item, with the item's own number where it names several."""
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
    """The tags of an item, as far as its label does not say them."""
    said = label.split(" · ")
    return " · ".join(f"{name} {value}" for name, value in item.tags.items() if value and value not in said)


def _remarks(items: int, shown: int, without: int, album: Album) -> list[str]:
    remarks = []
    if shown < items:
        remarks.append(f"The gallery shows {shown:,} of {plural(items, 'item')}, evenly chosen.")
    if album.full:
        remarks.append(
            f"To keep the page small, {plural(without, 'item')} of {shown:,} lack some or all of their pictures here; "
            "those with pictures are evenly chosen, and the run directories have every picture."
        )
    if album.unreadable:
        remarks.append(f"{plural(album.unreadable, 'picture')} could not be read and cannot be shown.")
    return remarks
