import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.nets import recogniser
from pixelproof.store import asset_path
from training.drawing import charts, measures
from training.drawing.calibration import certainty
from training.drawing.measures import Verdicts
from training.drawing.ours import SUBJECTS
from training.drawing.pool import CLASSES

seeds = st.integers(0, 2**32 - 1)


def some(seed, n=60, threshold=0.4):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(SUBJECTS), n)
    logits = rng.normal(size=(n, len(CLASSES)))
    logits[np.arange(n), labels] += rng.choice([0, 4, 8], n)
    return Verdicts(labels, logits, certainty(logits, 1.0), threshold)


@given(seeds)
def test_shares_are_counts(seed):
    verdicts = some(seed)
    found = measures.accuracy(verdicts)
    rows = list(zip(verdicts.logits, verdicts.labels, verdicts.certain, strict=True))
    right = [row[:-1].argmax() == label for row, label, _ in rows]
    named = [certain >= 0.4 for _, _, certain in rows]
    three = [label in np.argsort(row[:-1])[-3:] for row, label, _ in rows]
    assert found["likeliest_right"].value == pytest.approx(np.mean(right))
    assert found["among_three"].value == pytest.approx(np.mean(three))
    assert found["named"].value == pytest.approx(np.mean(named))
    assert found["named_right"].value == pytest.approx(np.mean([a and b for a, b in zip(right, named, strict=True)]))
    assert found["right_of_named"].value * sum(named) == pytest.approx(found["named_right"].value * 60, nan_ok=True)


@given(seeds)
def test_the_curve_is_what_every_threshold_would_give(seed):
    verdicts = some(seed)
    points = measures.coverage(verdicts)
    assert all(
        first[1] < second[1] and first[0] >= second[0] for first, second in zip(points, points[1:], strict=False)
    )
    for level, share, risk in points[:: max(1, len(points) // 5)]:
        given_name = verdicts.certain >= level
        assert share == pytest.approx(given_name.mean())
        assert risk == pytest.approx((~verdicts.right[given_name]).mean())


@given(seeds)
def test_confusions_count_every_drawing_once(seed):
    verdicts = some(seed)
    counts = measures.confusion(verdicts)
    assert counts.sum() == 60
    np.testing.assert_array_equal(counts.sum(axis=1), np.bincount(verdicts.labels, minlength=len(SUBJECTS)))
    wrong = counts[:, :-1].sum() - np.trace(counts[:, :-1])
    assert sum(row["count"] for row in measures.top_confusions(verdicts, 10_000)) == wrong


def test_a_network_that_names_nothing_can_be_measured():
    verdicts = some(0)
    mute = Verdicts(verdicts.labels, verdicts.logits, np.zeros(60), 0.4)
    found = measures.accuracy(mute)
    assert (
        found["named"].value == 0 and np.isnan(found["right_of_named"].value) and np.isnan(found["calibration_error"])
    )
    assert measures.coverage(mute) == [] and measures.top_confusions(mute) == []
    assert charts.coverage_chart({"mute": []}, 0.4).size == charts.coverage_chart({}, 0.4).size


def has_unifont():
    try:
        return asset_path("unifont").exists()
    except PixelProofError:
        return False


@pytest.mark.parametrize("name", [make.__name__ for make in measures.CONTROLS])
def test_controls_are_made_by_their_seed(name):
    if name == "unifont_letters" and not has_unifont():
        pytest.skip("needs an asset: pixelproof data assets get unifont")
    one, again, other = (measures.control_pool(seed, name, 8) for seed in (0, 0, 1))
    assert one.digest == again.digest != other.digest


@pytest.mark.slow
def test_controls_are_looked_at_like_any_picture():
    pool = measures.control_pool(0, "noise", 20)
    found = measures.abstention(measures.judge(recogniser(), pool))
    assert found["n"] == 20 and found["abstained"].value > 0.9


def test_charts_show_what_they_are_given():
    verdicts = some(3)
    counts = measures.confusion(verdicts)
    chart = np.asarray(charts.confusion_chart(counts, CLASSES))
    assert (chart == (20, 110, 60)).all(axis=-1).any()  # a subject that is always right
    line = np.asarray(charts.coverage_chart({"one": measures.coverage(verdicts)}, 0.4))
    assert (line == (31, 119, 180)).all(axis=-1).sum() > 200
