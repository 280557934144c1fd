"""Each fault is found, is told from the others, and is not seen in a perfect mask that came through the channel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import ndimage

from pixelproof.benches.arena._channel import send
from pixelproof.benches.arena.diagnosis import audit, diagnose, error_map, label_picture, overlay
from pixelproof.pixels import VOID, Palette, read_image

PALETTE = Palette(
    tuple("abcdefghij"),
    (
        (0, 0, 0),
        (204, 0, 0),
        (76, 153, 0),
        (204, 204, 0),
        (51, 51, 255),
        (204, 0, 204),
        (0, 255, 255),
        (255, 204, 204),
        (102, 51, 0),
        (255, 153, 51),
    ),
)
SIZE = 320


def scene(seed, size=SIZE, things=7):
    """Two grounds and some tilted ellipses and boxes."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] / size
    labels = np.where(y > rng.uniform(0.45, 0.75), 1, 0).astype(np.uint8)
    for label in range(2, things + 1):
        cy, cx = rng.uniform(0.2, 0.8, 2)
        a, b = rng.uniform(0.06, 0.17, 2)
        turn, power = rng.uniform(0, np.pi), rng.choice([2, 8])
        u, v = (x - cx) * np.cos(turn) + (y - cy) * np.sin(turn), (y - cy) * np.cos(turn) - (x - cx) * np.sin(turn)
        labels[np.abs(u / a) ** power + np.abs(v / b) ** power < 1] = label
    return labels


def face(seed, size=SIZE):
    """Hair, skin, nose, and pairs of eyes, brows and ears, not quite symmetrical."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] / size - 0.5
    cx, cy, turn = rng.uniform(-0.06, 0.06, 3)
    labels = np.zeros((size, size), np.uint8)
    parts = [
        (1, rng.uniform(-0.08, 0.08), -0.06, 0.33, 0.4),
        (6, 0.25, 0.0, 0.04, 0.08),
        (7, -0.25, 0.0, 0.04, 0.08),
        (8, 0.0, 0.03, 0.24, 0.32),
        (2, 0.1 + turn, -0.05, 0.05, 0.025),
        (3, -0.1 + turn, -0.05, 0.05, 0.025),
        (4, 0.11 + turn, -0.13, 0.06, 0.02),
        (5, -0.11 + turn, -0.13, 0.06, 0.02),
        (9, turn, 0.05, 0.04, 0.08),
    ]
    for label, px, py, a, b in parts:
        labels[((x - cx - px) / a) ** 2 + ((y - cy - py) / b) ** 2 < 1] = label
    return labels


PAIRS = ((2, 3), (4, 5), (6, 7))


def moved(labels, dx=0.0, dy=0.0, scale=1.0, flip=False):
    """What a painter would paint who puts everything elsewhere: scipy's own resampling, about the centre."""
    height, width = labels.shape
    matrix = np.diag([1 / scale, (-1 if flip else 1) / scale])
    centre = np.array([(height - 1) / 2, (width - 1) / 2])
    offset = centre - matrix @ (centre + np.array([dy * height, dx * width]))
    return ndimage.affine_transform(labels, matrix, offset, order=0, mode="nearest")


def swapped(labels, pairs=PAIRS):
    table = np.arange(256, dtype=np.uint8)
    for left, right in pairs:
        table[left], table[right] = right, left
    return table[labels]


def shaky(labels, seed, amplitude=0.01):
    """The same by an unsure hand: outlines wander."""
    rng = np.random.default_rng(seed)
    size = labels.shape[0]
    waves = [ndimage.zoom(rng.normal(size=(8, 8)), size / 8, order=1) * amplitude * size for _ in range(2)]
    y, x = np.mgrid[:size, :size]
    return labels[(y + waves[0]).astype(int).clip(0, size - 1), (x + waves[1]).astype(int).clip(0, size - 1)]


def mean_overlap(prediction, reference):
    """Mean IoU of the truth's labels, by sets of pixels."""
    counted = reference != VOID
    values = []
    for label in np.unique(reference[counted]):
        one, other = (prediction == label) & counted, reference == label
        values.append((one & other).sum() / (one | other).sum())
    return float(np.mean(values)) if values else 0.0


