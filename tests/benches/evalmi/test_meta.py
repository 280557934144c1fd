"""Meta-evaluation of scores on made-up ratings."""

import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from pixelproof.benches.evalmi.data import Split, generator_folds, load, prompt_folds
from pixelproof.benches.evalmi.meta import (
    Reference,
    Scores,
    ceiling_of_votes,
    compare_scores,
    evaluate,
    floor_predictions,
    pair_accuracy,
    read_scores,
    recover_scale,
    recover_votes,
)
from pixelproof.contract import PixelProofError


@pytest.fixture(scope="module")
def reference(small):
    return Reference.of(small, prompt_folds(small), ceiling_images=0)


@pytest.mark.slow
def test_values_are_those_of_scipy(small, reference):
    x = small.targets["correspondence"] ** 3
    found = evaluate(reference, Scores("cube", x), resamples=100).metrics
    y = small.targets["perception"]
    for name, function in (("srcc", "spearmanr"), ("plcc", "pearsonr"), ("krcc", "kendalltau")):
        assert found[f"perception.{name}"].value == pytest.approx(getattr(scipy_stats, function)(x, y)[0])
        groups = [getattr(scipy_stats, function)(x[small.prompt == p], y[small.prompt == p])[0] for p in range(30)]
        assert found[f"perception.within_prompt.{name}"].value == pytest.approx(np.mean(groups))
    assert found["perception.srcc"].lo < found["perception.srcc"].value < found["perception.srcc"].hi
    assert found["qa.auc"].value == pytest.approx(1.0) and found["qa.accuracy"].value > 0.95


@pytest.mark.slow
def test_scores_without_pixels_do_not_beat_the_floor(small, reference):
    """A score that only knows the generator is exactly the floor, and no calibrated score credits it."""
    predictions = floor_predictions(small, small.targets["perception"])
    found = evaluate(reference, Scores("generator", predictions["generator"]), resamples=100)
    assert found.metrics["perception.srcc"].value <= found.metrics["perception.srcc"].floor + 1e-12
    assert found.metrics["perception.between_generators.srcc"].floor > 0.99
    assert found.floors["perception"]["generator"]["srcc"] == pytest.approx(found.metrics["perception.srcc"].value)


def test_floors_without_known_generators(small):
    split = generator_folds(small, 3)
    predicted = floor_predictions(small, small.targets["perception"], split)
    for fold in split.folds:
        assert len(set(predicted["generator"][split.fold == fold])) == 1  # nothing is known about a new generator


def test_floors_are_fitted_outside_of_the_fold(small):
    y = small.targets["perception"].copy()
    split = prompt_folds(small)
    before = floor_predictions(small, y, split)
    test = split.fold == 0
    y[test] += 1000
    after = floor_predictions(small, y, split)
    for name in before:
        assert before[name][test] == pytest.approx(after[name][test])


@pytest.mark.slow
def test_constant_scores_are_worth_nothing(small, reference):
    found = evaluate(reference, Scores("flat", np.ones(len(small))), resamples=100)
    assert math.isnan(found.metrics["perception.srcc"].value) and found.metrics["perception.srcc"].interval_reason
    assert found.metrics["perception.within_prompt.srcc"].value == 0
    assert found.metrics["perception.pair_accuracy"].value == 0
    assert found.metrics["qa.auc"].value == 0.5
    assert "same value for every image" in found.warnings[0]


@pytest.mark.slow
def test_a_score_that_is_silent_on_hard_prompts_gains_nothing_within_prompts(small, reference):
    x = small.targets["perception"].copy()
    whole = evaluate(reference, Scores("all", x), resamples=100).metrics["perception.within_prompt.srcc"].value
    x[small.prompt >= 15] = 7.0
    half = evaluate(reference, Scores("half", x), resamples=100).metrics["perception.within_prompt.srcc"].value
    assert whole == pytest.approx(1) and half == pytest.approx(0.5)


@pytest.mark.slow
def test_missing_scores_are_counted_and_floors_follow(small, reference):
    x = small.targets["perception"].copy()
    x[small.model == 0] = np.nan
    found = evaluate(reference, Scores("some", x), resamples=100)
    whole = evaluate(reference, Scores("all", small.targets["perception"]), resamples=100)
    assert found.n == 150
    assert found.metrics["perception.srcc"].floor != whole.metrics["perception.srcc"].floor
    assert found.details["filled"]["perception.srcc"] < 0.9 < found.metrics["perception.srcc"].value


@pytest.mark.slow
def test_direction(small, reference):
    found = evaluate(reference, Scores("distance", -small.targets["perception"]), resamples=100)
    assert any("--lower " in line for line in found.warnings)


