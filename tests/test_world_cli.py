"""`pixelproof world` as a user meets it."""

import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from pixelproof.cli import main
from pixelproof.world.solid.sets import read_scene, read_set, write_scene


@pytest.fixture
def pixelproof(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*words, code=0):
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, words)))
        told = capsys.readouterr()
        assert (ended.value.code or 0) == code, told.out + told.err
        assert "Traceback" not in told.err
        return SimpleNamespace(stdout=told.out, stderr=told.err)

    return call


SMALL = ("--seed", 7, "--size", "48x32")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", "--kind", "galaxy", "--n", 3, "--out", "d"), "no kind of scenes 'galaxy': choose from tabletop"),
        (("make", "--n", 0, "--out", "d"), "at least one scene, not 0"),
        (("make", "--n", 3, "--size", 0, "--out", "d"), "A picture of 0 × 0 pixels cannot be made"),
        (("make", "--n", 3, "--layers", "rgb,smell", "--out", "d"), "There is no layer 'smell'"),
        (("make", "--n", 3, "--layers", ",", "--out", "d"), "without layers is empty"),
        (("make", "--n", 3, "--quality", "best", "--out", "d"), "There is no quality 'best'"),
        (("make", "--n", 3, "--split", "dev", "--out", "d"), "There is no split 'dev'"),
        (("make", "--n", 1, "--clutter", 7, "--workers", 1, "--out", "d"), "clutter"),
        (("check", "nowhere"), "Cannot read nowhere"),
        (("verify", "nowhere.json"), "no unchanged manifest"),
        (("freeze", ".", "--name", "a"), "holds no set of scenes"),
        (("show", "nowhere.json"), "Cannot read nowhere.json"),
        (("show", "."), "holds no set of scenes"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(pixelproof, words, said):
    told = pixelproof("world", *words, code=3)
    assert said in told.stderr and told.stderr.startswith("Error: ") and len(told.stderr.splitlines()) == 1


def test_a_size_is_one_number_or_two(pixelproof):
    told = pixelproof("world", "make", "--n", 1, "--size", "big", "--out", "d", code=2)
    assert "neither a number of pixels, such as 512, nor two" in told.stderr


def test_help_names_the_commands(pixelproof):
    told = pixelproof("world", "--help").stdout
    for word in ("make", "show", "check", "freeze", "verify"):
        assert word in told
    assert "world" in pixelproof("--help").stdout


@pytest.mark.parametrize("module", ["embreex", "mujoco", "manifold3d", "numba"])
@pytest.mark.slow
def test_a_missing_extra_is_named(tmp_path, module):
    words = ["world", "show", "--size", "16", "--quality", "draft"]
    code = f"import sys; sys.modules[{module!r}] = None; from pixelproof.cli import main; main({words!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "pip install 'pixelproof[world]'" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.slow
class TestWithScenes:
    """With real scenes and pictures."""

    def test_from_making_to_verifying(self, pixelproof, tmp_path):
        words = ("world", "make", "--n", 3, *SMALL, "--workers", 1, "--out", "set")
        told = pixelproof(*words).stdout
        assert "set: 3 scenes, content " in told and "Next: pixelproof world check set" in told
        assert pixelproof(*words).stdout == told
        assert "every rule is kept" in pixelproof("world", "check", "set", "--workers", 1).stdout
        told = pixelproof("world", "freeze", "set", "--name", "tiny-v1").stdout
        assert told.startswith("tiny-v1.json: 3 scenes, ")
        told = pixelproof("world", "verify", "tiny-v1.json", "--sample", 2, "--workers", 1).stdout
        assert "2 of 3 scenes made again, all as they were frozen" in told
        manifest = json.loads((tmp_path / "tiny-v1.json").read_text())
        manifest["recipe"]["occlusion"] = 0.0
        (tmp_path / "tiny-v1.json").write_text(json.dumps(manifest))
        told = pixelproof("world", "verify", "tiny-v1.json", "--workers", 1, code=1)
        assert "scenes of tiny-v1 come out otherwise here" in told.stderr

    def test_another_set_is_refused(self, pixelproof):
        pixelproof("world", "make", "--n", 1, *SMALL, "--workers", 1, "--out", "set")
        told = pixelproof("world", "make", "--n", 1, "--seed", 8, "--size", "48x32", "--out", "set", code=3).stderr
        assert "set holds another set, with seed 7 and not 8: choose another folder." in told

    def test_what_fails_is_in_a_table(self, pixelproof, tmp_path):
        pixelproof("world", "make", "--n", 2, *SMALL, "--workers", 1, "--layers", "rgb,depth", "--out", "set")
        Image.new("RGB", (48, 32)).save(tmp_path / "set" / "shard-00000" / "000001.png")
        told = pixelproof("world", "check", "set", "--workers", 1, code=1).stdout
        assert "tabletop/train/7/000001" in told and "hash" in told and "1 problem in 1 scene." in told

    def test_one_scene(self, pixelproof, tmp_path):
        told = pixelproof("world", "show", "--seed", 7, "--size", 96, "--quality", "draft", "--out", "a.png").stdout
        assert told.startswith("a.png\n") and "size in cm" in told
        scene = read_scene(tmp_path / "a.json")
        assert all(thing.id in told for thing in scene.movable)
        pixelproof("world", "show", "a.json", "--size", 96, "--quality", "draft", "--out", "b.png")
        assert (tmp_path / "b.png").read_bytes() == (tmp_path / "a.png").read_bytes()
        assert "every rule is kept" in pixelproof("world", "check", "a.json").stdout
        flying = scene.movable[0]
        moved = replace(flying, position=(*flying.position[:2], flying.position[2] + 0.2))
        write_scene(tmp_path / "a.json", scene.with_thing(moved))
        told = pixelproof("world", "check", "a.json", code=1).stdout
        assert flying.id in told and "what fails" in told

    def test_many_scenes(self, pixelproof, tmp_path):
        pixelproof("world", "show", "--n", 3, *SMALL, "--quality", "draft", "--workers", 1, "--out", "many.png")
        with Image.open(tmp_path / "many.png") as sheet:
            many = np.asarray(sheet)
        pixelproof("world", "make", "--n", 3, *SMALL, "--workers", 1, "--out", "set")
        pixelproof("world", "show", "set", "--n", 3, "--out", "again.png")
        with Image.open(tmp_path / "again.png") as sheet:
            np.testing.assert_array_equal(np.asarray(sheet), many)
        pictures = [layers.rgb for _, layers in read_set(tmp_path / "set")]
        for place, picture in enumerate(pictures):
            left = 10 + place * 58
            np.testing.assert_array_equal(many[10:42, left : left + 48], picture)
        pixelproof("world", "show", "set", "--index", 2, "--out", "one.png")
        told = pixelproof("world", "show", "set", "--index", 3, code=3).stderr
        assert "set has 3 scenes" in told

    def test_sheets_of_several_kinds(self, pixelproof, tmp_path):
        words = ("world", "show", "--kind", "tabletop,shelf", *SMALL, "--quality", "draft", "--workers", 1)
        pixelproof(*words, "--n", 4, "--out", "sheet.jpg")
        with Image.open(tmp_path / "sheet.jpg") as sheet:
            assert sheet.format == "JPEG" and sheet.size == (10 + 4 * 58, 10 + 42)
        assert "name one --kind" in pixelproof(*words, code=3).stderr


def test_sheets_are_pictures(pixelproof):
    assert "call it sheet.png" in pixelproof("world", "show", "--out", "sheet.bmp", code=3).stderr
