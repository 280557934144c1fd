"""Connected regions and instances against scikit-image; recall by size against its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from label_scenes import scene
from pixelproof.metrics import SIZES, connected_segments, instance_segments, recall_by_size
from pixelproof.pixels import VOID

MAPS = st.tuples(st.integers(1, 12), st.integers(1, 12)).flatmap(
    lambda shape: hnp.arrays(np.uint8, shape, elements=st.sampled_from([0, 1, 2, VOID]))
)


def same_partition(one, other):
    """Whether two maps of numbers divide the picture in the same way; 0 is 0 in both."""
    pairs = {(int(a), int(b)) for a, b in zip(one.ravel(), other.ravel(), strict=True)}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) and all(
        (a == 0) == (b == 0) for a, b in pairs
    )


@pytest.mark.slow
@settings(max_examples=60)
@given(MAPS)
def test_regions_are_those_of_scikit_image(labels):
    measure = pytest.importorskip("skimage.measure")
    found = connected_segments(labels)
    expected = measure.label(labels.astype(int) + 1, background=VOID + 1, connectivity=2)
    assert same_partition(found.numbers, expected)
    inside = found.numbers > 0
    np.testing.assert_array_equal(found.labels[found.numbers][inside], labels[inside])
    np.testing.assert_array_equal(found.areas, np.bincount(found.numbers.ravel(), minlength=len(found.labels)))


@pytest.mark.slow
def test_large_maps_have_the_same_regions():
    measure = pytest.importorskip("skimage.measure")
    noise = np.random.default_rng(0).integers(0, 3, (150, 170)).astype(np.uint8)
    for labels in (scene(3), np.ascontiguousarray(scene(4).T[5:, 9:]), noise, scene(1)[:, ::-1]):
        expected = measure.label(labels.astype(int) + 1, background=0, connectivity=2)
        assert same_partition(connected_segments(labels).numbers, expected)


def test_small_regions_and_whole_labels():
    labels = np.zeros((100, 100), np.uint8)
    labels[10:20, 10:20] = labels[50:60, 50:60] = 1
    labels[80, 80] = 1
    labels[:, 40] = 2  # divides the background
    assert len(connected_segments(labels).labels) - 1 == 6
    found = connected_segments(labels, smallest=1e-3, whole=(0,))
    assert sorted(found.labels[1:].tolist()) == [0, 1, 1, 2]
    assert found.numbers[80, 80] == 0 and found.numbers[0, 0] == found.numbers[0, 99] > 0
    assert found.things.tolist() == [label > 0 for label in found.labels.tolist()]


def test_instances_are_segments_wherever_they_lie():
    labels = np.array([[0, 3, 3, 0, 3, 4, VOID]], np.uint8)
    instances = np.array([[0, 1, 2, 0, 1, -1, 0]])
    found = instance_segments(labels, instances)
    assert same_partition(found.numbers, np.array([[1, 2, 3, 1, 2, 4, 0]]))
    assert sorted(zip(found.labels.tolist(), found.crowd.tolist(), found.things.tolist(), strict=True)) == [
        (-1, False, False),
        (0, False, False),
        (3, False, True),
        (3, False, True),
        (4, True, False),
    ]


@pytest.mark.parametrize("side", [64, 300])
def test_recall_by_size_by_its_definition(side):
    """Squares of 1, 5 and 20 % of the side: small, small and large at any resolution, and one of 10 %, medium."""
    truth = np.zeros((side, side), np.uint8)
    squares = {1: (0.04, "small"), 2: (0.1, "medium"), 3: (0.3, "large")}
    for label, (share, _) in squares.items():
        edge = round(share * side)
        top = round(side * 0.3 * (label - 1)) + 1
        truth[top : top + edge, top : top + edge] = label
    answer = truth.copy()
    answer[: side // 3] = 0
    counts = recall_by_size(answer, connected_segments(truth, whole=(0,)))
    for place, size in enumerate(SIZES):
        mine = [label for label, (_, name) in squares.items() if name == size]
        expected = [((answer == label) & (truth == label)).sum() / (truth == label).sum() for label in mine]
        assert counts.objects[place] == len(mine) and counts.recalls[place] == pytest.approx(sum(expected))


@given(MAPS, st.integers(0, 3))
def test_recalls_lie_between_none_and_all(labels, other):
    segments = connected_segments(labels)
    perfect, blank = recall_by_size(labels, segments), recall_by_size(np.full_like(labels, other), segments)
    np.testing.assert_allclose(perfect.recalls, perfect.objects)
    assert (blank.recalls <= blank.objects).all() and (blank.objects == perfect.objects).all()
    assert perfect.objects.sum() == len(segments.labels) - 1
