"""`pixelproof arena`, as it is typed."""

import json

import pytest
from click.testing import CliRunner

from benches.arena.folders import PALETTE, make
from pixelproof.cli._app import program
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def say(*words):
    return CliRunner().invoke(program, words, standalone_mode=False)


def test_a_palette_is_designed_written_and_checked(tmp_path):
    told = say("arena", "palette", "--labels", "background, cat, dog", "--out", "p.json")
    assert told.exception is None and "cat" in told.stdout and "p.json" in told.stdout
    assert Palette.read(tmp_path / "p.json").labels == ("background", "cat", "dog")
    checked = say("arena", "palette", "--check", "p.json", "--json")
    content = json.loads(checked.stdout)
    assert set(content["palette"]) == {"background", "cat", "dog"} and content["geometry"]["least"] > 200


def test_a_palette_that_cannot_be_measured_is_warned_about(tmp_path):
    near = Palette(("a", "b", "c"), ((100, 100, 100), (104, 100, 100), (110, 100, 100)))
    (tmp_path / "near.json").write_text(json.dumps(near.to_json()))
    assert "scores about" in say("arena", "palette", "--check", "near.json").stdout


@pytest.mark.parametrize("words", [(), ("--labels", "a,b", "--check", "x.json")])
def test_either_a_design_or_a_check(words):
    told = say("arena", "palette", *words)
    assert isinstance(told.exception, PixelProofError) and "either --labels" in str(told.exception)


@pytest.mark.slow
def test_contamination_of_a_folder_goes_on_where_it_stopped(tmp_path):
    make(tmp_path / "data", 3)
    (tmp_path / "data" / "answers").rmdir()
    (tmp_path / "data" / "masks" / "palette.json").write_text(json.dumps(PALETTE.to_json()))
    words = [
        "arena",
        "contamination",
        "--model",
        "control/ceiling-channel",
        "--source",
        "folder",
        "--data",
        "data/masks",
    ]
    words += ["--permuted", "1", "--fresh", "1", "--renamed", "0", "--out", "runs", "--json"]
    first = say(*words)
    assert first.exception is None, first.exception
    found = json.loads(first.stdout)
    assert {shift["group"] for shift in found} == {"permuted", "fresh"}
    assert all(abs(shift["calibrated"]["value"]) < 1e-9 for shift in found)  # the ceiling is 1 in every palette
    assert json.loads(say(*words).stdout) == found


def test_nothing_to_compare_with():
    none = ["--permuted", "0", "--fresh", "0", "--renamed", "0"]
    told = say("arena", "contamination", "--model", "control/ceiling-channel", "--out", "runs", *none)
    assert "nothing to compare with" in str(told.exception)
