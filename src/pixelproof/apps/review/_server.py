"""The server of a review, and its page. What the page shows of proposals comes by `review.js`; the rest is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock
from pixelproof.web import Page, finished_section, judging_page, tag
from pixelproof.web.server import (
    Access,
    ContentFiles,
    Request,
    Response,
    Route,
    application,
    bind,
    post_json,
    respond,
    serve,
    whole_number,
)

from ._batch import Batch
from ._decisions import DecisionStore

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


USUAL_PORT = 8767


def serve_review(
    batch: Batch,
    host: str = "127.0.0.1",
    port: int = USUAL_PORT,
    public: bool = False,
    url: str = "",
    open_browser: bool = False,
    echo: Callable[[str], object] = print,
) -> None:
    """Serve a batch until SIGINT or SIGTERM.

    Args:
        batch: The proposals.
        host: The address to listen at.
        port: The port; 0 for any free one.
        public: Whether an address that other machines can reach is allowed.
        url: The address that the reviewer uses, if it is not that of `host`.
        open_browser: Open the page in a browser.
        echo: Where to print the address.

    Raises:
        PixelProofError: The database or the address cannot be used.
    """
    with Lock(batch.folder), bind(host, port, public, url) as listener:
        store = DecisionStore(batch)
        try:
            app = application(_routes(store), Access(host, url=url), ContentFiles(batch.load), [store.close])
            state = store.state()
            echo(f"{state['total']:,} proposals, {state['done']:,} decided. Review them at:")
            if outdated := store.outdated():
                echo(f"{outdated:,} decisions are about proposals that have changed since; these are shown again.")
            serve(app, listener, open_browser, echo)
        finally:
            store.close()


def _routes(store: DecisionStore) -> list[Route]:
    page = review_page(store.batch)

    def show(request: Request) -> Response:
        return respond(request, page)

    def state(data: Mapping[str, Any]) -> Any:
        after = data.get("after")
        return store.state(after if isinstance(after, str) else None)

    def decide(data: Mapping[str, Any]) -> Any:
        texts = {name: data.get(name, "") for name in ("id", "verdict", "text", "reason")}
        for name, text in texts.items():
            if not isinstance(text, str):
                raise PixelProofError(f"A request needs a text {name}.")
        return store.decide(attempt=whole_number(data, "attempt"), **texts)

    def undo(data: Mapping[str, Any]) -> Any:
        return store.undo(whole_number(data, "decision"))

    return [
        Route("/", show),
        post_json("/state", state),
        post_json("/decide", decide),
        post_json("/undo", undo),
    ]
