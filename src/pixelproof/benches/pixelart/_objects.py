"""Complete JSON objects within any text, in linear time: prose, drafts, code fences and stray braces around them.

A scan begins at a brace and ends at the one that closes it. Where it meets what no JSON has (a closing bracket of the
other kind, a string that its line does not end, a backslash outside strings, too many levels) it fails, and the next
scan begins at the next brace. Scans of overlapping text nest in one another, or disagree on what is inside a string;
so at most twice `DEEPEST` of them read the same character. Comments break that argument, so there is a limit for them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

DEEPEST = 16
"""Limit of nesting levels; a drawing has three."""
_COMMENT_SCANS = 16
"""How often, on average, a character may be read in search of comments."""

_STRING = r'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"'
_TOKENS = re.compile(_STRING + r'|[{}\[\]"\\]')
_TOKENS_AND_COMMENTS = re.compile(_STRING + r'|//[^\n]*+|/\*|[{}\[\]"\\]')
_STRING_OR_LAST_COMMA = re.compile(f"({_STRING})|" + r",(?=[ \t\r\n]*+[\]}])")
_PAIRS = {"}": "{", "]": "["}


@dataclass(frozen=True)
class Span:
    """A complete object: its place in the text, and the comments in it."""

    start: int
    end: int
    comments: tuple[tuple[int, int], ...] = ()


def scan_object(text: str, start: int) -> Span | None:
    """The object that begins with the brace at `start`; None if it is not complete.

    >>> scan_object('{"a": ["}"]} etc.', 0), scan_object("{ [ }", 0)
    (Span(start=0, end=12, comments=()), None)
    """
    opened: list[str] = []
    for token in _TOKENS.finditer(text, start):
        mark = token[0]
        if mark in "{[":
            opened.append(mark)
            if len(opened) > DEEPEST:
                return None
        elif mark in "}]":
            if opened.pop() != _PAIRS[mark]:
                return None
            if not opened:
                return Span(start, token.end())
        elif mark in '"\\':
            return None
    return None


class CommentScanner:
    """Finds objects with `//` and `/* */` comments; gives up once it has read a text many times."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = _COMMENT_SCANS * len(text) + 100_000
        self._has_comments = "/*" in text or "//" in text
        self._last_end = text.rfind("*/")

    def scan(self, start: int) -> Span | None:
        """The object that begins with the brace at `start`; None if it is not complete or has no comment."""
        if self._left < 0 or not self._has_comments:
            return None
        opened: list[str] = []
        comments: list[tuple[int, int]] = []
        at = start
        while token := _TOKENS_AND_COMMENTS.search(self._text, at):
            mark, at = token[0], token.end()
            if mark in "{[" and len(opened) < DEEPEST:
                opened.append(mark)
            elif mark in "}]" and opened[-1] == _PAIRS[mark]:
                opened.pop()
                if not opened:
                    break
            elif mark.startswith("/"):
                if mark == "/*":
                    if self._last_end < at:  # nothing ends the block
                        break
                    at = self._text.find("*/", at) + 2
                comments.append((token.start(), at))
            elif not mark.startswith('"') or mark == '"':
                break
        self._left -= at - start if token else len(self._text) - start
        complete = token is not None and token[0] == "}" and not opened
        return Span(start, at, tuple(comments)) if complete and comments else None


def complete_objects(text: str) -> Generator[Span, bool, None]:
    """Complete objects from left to right, each before those within it. Send True to go on behind an object.

    An object with comments may come twice: first as it is without regard to comments, which may hold quotes and braces.
    """
    with_comments = CommentScanner(text)
    start = text.find("{")
    while start >= 0:
        after = start + 1
        for scan in (lambda at: scan_object(text, at), with_comments.scan):
            span = scan(start)
            if span is not None and (yield span):
                after = span.end
                break
        start = text.find("{", after)


def without_comments(text: str, span: Span) -> str:
    """The text of an object, its comments replaced by spaces."""
    ends = [span.start, *(end for _, end in span.comments)]
    starts = [*(start for start, _ in span.comments), span.end]
    return " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def without_last_commas(text: str) -> str:
    """JSON without commas before a closing bracket.

    >>> without_last_commas('{"a": [1, 2, ], "b": ",]",}')
    '{"a": [1, 2 ], "b": ",]"}'
    """
    return _STRING_OR_LAST_COMMA.sub(lambda match: match[1] or "", text)
