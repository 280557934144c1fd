"""The gallery: a row for each item, a column for each answerer, and everything about an answer one click away.

The rows are JSON inside the page, and `static/gallery.js` draws a few at a time; text reaches the page only as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ._html import Html, data_block, tag

Images = Sequence[tuple[str, int]]
"""Name and number in the list of addresses, for each image."""


@dataclass(frozen=True)
class Message:
    """A part of a conversation: a prompt, a turn of a model, the result of a tool."""

    title: str
    parts: Sequence[str | int] = ()
    """Texts, and images by their number in the list of addresses."""


@dataclass(frozen=True)
class Entry:
    """One answer."""

    sample: int
    outcome: str
    """The outcome in a word."""
    kind: str = ""
    """`failed` or `abstained` for outcomes that have a colour of their own."""
    detail: str = ""
    notes: Sequence[tuple[str, str]] = ()
    images: Images = ()
    """The first represents the answer."""
    left_out: int = 0
    """Number of images that the answer has and the page does not."""
    numbers: Sequence[tuple[int, float]] = ()
    """Number of the metric in the list of names, and value."""
    text: str = ""
    length: int = 0
    """Characters of the whole text, of which `text` may be the beginning."""
    prompt: int | None = None
    """Number in the list of prompts."""
    trace: Sequence[Message] = ()
    """The conversation, for answers that took several turns."""


@dataclass(frozen=True)
class GalleryRow:
    """One item."""

    label: str
    about: str
    item: str
    cells: Sequence[Sequence[Entry]] = field(default_factory=list)
    """The answers of each column."""
    given: Images = ()
    """Images of the item itself."""
    request: str = ""
    """The question or instruction, for items that have one in a sentence."""


def gallery(
    columns: Sequence[tuple[str, str]],
    rows: Sequence[GalleryRow],
    images: Sequence[str],
    metrics: Sequence[str],
    *,
    name: str = "gallery",
    headline: int = 0,
    prompts: Sequence[Sequence[Message]] = (),
    missing: str = "no image",
    judged: Sequence[int] = (),
    lower_is_better: bool = False,
) -> Html:
    """The gallery of several columns on the same items.

    Args:
        columns: Key and name of each column, in the order of the cells.
        rows: The items.
        images: Addresses of images, `data:` or of the page's own server.
        metrics: Names that the numbers of an entry refer to.
        name: Id of the element, unique in the page.
        headline: How many of the metrics, from the first, are shown without being asked for.
        prompts: What the entries refer to as their prompt.
        missing: Text in place of the image of an answer that has neither image nor text.
        judged: Columns that decide which items are worst, by the first metric; none: that order is not offered.
        lower_is_better: Whether large values of the first metric are bad.
    """
    data = {
        "columns": columns,
        "images": images,
        "metrics": metrics,
        "headline": headline,
        "prompts": [[_message(message) for message in prompt] for prompt in prompts],
        "missing": missing,
        "judged": judged,
        "sign": -1 if lower_is_better else 1,
        "rows": [
            {
                "label": row.label,
                "about": row.about,
                "item": row.item,
                "cells": [[_plain(entry) for entry in cell] for cell in row.cells],
                "given": row.given,
                "request": row.request,
            }
            for row in rows
        ],
    }
    by = metrics[0] if judged else None
    return tag("div", _controls(by), tag("div", class_="gallery-rows"), _more(), _lightbox(name),
               data_block(f"{name}-data", data), class_="gallery", id=name)  # fmt: skip


def _plain(entry: Entry) -> list[object]:
    """A list, not an object: thousands of entries should not repeat the names of their fields."""
    return [
        entry.sample,
        entry.outcome,
        entry.kind,
        entry.detail,
        entry.notes,
        entry.images,
        entry.left_out,
        entry.numbers,
        entry.text,
        entry.length,
        entry.prompt,
        [_message(message) for message in entry.trace],
    ]


def _message(message: Message) -> list[object]:
    return [message.title, message.parts]


def _controls(by: str | None) -> Html:
    orders = [("asked", "In order"), ("failures", "Failures first"), ("only", "Failures only")]
    if by is not None:
        orders.insert(1, ("worst", f"Worst first ({by})"))
    choice = tag("select", [tag("option", text, value=value) for value, text in orders], class_="gallery-order")
    view = tag("label", tag("span", "Image", class_="unseen"), tag("select", class_="gallery-view"), hidden=True)
    search = tag("input", type="search", class_="gallery-search", placeholder="Filter: item, group, outcome …")
    return tag(
        "div",
        tag("label", tag("span", "Order", class_="unseen"), choice),
        view,
        tag("label", tag("span", "Filter", class_="unseen"), search, class_="grow"),
        tag("button", "CSV", type="button", class_="theme gallery-csv", title="Download the numbers of these answers"),
        tag("output", class_="gallery-count", aria_live="polite"),
        class_="gallery-controls",
    )


def _more() -> Html:
    return tag("button", "Show more", type="button", class_="more gallery-more", hidden=True)


def _lightbox(name: str) -> Html:
    buttons = [
        tag("button", text, type="button", aria_label=label, title=label, data_step=step)
        for text, label, step in (
            ("←", "Previous answer (left arrow)", "-1"),
            ("→", "Next answer (right arrow)", "1"),
            ("×", "Close (escape)", "close"),
        )
    ]
    title = f"{name}-lightbox-title"
    heading = tag("h3", class_="lightbox-title", id=title)
    head = tag("div", heading, tag("div", buttons, class_="lightbox-buttons"), class_="lightbox-head")
    return tag("dialog", head, tag("div", class_="lightbox-body"), class_="lightbox", aria_labelledby=title)
