"""Regions by k-means: against scikit-learn, and by property."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from label_scenes import blobs
from pixelproof.nets import kmeans_regions, label_by_border
from pixelproof.pixels import oklab

PHOTOS = hnp.arrays(np.uint8, st.tuples(st.integers(1, 24), st.integers(1, 24), st.just(3)))


@pytest.mark.slow
@given(PHOTOS, st.integers(1, 9), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_kmeans_gives_every_pixel_a_number_and_the_same_one_twice(photo, count, seed):
    regions = kmeans_regions(photo, count, np.random.default_rng(seed))
    assert regions.shape == photo.shape[:2] and 0 <= regions.min() and regions.max() < count
    assert np.array_equal(regions, kmeans_regions(photo, count, np.random.default_rng(seed)))


def impurity(regions, truth):
    """Share of pixels whose label is not the most frequent one of their region."""
    counts = np.zeros((regions.max() + 1, truth.max() + 1))
    np.add.at(counts, (regions.ravel(), truth.ravel()), 1)
    return 1 - counts.max(axis=1).sum() / truth.size


def inertia(regions, photo):
    """Mean squared distance of pixels from the mean of their region, in colour and position."""
    height, width = photo.shape[:2]
    y, x = np.mgrid[:height, :width] * 0.2 / max(height, width)
    features = np.dstack([oklab(photo), y, x]).reshape(-1, 5)
    flat = regions.ravel()
    return np.mean([((features[flat == n] - features[flat == n].mean(0)) ** 2).sum() for n in np.unique(flat)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in (1, 2))])
def test_regions_are_as_compact_as_those_of_scikit_learn(seed):
    cluster = pytest.importorskip("sklearn.cluster")
    photo, _ = blobs(seed)
    y, x = np.mgrid[:96, :96] * 0.2 / 96
    features = np.dstack([oklab(photo), y, x]).reshape(-1, 5)
    peer = cluster.KMeans(8, n_init=1, max_iter=30, random_state=seed).fit_predict(features).reshape(96, 96)
    ours = min(inertia(kmeans_regions(photo, 8, np.random.default_rng(draw)), photo) for draw in range(3))
    assert ours < 1.1 * inertia(peer, photo)


@pytest.mark.slow
def test_kmeans_tells_clear_colours_apart():
    photo, truth = blobs(0)
    assert impurity(kmeans_regions(photo, 16, np.random.default_rng(0)), truth) < 0.03


@given(hnp.arrays(np.intp, (6, 6), elements=st.integers(0, 6)), st.integers(1, 5), st.integers(0, 9))
def test_the_border_region_gets_label_zero_and_the_others_random_ones(regions, labels, seed):
    named = label_by_border(regions, labels, np.random.default_rng(seed))
    assert named.max() < labels
    frame = np.ones((6, 6), bool)
    frame[1:-1, 1:-1] = False
    touching = np.bincount(regions[frame])
    first = np.unique(regions[named == 0])
    assert touching.argmax() in first
    assert labels == 1 or len(first) == 1
    if 1 < labels and regions.max() + 1 <= labels:
        assert len(np.unique(named)) == len(np.unique(regions))