@pytest.mark.parametrize(("ties", "expected"), [("wrong", 2 / 5), ("half", 3 / 5), ("skip", 2 / 3)])
def test_tie_rules(ties, expected):
    ratings = np.array([1.0, 2.0, 3.0, 3.0])
    scores = np.array([1.0, 2.0, 2.0, 1.0])  # pairs: right, right, tie with 3, tie with 1, wrong
    one = np.zeros(4, int)
    found = pair_accuracy(scores, ratings, one, one, ties)
    assert found.estimate.value == pytest.approx(expected) and (found.human_ties, found.score_ties) == (1, 2)


def test_pairs_within_the_noise_are_left_out():
    ratings, one = np.array([1.0, 1.4, 3.0]), np.zeros(3, int)
    found = pair_accuracy(np.array([2.0, 1.0, 3.0]), ratings, one, one, margin=0.5)
    assert found.estimate.value == 1 and (found.pairs, found.human_ties) == (2, 1)


def test_thresholds_come_from_other_folds(small):
    """A threshold fitted on the test fold would be perfect there; from other folds it is not."""
    split = Split("two", (np.arange(len(small)) % 2).astype(np.int64))
    x = np.where(split.fold == 0, small.qa, small.qa + 10.0)
    found = evaluate(Reference.of(small, split, True, ("qa",), 0), Scores("shifted", x), resamples=100)
    assert found.metrics["qa.accuracy"].value < 0.7
    assert found.details["qa.thresholds"] == [10.5, 0.5]


@pytest.mark.slow
def test_two_scores_are_tested_on_the_same_images(small, reference):
    rng = np.random.default_rng(5)
    y = small.targets["correspondence"]
    good, bad = (
        evaluate(reference, Scores(n, y + rng.normal(0, s, len(y))), 200) for n, s in (("good", 2), ("bad", 30))
    )
    tests = {one.metric: one for one in compare_scores(reference, good, bad, 200)}
    assert tests["correspondence.srcc"].difference.hi < 0 and tests["correspondence.srcc"].p_holm < 0.2
    assert tests["correspondence.within_prompt.srcc"].p_holm < 0.01
    same = compare_scores(reference, good, good, 200)
    assert all(one.difference.value == 0 and one.p == 1 for one in same)


def test_votes_are_recovered_exactly():
    rng = np.random.default_rng(6)
    truth = rng.normal(3, 1.2, 4000)
    votes = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.5, (4000, 9)) + rng.normal(0, 0.2, 9)), 1, 5)
    z = 100 * ((votes - votes.mean(axis=0)) / votes.std(axis=0, ddof=1) + 3) / 6
    scores = np.round(z.mean(axis=1), 13)
    scale = recover_scale(scores)
    assert len(scale.shares) == 9
    assert np.sort(scale.deviations) == pytest.approx(np.sort(votes.std(axis=0, ddof=1)), rel=1e-9)
    found = recover_votes(scores[:20], scale)
    known = ~np.isnan(found[:, 0])
    order = np.argsort(votes.std(axis=0, ddof=1))[::-1]  # small deviations have large shares
    assert known.mean() > 0.9 and np.array_equal(found[known], votes[:20][known][:, order])


def test_scores_that_are_no_sums_of_votes_have_no_scale():
    assert recover_scale(np.random.default_rng(7).normal(50, 10, 500)) is None
    assert recover_scale(np.ones(5)) is None


def test_ceiling_is_what_a_perfect_metric_reaches():
    rng = np.random.default_rng(8)
    truth = rng.normal(50, 10, 4000)
    votes = truth[:, None] + rng.normal(0, 15, (4000, 10)) + rng.normal(0, 5, 10)
    found = ceiling_of_votes(votes, votes.mean(axis=1), True, "simulation")
    assert found.plcc == pytest.approx(scipy_stats.pearsonr(truth, votes.mean(axis=1))[0], abs=0.01)
    assert found.srcc == pytest.approx(scipy_stats.spearmanr(truth, votes.mean(axis=1))[0], abs=0.015)
    assert found.error == pytest.approx(15 / math.sqrt(10), rel=0.05)


def test_keys_are_named_and_counted(small, tmp_path):
    lines = ["image_id,score", *(f"{image},{k}" for k, image in enumerate(small.image_ids[:-2]))]
    lines += ["gen0/001.png,0", "else.png,3"]
    lines[2] = f"{small.image_ids[1]},nan"
    (tmp_path / "s.csv").write_text("\n".join(lines))
    found = read_scores(small, tmp_path / "s.csv")[0]
    assert (found.missing.count, found.unknown.count, found.duplicates.count, found.not_numbers.count) == (2, 1, 1, 1)
    assert found.missing.examples == small.image_ids[-2:] and found.unknown.examples == ("else.png",)
    (tmp_path / "s.csv").write_text("\n".join([*lines, "gen0/003.png,999"]))
    with pytest.raises(PixelProofError, match="'gen0/003.png' has two different values of score"):
        read_scores(small, tmp_path / "s.csv")


