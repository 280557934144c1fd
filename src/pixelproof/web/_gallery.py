"""The gallery: a row for each item, a column for each run, and everything about an answer one click away.

The rows travel as data and are drawn by `static/gallery.js`, a few at a time; text reaches the page only as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ._html import Html, data_block, tag


@dataclass(frozen=True)
class Shot:
    """One answer."""

    sample: int
    outcome: str
    """One word for what became of it."""
    failed: bool = False
    detail: str = ""
    notes: Sequence[tuple[str, str]] = ()
    pictures: Sequence[tuple[str, int]] = ()
    """Names, and numbers in the list of addresses; the first stands for the answer."""
    left_out: int = 0
    """Pictures that the answer has and the page has not."""
    numbers: Sequence[tuple[int, float]] = ()
    """Numbers of metrics in the list of names, and values."""
    text: str = ""
    length: int = 0
    """Characters of the whole text, of which `text` may be the beginning."""


@dataclass(frozen=True)
class GalleryRow:
    """One item."""

    label: str
    about: str
    item: str
    cells: Sequence[Sequence[Shot]] = field(default_factory=list)
    """For each run, its answers."""
    given: Sequence[tuple[str, int]] = ()
    """Pictures of the item itself, like those of a shot."""


def gallery(
    runs: Sequence[tuple[str, str]],
    rows: Sequence[GalleryRow],
    pictures: Sequence[str],
    metrics: Sequence[str],
    headline: int = 0,
    missing: str = "no picture",
    judged: Sequence[int] = (),
    lower_is_better: bool = False,
) -> Html:
    """The gallery of several runs on the same items.

    Args:
        runs: Key and name of each run, in the order of the cells.
        rows: The items.
        pictures: `data:` addresses.
        metrics: Names that the numbers of a shot refer to.
        headline: How many of them, from the first, are shown without being asked for.
        missing: What an answer without a picture says.
        judged: Which runs decide what is worst, by the first metric; without any, nothing is worst.
        lower_is_better: Whether large values of the first metric are bad.
    """
    data = {
        "runs": runs,
        "pictures": pictures,
        "metrics": metrics,
        "headline": headline,
        "missing": missing,
        "judged": judged,
        "sign": -1 if lower_is_better else 1,
        "rows": [
            {
                "label": row.label,
                "about": row.about,
                "item": row.item,
                "cells": [[_plain(shot) for shot in cell] for cell in row.cells],
                "given": row.given,
            }
            for row in rows
        ],
    }
    by = metrics[0] if judged else None
    return tag("div", _controls(by), tag("div", class_="gallery-rows", id="gallery-rows"), _more(), _lightbox(),
               data_block("gallery-data", data), class_="gallery", id="gallery")  # fmt: skip


def _plain(shot: Shot) -> list[object]:
    """A list, not an object: thousands of shots should not carry the names of their fields."""
    return [
        shot.sample,
        shot.outcome,
        int(shot.failed),
        shot.detail,
        shot.notes,
        shot.pictures,
        shot.left_out,
        shot.numbers,
        shot.text,
        shot.length,
    ]


def _controls(by: str | None) -> Html:
    orders = [("asked", "As asked"), ("failures", "Failures first"), ("only", "Failures only")]
    if by is not None:
        orders.insert(1, ("worst", f"Worst first ({by})"))
    choice = tag("select", [tag("option", text, value=value) for value, text in orders], id="gallery-order")
    view = tag("label", tag("span", "Picture", class_="unseen"), tag("select", id="gallery-view"), hidden=True)
    search = tag("input", type="search", id="gallery-search", placeholder="Filter: subject, group, outcome …")
    return tag(
        "div",
        tag("label", tag("span", "Show", class_="unseen"), choice),
        view,
        tag("label", tag("span", "Filter", class_="unseen"), search, class_="grow"),
        tag("output", id="gallery-count", aria_live="polite"),
        class_="gallery-controls",
    )


def _more() -> Html:
    return tag("button", "Show more", type="button", id="gallery-more", class_="more", hidden=True)


def _lightbox() -> Html:
    buttons = [
        tag("button", text, type="button", aria_label=label, title=label, data_step=step)
        for text, label, step in (
            ("←", "Previous answer (left arrow)", "-1"),
            ("→", "Next answer (right arrow)", "1"),
            ("×", "Close (escape)", "close"),
        )
    ]
    return tag(
        "dialog",
        tag(
            "div",
            tag("h3", id="lightbox-title"),
            tag("div", buttons, class_="lightbox-buttons"),
            class_="lightbox-head",
        ),
        tag("div", id="lightbox-body", class_="lightbox-body"),
        id="lightbox",
        aria_labelledby="lightbox-title",
    )
