"""`pixelproof judge meta` and `board`."""

import json

import pytest


@pytest.mark.slow
def test_meta_as_json(judge, small_folder, score_file):
    found = json.loads(judge("meta", "--data", small_folder, "--scores", score_file, "--resamples", 100, "--json"))
    assert found["model"] == "good" and found["counts"]["completed"] == 180
    metric = found["metrics"]["correspondence.srcc"]
    assert {"value", "lo", "hi", "floor", "ceiling", "calibrated", "n"} <= set(metric)
    assert metric["lo"] < metric["value"] < metric["hi"] and metric["floor"] < metric["value"]
    assert [one["model"] for one in found["others"]] == ["noise"]
    assert set(found["groups"]) == {"task", "words"}
    assert all(row["source"] for row in found["published"])
    test = next(one for one in found["tests"]["noise"] if one["metric"] == "correspondence.srcc")
    assert test["difference"]["hi"] < 0


@pytest.mark.slow
def test_meta_as_a_table_of_80_columns(judge, small_folder, score_file):
    text = judge("meta", "--data", small_folder, "--scores", score_file, "--resamples", 100)
    assert "SRCC within prompts" in text and "Floor additive" in text and "noise − good" in text
    assert "Published SRCC, not measured here" in text
    assert max(map(len, text.splitlines())) <= 80 and "…" not in text.replace("… clear", "")  # nothing is cut off


def test_one_column_and_other_folds(judge, small_folder, score_file):
    words = ("meta", "--data", small_folder, "--scores", score_file, "--column", "noise", "--target", "qa", "--json")
    found = json.loads(judge(*words, "--folds", "generators", "--resamples", 100))
    assert set(found["metrics"]) == {"qa.accuracy", "qa.balanced_accuracy", "qa.auc"}
    assert found["split"]["shared_generators"] == 0


def numbers(value, path=""):
    """All numbers of a JSON structure by their paths."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return {key: one for name, part in pairs for key, one in numbers(part, f"{path}/{name}").items()}
    return {path: value} if isinstance(value, int | float) else {}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers(judge, small_folder, score_file):
    words = ("meta", "--data", small_folder, "--scores", score_file, "--resamples", 100, "--json")
    first, again, other = (numbers(json.loads(judge(*words, "--seed", seed))) for seed in (0, 0, 1))
    assert first == pytest.approx(again, rel=1e-6)
    name = "/metrics/correspondence.srcc/lo"
    assert first[name] == again[name] != other[name]


@pytest.mark.slow
def test_board(judge, small_folder):
    found = json.loads(judge("board", "--data", small_folder, "--json"))
    assert [row["model"] for row in found["models"]][0] == "gen5"
    assert found["counts"]["images"] == 180
    text = judge("board", "--data", small_folder)
    assert "gen5" in text and "not separable" in text and "…" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
def test_variance_shares_need_a_complete_table(judge, small, small_folder, tmp_path):
    assert json.loads(judge("board", "--data", small_folder, "--json"))["variances"]["perception"]["remainder"] > 0
    rows = [f"{m},{p},{v}" for m, p, v in zip(small.model, small.prompt, small.targets["perception"], strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["model,prompt,mos", *rows[:-1]]))
    words = ("board", "--data", tmp_path / "t.csv", "--map", "model=model,prompt=prompt,perception=mos")
    assert json.loads(judge(*words, "--json"))["variances"]["perception"] == {}
    assert "variance of" not in judge(*words)
