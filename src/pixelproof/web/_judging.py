"""The frame of pages on which people judge items, one after the other. What it shows of items comes by a script."""

from __future__ import annotations

from collections.abc import Sequence

from ._html import Child, Html, fragment, tag
from ._page import Page, static


def judging_page(title: str, sections: Sequence[Child], package: str, name: str) -> Page:
    """A page with progress, undo and theme above its sections, and a line for messages below them.

    Args:
        title: Title of the document.
        sections: What is shown in turn: the script hides all but one.
        package: Package whose `static` folder has the style sheet and the script.
        name: Name of both, without their endings, and a class of the page.
    """
    bar = tag(
        "header",
        tag("div", tag("progress", id="progress", max="1", value="0"), tag("span", "", id="count"), class_="rate-done"),
        tag("button", "Undo", type="button", id="undo", class_="theme", disabled=True, title="Backspace"),
        tag("button", "Dark", type="button", id="theme", class_="theme"),
        class_="rate-bar",
    )
    status = tag("p", tag("noscript", "This page needs JavaScript."), id="status", role="status")
    return Page(
        title,
        tag("div", fragment(bar, tag("main", *sections), status), class_=" ".join(dict.fromkeys(("rate", name)))),
        [static("judging.css"), static(f"{name}.css", package)],
        [static("judging.js"), static(f"{name}.js", package)],
    )


def finished_section(heading: str) -> Html:
    """The section for the end, whose text the script writes."""
    return tag("section", tag("h1", heading), tag("p", id="finished-text"), id="finished", hidden=True)
