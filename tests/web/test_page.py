"""The shell: one file, one style sheet, one script, and a policy that lets nothing else in."""

import base64
import hashlib
import re

import pytest

from pixelproof.web import Page, fragment, header, section, static, tag
from pixelproof.web._page import SCRIPTS, STYLES

BODY = fragment(header("Head", "Summary", [("one", "One")]), section("one", "One", tag("p", "<b>")))
PAGE = Page("A <title>", BODY, styles=["p { color: red; }"], scripts=["let own;"])
DOCUMENT = PAGE.html()


def hashes(kind):
    (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", DOCUMENT, re.DOTALL)
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def test_the_policy_allows_exactly_what_is_there():
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', DOCUMENT)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.replace("&#x27;", "'").split(";"))
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": f"'{hashes('style')}'",
        "script-src": f"'{hashes('script')}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_a_served_page_may_load_from_its_own_server_and_no_other():
    policy = PAGE.policy(served=True)
    assert "img-src 'self' data:;" in policy and "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "Content-Security-Policy" not in PAGE.html(policy=False)


def test_styles_and_scripts_of_a_page_follow_those_of_the_kit():
    assert "p { color: red; }</style>" in DOCUMENT and "let own;</script>" in DOCUMENT


def test_nothing_is_fetched():
    assert not re.search(r"https?://|@import|url\(", DOCUMENT)
    assert set(re.findall(r'(?:src|href)="([^"]*)"', DOCUMENT)) == {"data:,", "#one"}


@pytest.mark.parametrize("name", [*STYLES, *SCRIPTS])
def test_static_files_can_be_put_into_a_page(name):
    text = static(name)
    assert "</style" not in text and "</script" not in text and "<!--" not in text
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text)


def colours():
    """The tokens of the theme, light and dark."""
    pairs = re.findall(r"--(\w+): light-dark\(#(\w{6}), #(\w{6})\)", static("theme.css"))
    return [{name: pair[theme] for name, *pair in pairs} for theme in (0, 1)]


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "raised", "faint"])
@pytest.mark.parametrize("text", ["ink", "quiet", "accent", "fault"])
def test_text_can_be_read(theme, ground, text):
    assert contrast("000000", "ffffff") == pytest.approx(21)
    assert contrast(colours()[theme][text], colours()[theme][ground]) >= 4.5
