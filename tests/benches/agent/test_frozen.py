"""The frozen set: the same challenges for ever, and refused where they are not."""

from dataclasses import replace
from itertools import islice

import pytest

from pixelproof.benches.agent import Agent, _frozen
from pixelproof.benches.agent.tasks import TASKS
from pixelproof.contract import PixelProofError, Source


def test_the_first_challenges_are_those_of_the_manifest():
    items = list(Agent().items(Source("agent-v1"), 99, 10))
    assert [item.tags["task"] for item in items] == list(TASKS)
    assert items[3].id == "agent/agent-v1/1/00003"
    assert items == list(Agent().items(Source("agent-v1"), 1, 10)), "the seed does not matter"
    assert len(_frozen.frozen_source().load()) == 300


def test_a_third_is_hard():
    levels = [place.level for place in _frozen.places(1, 300)]
    assert levels.count("hard") == 100 and set(levels[:20]) == {"base"}


@pytest.mark.slow
def test_all_challenges_are_those_of_the_manifest():
    assert sum(1 for _ in _frozen.frozen_challenges()) == 300


def test_a_challenge_that_differs_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "set.json"
    _frozen.freeze_set(3, path)
    make = _frozen.Place.make
    monkeypatch.setattr(
        _frozen.Place, "make", lambda place: replace(make(place), answer="?") if place.index == 1 else make(place)
    )
    made = _frozen.frozen_challenges(path=path)
    assert len(list(islice(made, 1))) == 1
    with pytest.raises(PixelProofError, match="Item 1 of agent-v1 differs"):
        next(made)


def test_another_edition_and_other_options_are_refused(tmp_path, monkeypatch):
    with pytest.raises(PixelProofError, match="leave out --level"):
        next(iter(Agent(level="hard").items(Source("agent-v1"), 1, 1)))
    with pytest.raises(PixelProofError, match="leave out --task"):
        next(iter(Agent(task="read-code").items(Source("agent-v1"), 1, 1)))
    monkeypatch.setattr(_frozen, "EDITION", 2)
    with pytest.raises(PixelProofError, match="edition 1"):
        next(iter(_frozen.frozen_challenges(1)))
