"""`pixelproof judge meta` and `board`."""

import json

import pytest

from pixelproof.contract import PixelProofError


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


def table(models, prompts, rating, answer=None):
    """Ratings of all pairs of models and prompts."""
    rows = ["file,gen,prompt,mos,qa"]
    for m in range(models):
        rows += [f"g{m}/{p},g{m},prompt {p},{rating(m, p)},{answer if answer else (m + p) % 2}" for p in range(prompts)]
    return "\n".join(rows)


ODD = {
    "one prompt": table(4, 1, lambda m, p: 50 + m),
    "three prompts": table(3, 3, lambda m, p: 50 + m + p * p),
    "one generator": table(1, 8, lambda m, p: p % 5),
    "one image": table(1, 1, lambda m, p: 50),
    "constant": table(3, 6, lambda m, p: 50),
    "all yes": table(3, 6, lambda m, p: m + p, "yes"),
    "all no": table(3, 6, lambda m, p: m + p, "no"),
}
MAP = "image_id=file,model=gen,prompt=prompt,perception=mos,qa=qa"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ODD)
def test_board_of_small_and_constant_ratings(judge, tmp_path, name):
    (tmp_path / "r.csv").write_text(ODD[name])
    found = json.loads(judge("board", "--data", tmp_path / "r.csv", "--map", MAP, "--json"))
    assert (
        found["counts"]["images"]
        == ODD[name].count("\n")
        == sum(row["prompts"] for row in found["tasks"]) * len(found["models"])
    )
    assert "nan" not in judge("board", "--data", tmp_path / "r.csv", "--map", MAP)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["three prompts", "constant", "all yes"])
@pytest.mark.parametrize("scale", [1.0, 1e-320, 1e300])
def test_scores_of_small_and_constant_ratings(judge, tmp_path, name, scale):
    (tmp_path / "r.csv").write_text(ODD[name])
    ids = [line.partition(",")[0] for line in ODD[name].splitlines()[1:]]
    (tmp_path / "s.csv").write_text("image_id,s\n" + "\n".join(f"{k},{scale * (n % 7)}" for n, k in enumerate(ids)))
    words = ("meta", "--data", tmp_path / "r.csv", "--map", MAP, "--scores", tmp_path / "s.csv", "--resamples", 100)
    found = json.loads(judge(*words, "--html", tmp_path / "page.html", "--json"))
    assert found["counts"]["completed"] == len(ids) and (tmp_path / "page.html").stat().st_size > 1000
    assert judge(*words, "--column", "s", "--column", "s").count("images") < 10, "a column is measured once"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("meta", "--data", "r.csv", "--map", MAP, "--scores", "s.csv"), "only one of the prompts"),
        (("meta", "--data", "none.csv", "--map", MAP, "--scores", "s.csv"), "has no ratings"),
        (("board", "--data", "none.csv", "--map", MAP), "has no ratings"),
        (("board", "--data", "twice.csv", "--map", MAP), "Keep one row per image"),
        (("pairs", "pairs.csv"), "has no votes"),
        (("pairs", "unnamed.csv"), "row 3: left or right is empty"),
    ],
)
def test_tables_with_too_little(judge, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    files = {
        "r.csv": ODD["one prompt"],
        "none.csv": ODD["one prompt"].splitlines()[0],
        "pairs.csv": "left,right,winner",
    }
    files["twice.csv"] = "\n".join([*ODD["all no"].splitlines(), ODD["all no"].splitlines()[1]])
    files |= {"s.csv": "image_id,s\ng0/0,1", "unnamed.csv": "left,right,winner\na,b,a\nb,,b"}
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n")
    with pytest.raises(PixelProofError, match=message):
        judge(*words)


def test_the_help_is_not_cut_off(judge):
    text = judge("--help")
    assert "..." not in text.partition("Commands:")[2] and all(name in text for name in ("meta", "mos", "rank"))
