"""Each fault is found, is told from the others, and is not seen in a perfect mask that came through the channel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import ndimage

from label_scenes import PALETTE, SIZE, photograph, scene
from pixelproof.benches.arena.diagnosis import audit
from pixelproof.pixels import ImageChannel, Palette, read_image


def outlined(labels, colour):
    picture = PALETTE.paint(labels)
    picture[ndimage.maximum_filter(labels, 4) != ndimage.minimum_filter(labels, 4)] = colour
    return picture


def levels(picture):
    return np.clip(picture, 0, 255).astype(np.uint8)


def with_another_label(labels):
    painted = labels.copy()
    painted[20:70, 20:80] = 9
    return painted


FAULTS = {
    "nothing": ([], lambda labels, photo, rng: PALETTE.paint(labels)),
    "drift": (["drift"], lambda labels, photo, rng: levels(PALETTE.paint(labels) * 0.92 + [14, 10, 10])),
    "white lines": (["outlines"], lambda labels, photo, rng: outlined(labels, (255, 255, 255))),
    "black lines": (["outlines"], lambda labels, photo, rng: outlined(labels, (0, 0, 0))),
    "grain": (["texture"], lambda labels, photo, rng: levels(PALETTE.paint(labels) + rng.normal(0, 22, photo.shape))),
    "see-through": (["copied"], lambda labels, photo, rng: levels(0.6 * PALETTE.paint(labels) + 0.4 * photo)),
    "copy": (["copied"], lambda labels, photo, rng: photo),
    "grey copy": (
        ["copied"],
        lambda labels, photo, rng: np.repeat(photo.mean(axis=2, keepdims=True), 3, 2).astype(np.uint8),
    ),
    "other colours": (["off palette"], lambda labels, photo, rng: levels(0.45 * PALETTE.paint(labels) + 70.0)),
    "blank": (["single colour"], lambda labels, photo, rng: np.full_like(photo, 255)),
    "one label": (["single colour"], lambda labels, photo, rng: PALETTE.paint(np.zeros_like(labels))),
    "invented": (["invented"], lambda labels, photo, rng: PALETTE.paint(with_another_label(labels))),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_no_other_after_the_channel(fault, seed):
    expected, paint = FAULTS[fault]
    labels, photo = scene(seed), photograph(seed)
    answer = read_image(ImageChannel().send(paint(labels, photo, np.random.default_rng(seed))))
    assert list(audit(answer, PALETTE, photo, labels).flags) == expected


@pytest.mark.slow
def test_another_photo_is_not_the_one_shown():
    found = audit(photograph(7), PALETTE, photograph(8), scene(1))
    assert found.copied < 0.1 and "off palette" in found.flags


@pytest.mark.slow
def test_a_hard_mask_is_all_on_the_palette():
    labels = scene(2)
    found = audit(PALETTE.paint(labels), PALETTE, photograph(2), labels)
    assert (found.off_palette, found.drift.mean, found.texture, found.stray, found.invented) == (0, 0, 0, (), ())
    assert found.outlines < 0.15 and not found.flags


def test_a_small_thing_is_not_a_single_colour():
    labels = np.zeros((SIZE, SIZE), np.uint8)
    labels[40:58, 50:66] = 1
    assert 1 - labels.mean() > 0.995
    assert not audit(read_image(ImageChannel().send(PALETTE.paint(labels))), PALETTE, reference=labels).flags
    assert list(audit(PALETTE.paint(0 * labels), PALETTE, reference=labels).flags) == ["single colour"]
    assert not audit(PALETTE.paint(0 * labels), PALETTE, reference=0 * labels).flags


def test_soft_edges_make_labels_that_nobody_painted():
    labels = np.where(np.arange(SIZE) < SIZE // 2, 0, 7).astype(np.uint8)[None].repeat(SIZE, axis=0)
    found = audit(read_image(ImageChannel().send(PALETTE.paint(labels))), PALETTE, reference=labels)
    assert set(found.stray) & {1, 8, 9} and found.invented == ()


def test_drift_is_measured_label_by_label_and_can_be_undone():
    labels = scene(4)
    gain, offset = np.array([0.9, 1.0, 0.95]), np.array([10.0, -6.0, 4.0])
    inner = Palette(PALETTE.labels, tuple((40 + r // 2, 40 + g // 2, 40 + b // 2) for r, g, b in PALETTE.colours))
    asked = inner.paint(labels)
    painted = np.rint(asked * gain + offset).astype(np.uint8)
    drift = audit(painted, inner).drift
    for label, away in drift.by_label.items():
        assert np.allclose(away, inner.array[label] * (gain - 1) + offset, atol=0.51)
    assert np.allclose(drift.gain, gain, atol=0.02) and np.allclose(drift.offset, offset, atol=2)
    assert drift.unexplained < 1 < drift.mean
    assert np.abs(drift.undone(painted).astype(int) - asked).max() <= 3


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 30), st.integers(1, 30), st.just(3))), st.booleans())
def test_any_picture_can_be_audited(picture, shown):
    found = audit(picture, PALETTE, picture if shown else None, np.zeros(picture.shape[:2], np.uint8))
    for share in (
        found.off_palette,
        found.outlines,
        found.texture,
        found.copied,
        found.single_colour,
        found.off_inside,
    ):
        assert 0 <= share <= 1
