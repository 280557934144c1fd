"""The shell of every page: one file that needs nothing else and lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from ._html import Child, Html, tag

STYLES = ("theme.css", "charts.css", "gallery.css", "print.css")
SCRIPTS = ("theme.js", "gallery.js")


def page(title: str, *body: Child, styles: Sequence[str] = STYLES, scripts: Sequence[str] = SCRIPTS) -> Html:
    """A whole document. Styles and scripts are files of `static/`, put into the page.

    The content policy allows exactly this style sheet and this script, by their hashes, and pictures as `data:`.
    Whatever a text smuggles in, no browser runs it, and no request leaves the page.
    """
    style, script = ("\n".join(map(static, names)) for names in (styles, scripts))
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Html(style)),
        tag("script", Html(script)),
    )
    return Html("<!doctype html>\n" + tag("html", head, tag("body", *body), lang="en"))


def static(name: str) -> str:
    """The text of a file in `static/`."""
    return files(__package__).joinpath("static", name).read_text("utf-8")


def masthead(title: str, lede: Child, links: Sequence[tuple[str, str]]) -> Html:
    """The head of a page: the name of the project, title, a line about it, links to the sections, the theme switch."""
    switch = tag("button", "Dark", type="button", id="theme", class_="theme")
    return tag(
        "header",
        tag("div", tag("span", "PixelProof", class_="wordmark"), switch, class_="bar-top"),
        tag("h1", title),
        tag("p", lede, class_="lede"),
        tag("nav", [tag("a", text, href=f"#{target}") for target, text in links], aria_label="Sections"),
        class_="masthead",
    )


def section(identity: str, title: str, *content: Child, note: Child = None) -> Html:
    """A section with a heading, and a sentence on how to read it."""
    intro = None if note is None else tag("p", note, class_="note")
    heading = tag("h2", title, id=f"{identity}-title")
    return tag("section", heading, intro, *content, id=identity, aria_labelledby=f"{identity}-title")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
