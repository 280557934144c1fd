import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.web import Html, data_block, fragment, tag

# Carriage returns and NUL are normalised by every HTML parser, whoever wrote them.
texts = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]))
nasty = st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;", "]]>", "<!--", "'"])


class Reader(HTMLParser):
    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append(dict(attrs))

    def handle_data(self, data):
        self.text += data


@given(texts | nasty, texts | nasty)
def test_any_text_stays_text(inside, value):
    read = Reader(tag("p", inside, tag("b", inside), title=value))
    assert read.tags == ["p", "b"]
    assert read.attributes[0] == {"title": value}
    assert read.text == inside * 2


@given(texts | nasty)
def test_markup_that_was_handled_as_text_is_escaped_again(text):
    bold = tag("b", text)
    for spoiled in (bold + "", "".join([bold])):
        assert Reader(fragment(spoiled)).tags == []
    assert Reader(fragment([bold, [bold, None]])).tags == ["b", "b"]


def test_markup_is_not_formatted_into_text():
    with pytest.raises(TypeError, match="fragment"):
        f"{tag('b', 'x')}: y"


def test_what_the_policy_forbids_is_refused():
    for name in ("onclick", "onmouseover", "style"):
        with pytest.raises(ValueError, match=name):
            tag("p", **{name: "x"})


def test_attributes():
    made = tag("input", hidden=True, disabled=False, value=None, aria_label="x", class_="a", x=1 / 3)
    assert made == '<input hidden aria-label="x" class="a" x="0.333333">'
    assert isinstance(made, Html)


leaves = st.none() | texts | nasty | st.integers()


@pytest.mark.slow
@given(st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8))
def test_data_comes_back_and_ends_nothing(value):
    block = data_block("d", value)
    inside = block.removeprefix('<script type="application/json" id="d">').removesuffix("</script>")
    assert json.loads(inside) == value
    assert not set("<>&\u2028\u2029") & set(inside)


def test_data_has_no_nan():
    with pytest.raises(ValueError, match="JSON"):
        data_block("d", [float("nan")])