@pytest.mark.parametrize("seed", range(4))
def test_in_place_is_in_place(seed):
    truth = scene(seed)
    found = diagnose(shaky(truth, seed), truth, 10)
    assert found.verdict == "in place" and found.shift == (0, 0)
    assert found.before == pytest.approx(mean_overlap(shaky(truth, seed), truth))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 6.28), st.floats(0.09, 0.2))
def test_a_shift_is_found_to_the_pixel(seed, direction, far):
    truth = scene(seed)
    dx, dy = round(far * np.cos(direction) * SIZE), round(far * np.sin(direction) * SIZE)
    found = diagnose(moved(truth, dx / SIZE, dy / SIZE), truth, 10)
    assume(found.before < 0.5)
    assert found.verdict == "shifted" and found.after > found.before
    assert np.abs(np.array(found.shift) - (dx, dy)).max() <= 3


@pytest.mark.parametrize("scale", [0.7, 0.8, 1.25, 1.4])
@pytest.mark.parametrize("seed", range(3))
def test_a_scale_is_found(seed, scale):
    truth = scene(seed)
    found = diagnose(shaky(moved(truth, scale=scale), seed), truth, 10)
    assert found.verdict == "scaled" and found.move.scale == pytest.approx(scale, abs=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_mirrored_is_told_from_swapped(seed):
    truth = face(seed)
    for noise in (lambda labels: labels, lambda labels: shaky(labels, seed, 0.006)):
        mirrored = diagnose(noise(moved(truth, flip=True)), truth, 10, PAIRS)
        exchanged = diagnose(noise(swapped(truth)), truth, 10, PAIRS)
        assert (mirrored.verdict, exchanged.verdict) == ("mirrored", "swapped")
        assert exchanged.swapped == PAIRS and exchanged.swap_gain > 0.3
    assert diagnose(moved(truth, flip=True), truth, 10).verdict == "mirrored"


def test_one_pair_may_be_swapped_alone():
    truth = face(1)
    found = diagnose(swapped(truth, PAIRS[:1]), truth, 10, PAIRS)
    assert found.verdict == "swapped" and found.swapped == PAIRS[:1]
    assert found.before + found.swap_gain == pytest.approx(1.0)


def test_unrelated_maps_are_wrong():
    verdicts = [diagnose(scene(1000 + seed, 96), scene(seed, 96), 10).verdict for seed in range(12)]
    assert verdicts.count("wrong") >= 11


@pytest.mark.slow
def test_false_alarms_are_rare():
    """Of 150 scenes with other scenes' answers, and as many faces with scenes, hardly any is explained."""
    for truth in (scene, face):
        verdicts = [diagnose(scene(1000 + seed, 96), truth(seed, 96), 10, PAIRS).verdict for seed in range(150)]
        assert verdicts.count("wrong") >= 147


def test_one_thing_alone_must_fit_well():
    """Two labels, one of them small: leaving the thing out scores about one half, but is wrong, as is another thing."""
    truth = (scene(5) == 4).astype(np.uint8)
    assert 0 < truth.mean() < 0.1
    assert diagnose(np.zeros_like(truth), truth, 2).verdict == "wrong"
    ring = np.hypot(*(np.mgrid[:SIZE, :SIZE] - SIZE // 3))
    assert diagnose(((ring > 30) & (ring < 45)).astype(np.uint8), truth, 2).verdict == "wrong"
    assert diagnose(shaky(truth, 5, 0.004), truth, 2).verdict == "in place"
    assert diagnose(moved(truth, -0.2, -0.1), truth, 2).verdict == "shifted"


def test_void_is_counted_by_nobody():
    truth = scene(3)
    hidden = truth.copy()
    hidden[:, : SIZE // 4] = VOID
    answer = truth.copy()
    answer[:, : SIZE // 4] = 5
    assert diagnose(answer, hidden, 10).before == 1.0
    nothing = diagnose(np.full_like(truth, VOID), truth, 10)
    assert nothing.verdict == "wrong" and nothing.before == 0.0
    assert diagnose(truth, np.full_like(truth, VOID), 10).verdict == "wrong"


maps = st.tuples(st.integers(1, 40), st.integers(1, 40)).flatmap(
    lambda shape: st.tuples(*[arrays.arrays(np.uint8, shape, elements=st.sampled_from([0, 1, 2, 3, VOID]))] * 2)
)


@settings(max_examples=30, deadline=None)
@given(maps)
def test_any_maps_have_a_verdict(both):
    found = diagnose(*both, 4, ((1, 2),))
    assert found.before == pytest.approx(mean_overlap(*both))
    assert found.sentence and found.after >= found.before - 1e-9
    assert diagnose(both[1], both[1], 4).verdict in ("in place", "wrong")


def photograph(seed, size=SIZE):
    """Something with detail at every size, as photos have."""
    rng = np.random.default_rng(seed)
    layers = [ndimage.zoom(rng.normal(size=(n, n, 3)), (size / n, size / n, 1), order=1) for n in (5, 20, 80, size)]
    picture = sum(weight * layer for weight, layer in zip((40, 30, 20, 6), layers, strict=True))
    return np.clip(128 + picture, 0, 255).astype(np.uint8)


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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_no_other_after_the_channel(fault, seed):
    expected, paint = FAULTS[fault]
    labels, photo = scene(seed), photograph(seed)
    answer = read_image(send(paint(labels, photo, np.random.default_rng(seed))))
    assert list(audit(answer, PALETTE, photo, labels).flags) == expected


def test_another_photo_is_not_the_one_shown():
    found = audit(photograph(7), PALETTE, photograph(8), scene(1))
    assert found.copied < 0.1 and "off palette" in found.flags


def test_a_hard_mask_is_all_on_the_palette():
    labels = scene(2)
    found = audit(PALETTE.paint(labels), PALETTE, photograph(2), labels)
    assert (found.off_palette, found.drift.mean, found.texture, found.stray, found.invented) == (0, 0, 0, (), ())
    assert found.outlines < 0.15 and not found.flags


def test_a_small_thing_is_not_a_single_colour():
    labels = np.zeros((SIZE, SIZE), np.uint8)
    labels[40:58, 50:66] = 1
    assert 1 - labels.mean() > 0.995
    assert not audit(read_image(send(PALETTE.paint(labels))), PALETTE, reference=labels).flags
    assert list(audit(PALETTE.paint(0 * labels), PALETTE, reference=labels).flags) == ["single colour"]
    assert not audit(PALETTE.paint(0 * labels), PALETTE, reference=0 * labels).flags


def test_soft_edges_make_labels_that_nobody_painted():
    labels = np.where(np.arange(SIZE) < SIZE // 2, 0, 7).astype(np.uint8)[None].repeat(SIZE, axis=0)
    found = audit(read_image(send(PALETTE.paint(labels))), PALETTE, reference=labels)
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


def test_error_map_tells_the_kinds_of_error():
    truth = np.array([[0, 0, 1, 1, 1, 1, VOID]], np.uint8).repeat(4, axis=0)
    answer = np.array([[0, 2, 1, 0, 2, VOID, 1]], np.uint8).repeat(4, axis=0)
    right, taken, thing, missed, confused, silent, _ = read_image(error_map(answer, truth, PALETTE))[0].tolist()
    assert len({tuple(colour) for colour in (right, taken, thing, missed, confused)}) == 5
    assert silent == missed
    without = read_image(error_map(answer, truth, PALETTE, background=None))[0].tolist()
    assert without[1] == without[3] == without[4] == confused


def test_pictures_are_small_and_show_what_they_should():
    labels = scene(1, 700)
    labels[:40, :40] = VOID
    photo = photograph(1, 700)
    for picture in (
        error_map(labels, labels, PALETTE),
        overlay(photo, labels, PALETTE),
        label_picture(labels, PALETTE),
    ):
        assert read_image(picture).shape == (512, 512, 3) and len(picture.data) < 200_000
    shown = read_image(label_picture(labels, PALETTE))
    assert set(map(tuple, shown.reshape(-1, 3).tolist())) <= {*PALETTE.colours, (128, 128, 128)}
    mixed = read_image(overlay(photo, np.full((700, 700), 1, np.uint8), PALETTE)).astype(float)
    plain = read_image(overlay(photo, np.full((700, 700), VOID, np.uint8), PALETTE)).astype(float)
    assert np.abs(mixed - (0.55 * np.array(PALETTE.colours[1]) + 0.45 * plain)).mean() < 4
