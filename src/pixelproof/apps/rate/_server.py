"""The server of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock
from pixelproof.web.server import (
    ContentFiles,
    Limits,
    MemberAccess,
    Request,
    Response,
    Route,
    Visitor,
    application,
    base_url,
    bind,
    new_member,
    post_json,
    respond,
    serve,
    whole_number,
)

from ._admin_page import admin_page
from ._export import export_archive
from ._rater_page import rater_page
from ._study import Study
from ._votes import STATES, VoteStore

USUAL_PORT = 8766
MOST_INVITATIONS = 200


def serve_study(
    study: Study,
    host: str = "127.0.0.1",
    port: int = USUAL_PORT,
    public: bool = False,
    url: str = "",
    open_browser: bool = False,
    echo: Callable[[str], object] = print,
) -> None:
    """Serve a study until SIGINT or SIGTERM.

    Args:
        study: The study.
        host: The address to listen at.
        port: The port, which is part of the links of raters; 0 for any free one.
        public: Whether an address that other machines can reach is allowed.
        url: The address that raters use, if it is not that of `host`.
        open_browser: Open the administrator's page in a browser.
        echo: Where to print the address.

    Raises:
        PixelProofError: Its database or the address cannot be used.
    """
    with Lock(study.folder), bind(host, port, public, url) as listener:
        store = VoteStore(study)
        try:
            access = MemberAccess(host, url=url, find=store.find_rater)
            routes = _routes(store, base_url(access, listener.getsockname()[1]))
            app = application(routes, access, ContentFiles(study.load), [store.close], limits=Limits())
            echo(f"Study {study.title!r}: {len(study.items):,} items. Administration, with your own token:")
            serve(app, listener, open_browser, echo)
        finally:
            store.close()


def invite_raters(store: VoteStore, names: Iterable[str], base: str) -> list[tuple[str, str]]:
    """Add raters, and return the name and the link of each; the links cannot be shown again.

    Raises:
        PixelProofError: A name is taken or not usable; raters before it were added.
    """
    links = []
    for name in names:
        token, key = new_member()
        store.add_rater(name, key)
        links.append((name, link(base, token)))
    return links


def link(base: str, token: str) -> str:
    """The address that a rater opens."""
    return f"{base.rstrip('/')}/?token={token}"


def _routes(store: VoteStore, base: str) -> Sequence[Route]:
    page = rater_page(store.study)

    def rate(request: Request) -> Response:
        return respond(request, page)

    def administer(request: Request) -> Response:
        return respond(request, admin_page(store))

    def export(request: Request) -> Response:
        headers = {"Content-Disposition": 'attachment; filename="votes.zip"'}
        return Response(export_archive(store), media_type="application/zip", headers=headers)

    def state(visitor: Visitor, data: Mapping[str, Any]) -> Any:
        return store.state(visitor.name)

    def trained(visitor: Visitor, data: Mapping[str, Any]) -> Any:
        return store.finish_training(visitor.name)

    def vote(visitor: Visitor, data: Mapping[str, Any]) -> Any:
        presentation, attempt, value = (whole_number(data, name) for name in ("presentation", "attempt", "value"))
        return store.vote(visitor.name, presentation, str(data.get("question")), attempt, value)

    def undo(visitor: Visitor, data: Mapping[str, Any]) -> Any:
        return store.undo(visitor.name, whole_number(data, "vote"))

    def invite(data: Mapping[str, Any]) -> Any:
        names = data.get("names")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise PixelProofError("Write the names of the raters, one per line.")
        if len(names) > MOST_INVITATIONS:
            raise PixelProofError(f"Invite at most {MOST_INVITATIONS} raters at once.")
        taken = {name for name, _ in store.raters()} & set(names)
        taken |= {name for name in names if names.count(name) > 1}
        if taken:
            raise PixelProofError(f"These names are taken or occur twice: {', '.join(sorted(taken))}.")
        return {"links": [{"name": name, "url": url} for name, url in invite_raters(store, names, base)]}

    def change(data: Mapping[str, Any]) -> Any:
        name, action = str(data.get("rater")), data.get("action")
        if action == "link":
            token, key = new_member()
            store.change_rater(name, key=key)
            return {"links": [{"name": name, "url": link(base, token)}]}
        if action not in STATES:
            raise PixelProofError("There is no such action: reload the page.")
        store.change_rater(name, str(action))
        return {"links": []}

    return [
        Route("/", rate),
        post_json("/state", state, with_visitor=True),
        post_json("/trained", trained, with_visitor=True),
        post_json("/vote", vote, with_visitor=True),
        post_json("/undo", undo, with_visitor=True),
        Route("/admin", administer),
        Route("/admin/export", export),
        post_json("/admin/invite", invite),
        post_json("/admin/rater", change),
    ]
