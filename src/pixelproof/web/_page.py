"""Documents: HTML with its styles and scripts inside, under a content policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from ._html import Child, Html, tag

STYLES = ("theme.css", "charts.css", "gallery.css", "print.css")
SCRIPTS = ("theme.js", "dom.js", "lightbox.js", "gallery.js")


@dataclass(frozen=True)
class Page:
    """A document. The kit's own style sheets and scripts are part of every page.

    Attributes:
        title: Title of the window.
        body: Content of the body.
        styles: CSS of the page's own, after the kit's.
        scripts: JavaScript of the page's own, after the kit's.
    """

    title: str
    body: Child
    styles: Sequence[str] = ()
    scripts: Sequence[str] = ()

    def html(self, policy: bool = True, meta: Mapping[str, str] | None = None) -> Html:
        """The document.

        Args:
            policy: Whether it carries its content policy, as a file that is opened from disk must.
            meta: Names and contents of further `meta` elements.
        """
        content = tag("meta", http_equiv="Content-Security-Policy", content=self.policy()) if policy else None
        head = tag(
            "head",
            tag("meta", charset="utf-8"),
            content,
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="referrer", content="no-referrer"),
            [tag("meta", name=name, content=text) for name, text in (meta or {}).items()],
            tag("link", rel="icon", href="data:,"),
            tag("title", self.title),
            tag("style", Html(self._style)),
            tag("script", Html(self._script)),
        )
        return Html("<!doctype html>\n" + tag("html", head, tag("body", self.body), lang="en"))

    def policy(self, served: bool = False) -> str:
        """The Content-Security-Policy that allows this style sheet and this script, by their hashes, and no other.

        Args:
            served: Whether the page comes from a server of ours, from which it may also load images and data.
        """
        rules = {
            "default-src": "'none'",
            "img-src": "'self' data:" if served else "data:",
            "style-src": f"'{_hash(self._style)}'",
            "script-src": f"'{_hash(self._script)}'",
            "base-uri": "'none'",
            "form-action": "'none'",
        }
        if served:
            rules |= {"connect-src": "'self'", "frame-ancestors": "'none'"}
        return "; ".join(f"{name} {value}" for name, value in rules.items())

    @property
    def _style(self) -> str:
        return "\n".join([*map(static, STYLES), *self.styles])

    @property
    def _script(self) -> str:
        return "\n".join([*map(static, SCRIPTS), *self.scripts])


def static(name: str, package: str = __package__) -> str:
    """The text of a file in the folder `static` of a package."""
    return files(package).joinpath("static", name).read_text("utf-8")


def header(title: str, page_summary: Child, links: Sequence[tuple[str, str]]) -> Html:
    """The head of a page: project name, title, a line about it, links to the sections, the theme switch.

    Args:
        title: The heading.
        page_summary: The line below it.
        links: Id of each section, or address of another page (`.html`), with its name.
    """
    switch = tag("button", "Dark", type="button", id="theme", class_="theme")
    return tag(
        "header",
        tag("div", tag("span", "PixelProof", class_="wordmark"), switch, class_="bar-top"),
        tag("h1", title),
        tag("p", page_summary, class_="page-summary"),
        tag("nav", [tag("a", text, href=_address(target)) for target, text in links], aria_label="Sections"),
        class_="header",
    )


def _address(target: str) -> str:
    return target if target.endswith(".html") else f"#{target}"


def section(identity: str, title: str, *content: Child, note: Child = None, level: int = 2) -> Html:
    """A section with a heading, and a sentence on how to read it.

    Args:
        identity: Its id, unique in the page.
        title: The heading.
        content: What follows.
        note: The sentence.
        level: Level of the heading; sections of a section have the next one.
    """
    intro = None if note is None else tag("p", note, class_="note")
    heading = tag(f"h{level}", title, id=f"{identity}-title")
    return tag("section", heading, intro, *content, id=identity, aria_labelledby=f"{identity}-title")


def fold_section(identity: str, title: str, *content: Child, note: Child = None, level: int = 2) -> Html:
    """A section of which only the heading shows until it is opened; the arguments are those of `section`."""
    intro = None if note is None else tag("p", note, class_="note")
    heading = tag("summary", tag(f"h{level}", title, id=f"{identity}-title"))
    folded = tag("details", heading, intro, *content, class_="fold")
    return tag("section", folded, id=identity, aria_labelledby=f"{identity}-title", class_="folded")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
