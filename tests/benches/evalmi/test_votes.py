"""From votes to scores, against simulation and independent formulas."""

import json
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from pixelproof.benches.evalmi._commands import judge_group
from pixelproof.benches.evalmi.votes import (
    analyse_votes,
    fit_raters,
    opinion_scores,
    read_votes,
)
from pixelproof.contract import PixelProofError
from pixelproof.stats import intraclass_correlations, krippendorff_alpha, raters_needed


def simulate(images=400, honest=14, random=2, seed=0):
    """Votes 1 to 5: honest raters have biases and noise of their own, the last ones click at random."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(1, 5, images)
    bias, noise = rng.normal(0, 0.25, honest), rng.uniform(0.4, 0.8, honest)
    votes = np.rint(truth[:, None] + bias + rng.normal(size=(images, honest)) * noise)
    return truth, np.hstack([np.clip(votes, 1, 5), rng.integers(1, 6, (images, random)).astype(float)])


@pytest.mark.parametrize("images", [60, 400])
@pytest.mark.parametrize("seed", range(5))
def test_exactly_the_random_clickers_are_rejected(seed, images):
    truth, votes = simulate(images, seed=seed)
    found = opinion_scores(votes, require_agreement=True)
    assert np.flatnonzero(found.rejected).tolist() == [14, 15]
    assert np.corrcoef(found.mos, truth)[0, 1] > np.corrcoef(votes.mean(axis=1), truth)[0, 1]


@pytest.mark.parametrize("seed", range(3))
def test_bt500_alone_rejects_them_on_many_images(seed):
    assert np.flatnonzero(opinion_scores(simulate(3000, seed=seed)[1]).rejected).tolist() == [14, 15]


def literal(votes):
    """BT.500 and z-scores, step by step in plain Python."""
    images, raters = votes.shape
    bounds = []
    for row in votes:
        m, s = row.mean(), row.std(ddof=1)
        kurtosis = ((row - m) ** 4).mean() / ((row - m) ** 2).mean() ** 2 if s > 0 else np.nan
        k = 2 if 2 <= kurtosis <= 4 else np.sqrt(20)
        bounds.append((m - k * s, m + k * s, s))
    kept = []
    for i in range(raters):
        p = sum(votes[j, i] >= bounds[j][1] for j in range(images) if bounds[j][2] > 0)
        q = sum(votes[j, i] <= bounds[j][0] for j in range(images) if bounds[j][2] > 0)
        if not ((p + q) / images > 0.05 and abs(p - q) / (p + q) < 0.3):
            kept.append(i)
    mos = []
    for j in range(images):
        z = []
        for i in kept:
            if bounds[j][0] <= votes[j, i] <= bounds[j][1] or bounds[j][2] == 0:
                z.append(100 * ((votes[j, i] - votes[:, i].mean()) / votes[:, i].std(ddof=1) + 3) / 6)
        mos.append(np.mean(z))
    return kept, np.array(mos)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_published_steps(seed):
    votes = simulate(60, 9, 1, seed)[1]
    kept, mos = literal(votes)
    found = opinion_scores(votes)
    assert np.flatnonzero(~found.rejected).tolist() == kept
    assert found.mos == pytest.approx(mos, abs=1e-9)


@given(st.integers(0, 1000), st.floats(0.2, 5), st.floats(-10, 10))
def test_a_raters_scale_does_not_matter(seed, factor, shift):
    """Without outliers, an affine change of one rater's votes changes no score."""
    rng = np.random.default_rng(seed)
    votes = rng.integers(1, 6, 30)[:, None] + rng.integers(0, 2, (30, 5)).astype(float)
    before = opinion_scores(votes)
    changed = votes.copy()
    changed[:, 2] = factor * changed[:, 2] + shift
    standard = lambda v: 100 * ((v - v.mean(axis=0)) / v.std(axis=0, ddof=1) + 3) / 6  # noqa: E731
    assert standard(votes).mean(axis=1) == pytest.approx(standard(changed).mean(axis=1))
    if not before.rejected.any() and before.dropped == 0:
        assert before.mos == pytest.approx(standard(votes).mean(axis=1))


def test_unanimous_votes_are_equally_spaced():
    votes = np.tile(np.arange(1.0, 6)[:, None], 7)
    found = opinion_scores(votes)
    assert not found.rejected.any() and np.diff(found.mos) == pytest.approx([np.diff(found.mos)[0]] * 4)