def test_keys_by_generator_and_prompt(small, tmp_path):
    rows = [
        {"model": small.models[m], "prompt_id": f"{p + 1:03d}", "score": float(k)}
        for k, (m, p) in enumerate(zip(small.model, small.prompt, strict=True))
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_scores(small, tmp_path / "s.jsonl", lower_is_better=True)[0].values.tolist() == [
        -float(k) for k in range(180)
    ]


def test_a_key_that_fits_several_images_is_refused(tmp_path):
    """Two images of a model for one prompt: a score by model and prompt would silently go to the second."""
    rows = ["file,gen,prompt,mos", "a1,a,cat,1", "a2,a,cat,2", "b1,b,cat,3"]
    (tmp_path / "r.csv").write_text("\n".join(rows))
    data = load(tmp_path / "r.csv", {"image_id": "file", "model": "gen", "prompt": "prompt", "perception": "mos"})
    (tmp_path / "s.csv").write_text("model,prompt_id,score\na,cat,1\nb,cat,2\n")
    with pytest.raises(PixelProofError, match="several images of a model for the same prompt, such as 'a / cat'"):
        read_scores(data, tmp_path / "s.csv")


@pytest.mark.slow
def test_each_column_has_a_direction_of_its_own(judge, small, small_folder, tmp_path):
    lines = [f"{i},{v},{-v}" for i, v in zip(small.image_ids, small.targets["perception"], strict=True)]
    (tmp_path / "s.csv").write_text("\n".join(["image_id,score,distance", *lines]))
    words = (
        "meta",
        "--data",
        small_folder,
        "--scores",
        tmp_path / "s.csv",
        "--resamples",
        100,
        "--target",
        "perception",
    )
    found = json.loads(judge(*words, "--lower", "distance", "--json"))
    score, distance = found, found["others"][0]
    assert (score["higher_is_better"], distance["higher_is_better"]) == (True, False)
    assert score["metrics"]["perception.srcc"]["value"] == distance["metrics"]["perception.srcc"]["value"] == 1
    assert "Direction of the score: lower is better" in judge(*words, "--lower", "distance", "--column", "distance")
    with pytest.raises(PixelProofError, match="did you mean 'distance'"):
        judge(*words, "--lower", "distances")
    text = judge(*words, "--lower-is-better", "--column", "score")
    assert "score rises with perception, but was declared as lower is better" in " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("name,score\na,1\n", [], "image_id, or the columns model and prompt_id"),
        ("image_id,score\na,1\n", [], "no key is in"),
        ("image_id,score\ngen0/001.png,1\n", ["scores"], "did you mean 'score'"),
        ("image_id,score\ngen0/001.png,high\n", [], "no column with numbers"),
        ("image_id,component,score\ngen0/001.png,x,1\n", [], "component must be"),
    ],
)
def test_scores_that_do_not_fit(small, tmp_path, text, columns, message):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(PixelProofError, match=message):
        read_scores(small, tmp_path / "s.csv", columns)


@pytest.mark.slow
def test_component_questions_have_scores_of_their_own(small, reference, tmp_path):
    lines = ["image_id,component,score"]
    for row, image in enumerate(small.image_ids):
        lines.append(f"{image},,0.5")
        lines += [f"{image},{k + 1},{a}" for k, a in enumerate(small.components[row]) if not np.isnan(a)]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    scores = read_scores(small, tmp_path / "s.csv")[0]
    found = evaluate(reference, scores, resamples=100)
    assert found.metrics["components.accuracy"].value == 1 and found.metrics["components.accuracy"].n == 120
    assert found.details["components.scores"] == "of each question"


@pytest.mark.slow
def test_votes_of_genai_bench_give_a_ceiling(tmp_path):
    rng = np.random.default_rng(9)
    content = {
        f"{p:05d}": {
            "prompt": f"prompt {p}",
            "models": {
                f"g{k}": [int(v) for v in np.clip(np.rint(rng.normal(rng.uniform(1, 5), 0.7, 3)), 1, 5)]
                for k in range(5)
            },
        }
        for p in range(20)
    }
    (tmp_path / "genai_image.json").write_text(json.dumps(content))
    data = load(tmp_path)
    reference = Reference.of(data, prompt_folds(data))
    found = evaluate(
        reference, Scores("score", data.targets["correspondence"] + rng.normal(0, 0.1, 100)), resamples=200
    )
    metric = found.metrics["correspondence.srcc"]
    assert metric.floor < metric.ceiling < 1 and metric.calibrated is not None
    assert metric.calibrated.value == pytest.approx((metric.value - metric.floor) / (metric.ceiling - metric.floor))


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_huge_scores(small, reference):
    x = small.targets["perception"]
    plain, huge = (evaluate(reference, Scores("s", factor * x), resamples=100).metrics for factor in (1.0, 1e300))
    assert huge["correspondence.plcc"].value == pytest.approx(plain["correspondence.plcc"].value)
    assert huge["qa.accuracy"].value == plain["qa.accuracy"].value
