"""Text that leaves the process: without keys in the store, logs and console, without control characters in terminals.

Services and their clients repeat keys in error messages, and a hostile one in any field of a reply, in many encodings.
So there is one scrubber, and everything that is stored, logged or printed goes through it.
"""

from __future__ import annotations

import base64
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

Value = TypeVar("Value")
PLACEHOLDER = "[secret]"
MIN_KEY = 8
"""Characters of the shortest key that is treated as a secret; local servers accept placeholders such as `x`."""
_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS")
MIN_FRAGMENT = 12
"""Characters of the shortest part of a key, or a third of it, that is removed wherever in the key it is."""
_FRAGILE = 20
"""Characters of the shortest key of which parts are looked for; parts of shorter ones could be words."""
_ESCAPES = re.compile(r"[%\\&]")
_ESCAPE = re.compile(
    r"%(?:25)*(?P<url>[0-9a-fA-F]{2})|\\+(?:u00|x)(?P<python>[0-9a-fA-F]{2})"
    r"|&(?:amp;)*#(?:0*(?P<number>[0-9]{2,3})|[xX]0*(?P<html>[0-9a-fA-F]{2}));?"
)
"""One escaped character."""
_LONG = 2**17
"""Characters of texts, such as images in base64, in which parts of a key are looked for as they are, not encoded."""
_PAIRS = re.compile(r"(?:[0-9a-fA-F]{2}[ :,-]){4}")
_BROKEN = re.compile(r"[A-Za-z0-9+/_-]{8}\r?\n[A-Za-z0-9+/_-]")
_registered: set[str] = set()
_environment: tuple[int, tuple[str, ...]] = (-1, ())


def register_secret(key: str) -> None:
    """Add a key to those that the scrubber removes."""
    if len(key) >= MIN_KEY:
        _registered.add(key)


def refresh_secrets() -> None:
    """Read the keys of the environment again; otherwise that happens when the number of variables changes."""
    global _environment
    _environment = (len(os.environ), tuple(sorted(_keys_of_environment())))


def scrub(value: Value) -> Value:
    """The value with every known key replaced, at any depth of mappings, sequences and dataclasses.

    A key is recognised as it is, URL-encoded, JSON- or HTML-escaped, in hexadecimal or base64 (also in the middle of a
    longer base64 text), cut off after at least half of it, and split over consecutive strings of a list, as services
    send it in chunks or as candidates of tokens. Values without a key are returned as they are.
    """
    if _environment[0] != len(os.environ):
        refresh_secrets()
    forms = _forms_of(tuple(sorted(_registered)), _environment[1])
    if not forms:
        return value
    if isinstance(value, str):
        cleaned: Any = _clean(value, forms)
        return value if cleaned == value else cleaned
    leaves = dict(_leaves(value, ()))
    changes = _spelled_over(leaves, forms) | _split_over(leaves, forms)  # first: half of a key may end a string
    changes |= {path: _clean(text, forms) for path, text in (leaves | changes).items() if _may_hold(text, forms)}
    changes = {path: text for path, text in changes.items() if text != leaves[path]}
    rebuilt: Value = _rebuilt(value, (), changes) if changes else value
    return rebuilt


def printable(text: str) -> str:
    r"""Text that cannot control a terminal: control characters and changes of direction become visible symbols.

    Line feeds and tabs stay.

    >>> printable("\x1b]8;;http://x\x07link\x9b2J \u202egnp.exe")
    '␛]8;;http://x␇link�2J �gnp.exe'
    """
    return text if text.isprintable() else text.translate(_VISIBLE)


_DIRECTION = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_VISIBLE = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "\u2421",
    **dict.fromkeys((*range(0x80, 0xA0), *_DIRECTION, *range(0xE0000, 0xE0080)), "\ufffd"),
}


def _keys_of_environment() -> Iterator[str]:
    for name, value in os.environ.items():
        upper, text = name.upper(), value.strip()
        if upper.endswith(_NAMES) and _looks_random(text):
            yield text
        elif upper.endswith("_PROXY") and "@" in text:
            try:
                password = unquote(urlsplit(text if "//" in text else f"//{text}").password or "")
            except ValueError:
                continue
            if len(password) >= MIN_KEY:
                yield password


