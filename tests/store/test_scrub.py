"""The scrubber finds keys in whatever form a service sends them back, and leaves everything else alone."""

import base64
import html
import json
import re
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.store import printable, register_secret, scrub

KEY = "sk-very/secret+0123456789=abcdef&\\x"
FORMS = {
    "plain": lambda key: key,
    "url": lambda key: quote(key, safe=""),
    "url plus": quote_plus,
    "url lower": lambda key: "".join(f"%{ord(c):02x}" for c in key),
    "url twice": lambda key: quote(quote(key, safe=""), safe=""),
    "json": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "json twice": lambda key: json.dumps(json.dumps(key)),
    "json unicode": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "python": lambda key: "".join(f"\\x{ord(c):02X}" for c in key),
    "html": html.escape,
    "html codes": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "html hex": lambda key: "".join(f"&#x{ord(c):X};" for c in key),
    "hex": lambda key: key.encode().hex(),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 url": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 in a url": lambda key: quote(base64.b64encode(key.encode()).decode(), safe=""),
    "base64 of a header": lambda key: base64.b64encode(f"Authorization: Bearer {key}\r\n".encode()).decode(),
    "html codes without semicolons": lambda key: "".join(f"&#{ord(c)}" for c in key),
    "hex with colons": lambda key: key.encode().hex(":"),
    "hex with spaces": lambda key: key.encode().hex(" ").upper(),
    "hex in both cases": lambda key: "".join(c.upper() if i % 2 else c for i, c in enumerate(key.encode().hex())),
    "base64 of mail": lambda key: base64.encodebytes(b"x" * 40 + key.encode() + b"y" * 40).decode(),
    "base64 of a login": lambda key: base64.b64encode(f":{key}@host".encode()).decode(),
}


@pytest.fixture(autouse=True)
def known():
    register_secret(KEY)


def decoded(text: str) -> bytes:
    """Everything in a text that can be read as base64, at every alignment."""
    runs = re.findall(r"[A-Za-z0-9+/]{8,}", text.replace("-", "+").replace("_", "/"))
    return b" ".join(base64.b64decode(run[i : i + (len(run) - i) // 4 * 4]) for run in runs for i in range(4))


@pytest.mark.attack("keys in replies: plain, URL, JSON, HTML, hexadecimal, base64")
@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_key_is_found(name):
    text = f"before {FORMS[name](KEY)} after"
    for value in (text, {"deep": [{"list": (text,)}]}, {text: 1}):
        cleaned = json.dumps(scrub(value), default=list)
        assert "[secret]" in cleaned and "before" in cleaned and "after" in cleaned
        assert not any(KEY[i : i + 8] in cleaned or KEY[i : i + 8].encode() in decoded(cleaned) for i in range(24))
        written = json.dumps(FORMS[name](KEY))[1:-1]
        assert "base64" in name or not any(written[i : i + 12] in cleaned for i in range(4, len(written) - 16))


@pytest.mark.parametrize("name", ["plain", "url", "json", "base64"])
@given(cuts=st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_a_key_that_is_split_over_chunks_is_found(name, cuts):
    text = f"It is {FORMS[name](KEY)}, of course."
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in zip(places, places[1:], strict=False)]
    chunks = [{"type": "delta", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    joined = "".join(chunk["choices"][0]["delta"]["content"] for chunk in scrub(chunks))
    assert joined == "It is [secret], of course." or (name == "base64" and "[secret]" in joined)
    tokens = "".join(next(iter(token)) for token in scrub([{piece: -0.1, "other": -3.0} for piece in pieces if piece]))
    assert "[secret]" in tokens or len(set(pieces)) < len(pieces)


@pytest.mark.parametrize("rank", [lambda i: 0, lambda i: 1, lambda i: i % 3], ids=["first", "second", "changing"])
@pytest.mark.parametrize("size", [3, 4, 7])
@pytest.mark.parametrize("share", [1.0, 0.7], ids=["whole", "cut off"])
def test_a_key_among_candidates_of_tokens_is_found(rank, size, share):
    text = KEY[: int(share * len(KEY))]
    pieces = ["it is ", *(text[i : i + size] for i in range(0, len(text), size)), " then"]
    ranked = [[f"other{i}", f"more{i}"] for i in range(len(pieces))]
    for i, (names, piece) in enumerate(zip(ranked, pieces, strict=True)):
        names.insert(rank(i), piece)
    mapped = scrub([dict.fromkeys(names, -1.0) for names in ranked])
    listed = scrub([{"top": [{"token": name, "bytes": None} for name in names]} for names in ranked])
    for left in ([set(names) for names in mapped], [{one["token"] for one in element["top"]} for element in listed]):
        assert not any(piece in names for piece, names in zip(pieces[1:-1], left[1:-1], strict=True) if len(piece) > 1)
        assert all({f"other{i}", f"more{i}"} <= names for i, names in enumerate(left))


def test_a_key_that_is_cut_off_does_not_tell_more_than_half():
    for length in range(len(KEY) // 2 + 1, len(KEY)):
        assert KEY[: len(KEY) // 2 + 1] not in scrub("the key is " + KEY[:length])


@pytest.mark.parametrize("form", ["plain", "hex", "base64", "url lower", "python", "html codes"])
@pytest.mark.parametrize("first, last", [(0.1, 1), (0.5, 1), (0.2, 0.8), (0, 0.9), (0.6, 1)])
def test_parts_of_a_key_are_found(form, first, last):
    key = "sk-proj-Ab3dEf7hIjK+mN/oPq2rStUvWxYz0123456789_-QWERTYuiop"
    register_secret(key)
    text = FORMS[form](key)
    part = text[int(first * len(text)) : int(last * len(text))]
    cleaned = scrub(f"before ({part}) after")
    assert "[secret]" in cleaned and cleaned.startswith("before (") and cleaned.endswith(") after")
    assert len(cleaned) < len("before ([secret]) after") + 16


def test_words_that_are_in_a_key_stay():
    register_secret("international-business-machines-2024")
    for text in ("an international business matter", "sk-very/ and 0123456789", "business-machines"):
        assert scrub(text) is text


@pytest.mark.slow
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_values_without_a_key_are_the_same_object(value):
    assert scrub(value) is value


@dataclass(frozen=True)
class Reply:
    text: str
    parts: tuple[str, ...] = ()
    count: int = 3


def test_dataclasses_and_the_environment(monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "abcd1234efgh")
    monkeypatch.setenv("OTHER_TOKEN", "disabled")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:pass%21word@proxy:3128")
    assert scrub(Reply("abcd1234efgh disabled", ("pass!word",))) == Reply("[secret] disabled", ("[secret]",))


HOSTILE = {
    "colour": "\x1b[31mred",
    "clear the screen": "\x1b[2J\x1b[H",
    "link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x07",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "title": "\x1b]0;owned\x07",
    "C1": "\x9b31m\x9d8;;x\x9c\x85",
    "carriage return": "wrong\rright",
    "backspace": "no\x08\x08yes",
    "direction": "\u202egnp.exe\u2066\u200f\u061c",
    "delete": "\x7f\x00",
    "lines": "a\u2028b\u2029c",
    "tags": "\U000e0041\U000e0042",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_that_controls_a_terminal_is_printed(text):
    assert printable(text).isprintable() and len(printable(text)) == len(text)


@given(st.text())
def test_printable_text_is_unchanged_and_the_rest_harmless(text):
    shown = printable(text)
    assert all(old == new for old, new in zip(text, shown, strict=True) if old.isprintable())
    assert not any(c in shown for c in "\x1b\r\x07\x08\x9b\x9d\u202e\u2066")
