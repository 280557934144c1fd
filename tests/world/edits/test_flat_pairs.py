"""Batches of pairs of flat pictures: those of single scenes, on every library."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import FlatEdit, apply, change_mask, lower_pairs, propose_flat, render_pairs
from pixelproof.world.flat import draw, label_maps, lower, make_flat, truth

TORCH = "torch is not installed here: it is for training only"


@lru_cache(maxsize=1)
def outcomes():
    scenes = [make_flat(9, index, side=160, things=4, plates=1, noise=1, hop=False) for index in range(9)]
    made = [propose_flat(scene, np.random.default_rng(index)) for index, scene in enumerate(scenes)]
    return [outcome for outcome in made if outcome is not None]


@pytest.mark.slow
def test_a_batch_of_pairs_is_its_pictures_and_masks():
    pairs = render_pairs(lower_pairs(outcomes()))
    assert len({outcome.edit.action for outcome in outcomes()}) >= 4
    for number, outcome in enumerate(outcomes()):
        mask = change_mask(outcome.before, outcome.after)
        assert np.array_equal(pairs.before[number], draw(outcome.before))
        assert np.array_equal(pairs.after[number], draw(outcome.after))
        assert np.array_equal(pairs.object[number], mask.object) and np.array_equal(pairs.edge[number], mask.edge)


def test_label_maps_are_those_of_the_truth():
    scenes = [outcome.before for outcome in outcomes()]
    maps = label_maps(lower(scenes))
    assert maps.dtype == np.int32
    for scene, labels in zip(scenes, maps, strict=True):
        assert np.array_equal(labels, truth(scene).labels)


@pytest.mark.slow
def test_torch_renders_the_pairs_that_numpy_renders():
    torch = pytest.importorskip("torch", reason=TORCH)
    pairs = lower_pairs(outcomes())
    ours, theirs = render_pairs(pairs), render_pairs(pairs.map(torch.as_tensor))
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(other, torch.Tensor) and (one != other.numpy()).mean() < 1e-5


def test_only_edits_that_were_carried_out_make_pairs():
    scene = outcomes()[0].before
    refused = apply(scene, FlatEdit("move", scene.sprites[-1].id, "left", 9.0))
    for some in ([], [refused]):
        with pytest.raises(PixelProofError, match="carried out"):
            lower_pairs(some)