def _looks_random(text: str) -> bool:
    """Whether a value is a key and not a word such as `disabled`, which answers may contain."""
    return len(text) >= MIN_KEY and (_mixed(text) or len(text) >= 20) and "\n" not in text


@dataclass(frozen=True)
class _Forms:
    """The spellings of one key."""

    key: str
    literals: tuple[str, ...]
    """The key itself and its encodings."""
    head: str
    """The first half, at least: of a key that is cut off, no more may stay."""
    parts: tuple[tuple[str, int], ...]
    """The key and its encodings, each with the length from which on a part of it is removed."""

    def parts_for(self, text: str) -> tuple[tuple[str, int], ...]:
        """The parts to look for in a text."""
        return self.parts if len(text) < _LONG else self.parts[:1]

    @property
    def wrapped(self) -> re.Pattern[str]:
        """The key in hexadecimal with separators, in any case, or in base64 with line breaks."""
        return _wrapped(self.literals[1], self.literals[3:])

    @property
    def escaped(self) -> re.Pattern[str]:
        """The key, or its base64 text, with characters escaped."""
        return _escaped(self.key, self.literals[3:])


@lru_cache(64)
def _forms_of(registered: tuple[str, ...], environment: tuple[str, ...]) -> tuple[_Forms, ...]:
    keys = sorted({*registered, *environment}, key=len, reverse=True)
    return tuple(_forms(key) for key in keys)


