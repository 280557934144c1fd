"""Ranking by one judge: tie groups by task, refusals, and drift of the judge on anchors."""

import json
import shutil

import pytest

import pixelproof
from pixelproof.benches.evalmi import EvalMi, simulated
from pixelproof.benches.evalmi._drift import check_drift, measure_drift
from pixelproof.benches.evalmi.example import write_example
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import compare
from pixelproof.report import open_groups

from .test_bench import control

pytestmark = pytest.mark.slow
ITEMS = 7
NAMES = {item.inputs["prompt"]: item for item in EvalMi().items(Source("flat"), 0, ITEMS)}


def good(prompt):
    """A model that draws every prompt."""
    return control("ceiling-truth", NAMES[prompt.text]).images[0]


def poor(prompt):
    """A model that draws nothing."""
    return control("floor-blank", NAMES[prompt.text]).images[0]


def drifting(prompt, item_id):
    """A judge that has become stricter about what is good to look at."""
    said = simulated.exact(prompt, item_id)
    return "fair" if said == "excellent" and "does not matter. Answer" in prompt.text and MOOD["strict"] else said


MOOD = {"strict": False}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))
        judge = "fn/pixelproof.benches.evalmi.simulated:exact"
        for model in (good, poor):
            options = {"source": "flat", "limit": ITEMS, "out": folder / model.__name__}
            pixelproof.run("evalmi", model, judge=judge, **options)
        yield folder


def test_models_are_ranked_overall_and_by_task(judge, runs):
    found = json.loads(judge("rank", runs / "good", runs / "poor", "--json"))
    assert [row["run"] for row in found["runs"]] == ["good", "poor"]
    assert [row["ranks"] for row in found["runs"]] == [[1, 1], [2, 2]]
    first = found["runs"][0]
    assert first["lo"] < first["value"] <= first["hi"] and first["floor"] < first["value"] == first["ceiling"]
    assert set(found["tasks"]) == {item.tags["task"] for item in NAMES.values()} and not found["drift"]
    for rows in found["tasks"].values():  # one item of a task separates nothing
        assert [row["ranks"] for row in rows] == [[1, 2], [1, 2]]
        assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
    text = judge("rank", runs / "good", runs / "poor", "--metric", "judge.solved")
    assert "judge.solved by fn/" in text and "No drift" in text


def changed(run, tmp_path, **card):
    """A copy of a run with another card."""
    copy = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}"
    shutil.copytree(run, copy)
    from pixelproof.store import read_sealed_json, write_sealed_json

    content = read_sealed_json(copy / "card.json")
    write_sealed_json(copy / "card.json", {**content, **card})
    return copy


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ({"judge_card": {"name": "other"}}, "the judge is"),
        ({"judge": None, "judge_card": None}, "has no judge"),
        ({"version": "2.0"}, "the version of the bench is"),
        ({"seed": 7}, "the source is flat, seed 0 in one and flat, seed 7 in the other"),
        ({"bench": "pixelart"}, "is a run of pixelart"),
        ({"data_hash": "other"}, "the set of prompts is 7 prompts"),
    ],
)
def test_runs_of_other_judges_versions_and_prompts_are_refused(judge, runs, tmp_path, card, message):
    with pytest.raises(PixelProofError, match=message):
        judge("rank", runs / "good", changed(runs / "good", tmp_path, **card))


def test_ratings_of_people_are_never_ranked_beside_a_judge(judge, runs, small_folder, score_file):
    for ratings in (small_folder, small_folder / "images.csv", score_file):
        with pytest.raises(PixelProofError, match="not on one scale"):
            judge("rank", runs / "good", ratings)
    with pytest.raises(PixelProofError, match="judged metric"):
        judge("rank", runs / "good", "--metric", "pixels.sharpness")


def test_compare_leaves_judged_metrics_out_if_judges_differ(runs, tmp_path):
    other = changed(runs / "good", tmp_path, judge_card={"name": "other"})
    with pytest.raises(PixelProofError, match="different judges"):
        pixelproof.compare(runs / "poor", other, ["judge"])
    assert {d.metric for d in pixelproof.compare(runs / "poor", runs / "good", ["judge"]).differences} == {
        f"judge.{name}" for name in ("correspondence", "facts", "solved", "perception")
    }
    first, second = open_groups([runs / "good", other])  # a report does not rank them together
    assert first.distinction != second.distinction and first.distinction.startswith("judge card ")
    assert len(open_groups([runs / "good", runs / "poor"])) == 1


def test_compare_on_items_of_a_tag(runs):
    task = {"task": "ocr"}
    (one,) = compare(runs / "poor", runs / "good", ["judge.solved"], tags=task).differences
    assert (one.n, one.a, one.b) == (1, 0.0, 1.0)


