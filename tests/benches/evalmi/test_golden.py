"""The real annotations of EvalMi-50K: published counts, golden values, floors and ceilings."""

import numpy as np
import pytest

from pixelproof.benches.evalmi.board import board
from pixelproof.benches.evalmi.data import prompt_folds
from pixelproof.benches.evalmi.meta import (
    Reference,
    component_questions,
    evaluate,
    floor_predictions,
    level_values,
    noise_ceiling,
    pair_accuracy,
    recover_scale,
)
from pixelproof.benches.evalmi.meta import Scores as MetricScores
from pixelproof.stats import auc, group_correlations, logistic_map, resampled_correlations

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def golden_board(real):
    return board(real, ceiling_images=0)


def test_sizes(real, golden_board):
    assert golden_board.counts == {
        "images": 50400, "generators": 24, "prompts": 2100, "prompt_texts": 2090, "tasks": 20, "yes": 28931,
        "longest_prompt_words": 294, "prompts_over_77_words": 56, "ratings": 100800,
    }  # fmt: skip
    assert len(component_questions(real)[0]) == 13848


@pytest.mark.parametrize(
    ("score", "target", "level", "expected"),
    [
        ("correspondence", "perception", "overall", (0.616659, 0.591849, 0.452303)),
        ("correspondence", "perception", "within_prompt", (0.682716, 0.681448, 0.537593)),
        ("correspondence", "perception", "within_generator", (0.539683, 0.474405, 0.386664)),
        ("correspondence", "perception", "within_task", (0.670224, 0.662554, 0.503231)),
        ("correspondence", "perception", "between_generators", (0.890435, 0.917431, 0.731884)),
        ("qa", "correspondence", "overall", (0.851358, 0.888326, 0.695182)),
        ("qa", "correspondence", "between_generators", (0.996522, 0.996783, 0.971014)),
    ],
)
def test_golden_correlations(golden_board, score, target, level, expected):
    found = golden_board.relations[f"{target}-{score}"][level]
    assert found == pytest.approx(expected, abs=5e-7)


def test_residual_correlation(golden_board):
    assert golden_board.relations["perception-correspondence"]["residual"][0] == pytest.approx(0.498, abs=5e-4)


def test_logistic_maps_converge_on_real_ratings(real):
    p, c = real.targets["perception"], real.targets["correspondence"]
    four, five = (np.corrcoef(logistic_map(c, p, k), p)[0, 1] for k in (4, 5))
    assert 0.591849 < four < five < 0.63


def test_pairs_of_a_prompt(real):
    p, c = real.targets["perception"], real.targets["correspondence"]
    forward = pair_accuracy(c, p, real.prompt, real.cluster)
    assert forward.estimate.value == pytest.approx(0.762992, abs=5e-7)
    assert forward.pairs + forward.human_ties == 579600 and forward.human_ties == 228
    back = pair_accuracy(p, c, real.prompt, real.cluster)
    assert back.estimate.value == pytest.approx(0.770357, abs=5e-7) and back.human_ties == 5767
    assert forward.estimate.lo < 0.7630 < forward.estimate.hi


def test_thresholds(real, golden_board):
    found = golden_board.thresholds
    assert found["correspondence"]["auc"] == pytest.approx(0.997009, abs=5e-7)
    assert found["perception"]["auc"] == pytest.approx(0.767706, abs=5e-7)
    c = found["correspondence"]
    assert [round(c[k], 2) for k in ("grid_threshold", "lowest_yes", "highest_no")] == [49.75, 42.38, 55.85]
    assert round(100 * c["grid_agreement"], 2) == 96.96
    assert ((real.targets["correspondence"] > 50) == (real.qa == 1)).mean() == pytest.approx(0.969524, abs=5e-7)
    assert auc(real.targets["perception"], real.qa, resamples=0).value == pytest.approx(0.767706, abs=5e-7)


BOARD = """
1 59.50 5 58.35 1 81.43 1 7
2 60.63 4 58.10 2 80.29 2 8
3 60.86 3 57.43 4 78.10 4 11
3 61.64 1 56.06 5 73.86 5 11
5 59.34 6 57.97 3 80.24 3 12
6 59.12 7 55.81 6 73.29 6 19
7 61.14 2 53.53 9 65.05 10 21
8 57.43 9 54.72 7 70.71 8 24
9 52.31 12 54.21 8 71.71 7 27
10 50.69 14 52.73 10 68.19 9 33
10 53.50 11 52.23 11 63.67 11 33
12 54.29 10 50.97 12 59.90 13 35
13 50.73 13 50.96 13 61.43 12 38
14 58.21 8 48.37 17 50.14 17 42
15 49.80 16 50.30 14 59.29 14 44
16 50.56 15 50.19 15 59.10 15 45
17 44.61 19 49.07 16 54.90 16 51
18 47.68 18 47.96 18 48.86 18 54
19 36.98 20 45.94 19 42.95 19 58
19 48.67 17 43.43 21 37.67 20 58
21 33.80 22 43.47 20 35.24 21 63
22 34.70 21 39.80 22 25.00 22 65
23 29.96 23 37.73 23 21.19 23 69
24 28.88 24 35.46 24 15.48 24 72
"""


