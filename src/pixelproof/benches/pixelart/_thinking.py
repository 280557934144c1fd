"""Thinking that a model writes into its reply, between tags: what is inside is no answer."""

from __future__ import annotations

import re

_TAG = re.compile(r"[<\[◁](/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning)[>\]▷]", re.IGNORECASE)


def without_thinking(text: str) -> tuple[str, int | None]:
    """A reply whose thinking is replaced by spaces, and where thinking begins that never ends.

    A closing tag without an opening one ends thinking that began before the reply, as chat templates have it. Thinking
    that never ends is left in place, because an answer may follow a forgotten tag.

    >>> without_thinking("<think>{}</think>{}")
    ('                 {}', None)
    >>> without_thinking("a</think>b <think>c")
    ('         b <think>c', 11)
    """
    pieces: list[str] = []
    kept, begun = 0, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            begun = tag.start() if begun is None else begun
        elif begun is not None or not pieces:
            pieces += [text[kept : begun or 0], " " * (tag.end() - (begun or 0))]
            kept, begun = tag.end(), None
    return "".join([*pieces, text[kept:]]), begun
