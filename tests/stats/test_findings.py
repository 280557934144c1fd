"""Rules of sentences: each speaks where it may, and is silent for runs that do not allow its sentence."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finding_runs import contrast, numbers, numbers_of
from pixelproof.stats import Evidence, Words, describe

WORDS = Words("a guess", "the truth", "solves {k} of {n} tasks")
CLAIMS = ("beats", "better", "as good as", "worse than", "no better", "of the way", "no usable answer")


def said(*runs, contrasts=(), words=WORDS):
    return describe(Evidence("score", runs, contrasts), words)


def certain(*runs, contrasts=()):
    return " ".join(finding.text for finding in said(*runs, contrasts=contrasts) if finding.certain)


def uncertain(*runs, contrasts=()):
    return " ".join(finding.text for finding in said(*runs, contrasts=contrasts) if not finding.certain)


def model(name, value, lo, hi, **options):
    counts = {key: options.pop(key) for key in ("faulty", "completed", "control") if key in options}
    return numbers_of(name, {"score": numbers(value, lo, hi, **options)}, **counts)


@pytest.mark.parametrize(
    ("lo", "hi", "sentence"),
    [
        (0.3, 0.5, "A solves 16 of 40 tasks: 40\u00a0% of the way from a guess to the truth (30\u00a0% to 50\u00a0%)."),
        (0.96, 1.0, "A solves 40 of 40 tasks, as good as the truth."),
        (-0.04, 0.06, "A solves 0 of 40 tasks, no better than a guess."),
    ],
)
def test_a_model_is_placed_between_floor_and_ceiling(lo, hi, sentence):
    value = {0.3: 0.4, 0.96: 1.0, -0.04: 0.0}[lo]
    assert [finding.text for finding in said(model("A", value, lo, hi))] == [sentence]


def test_calibration_on_fewer_items_is_said():
    run = model("A", 0.57, 0.1, 0.9)
    assert "measured" not in certain(run)
    run.summary["metrics"]["score"]["calibrated"] |= {"value": 0.75}
    assert "75\u00a0% of the way from a guess to the truth (10\u00a0% to 90\u00a0%), on the items where" in certain(run)


def test_an_interval_that_tables_do_not_show_carries_no_sentence():
    run = model("A", 0.4, 0.3, 0.5)
    run.summary["metrics"]["score"]["interval_reason"] = "too few items for an interval (n = 6)"
    assert not certain(run)
    assert "too few to tell whether A beats a guess" in uncertain(run)


def test_of_many_models_those_with_faults_alone_are_named():
    runs = [model(name, 0.4, 0.3, 0.5) for name in "ABCD"]
    text = certain(*runs, model("E", 0.0, 0.0, 0.1, faulty=40))
    assert "E gave no usable answer" in text and "B solves" not in text


def test_a_model_below_the_floor_is_said_to_be():
    assert certain(model("A", 0.1, 0.05, 0.15, floor=0.2)) == "A solves 4 of 40 tasks, worse than a guess (0.20)."


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (
            model("A", 0.4, -0.1, 0.7, n=12),
            "12 answers are too few to tell whether A beats a guess; about 20 would do.",
        ),
        (model("A", 0.4, None, None, n=6), "6 answers are too few to tell whether A beats a guess."),
        (model("A", 0.4, math.nan, math.nan, n=6), "6 answers are too few"),
        (model("A", 0.4, 0.3, 0.5, reason="The ceiling is not clearly better."), "cannot be told: The ceiling is not"),
        (model("A", 0.0, None, None, completed=0), "none of its 40 answers was scored"),
        (numbers_of("A", {}), "score is not calibrated here"),
        (model("A", 0.02, -0.4, 0.44), "40 answers are too few to tell whether A beats a guess."),
    ],
)
def test_what_cannot_be_told_is_said_and_nothing_else(run, words):
    assert words in uncertain(run) and certain(run) == ""


def test_a_run_of_faults_alone_is_named_as_such():
    (finding,) = said(model("A", 0.0, 0.0, 0.08, faulty=40, faults=1.0))
    assert finding.text == "A gave no usable answer: all 40 have a fault, most often not-json."
    some = said(model("A", 0.5, 0.4, 0.6, faulty=10, faults=0.25))[0].text
    assert some.endswith("25\u00a0% of its answers have a fault.")
    assert "no usable" not in some and "fault" not in certain(model("A", 0.5, 0.4, 0.6, faulty=1, faults=0.025))


def test_two_models_are_ranked_only_where_the_test_shows_a_difference():
    a, b = model("A", 0.7, 0.6, 0.8), model("B", 0.4, 0.3, 0.5)
    assert "A is better than B in score, on 40 items." in certain(b, a, contrasts=[contrast("score", "A")])
    few = [contrast("score", items=12, needed=87)]
    assert "12 items are too few to rank A and B; about 90 would do." in uncertain(a, b, contrasts=few)
    same = [contrast("score", needed=None)]
    assert "Which is better, A or B, cannot be told: 40 items show no difference in score." in uncertain(
        a, a.__class__("B", False, a.summary), contrasts=same
    )
    for contrasts in (few, same, [], [contrast("score", needed=40_001)]):
        assert "better than" not in certain(a, b, contrasts=contrasts)
    assert "there is no paired test" in uncertain(a, b)


def test_contradictory_directions_rank_nobody():
    a, b = model("A", 0.7, 0.6, 0.8), model("B", 0.4, 0.3, 0.5)
    pairs = [contrast("score", "A"), contrast("harm", "B")]
    assert "Neither A nor B is better: A leads in score, B in harm." in uncertain(a, b, contrasts=pairs)
    assert "better" not in certain(a, b, contrasts=pairs)
    assert "A is better than B" in certain(a, b, contrasts=[contrast("score", "A"), contrast("harm")])


def test_the_best_of_many_beats_the_others_only_if_each_pair_shows_it():
    runs = [
        model(name, value, value - 0.1, value + 0.1) for name, value in zip("ABCD", (0.8, 0.5, 0.4, 0.3), strict=True)
    ]
    pairs = [contrast("score", "A", runs=("A", name)) for name in "BCD"]
    assert "A is better than the others" in certain(*runs, contrasts=pairs)
    assert "A is better than B in" in certain(*runs, contrasts=pairs[:2])
    assert certain(*runs, contrasts=pairs).count("of the way") == 1  # of more than three models, the best


def test_without_a_model_the_controls_speak():
    control = model("control/ceiling", 0.9, 0.8, 1.0, floor=0.2, ceiling=0.9, control=True)
    assert certain(control) == "No model was run: score goes from 0.20 for a guess to 0.90 for the truth, on 40 items."
    assert "cannot tell models apart here: no floor." in uncertain(
        model("c", 1.0, 1.0, 1.0, reason="no floor", control=True)
    )
    assert "nothing can be told" in uncertain(numbers_of("c", {}, control=True))


ENDS = st.one_of(st.none(), st.just(math.nan), st.floats(-3, 3))


@given(st.floats(-2, 2), ENDS, ENDS, st.integers(1, 500), st.booleans())
def test_a_claim_needs_an_interval_that_excludes_its_opposite(value, lo, hi, n, faults):
    text = certain(model("A", value, lo, hi, n=n, faults=float(faults)))
    bounded = lo is not None and hi is not None and math.isfinite(lo + hi)
    assert bounded or not any(claim in text for claim in CLAIMS)
    assert "of the way" not in text or lo > 0
    assert "worse than" not in text or hi < 0
