"""Markup that escapes: everything that is not `Html` is text."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any, TypeAlias

_VOID = frozenset({"br", "img", "input", "link", "meta", "wbr"})


class Html(str):
    """Markup that is inserted into a page without escaping.

    Joining it gives a plain `str`, which is escaped. Formatting it is refused: its tags would become visible text.
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        """Refuse f-strings: `fragment` puts markup and text together.

        Raises:
            TypeError: Always.
        """
        raise TypeError("markup cannot be formatted into a text: use pixelproof.web.fragment")


Child: TypeAlias = "str | int | float | Iterable[Child] | None"
Value: TypeAlias = str | int | float | bool | None


def tag(name: str, /, *children: Child, **attributes: Value) -> Html:
    """An element of HTML or SVG.

    Attributes that are None or False are left out; `class_` means `class`, and `stroke_width` means `stroke-width`.

    >>> tag("p", "1 < 2 ", tag("b", "& so on"), class_="note", hidden=True)
    '<p class="note" hidden>1 &lt; 2 <b>&amp; so on</b></p>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html("".join((f"<{name}{written}>", fragment(*children), f"</{name}>")))


def fragment(*children: Child) -> Html:
    """Children in sequence: text is escaped, None is skipped, lists are flattened."""
    return Html("".join(map(_child, children)))


def breakable(text: str) -> Html:
    """Text that a narrow column may break after its slashes.

    >>> breakable("control/<floor>")
    'control/<wbr>&lt;floor&gt;'
    """
    first, *rest = text.split("/")
    return fragment(first, [["/", tag("wbr"), part] for part in rest])


def data_block(identity: str, value: Any) -> Html:
    r"""Data for a script, as JSON in which no text can end the element.

    >>> data_block("d", ["</script>"])
    '<script type="application/json" id="d">["\\u003c/script\\u003e"]</script>'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", Html(text), type="application/json", id=identity)


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int | float):
        return html.escape(str(child), quote=False)
    return "".join(map(_child, child))


def _attribute(key: str, value: Value) -> str:
    name = key.rstrip("_").replace("_", "-")
    # The content policy forbids both; this error comes before the one in the browser.
    if name.startswith("on") or name == "style":
        raise ValueError(f"The attribute {name} is not allowed: use static/*.js and static/*.css.")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f' {name}="{html.escape(text)}"'