def test_a_rater_without_variation_is_rejected():
    votes = np.hstack([simulate(50, 6, 0)[1], np.full((50, 1), 3.0)])
    found = opinion_scores(votes)
    assert found.rejected[-1] and found.reasons[-1] == "the same score for every item"
    assert not np.isnan(found.mos).any()


def test_missing_votes():
    votes = simulate(200, 12, 0)[1]
    votes[np.random.default_rng(1).random(votes.shape) < 0.5] = np.nan
    found = opinion_scores(votes)
    assert not np.isnan(found.mos).any() and found.counts.mean() == pytest.approx(6, abs=0.5)
    assert np.nanmean(found.errors) > opinion_scores(simulate(200, 12, 0)[1]).errors.mean()


def test_likelihood_recovers_raters_and_beats_the_mean():
    rng = np.random.default_rng(3)
    quality, bias = rng.uniform(1, 5, 800), rng.normal(0, 0.5, 10)
    noise = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 2.0, 3.0])
    votes = quality[:, None] + bias + rng.normal(size=(800, 10)) * noise
    found = fit_raters(votes)
    assert (np.abs(found.bias - bias + bias.mean()) < 4 * noise / np.sqrt(800) + 0.06).all()
    assert found.inconsistency == pytest.approx(noise, rel=0.15)
    error = lambda estimate: np.std(estimate - quality)  # noqa: E731
    assert error(found.quality) < 0.5 * error(votes.mean(axis=1))
    shift = found.quality - quality - (found.quality - quality).mean()
    assert np.mean(np.abs(shift) < 1.96 * found.errors) == pytest.approx(0.95, abs=0.03)


def test_likelihood_takes_missing_votes():
    truth, votes = simulate(300, 10, 2)
    votes[np.random.default_rng(4).random(votes.shape) < 0.4] = np.nan
    found = fit_raters(votes)
    assert np.corrcoef(found.quality, truth)[0, 1] > 0.95
    assert found.inconsistency[-2:].min() > found.inconsistency[:-2].max()


def test_intraclass_correlations_by_analysis_of_variance():
    votes = simulate(40, 5, 0)[1]
    long = pd.DataFrame([(i, j, votes[i, j]) for i in range(40) for j in range(5)], columns=["item", "rater", "y"])
    table = anova_lm(ols("y ~ C(item) + C(rater)", long).fit())
    msr, msc, mse = table["mean_sq"]["C(item)"], table["mean_sq"]["C(rater)"], table["mean_sq"]["Residual"]
    msw = anova_lm(ols("y ~ C(item)", long).fit())["mean_sq"]["Residual"]
    n, k = 40, 5
    found = intraclass_correlations(votes)
    assert found.icc1 == pytest.approx((msr - msw) / (msr + (k - 1) * msw))
    assert found.icc1k == pytest.approx((msr - msw) / msr)
    assert found.icc2 == pytest.approx((msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n))
    assert found.icc2k == pytest.approx((msr - mse) / (msr + (msc - mse) / n))
    assert found.icc3 == pytest.approx((msr - mse) / (msr + (k - 1) * mse))
    assert found.icc3k == pytest.approx((msr - mse) / msr)


