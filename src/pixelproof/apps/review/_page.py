"""The page of a reviewer. What it shows of proposals comes by `review.js`; the rest is here."""

from __future__ import annotations

from pixelproof.web import Page, finished_section, judging_page, tag

from ._batch import Batch

REASONS = (
    "the instruction is ambiguous",
    "wrong thing, or wrong name",
    "the box does not fit the thing",
    "not possible in this scene",
    "hidden, cut off or too small",
    "bad photograph",
)
"""Reasons for a rejection, by the keys 1 to 6."""


def review_page(batch: Batch) -> Page:
    """The page, for any proposal of a batch."""
    buttons = [
        tag("button", tag("b", key), tag("span", label), type="button", class_="rate-answer", id=name, title=hint)
        for name, key, label, hint in (
            ("accept", "A", "accept", "The text is right and the photograph can be used"),
            ("fix", "F", "fix the text", "Rewrite the text, then Enter"),
            ("reject", "R", "reject", "Give a reason by 1 to 6, or write one"),
            ("later", "S", "later", "Come back to it at the end"),
        )
    ]
    fixing = tag(
        "form",
        tag("label", "The right text", for_="fixed"),
        tag("textarea", id="fixed", rows="2", maxlength="4000", dir="auto"),
        tag("p", "Enter stores it, Escape goes back.", class_="note"),
        id="fixing",
        hidden=True,
    )
    rejecting = tag(
        "form",
        tag("ol", [tag("li", tag("button", text, type="button", class_="more")) for text in REASONS], id="reasons"),
        tag("label", "Another reason", for_="reason"),
        tag("input", id="reason", maxlength="4000", dir="auto", list="given", autocomplete="off"),
        tag("datalist", id="given"),
        tag("p", "1 to 6 chooses, Enter stores what is written, Escape goes back.", class_="note"),
        id="rejecting",
        hidden=True,
    )
    ask = tag(
        "div",
        tag("p", id="question", dir="auto", aria_live="polite"),
        tag("dl", id="facts"),
        tag("div", buttons, id="answers"),
        fixing,
        rejecting,
        class_="rate-ask",
    )
    rating = tag("section", tag("div", id="stage"), ask, id="rating", hidden=True)
    return judging_page(f"Review of {batch.title}", [rating, finished_section("All decided")], __package__, "review")