def _forms(key: str) -> _Forms:
    data = key.encode("utf-8", "replace")
    encoded = [data.hex(), data.hex().upper(), *_base64_cores(data)]
    least = max(MIN_FRAGMENT, -(-len(key) // 3))
    sizes = [least, 2 * least, 2 * least, *(-(-4 * least // 3) for _ in encoded[2:])]
    parts = tuple(zip((key, *encoded), sizes, strict=True)) if len(key) >= _FRAGILE else ()
    return _Forms(key, (key, *encoded), key[: max(MIN_KEY, (len(key) + 1) // 2)], parts)


@lru_cache(64)
def _wrapped(pairs: str, encodings: tuple[str, ...]) -> re.Pattern[str]:
    spelled = ["[ :,-]?".join(f"(?i:{pairs[i : i + 2]})" for i in range(0, len(pairs), 2))]
    spelled += [r"[\r\n]*".join(map(re.escape, text)) for text in encodings]
    return re.compile("|".join(spelled))


@lru_cache(512)
def _blocks(text: str, least: int) -> tuple[str, ...]:
    """Parts of which every part of at least that length contains one."""
    size = least // 2
    return tuple(text[i : i + size] for i in range(0, len(text) - size + 1, size))


def _without_parts(text: str, literal: str, least: int) -> str:
    """The text without parts of a key."""
    for start, end in reversed(_parts_in(text, literal, least)):
        text = text[:start] + PLACEHOLDER + text[end:]
    return text


def _parts_in(text: str, literal: str, least: int) -> list[tuple[int, int]]:
    """Where parts of a key are that have letters and digits, as words do not; in order, without overlaps."""
    if not any(block in text for block in _blocks(literal, least)):
        return []
    found: list[tuple[int, int]] = []
    for start in range(len(literal) - least + 1):
        part = literal[start : start + least]
        at = text.find(part) if _mixed(part) else -1
        while at >= 0:
            found.append((at, at + least))
            at = text.find(part, at + 1)
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if merged and begin <= merged[-1][1]:
            begin, end = merged.pop()[0], end
        merged.append((begin, end))
    return merged


def _unescaped(match: re.Match[str]) -> str:
    number = match["number"]
    return chr(int(number) if number else int(match["url"] or match["python"] or match["html"], 16))


def _without_escaped_parts(text: str, key: str, least: int) -> str:
    """The text without parts of a key in which any characters are escaped."""
    spans = _parts_in(_ESCAPE.sub(_unescaped, text), key, least)
    if not spans:
        return text
    places, at = list[int](), 0  # where each character without its escape begins
    for match in _ESCAPE.finditer(text):
        places += [*range(at, match.start()), match.start()]
        at = match.end()
    places += range(at, len(text) + 1)
    for start, end in reversed(spans):
        text = text[: places[start]] + PLACEHOLDER + text[places[end] :]
    return text


def _mixed(text: str) -> bool:
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


@lru_cache(64)
def _escaped(key: str, encodings: tuple[str, ...]) -> re.Pattern[str]:
    spelled = ["".join(map(_any_escape, key))]
    spelled += ["".join(_any_escape(c) if c in "+/" else c for c in text) for text in encodings]
    return re.compile("|".join(spelled))


def _base64_cores(data: bytes) -> Iterator[str]:
    """The part of the base64 text that depends on the key alone, for each position of the key in a longer text."""
    for offset in range(3):
        start, end = -(-8 * offset // 6), 8 * (offset + len(data)) // 6
        standard = base64.b64encode(bytes(offset) + data).decode()[start:end]
        yield standard
        if (other := standard.translate(str.maketrans("+/", "-_"))) != standard:
            yield other


def _any_escape(character: str) -> str:
    """Pattern of a character: plain, or escaped for URLs, JSON, Python or HTML; once or several times."""
    code = ord(character)
    plain = re.escape(character) if character != "\\" else r"\\+"
    named = r"|\\+/" if character == "/" else r"|&amp;" if character == "&" else ""
    url, python = rf"%(?:25)*(?i:{code:02x})", rf"\\+(?:u00|x)(?i:{code:02x})"
    return rf"(?:{plain}{named}|{url}|{python}|&#(?:0*{code}|[xX]0*(?i:{code:x}));?)"


def _may_hold(text: str, forms: tuple[_Forms, ...]) -> bool:
    if len(text) < MIN_KEY:
        return False
    for form in forms:
        if form.head in text or any(literal in text for literal in form.literals):
            return True
        if any(block in text for literal, least in form.parts_for(text) for block in _blocks(literal, least)):
            return True
    return _ESCAPES.search(text) is not None or _may_be_wrapped(text, forms)


def _may_be_wrapped(text: str, forms: tuple[_Forms, ...]) -> bool:
    """Whether a text may hold a key in hexadecimal with separators or in both cases, or in base64 with line breaks."""
    if "\n" in text and _BROKEN.search(text):
        return True
    if any(sign in text for sign in " :,-") and _PAIRS.search(text):
        return True
    lowered = text.lower()
    return any(form.literals[1] in lowered for form in forms)


def _clean(text: str, forms: tuple[_Forms, ...]) -> str:
    if not _may_hold(text, forms):
        return text
    escapes, wraps = _ESCAPES.search(text), _may_be_wrapped(text, forms)
    for form in forms:
        for literal in form.literals:
            text = text.replace(literal, PLACEHOLDER)
        if escapes:
            text = form.escaped.sub(PLACEHOLDER, text)
        if wraps:
            text = form.wrapped.sub(PLACEHOLDER, text)
        if form.head in text:
            for length in range(len(form.key) - 1, len(form.head) - 1, -1):
                text = text.replace(form.key[:length], PLACEHOLDER)
        for literal, least in form.parts_for(text):
            text = _without_parts(text, literal, least)
        if escapes and form.parts:
            text = _without_escaped_parts(text, *form.parts[0])
    return text


_Path = tuple[Any, ...]


def _leaves(value: Any, path: _Path) -> Iterator[tuple[_Path, str]]:
    """All strings of a value with their paths; the path of a mapping's key ends with None."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            if isinstance(name, str):
                yield (*path, name, None), name
            yield from _leaves(part, (*path, name))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _leaves(part, (*path, index))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _leaves(getattr(value, field.name), (*path, field.name))


def _split_over(leaves: Mapping[_Path, str], forms: tuple[_Forms, ...]) -> dict[_Path, str]:
    """Strings of lists with parts of a key: those at equal places of consecutive elements are read as one text."""
    columns: dict[_Path, list[_Path]] = defaultdict(list)
    elements: set[_Path] = set()
    for path in leaves:
        if path and path[-1] is None:  # of the keys of an element, such as tokens, the first
            if path[:-2] in elements:
                continue
            elements.add(path[:-2])
        columns[_place(path)].append(path)
    changes: dict[_Path, str] = {}
    for paths in columns.values():
        if len(paths) > 1:
            changes |= _joined_changes([(path, leaves[path]) for path in paths], forms)
    return changes


def _place(path: _Path) -> _Path:
    """A path without the positions in lists, and without the name of a mapping's key."""
    if path and path[-1] is None:
        path = (*path[:-2], None)
    return tuple(step for step in path if not isinstance(step, int))


def _spelled_over(leaves: Mapping[_Path, str], forms: tuple[_Forms, ...]) -> dict[_Path, str]:
    """Strings at equal places of a list's elements that spell at least half of a key, if one of each is chosen.

    So candidates of tokens do not tell a key, whatever their order.
    """
    changes: dict[_Path, str] = {}
    texts = set(leaves.values())
    for form in forms:
        ends = {form.key[:n] for n in range(1, len(form.key))}
        pieces = {text for text in texts if _may_be_piece(text, form.key, ends)}
        lists: dict[tuple[_Path, _Path], dict[int, list[_Path]]] = defaultdict(lambda: defaultdict(list))
        for path, text in leaves.items() if len(pieces) > 1 else ():
            for depth, step in enumerate(path) if text in pieces else ():
                if isinstance(step, int):
                    lists[path[:depth], _place(path)][step].append(path)
        for elements in lists.values():
            changes |= _chains(elements, leaves, form)
    return changes


def _may_be_piece(text: str, key: str, ends: set[str]) -> bool:
    """Whether a string is a part of a key, ends as it begins, or begins as it ends."""
    if not text:
        return False
    if text in key or any(text[-n:] in ends for n in range(1, min(len(text), len(key)) + 1)):
        return True
    return any(text.startswith(key[-n:]) for n in range(1, min(len(text), len(key))))


def _chains(elements: Mapping[int, list[_Path]], leaves: Mapping[_Path, str], form: _Forms) -> dict[_Path, str]:
    key, found = form.key, dict[_Path, str]()
    reached: dict[int, dict[_Path, str]] = {}  # characters of the key so far → what replaces the strings
    for index in sorted(elements):
        if index - 1 not in elements:
            reached = {}
        now: dict[int, dict[_Path, str]] = defaultdict(dict)
        for path in elements[index]:
            text = leaves[path]
            for length, chain in reached.items():
                if text.startswith(key[length:]):
                    found |= chain | {path: text[len(key) - length :]}
                elif key.startswith(text, length):
                    now[length + len(text)] |= chain | {path: ""}
            for length in range(1, min(len(text) + 1, len(key))) if text[-1] in key else ():
                if text.endswith(key[:length]):
                    now[length] |= {path: text[:-length] + PLACEHOLDER}
        for length, chain in now.items():
            if length >= len(form.head):
                found |= chain
        reached = now
    return found


def _joined_changes(pieces: list[tuple[_Path, str]], forms: tuple[_Forms, ...]) -> dict[_Path, str]:
    joined = "".join(text for _, text in pieces)
    spans = [
        (match.start(), match.end())
        for form in forms
        if _may_hold(joined, (form,))
        for pattern in (re.compile("|".join(map(re.escape, form.literals))), form.escaped)
        for match in pattern.finditer(joined)
    ]
    if not spans:
        return {}
    changes, begin = {}, 0
    for path, text in pieces:
        end, kept = begin + len(text), []
        for place in range(begin, end):
            inside = [span for span in spans if span[0] <= place < span[1]]
            if not inside:
                kept.append(joined[place])
            elif any(span[0] == place for span in inside):
                kept.append(PLACEHOLDER)
        if any(first < end and begin < last for first, last in spans):
            changes[path] = "".join(kept)
        begin = end
    return changes


def _rebuilt(value: Any, path: _Path, changes: Mapping[_Path, str]) -> Any:
    if isinstance(value, str):
        return changes.get(path, value)
    if isinstance(value, Mapping):
        return {
            changes.get((*path, name, None), name): _rebuilt(part, (*path, name), changes)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        elements = [_rebuilt(part, (*path, index), changes) for index, part in enumerate(value)]
        return tuple(elements) if isinstance(value, tuple) else elements
    if is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: _rebuilt(getattr(value, f.name), (*path, f.name), changes) for f in fields(value) if f.init}
        return replace(value, **parts)
    return value