def test_leaderboard_to_the_printed_digits(golden_board):
    rows = []
    for row in golden_board.models:
        cells = [str(row.rank)]
        for name in ("perception", "correspondence", "qa"):
            scale = 100 if name == "qa" else 1
            cells += [f"{scale * row.means[name].value:.2f}", str(row.ranks[name])]
        rows.append(" ".join([*cells, str(row.rank_sum)]))
    assert sorted(rows) == sorted(BOARD.strip().splitlines())
    tied = {name: one.tied for name, one in golden_board.separations.items()}
    assert tied == {"perception": 7, "correspondence": 9, "qa": 13}


def test_the_three_best_are_tied_on_correspondence_and_qa(golden_board):
    best = [
        row for row in golden_board.models if row.title in ("Stable Diffusion 3.5 Large", "FLUX.1-schnell", "DALL-E 3")
    ]
    assert len(best) == 3
    assert all(row.possible[name][0] == 1 for row in best for name in ("correspondence", "qa"))


TASKS = """
position 111 47.83 39.10 22.4 0.463
ocr 50 46.09 38.54 22.7 0.815
linguistic_structure 84 49.37 39.06 24.6 0.170
complex 182 51.23 42.40 33.8 0.513
counting 90 52.00 48.18 46.3 0.652
shapes 80 53.33 48.52 48.8 0.502
two_class 109 51.26 49.60 53.2 0.754
texture 100 53.80 50.89 54.8 0.614
face 112 45.02 50.30 57.5 0.772
colors 214 51.36 50.60 57.9 0.698
imagination 111 49.43 51.58 60.3 0.798
emotion 111 48.37 52.35 66.4 0.788
hoi 86 48.00 53.33 67.5 0.705
view 101 48.87 52.85 69.7 0.614
style 97 52.15 54.76 71.9 0.596
time_and_light 101 49.53 54.84 73.5 0.775
human 105 48.92 55.31 77.0 0.782
world_knowledge 100 49.85 56.25 80.4 0.815
single_class 90 54.88 58.08 80.8 0.878
scene 66 51.00 60.73 88.3 0.700
"""


def test_tasks_to_the_printed_digits(golden_board):
    for row, line in zip(golden_board.tasks, TASKS.strip().splitlines(), strict=True):
        name, prompts, *values = line.split()
        assert (row["task"], row["prompts"]) == (name, int(prompts))
        found = [row["perception"], row["correspondence"], 100 * row["qa"], row["srcc"]]
        # The printed means were rounded twice, from three decimals.
        for value, printed, step in zip(found, values, (0.01, 0.01, 0.1, 0.001), strict=True):
            assert abs(value - float(printed)) < 0.56 * step, (name, value, printed)


def test_negation_turns_the_ranking_around(golden_board):
    row = next(row for row in golden_board.tasks if row["task"] == "linguistic_structure")
    assert [round(row["ranking"][name], 2) for name in ("correspondence", "qa")] == [-0.16, -0.31]


def test_distributions(golden_board):
    p, c = golden_board.distributions["perception"], golden_board.distributions["correspondence"]
    assert [round(p["mean"], 2), round(p["sd"], 2), round(c["mean"], 2), round(c["sd"], 2)] == [
        50.21,
        12.95,
        50.20,
        13.79,
    ]
    assert [round(edge, 1) for edge in p["quintiles"]] == [37.8, 48.9, 56.0, 62.1]
    assert [round(edge, 1) for edge in c["quintiles"]] == [34.2, 47.9, 58.2, 63.7]
    assert [round(100 * share, 1) for share in c["level_shares"]] == pytest.approx(
        [14.4, 16.8, 13.2, 22.7, 32.8], abs=0.11
    )
    shares = golden_board.variances
    assert [round(100 * share) for share in shares["perception"].values()] == [61, 10, 29]
    assert [round(100 * share) for share in shares["correspondence"].values()] == [21, 37, 42]
    assert golden_board.opposite == pytest.approx(0.36555, abs=1e-5)
    parts = golden_board.components
    assert (parts["images"], parts["all_yes_but_main_no"], parts["main_yes_but_not_all"]) == (4368, 140, 54)
    assert parts["prompts_by_components"] == {"2": 29, "3": 93, "4": 60}


