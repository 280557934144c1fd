"""The page about the solid world says what is true of it."""

import re
from pathlib import Path

import pytest

from pixelproof.world.solid import COLOURS, KINDS, MATERIALS, SPLITS
from pixelproof.world.solid._truth import THINGS
from pixelproof.world.solid.render import LAYERS
from pixelproof.world.solid.shapes import CATEGORIES

PAGE = Path(__file__).parents[2] / "docs" / "world" / "solid.md"


@pytest.fixture(scope="module")
def page():
    if not PAGE.exists():
        pytest.skip("the documentation is not here")
    return PAGE.read_text("utf-8")


def test_every_category_is_listed_once_in_its_family(page):
    listed = {}
    for family, words in re.findall(r"^\| ([a-z]+) \| ([^|]+) \|$", page.split("## Categories")[1], re.MULTILINE):
        listed |= dict.fromkeys(words.split(", "), family)
    assert listed == {kind.word or kind.name: kind.family for kind in CATEGORIES.values()}


def test_words_layers_and_splits_are_named(page):
    words = re.split(r"[^\w-]+", page)
    for word in (
        *COLOURS,
        *MATERIALS,
        *LAYERS,
        *SPLITS,
        *KINDS,
        *set(THINGS.names) - {"order", "index", "scene", "thing"},
    ):
        assert word in words, word


def test_pictures_are_there_and_small(page):
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page)
    assert len(pictures) == 4
    for picture in pictures:
        assert (PAGE.parent / picture).stat().st_size < 1_500_000