def alpha_by_pairs(votes, distance):
    """Krippendorff's alpha from its definition: all pairs of values within units, and of all values."""
    units = [row[~np.isnan(row)] for row in votes]
    units = [row for row in units if len(row) > 1]
    values = np.concatenate(units)
    observed = sum(distance(a, b) / (len(row) - 1) for row in units for a, b in permutations(row, 2)) / len(values)
    expected = sum(distance(a, b) for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_krippendorff_by_its_definition(scale):
    votes = simulate(12, 4, 1, 5)[1]
    votes[np.random.default_rng(5).random(votes.shape) < 0.25] = np.nan
    flat = np.concatenate([row[~np.isnan(row)] for row in votes if (~np.isnan(row)).sum() > 1])

    def ordinal(a, b):
        low, high = sorted((a, b))
        between = ((flat >= low) & (flat <= high)).sum()
        return (between - ((flat == low).sum() + (flat == high).sum()) / 2) ** 2 if a != b else 0.0

    distances = {"nominal": lambda a, b: float(a != b), "ordinal": ordinal, "interval": lambda a, b: (a - b) ** 2}
    assert krippendorff_alpha(votes, scale) == pytest.approx(alpha_by_pairs(votes, distances[scale]))


def test_number_of_raters_that_are_needed():
    truth, votes = simulate(2000, 8, 0, 6)
    found = analyse_votes(read_from(votes))
    needed = found.raters_wanted["0.99"]
    more = simulate(2000, int(np.ceil(needed)), 0, 6)
    reached = np.corrcoef(opinion_scores(more[1]).mos, more[0])[0, 1]
    assert reached == pytest.approx(0.99, abs=0.006)
    assert raters_needed(0.5, 1, 0.9) == 9


def read_from(votes):
    from pixelproof.benches.evalmi.votes import Votes

    images, raters = votes.shape
    return Votes(tuple(f"i{k}" for k in range(images)), tuple(f"r{k}" for k in range(raters)), votes)


@pytest.fixture
def vote_file(tmp_path):
    votes = simulate(80, 6, 1, 7)[1]
    lines = ["rater,image_id,score", *(f"r{i},img{j},{votes[j, i]:g}" for j in range(80) for i in range(7))]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join([*lines, lines[1]]))
    return path


def judge(*words):
    done = CliRunner().invoke(judge_group, [str(word) for word in words], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.output


def test_command(vote_file, tmp_path, monkeypatch):
    monkeypatch.setattr("pixelproof.cli._console.WITHOUT_TERMINAL", 80)
    found = json.loads(judge("mos", vote_file, "--json"))
    assert found["counts"]["raters"] == 7 and found["counts"]["repeated"] == 1 and len(found["scores"]) == 80
    text = judge("mos", vote_file, "--out", tmp_path / "mos.csv")
    assert "Krippendorff" in text and max(map(len, text.splitlines()[:-1])) <= 80 and "…" not in text
    header, first = (tmp_path / "mos.csv").read_text().splitlines()[:2]
    assert header.startswith("image_id,mos,error,votes") and first.startswith("img0,")


def test_votes_that_do_not_fit(tmp_path):
    path = tmp_path / "votes.csv"
    for text, message in (
        ("rater,image_id,score\na,x,1\na,x,2\nb,x,1\n", "two different scores"),
        ("rater,image_id,score\na,x,high\n", "row 2: score is not a number"),
        ("rater,image,score\na,x,1\n", "no column 'image_id'; did you mean 'image'"),
        ("rater,image_id,score\na,x,1\n", "at least two items"),
        ("rater,image_id,score\na,x,1\n,x,2\n", "row 3: rater is empty"),
        ("rater,image_id,score\na,x,inf\n", "row 2: score is not a number"),
    ):
        path.write_text(text)
        with pytest.raises(PixelProofError, match=message):
            read_votes(path)


def test_votes_outside_of_the_scale(vote_file):
    assert json.loads(judge("mos", vote_file, "--scale", 1, 5, "--json"))["range"] == [1, 5]
    vote_file.write_text(vote_file.read_text() + "\nr0,extra,55\nr1,extra,0\n")
    assert "votes from 0 to 55" in judge("mos", vote_file)
    with pytest.raises(PixelProofError, match="and 1 more: score is 55, not on the scale from 1 to 5"):
        judge("mos", vote_file, "--scale", 1, 5)


def test_pairwise_votes(tmp_path):
    path = tmp_path / "pairs.csv"
    rows = (
        ["left,right,winner"]
        + ["a,b,a"] * 30
        + ["b,a,a"] * 10
        + ["a,b,b"] * 8
        + ["b,c,left"] * 20
        + ["c,b,tie"] * 9
        + ["b,c,c"] * 6
    )
    path.write_text("\n".join(rows))
    found = json.loads(judge("pairs", path, "--json"))
    assert [row["name"] for row in found["strengths"]] == ["a", "b", "c"] and (found["votes"], found["ties"]) == (83, 9)
    assert "possible ranks" in judge("pairs", path)
    path.write_text("left,right,winner\na,b,a\n")
    with pytest.raises(PixelProofError, match="never lost or never won"):
        judge("pairs", path)
    path.write_text("left,right,winner\na,b,x\n")
    with pytest.raises(PixelProofError, match="the winner 'x' is neither"):
        judge("pairs", path)
