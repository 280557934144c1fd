"""GSI-Bench's published formulas, with perfect detections: what passes, and what does not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.benches.spatial.published import (
    Detection,
    aggregate,
    box_iou,
    score_move,
    score_removal,
    score_rotation,
    score_scaling,
)

BOX = (0.1, 0.2, 1.5, 0.2, 0.3, 0.25, 0.0)


def shifted(box, x=0.0, y=0.0, z=0.0):
    return (box[0] + x, box[1] + y, box[2] + z, *box[3:])


def scaled(box, factor):
    return (*box[:3], *(factor * side for side in box[3:6]), box[6])


def turned(degrees):
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])


def move(asked, done, bias=0.0):
    seen = shifted(BOX, z=bias)
    return score_move([Detection(seen)], [Detection(shifted(seen, **done))], BOX, shifted(BOX, **asked))


@pytest.mark.parametrize("centimetres", [5, 10, 15, 20, 30, 31])
def test_a_perfect_short_move_scores_nothing(centimetres):
    asked = {"x": centimetres / 100}
    assert move(asked, asked) == move(asked, {})
    assert (move(asked, asked).ic, move(asked, asked).sa) == (0, 0)


@pytest.mark.parametrize("centimetres", [32, 35, 50])
def test_a_perfect_long_move_scores_one(centimetres):
    asked = {"x": centimetres / 100}
    assert (move(asked, asked).ic, round(move(asked, asked).sa, 2)) == (1, 1)


@pytest.mark.parametrize(
    ("done", "sa"), [({"x": -0.5}, 0.70), ({"y": -0.5}, 0.70), ({"x": 2.0}, 0.43), ({"x": -5.0}, 0.19)]
)
def test_direction_does_not_count_and_distance_hardly(done, sa):
    score = move({"x": 0.5}, done)
    assert score.ic == 1 and score.sa == pytest.approx(sa, abs=0.005)


@pytest.mark.parametrize(("bias", "ic"), [(0.1, 1), (0.3, 1), (0.35, 0)])
def test_a_depth_bias_of_35_cm_is_fatal(bias, ic):
    assert move({"x": 0.5}, {"x": 0.5}, bias).ic == ic


def rotation(asked, done, yaw=0.0):
    after = Detection((*BOX[:6], yaw), turned(done))
    return score_rotation([Detection(BOX, turned(0))], [after], BOX, BOX, turned(0), turned(asked))


def test_rotations_need_a_change_of_the_box():
    assert (rotation(90, 90).ic, rotation(90, 90).sa) == (0, 0)
    perfect, opposite = rotation(90, 90, yaw=0.05), rotation(90, -90, yaw=0.05)
    assert (perfect.ic, round(perfect.sa, 2)) == (1, 1)
    assert (opposite.ic, round(opposite.sa, 2)) == (1, 0.52)


@pytest.mark.parametrize(("factor", "sa"), [(0.5, 0.62), (0.75, 0.92), (1.5, 0.85), (2.0, 0.62)])
def test_an_untouched_image_scores_well_on_scaling(factor, sa):
    score = score_scaling([Detection(BOX)], [Detection(BOX)], BOX, scaled(BOX, factor))
    assert score.ic == 0 and score.sa == pytest.approx(sa, abs=0.005)
    assert aggregate(score.ic, score.sa, 1.0, 1.0)[1] == 100 * score.sa


def test_the_opposite_scaling_complies():
    score = score_scaling([Detection(BOX)], [Detection(scaled(BOX, 0.5))], BOX, scaled(BOX, 2.0))
    assert (score.ic, round(score.sa, 2)) == (1, 0.15)


def test_removing_one_more_object_complies():
    others = [Detection(shifted(BOX, x=place)) for place in (1, 2, 3)]
    before = [Detection(BOX), *others]
    assert (score_removal(before, others, BOX).ic, score_removal(before, others, BOX).sa) == (1, 1)
    assert (score_removal(before, others[:2], BOX).ic, score_removal(before, others[:2], BOX).sa) == (1, 0.7)
    assert score_removal(before, before, BOX).sa == 0


def test_an_item_without_a_judge_loses_everything():
    assert aggregate(1.0, 0.9, 0.8, None) == (0, 0, 0, 0)
    assert aggregate(1.0, 0.9, 0.8, 0.5) == (100, 90, 80, 50)


sides = st.floats(0.1, 2)
boxes = st.tuples(*[st.floats(-1, 1)] * 3, *[sides] * 3, st.floats(-math.pi, math.pi))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(boxes, boxes)
def test_the_iou_of_boxes_against_sampled_points(a, b):
    rng = np.random.default_rng(0)
    low, high = np.minimum(a[:3], b[:3]) - 2, np.maximum(a[:3], b[:3]) + 2
    points = rng.uniform(low, high, (40_000, 3))

    def inside(box):
        away = points - box[:3]
        cos, sin = math.cos(box[6]), math.sin(box[6])
        x, z = cos * away[:, 0] + sin * away[:, 2], -sin * away[:, 0] + cos * away[:, 2]
        return (abs(x) <= box[3] / 2) & (abs(away[:, 1]) <= box[4] / 2) & (abs(z) <= box[5] / 2)

    one, other = inside(a), inside(b)
    volume = np.prod(high - low) / len(points)
    union = a[3] * a[4] * a[5] + b[3] * b[4] * b[5] - (one & other).sum() * volume
    expected = (one & other).sum() * volume / union
    error = 4 * math.sqrt(max((one & other).sum(), 1)) * volume / union
    assert box_iou(a, b) == pytest.approx(expected, abs=max(error, 0.002) * 2)
    assert box_iou(a, b) == pytest.approx(box_iou(b, a), abs=1e-9) and box_iou(a, a) == pytest.approx(1)
