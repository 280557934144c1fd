"""`pixelproof arena`, as it is typed."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benches.arena.folders import PALETTE, make
from pixelproof.cli._app import program
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette


@pytest.fixture(autouse=True)
def own_place(tmp_path, shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    monkeypatch.chdir(tmp_path)


def say(*words):
    return CliRunner().invoke(program, words, standalone_mode=False)


@pytest.mark.slow
def test_a_palette_is_designed_written_and_checked(tmp_path):
    told = say("arena", "palette", "--labels", "background, cat, dog", "--out", "p.json")
    assert told.exception is None and "cat" in told.stdout and "p.json" in told.stdout
    assert Palette.read(tmp_path / "p.json").labels == ("background", "cat", "dog")
    checked = say("arena", "palette", "--check", "p.json", "--json")
    content = json.loads(checked.stdout)
    assert set(content["palette"]) == {"background", "cat", "dog"} and content["geometry"]["least"] > 200


@pytest.mark.slow
def test_a_palette_that_cannot_be_measured_is_warned_about(tmp_path):
    near = Palette(("a", "b", "c"), ((100, 100, 100), (104, 100, 100), (110, 100, 100)))
    (tmp_path / "near.json").write_text(json.dumps(near.to_json()))
    assert "scores about" in say("arena", "palette", "--check", "near.json").stdout


@pytest.mark.parametrize("words", [(), ("--labels", "a,b", "--check", "x.json")])
def test_either_a_design_or_a_check(words):
    told = say("arena", "palette", *words)
    assert isinstance(told.exception, PixelProofError) and "either --labels" in str(told.exception)


PAINTERS = '''
import io

import numpy as np
from PIL import Image
from scipy.ndimage import uniform_filter

KNOWN = np.array({colours})


def _labels(prompt):
    photo = np.asarray(Image.open(io.BytesIO(prompt.data["photo"].data)).convert("RGB"), float)
    smooth = uniform_filter(photo, (5, 5, 1)) - 64
    return ((smooth[..., None, :] - KNOWN / 2) ** 2).sum(-1).argmin(-1)


def blind(prompt):
    """Paint in the colours that the prompt asks for."""
    return np.array(prompt.data["palette"], np.uint8)[_labels(prompt)]


def knows(prompt):
    """Paint in the published colours, whatever the prompt says."""
    return KNOWN.astype(np.uint8)[_labels(prompt)]


def refuses(prompt):
    """Answer only if the published colours are asked for."""
    return blind(prompt) if prompt.data["palette"] == KNOWN.tolist() else "I cannot do that."


def raises(prompt):
    raise RuntimeError("out of paint")


def talks(prompt):
    return "I cannot do that."
'''


@pytest.fixture
def painters(tmp_path, monkeypatch):
    """A folder of six masks with photographs, and models that read them."""
    make(tmp_path / "data", 6)
    (tmp_path / "painters.py").write_text(PAINTERS.format(colours=[list(colour) for colour in PALETTE.colours]))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "painters", raising=False)
    files = ["--data", "data/masks", "--photos", "data/photos", "--palette", "data/palette.json"]
    runs = ["--permuted", "2", "--fresh", "1", "--renamed", "0"]
    return ["arena", "contamination", "--source", "folder", *files, *runs, "--fail-if-contaminated", "--json"]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "verdict", "code"), [("blind", "no alarm", 0), ("knows", "memorised", 5)])
def test_contamination_of_a_folder_goes_on_where_it_stopped(painters, model, verdict, code):
    words = [*painters, "--model", f"fn/painters:{model}", "--out", "runs"]
    first = say(*words)
    assert first.exception is None, first.exception
    found = json.loads(first.stdout)
    assert found["verdict"] == verdict and first.return_value == code
    assert {test["kind"] for test in found["tests"]} == {"permuted", "fresh"}
    for test in found["tests"]:
        assert test["reason"] or test["alarm"] == (test["effect"]["lo"] > found["margin"])
    assert json.loads(say(*words).stdout) == found
    assert verdict.capitalize() in say(*(word for word in words if word != "--json")).stdout


@pytest.mark.slow
def test_another_seed_draws_other_colours(painters):
    drawn = []
    for seed in ("0", "1"):
        say(*painters, "--model", "fn/painters:blind", "--seed", seed, "--limit", "1", "--out", seed)
        cards = [json.loads(Path(seed, f"permuted-{run}", "card.json").read_text("utf-8")) for run in range(2)]
        drawn += [card["options"]["colours_seed"] for card in cards]
    assert len(set(drawn)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("model", ["fn/painters:refuses", "control/floor-noise"])
def test_contamination_that_cannot_be_tested_has_an_exit_code_of_its_own(painters, model):
    limit = ["--limit", "4"] if model.startswith("control") else []
    told = say(*painters, "--model", model, "--out", "runs", *limit)
    found = json.loads(told.stdout)
    assert found["verdict"] == "not testable" and told.return_value == 7
    assert all(test["effect"] is None for test in found["tests"])
    assert ("independent items" if limit else "18 of 24 answers are faults: no-image (18") in found["message"]
    if not limit:
        assert found["faults"]["permuted-0"] == {"planned": 6, "faults": 6} and not found["faults"]["own"]["faults"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "fault"), [("raises", "(24, for example: RuntimeError: out of paint "), ("talks", "no-image (24")]
)
def test_contamination_of_a_model_without_images_names_its_faults(painters, model, fault):
    words = [*painters, "--model", f"fn/painters:{model}", "--out", "runs"]
    told = say(*words)
    found = json.loads(told.stdout)
    assert found["verdict"] == "not testable" and told.return_value == 7
    for message in (found["message"], " ".join(say(*(word for word in words if word != "--json")).stdout.split())):
        assert "24 of 24 answers are faults" in message and fault in message and "--limit" not in message


def test_nothing_to_compare_with():
    none = ["--permuted", "0", "--fresh", "0", "--renamed", "0"]
    told = say("arena", "contamination", "--model", "control/ceiling-channel", "--out", "runs", *none)
    assert "nothing to compare with" in str(told.exception)