def test_subsets_of_prompts(golden_board):
    found = golden_board.stability
    expected = {"perception": (0.985, 0.997), "correspondence": (0.976, 0.996), "qa": (0.956, 0.993)}
    for name, values in expected.items():
        assert [found[name][size] for size in ("50", "420")] == pytest.approx(values, abs=0.006)


FLOOR_VALUES = {
    "generator": (0.732, 0.782, 0.460, 0.460, 0.676),
    "generator_task": (0.793, 0.827, 0.642, 0.662, 0.759),
    "additive": (0.804, 0.828, 0.733, 0.734, 0.795),
}


def test_floors(real):
    found = {name: [] for name in FLOOR_VALUES}
    for target in ("perception", "correspondence"):
        y = real.targets[target]
        for name, predicted in floor_predictions(real, y).items():
            if name in found:
                one = np.zeros(len(y), int)
                found[name] += list(group_correlations(predicted, y, one, ["spearman", "pearson"])[0])
    for name, predicted in floor_predictions(real, real.qa).items():
        accuracy = ((predicted > 0.5) == (real.qa == 1)).mean()
        if name == "majority":
            assert accuracy == pytest.approx(0.574, abs=0.001)
        else:
            found[name].append(accuracy)
    for name, expected in FLOOR_VALUES.items():
        assert found[name] == pytest.approx(expected, abs=0.005), name


def test_votes_behind_the_scores(real):
    p, c = (recover_scale(real.targets[name]) for name in ("perception", "correspondence"))
    assert (len(p.shares), len(c.shares)) == (14, 15)
    assert (p.step, c.step) == pytest.approx((14.3379553142, 12.0478394976), abs=1e-9)
    assert (p.unanimous[0], p.unanimous[4], p.unanimous[1], p.unanimous[3]) == (194, 4, 3, 21)
    assert (c.unanimous[0], c.unanimous[4], c.unanimous[1]) == (292, 46, 235)
    assert (p.deviations.min(), p.deviations.max()) == pytest.approx((1.060, 1.269), abs=1e-3)
    assert (c.deviations.min(), c.deviations.max()) == pytest.approx((1.296, 1.474), abs=1e-3)


def test_noise_ceilings_by_vote_recovery(real):
    for target, srcc, plcc, error in (("perception", 0.963, 0.971, 3.0), ("correspondence", 0.976, 0.982, 2.5)):
        found = noise_ceiling(real, target, images=150)
        assert found.images > 85
        assert (found.srcc, found.plcc) == pytest.approx((srcc, plcc), abs=0.012)
        assert found.error == pytest.approx(error, abs=0.35)


def test_clustered_interval(real):
    c, p = real.targets["correspondence"], real.targets["perception"]
    drawn = resampled_correlations({"c": c}, p, real.cluster, ["spearman"], resamples=1500)["c"]["spearman"].estimate()
    assert (drawn.lo, drawn.hi) == pytest.approx((0.6048, 0.6290), abs=0.002)


def bare_reference(data, targets):
    return Reference.of(data, prompt_folds(data), targets=targets, ceiling_images=0)


def test_shuffled_scores_are_worth_nothing_and_floors_stay(real):
    shuffled = np.random.default_rng(3).permutation(real.targets["perception"])
    found = level_values(shuffled, real.targets["perception"], real)
    assert abs(found["overall"][0]) < 0.01
    assert abs(found["within_prompt"][0]) < 0.01
    same = floor_predictions(real, real.targets["perception"])["generator"]
    assert level_values(same, real.targets["perception"], real)["overall"][0] == pytest.approx(0.732, abs=0.005)


def test_floors_change_without_one_generator(real):
    best = real.models.index("LWM")
    rest = real.rows(real.model != best)
    values = [
        level_values(floor_predictions(data, data.targets["perception"])["generator"], data.targets["perception"], data)
        for data in (real, rest)
    ]
    assert values[0]["overall"][0] - values[1]["overall"][0] > 0.01


def test_whole_evaluation_of_shuffled_scores(real):
    part = real.rows(real.prompt % 7 == 0)
    chance = np.random.default_rng(4).permutation(part.targets["perception"])
    found = evaluate(bare_reference(part, ("perception", "qa")), MetricScores("chance", chance), resamples=100)
    assert abs(found.metrics["perception.srcc"].value) < 0.03
    assert found.metrics["perception.srcc"].floor == pytest.approx(0.804, abs=0.02)
    assert found.metrics["qa.accuracy"].value == pytest.approx(0.574, abs=0.02)
    assert found.metrics["qa.auc"].value == pytest.approx(0.5, abs=0.02)
