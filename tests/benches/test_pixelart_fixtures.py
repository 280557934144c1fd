"""Exact checkers against drawings by people who read only the texts: unusual but right, and subtly wrong."""

import pytest

from pixelart_fixtures import read_fixtures
from pixelproof.benches.pixelart.subjects import KINDS, Subject

FIXTURES = read_fixtures()


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: f"{fixture.kind}: {fixture.comment}")
def test_drawings_get_the_verdict_that_the_text_gives_them(fixture):
    verdict = Subject(KINDS[fixture.kind], fixture.params).check(fixture.grid, fixture.palette)
    assert verdict.solved == fixture.right, (fixture.place, verdict.missed)