def test_a_judge_that_drifts_is_reported(judge, tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    for name in ("before", "after"):
        monkeypatch.setitem(MOOD, "strict", name == "after")
        options = {"source": "flat", "limit": 3, "out": tmp_path / name}
        pixelproof.run("evalmi", "control/ceiling-truth", judge=f"fn/{__name__}:drifting", **options)
    found = json.loads(judge("rank", tmp_path / "before", tmp_path / "after", "--json"))
    assert {(one["before"], one["after"]) for one in found["drift"]} == {
        ("before", "after"), ("the floors and ceilings", "after")
    }  # fmt: skip
    moved = found["drift"][0]["moved"]
    assert {(one["anchor"], one["metric"]) for one in moved} >= {("faithful", "anchor.perception")}
    assert all(one["after"] < one["before"] for one in moved)
    assert "has drifted between before and after" in judge("rank", tmp_path / "before", tmp_path / "after")


def test_small_changes_are_no_drift():
    one = {("faithful", "anchor.perception"): 0.8, ("noisy", "anchor.perception"): 0.1}
    assert not measure_drift(one, {key: value + 0.04 for key, value in one.items()})
    assert not measure_drift(one, {}) and measure_drift(one, {}).common == 0
    drift = measure_drift(one, {key: value + 0.2 for key, value in one.items()})
    assert len(drift.moved) == 2 and drift.mean == pytest.approx(0.2)


def scores(**values):
    return {name: {("faithful", "anchor.perception"): value} for name, value in values.items()}


def test_small_steps_of_drift_add_up():
    found = check_drift(scores(a=0.5, b=0.54, c=0.58, d=0.62), {})
    assert [(finding.before, finding.after) for finding in found.findings] == [("a", "c"), ("a", "d")]
    assert check_drift(scores(a=0.5, b=0.54, c=0.46), {}).findings[0].before == "b", "there and back"


def test_without_common_anchors_drift_is_not_denied(judge, runs, monkeypatch):
    found = check_drift({"a": {}, **scores(b=0.5)}, {})
    assert found.findings == () and found.unchecked == ("a", "b") and "cannot be checked for a, b" in found.lines[0]
    assert check_drift({"a": {}, **scores(b=0.5)}, scores(b=0.5)).unchecked == ("a",)
    monkeypatch.setattr("pixelproof.benches.evalmi._commands._rank.anchor_scores", lambda run: {})
    text = judge("rank", runs / "good", runs / "poor")
    assert "No drift" not in text and "Drift cannot be checked for good, poor" in " ".join(text.split())


def test_runs_in_folders_of_the_same_name_are_distinguished(judge, runs, tmp_path):
    for model in ("good", "poor"):
        shutil.copytree(runs / model, tmp_path / model / "run")
    found = json.loads(judge("rank", tmp_path / "good" / "run", tmp_path / "poor" / "run", "--json"))
    assert [row["run"] for row in found["runs"]] == [str(tmp_path / name / "run") for name in ("good", "poor")]
    text = judge("rank", tmp_path / "good" / "run", tmp_path / "poor" / "run")
    assert "1.00 (1–2)" in text and "0.00 (1–2)" in text, "each has its own values by task"


def test_panels_show_tasks_and_anchors(runs, tmp_path):
    page = pixelproof.report(runs / "good", runs / "poor", out=tmp_path / "report.html").read_text()
    for text in (
        "Which model is better at which task?",
        "rank 1–2",
        "single class",
        'class="radar"',
        "No anchor has moved",
    ):
        assert text in page
    unjudged = pixelproof.run("evalmi", good, source="flat", limit=2, out=tmp_path / "unjudged")
    page = pixelproof.report(unjudged, out=tmp_path / "report.html").read_text()
    assert "Is the judge still the same?" not in page and "This panel failed" not in page


def test_made_up_votes_have_floors_a_ceiling_and_a_page(judge, tmp_path):
    folder = tmp_path / "votes"
    assert "Made-up votes" in judge("example", folder)
    first = {file.name: file.read_bytes() for file in folder.iterdir()}
    write_example(folder)
    assert first == {file.name: file.read_bytes() for file in folder.iterdir()}
    words = (
        "meta",
        "--data",
        folder,
        "--scores",
        folder / "scores.csv",
        "--resamples",
        100,
        "--html",
        tmp_path / "a.html",
    )
    found = json.loads(judge(*words, "--json"))
    assert found["data"] == "made-up votes" and found["published"] == []
    looks, knows = (one["metrics"]["perception.srcc"] for one in (found, found["others"][0]))
    assert looks["value"] > looks["floor"] > knows["value"] and looks["value"] < looks["ceiling"] < 1
    assert found["others"][0]["metrics"]["perception.within_generator.srcc"]["value"] == 0
    page = (tmp_path / "a.html").read_text()
    assert (
        "made-up votes" in page
        and "numbered from the highest rating" in page
        and page.count('class="plot"') == 4
        and "Floors and ceilings" in page
    )
    judge("mos", folder / "votes-perception.csv", "--html", tmp_path / "b.html")
    assert (tmp_path / "b.html").read_text().count("rater") >= 12
    with pytest.raises(PixelProofError, match="not a page of ours"):
        judge(*words[:-1], folder / "scores.csv")
    with pytest.raises(PixelProofError, match="not empty"):
        write_example(tmp_path)


def test_names_in_pages_are_escaped(judge, tmp_path):
    folder = tmp_path / "votes"
    write_example(folder)
    text = (folder / "scores.csv").read_text().replace("looks", "<script>alert(1)</script>", 1)
    (folder / "scores.csv").write_text(text)
    words = ("--scores", folder / "scores.csv", "--resamples", 100, "--html", tmp_path / "a.html", "--json")
    judge("meta", "--data", folder, *words)
    assert "<script>alert(1)" not in (tmp_path / "a.html").read_text()
