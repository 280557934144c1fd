"""`pixelproof judge score`: images scored by a judge, in any number of processes."""

import csv
import json

import pytest

from benches.evalmi.judged_images import brightness, write_images
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


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "control/floor-blank", "folder/x", "chat/model"])
def test_judges_that_are_paid_or_do_not_judge_are_refused(judge, tmp_path, name):
    images = write_images(tmp_path, 2)
    with pytest.raises(PixelProofError, match="does not run here.*nets/….*which has a budget"):
        score(judge, images, tmp_path / "out", name=name)
    assert not (tmp_path / "out").exists()


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
