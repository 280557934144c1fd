"""The server of a review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock
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
from ._page import review_page

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
