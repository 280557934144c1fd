"""`pixelproof judge score`: images scored by a judge, in any number of processes."""

import csv
import json

import pytest

import pixelproof
from benches.evalmi.judged_images import brightness, write_images
from harness.inspect_support import brain, output
from models.servers import chat_reply, says, serving
from pixelproof.apps.rate import study_from_runs
from pixelproof.benches.evalmi._commands import judge_group
from pixelproof.contract import PixelProofError
from pixelproof.models import FunctionModel, gpus_of

JUDGE = "fn/benches.evalmi.judged_images:brightness"


def scores(folder):
    with (folder / "scores.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def score(judge, images, out, *options, name=JUDGE):
    words = ("score", images, "--judge", name, "--out", out, "--workers", 1, "--json")
    return json.loads(judge(*words, *options))


def test_every_image_gets_the_levels_of_the_judge(judge, tmp_path):
    images = write_images(tmp_path, 6)
    assert score(judge, images, tmp_path / "out") == {"planned": 6, "scored": 6, "asked": 6}
    rows = scores(tmp_path / "out")
    assert [float(row["perception"]) for row in rows] == [0, 0.25, 0.5, 0.75, 1, 1]
    assert all(row["correspondence"] == row["perception"] and not row["note"] for row in rows)
    assert score(judge, images, tmp_path / "out")["asked"] == 0, "nothing is asked twice"


@pytest.mark.slow
def test_processes_give_the_same_bytes(judge, tmp_path):
    images = write_images(tmp_path, 9)
    for workers in (1, 2):
        judge("score", images, "--judge", JUDGE, "--out", tmp_path / str(workers), "--workers", workers)
    assert (tmp_path / "1" / "scores.csv").read_bytes() == (tmp_path / "2" / "scores.csv").read_bytes()


def test_an_image_without_a_score_says_why_and_is_asked_again(judge, tmp_path):
    images = write_images(tmp_path, 6)
    (tmp_path / "04.png").unlink()
    (tmp_path / "05.png").write_bytes(b"no image")
    name = "fn/benches.evalmi.judged_images:rambling"
    assert score(judge, images, tmp_path / "out", name=name)["scored"] == 2
    notes = [row["note"] for row in scores(tmp_path / "out")]
    assert "too dark" in notes[0] and "i like it" in notes[1] and not notes[2]
    assert "No such file" in notes[4] and "cannot be decoded" in notes[5]
    assert [row["perception"] for row in scores(tmp_path / "out")][0] == "", "never zero by default"
    write_images(tmp_path, 6)
    assert score(judge, images, tmp_path / "out", name=name) == {"planned": 6, "scored": 4, "asked": 4}


def test_another_judge_or_table_needs_another_folder(judge, tmp_path):
    images = write_images(tmp_path, 3)
    score(judge, images, tmp_path / "out")
    with pytest.raises(PixelProofError, match="has scores with another judge: choose another --out"):
        score(judge, images, tmp_path / "out", name="fn/benches.evalmi.judged_images:rambling")
    (tmp_path / "images.csv").write_text("image_id,prompt\n00.png,another text\n")
    with pytest.raises(PixelProofError, match="has scores with another images"):
        score(judge, images, tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(PixelProofError, match="has no scores of a judge"):
        score(judge, images, tmp_path / "mine")


@pytest.mark.attack(
    "a judge that does not read images, of every kind",
    before="`gguf/` is listed as a judge, and fails on the first image",
    lost="refused before anything is written",
)
def test_trust4_a_judge_that_cannot_see_is_refused(judge, tmp_path, record_property):
    images = write_images(tmp_path, 2)
    blind = ("gguf/smollm2", "control/floor-blank", "folder/x", "recorded", "images/m", "diffusers/x")
    for name in blind:
        with pytest.raises(PixelProofError, match=f"{name} does not judge images: name nets/NAME"):
            score(judge, images, tmp_path / "out", name=name)
    assert not (tmp_path / "out").exists() and "gguf" not in judge("score", "--help")
    record_property("tries", len(blind))


BILL = {"prompt_tokens": 9, "completion_tokens": 2}


@pytest.mark.slow
@pytest.mark.attack(
    "`judge score` with judges behind services, with a budget that stops it, and again with more",
    before="refused: glue that makes items and answers of the table",
    lost="scores; never more than the budget",
)
@pytest.mark.parametrize("name, limit", [("chat/m?service=openrouter", 0.03), ("pptest/judge", 8.23)])
def test_trust4_judges_behind_services_score_images(judge, tmp_path, monkeypatch, name, limit):
    images = write_images(tmp_path, 6)
    money = ("--price", "output=1000")
    puppet = brain("judge", say=lambda call: output("Good."))
    with serving(says(chat_reply("Good.") | {"usage": BILL})) as server:
        monkeypatch.setenv("OPENROUTER_API_KEY", "sk-anything-0123456789")
        monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
        first = score(judge, images, tmp_path / "out", *money, "--max-cost", limit, name=name)
        assert 0 < first["asked"] < 6 and first["cost"] <= limit
        again = score(judge, images, tmp_path / "out", *money, name=name)
        assert again["scored"] == 6 and again["asked"] == 6 - first["asked"]
        assert again["cost"] == pytest.approx(0.002 * (len(server.seen) + puppet.n))
        assert score(judge, images, tmp_path / "out", name=name)["asked"] == 0
    assert {row["perception"] for row in scores(tmp_path / "out")} == {"0.75"}


@pytest.mark.slow
@pytest.mark.attack(
    "runs of evalmi in `judge score` and `judge meta`, beside the ratings of a study of the same runs",
    before="neither reads a run",
    lost="joined by the name that the study gives the image",
)
def test_trust4_runs_are_scored_and_measured_as_they_are(judge, tmp_path, shared_cache):
    models = ("floor-noise", "floor-blank", "ceiling-truth")
    for name in models:
        settings = {"source": "flat", "limit": 5, "calibrate": 0, "judge": JUDGE}
        pixelproof.run("evalmi", f"control/{name}", out=tmp_path / "runs" / name, **settings)
    found = score(judge, tmp_path / "runs", tmp_path / "out")
    assert found == {"planned": 15, "scored": 15, "asked": 15}
    known = {row["image_id"]: row for row in scores(tmp_path / "out")}
    study_from_runs(tmp_path / "study", [tmp_path / "runs"])
    with (tmp_path / "study" / "images.csv").open(newline="") as stream:
        assert {row["image_id"] for row in csv.DictReader(stream)} == set(known)
    rows = [f'"{name}",{name.split("/")[1]},{name.split("/")[-1]},{k % 7}' for k, name in enumerate(known)]
    (tmp_path / "ratings.csv").write_text("\n".join(["file,generator,prompt,mos", *rows]))
    mapping = "image_id=file,model=generator,prompt=prompt,perception=mos"
    words = ("meta", "--data", tmp_path / "ratings.csv", "--map", mapping, "--column", "perception", "--resamples", 100)
    metrics = [
        json.loads(judge(*words, "--ceiling-images", 0, "--json", "--scores", place))["metrics"]
        for place in (tmp_path / "runs", tmp_path / "out" / "scores.csv")
    ]
    assert metrics[0]["perception.srcc"]["n"] == 15 and metrics[0] == metrics[1]


def test_runs_of_others_and_runs_without_a_judge_are_refused(judge, tmp_path, shared_cache):
    pixelproof.run("pixelart", "control/floor-blank", limit=1, out=tmp_path / "drawing", calibrate=0)
    with pytest.raises(PixelProofError, match="is a run of pixelart, not of evalmi"):
        score(judge, tmp_path / "drawing", tmp_path / "out")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("image_id,prompt\n", "has no images"),
        ("image_id,prompt\na.png,x\na.png,y\n", "has the image a.png twice"),
        ("file,prompt\na.png,x\n", "image_id"),
        ("image_id,prompt\n../images.csv,x\n", "leaves"),
    ],
)
def test_wrong_tables_are_a_sentence(judge, tmp_path, table, message):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_text(table)
    with pytest.raises(PixelProofError, match=message):
        score(judge, tmp_path / "in" / "t.csv", tmp_path / "out")


def test_scores_are_measured_against_people(judge, tmp_path):
    images = write_images(tmp_path, 15)
    score(judge, images, tmp_path / "out")
    rows = "".join(f"{k:02d}.png,{'abc'[k % 3]},prompt {k // 3},{10 + k * 5}\n" for k in range(15))
    (tmp_path / "ratings.csv").write_text("file,generator,prompt,mos\n" + rows)
    mapping = "image_id=file,model=generator,prompt=prompt,perception=mos"
    words = ("meta", "--data", tmp_path / "ratings.csv", "--map", mapping, "--scores", tmp_path / "out" / "scores.csv")
    found = json.loads(judge(*words, "--column", "perception", "--resamples", 100, "--ceiling-images", 0, "--json"))
    assert found["metrics"]["perception.srcc"]["value"] > 0.95


def test_a_judge_declares_its_gpus():
    assert gpus_of(FunctionModel("fn/x", brightness)) == 0
    brightness.gpus = 0.5
    try:
        assert gpus_of(FunctionModel("fn/x", brightness)) == 0.5
    finally:
        del brightness.gpus


def test_the_command_is_listed():
    assert "score" in judge_group.commands
