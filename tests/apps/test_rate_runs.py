"""Studies made of the images that runs have stored."""

import csv

import numpy as np
import pytest

from apps.rating import invoke
from pixelproof.apps.rate import read_study, study_from_runs
from pixelproof.contract import Answer, PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.pixels import encode_png
from support import Guess

pytestmark = pytest.mark.slow


def draw(prompt):
    """An image instead of a guess: the bench fails it, the run stores it."""
    shade = sum(map(ord, str(prompt.parts))) % 200
    return Answer(images=(encode_png(np.full((4, 4, 3), shade, np.uint8)),))


def write(prompt):
    """No image."""
    return "3"


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    plan = Plan(Guess(), Source("digits"), limit=4)
    made = {}
    for name in ("draw", "write"):
        made[name] = run(plan, f"fn/apps.test_rate_runs:{name}", settings=Settings(out=tmp_path / name)).path
    return made


def test_images_of_runs_become_a_study(runs, tmp_path):
    folder = tmp_path / "study"
    taken = study_from_runs(folder, list(runs.values()))
    assert (taken.images, taken.without_image, taken.without_prompt) == (4, 4, 0)
    rows = list(csv.DictReader(open(folder / "images.csv", newline="")))
    assert all(row["prompt"] and row["image_id"] == f"{row['model']}/{row['prompt_id']}" for row in rows)
    study = read_study(folder, {"questions": ["perception", "correspondence"]})
    assert len(study.items) == 4
    with pytest.raises(PixelProofError, match="exists: choose another"):
        study_from_runs(folder, [runs["draw"]])
    with pytest.raises(PixelProofError, match="No answer of these runs has an image"):
        study_from_runs(tmp_path / "other", [runs["write"]])


def test_two_runs_of_one_model_are_refused(runs, tmp_path):
    import shutil

    shutil.copytree(runs["draw"], tmp_path / "both" / "a")
    shutil.copytree(runs["draw"], tmp_path / "both" / "b")
    done = invoke("rate", "from-runs", tmp_path / "study", tmp_path / "both")
    assert "Two of the runs are of fn/apps.test_rate_runs:draw" in str(done.exception)
    done = invoke("rate", "from-runs", tmp_path / "study", runs["draw"])
    assert done.exit_code == 0 and "Copied 4 images" in done.output
