"""The frozen set of pairs: verified pair by pair, and refused under another edition."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from pixelproof.benches.spatial import Spatial, _pairs
from pixelproof.contract import PixelProofError, Source
from pixelproof.world.edits import Edit, apply
from pixelproof.world.pairs import Pair, PairRecipe
from world.edits.scenes import desk


def pair(index: int, text: str = "Move the mug.") -> str:
    outcome = apply(desk(), Edit("move", "mug", "left", 0.05 + 0.01 * index), 0.99)
    return Pair("move", outcome.before, outcome.after, (outcome.edit,), text).to_json()


@pytest.fixture
def frozen(tmp_path, monkeypatch):
    """A small frozen set of made-up pairs instead of the released one."""
    path, own = tmp_path / "spatial-v1.json", _pairs.frozen_source
    monkeypatch.setattr(_pairs, "frozen_source", lambda given=None: own(path))
    monkeypatch.setattr(_pairs, "sampled_pairs", lambda seed, **options: (pair(index) for index in range(9)))
    _pairs.freeze_set(4)
    return path


def test_a_frozen_set_ends_and_ignores_the_seed(frozen):
    items = [list(Spatial().items(Source("spatial-v1"), seed, None)) for seed in (1, 2)]
    assert items[0] == items[1]
    assert [item.id for item in items[0]] == [f"spatial/spatial-v1/1/{index:05d}" for index in range(4)]
    assert len(list(Spatial().items(Source("spatial-v1"), 5, 2))) == 2


def test_a_pair_that_differs_is_refused_when_it_is_reached(frozen, monkeypatch):
    texts = ["Move the mug."] * 2 + ["Move the cup."] * 2
    monkeypatch.setattr(_pairs, "sampled_pairs", lambda seed, **options: (pair(i, t) for i, t in enumerate(texts)))
    items = Spatial().items(Source("spatial-v1"), 1, None)
    assert len(list(islice(items, 2))) == 2
    with pytest.raises(PixelProofError, match="Item 2 of spatial-v1 differs from the frozen one"):
        next(items)


def test_another_edition_is_refused(frozen, monkeypatch):
    monkeypatch.setattr(PairRecipe, "edition", PairRecipe.edition + 1)
    with pytest.raises(PixelProofError, match=r"spatial-v1 is a set of edition 2, .* generates edition 3: install"):
        next(iter(Spatial().items(Source("spatial-v1"), 1, None)))


@pytest.mark.parametrize("options", [{"language": "zh"}, {"preset": "gsi"}, {"world_split": "train"}])
def test_options_that_the_set_fixes_are_refused(frozen, options):
    with pytest.raises(PixelProofError, match=f"--{next(iter(options)).replace('_', '-')} .*: leave it out"):
        Spatial(**options).items(Source("spatial-v1"), 1, None)


def test_the_hash_knows_what_is_asked_and_done_but_not_the_last_digits():
    one = Pair.from_json(pair(0))
    nudged = one.after.with_thing(replace(one.after.thing("book"), position=(-0.3, 1e-7, 0.05)))
    same = replace(one, after=nudged)
    other = replace(one, steps=(replace(one.edit, amount=0.06),))
    hashes = [_pairs.content_hash(0, each.to_json()) for each in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2] and _pairs.content_hash(1, one.to_json()) != hashes[0]


def test_the_released_manifest_has_twenty_pairs_of_each_operation():
    released = _pairs.frozen_source().load()
    assert len(released) == 240 and released.seed == 1
    assert Spatial.sources["spatial-v1"].startswith("the frozen set: 240 ")
