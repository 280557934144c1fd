"""`pixelproof world` as a user meets it."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PIL import Image

from commands import invoke
from pixelproof.cli import _world_views
from pixelproof.world.flat import draw, make_flat
from pixelproof.world.language import ask
from pixelproof.world.sets import load_manifest, read_set
from pixelproof.world.sets._freeze import write_manifest
from pixelproof.world.solid import read_scene, write_scene


@pytest.fixture
def pixelproof(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    return partial(invoke, capsys)


SMALL = ("--seed", 7, "--size", "48x32")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", "--kind", "galaxy", "--n", 3, "--out", "d"), "no kind of scene 'galaxy'. Choose one of: tabletop"),
        (("make", "--n", 0, "--out", "d"), "scenes of a set must be a whole number, 1 to 1000000, not 0"),
        (("make", "--n", 3, "--size", 0, "--out", "d"), "An image of 0 × 0 pixels cannot be made"),
        (("make", "--n", 3, "--layers", "rgb,smell", "--out", "d"), "There is no layer 'smell'"),
        (("make", "--n", 3, "--layers", ",", "--out", "d"), "at least one layer"),
        (("make", "--n", 3, "--quality", "best", "--out", "d"), "There is no quality 'best'"),
        (("make", "--n", 3, "--split", "dev", "--out", "d"), "There is no split 'dev'"),
        (("make", "--n", 1, "--clutter", 7, "--workers", 1, "--out", "d"), "clutter"),
        (("check", "nowhere"), "Cannot read nowhere"),
        (("verify", "nowhere.json"), "not an intact manifest"),
        (("freeze", ".", "--name", "a"), "holds no set of scenes"),
        (
            ("make", "--kind", "flat", "--n", 1, "--clutter", 0.3, "--out", "d"),
            "--clutter does not apply to --kind flat",
        ),
        (("make", "--kind", "flat", "--n", 1, "--shift", "font", "--out", "d"), "is not NAME=STRENGTH"),
        (("make", "--kind", "flat", "--n", 1, "--size", "64x32", "--out", "d"), "Flat scenes are square"),
        (
            ("make", "--kind", "room", "--n", 1, "--shift", "font=1", "--out", "d"),
            "--shift does not apply to --kind room",
        ),
        (("make", "--kind", "collage", "--n", 1, "--out", "d"), "A collage needs cut-outs: give --cutouts"),
        (("show", "--kind", "collage", "--cutouts", "nowhere"), "nowhere: name one that holds cut-outs"),
        (("show", "--kind", "flat", "--out", "a.webp"), "call it a.png"),
        (("make", "--kind", "flat", "--n", 1, "--size", 4, "--out", "d"), "choose a size from 32 to 8192"),
        (
            ("make", "--kind", "flat", "--n", 10**21, "--out", "d"),
            "scenes of a set must be a whole number, 1 to 1000000",
        ),
        (("show", "--kind", "flat", "--out", "."), "call it world.png"),
        (("ask", "--kind", "galaxy"), "There is no kind of scene 'galaxy'. Choose one of: tabletop"),
        (("ask", "--kind", "flat", "--split", "test"), "--split does not apply to --kind flat, which takes --seed:"),
        (("ask", "--kind", "flat", "--what", "edits"), "The kind flat has questions, captions, facts, in"),
        (("ask", "--kind", "collage"), "A collage needs cut-outs: give --cutouts"),
        (("ask", "--kind", "clip", "--seed", -1), "A seed must be a whole number from 0"),
        (("ask", "--what", "poems"), "There is no kind of sentence 'poems'"),
        (("ask", "--language", "fr"), "Questions are not available in 'fr'"),
        (("ask", "--out", "scene.gif"), "call it scene.png"),
        (("edit", "--kind", "collage"), "There is no kind of scene with edits 'collage'"),
        (("edit", "--kind", "flat", "--action", "paint"), "There is no edit action of flat scenes 'paint'"),
        (("edit", "--kind", "flat", "--split", "test"), "--split does not apply to --kind flat"),
        (("edit", "--out", "edits.gif"), "call it edits.png"),
        (("show", "nowhere.json"), "Cannot read nowhere.json"),
        (("show", "."), "holds no set of scenes"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(pixelproof, words, said):
    told = pixelproof("world", *words, code=3)
    assert said in told.stderr and told.stderr.startswith("Error: ") and len(told.stderr.splitlines()) == 1


def test_a_size_is_one_number_or_two(pixelproof):
    told = pixelproof("world", "make", "--n", 1, "--size", "big", "--out", "d", code=2)
    assert "is not a size: write 512" in told.stderr


def test_help_names_the_commands(pixelproof):
    told = pixelproof("world", "--help").stdout
    for word in ("make", "show", "ask", "edit", "check", "freeze", "verify"):
        assert word in told
    assert "world" in pixelproof("more").stdout


@pytest.mark.parametrize("module", ["embreex", "mujoco", "manifold3d", "numba"])
@pytest.mark.slow
def test_a_missing_extra_is_named(tmp_path, module):
    words = ["world", "show", "--size", "16", "--quality", "draft"]
    code = f"import sys; sys.modules[{module!r}] = None; from pixelproof.cli import main; main({words!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "pip install 'pixelproof[world]'" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_flat_scenes_and_clips_need_no_extra(tmp_path):
    words = ["world", "make", "--kind", "clip", "--n", "1", "--size", "256", "--frames", "5", "--out", "set"]
    missing = "".join(f"sys.modules[{name!r}] = None; " for name in ("embreex", "mujoco", "manifold3d", "numba"))
    commands = [words, ["world", "show", "set"], ["world", "show", "--kind", "flat"], ["world", "check", "set"]]
    code = f"import sys; {missing}from pixelproof.cli import main\nfor words in {commands!r}:\n"
    code += "    try: main(words)\n    except SystemExit as end: assert not end.code, words\n"
    guard = "if __name__ == '__main__':\n"  # making a set starts processes, which import this file
    (tmp_path / "commands.py").write_text(guard + "".join(f"    {line}\n" for line in code.splitlines()))
    done = subprocess.run([sys.executable, "commands.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
class TestWithScenes:
    """With real scenes and pictures."""

    def test_from_making_to_verifying(self, pixelproof, tmp_path):
        words = ("world", "make", "--n", 3, *SMALL, "--workers", 1, "--out", "set")
        told = pixelproof(*words).stdout
        assert "set: 3 scenes, content " in told and "Next: pixelproof world check set" in told
        assert pixelproof(*words).stdout == told
        assert "no problems" in pixelproof("world", "check", "set", "--workers", 1).stdout
        told = pixelproof("world", "freeze", "set", "--name", "tiny-v1").stdout
        assert told.startswith("tiny-v1.json: 3 scenes, ")
        told = pixelproof("world", "verify", "tiny-v1.json", "--sample", 2, "--workers", 1).stdout
        assert "2 of 3 scenes generated again, all equal to the manifest" in told
        manifest = json.loads((tmp_path / "tiny-v1.json").read_text())
        manifest["recipe"]["occlusion"] = 0.0
        (tmp_path / "changed.json").write_text(json.dumps(manifest))
        told = pixelproof("world", "verify", "changed.json", "--workers", 1, code=3).stderr
        assert "changed.json is not an intact manifest" in told and "reinstall" not in told
        frozen, recipe = load_manifest(tmp_path / "tiny-v1.json")
        write_manifest(tmp_path / "tiny-v2.json", frozen, replace(recipe, occlusion=0.0), {"numpy": "1.0"})
        told = pixelproof("world", "verify", "tiny-v2.json", "--workers", 1, code=6).stderr
        assert told.startswith("Other versions than in the manifest: ") and "numpy 1.0 (here " in told
        assert "scenes differ from the manifest tiny-v1" in told

    def test_the_bar_of_the_compiler_ends_before_the_table_is_printed(self, pixelproof, monkeypatch):
        steps = []
        monkeypatch.setattr(_world_views, "warn_of_compiling", lambda recipe: True)
        monkeypatch.setattr(_world_views, "_watch_compilation", lambda over: (over.wait(), steps.append("bar")))
        monkeypatch.setattr(_world_views, "_print_table", lambda table: steps.append("table"))
        pixelproof("world", "show", "--seed", 7, "--size", 32, "--quality", "draft")
        assert steps == ["bar", "table"]

    def test_another_set_is_refused(self, pixelproof):
        pixelproof("world", "make", "--n", 1, *SMALL, "--workers", 1, "--out", "set")
        told = pixelproof("world", "make", "--n", 1, "--seed", 8, "--size", "48x32", "--out", "set", code=3).stderr
        assert "set holds another set, with seed 7 and not 8: choose another folder." in told

    def test_what_fails_is_in_a_table(self, pixelproof, tmp_path):
        pixelproof("world", "make", "--n", 2, *SMALL, "--workers", 1, "--layers", "rgb,depth", "--out", "set")
        Image.new("RGB", (48, 32)).save(tmp_path / "set" / "shard-00000" / "000001.png")
        told = pixelproof("world", "check", "set", "--workers", 1, code=6).stdout
        assert "tabletop/train/7/000001" in told and "hash" in told and "1 problem in 1 scene." in told
        (tmp_path / "set" / "notes.txt").write_text("mine")
        told = pixelproof("world", "check", "set", "--workers", 1, code=6).stdout
        assert "notes.txt does not belong to the set" in told and "2 problems in 1 scene." in told

    def test_one_scene(self, pixelproof, tmp_path):
        told = pixelproof("world", "show", "--seed", 7, "--size", 96, "--quality", "draft", "--out", "a.png").stdout
        assert told.startswith("a.png\n") and "size in cm" in told
        scene = read_scene(tmp_path / "a.json")
        assert all(thing.id in told for thing in scene.movable)
        pixelproof("world", "show", "a.json", "--size", 96, "--quality", "draft", "--out", "b.png")
        assert (tmp_path / "b.png").read_bytes() == (tmp_path / "a.png").read_bytes()
        assert "no problems" in pixelproof("world", "check", "a.json").stdout
        flying = scene.movable[0]
        moved = replace(flying, position=(*flying.position[:2], flying.position[2] + 0.2))
        write_scene(tmp_path / "a.json", scene.with_thing(moved))
        told = pixelproof("world", "check", "a.json", code=6).stdout
        assert flying.id in told and "problem" in told

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
        assert "give one --kind" in pixelproof(*words, code=3).stderr


def test_sheets_are_pictures(pixelproof):
    assert "call it sheet.png" in pixelproof("world", "show", "--out", "sheet.bmp", code=3).stderr


class TestOtherKinds:
    """Flat scenes, clips and collages."""

    FLAT = ("--seed", 7, "--size", 256)

    @pytest.mark.slow
    def test_flat_scenes(self, pixelproof, tmp_path):
        told = pixelproof("world", "show", "--kind", "flat", *self.FLAT, "--out", "a.png").stdout
        assert told.startswith("a.png\n") and "largest" in told and "100%" in told
        with Image.open(tmp_path / "a.png") as sheet:
            shown = np.asarray(sheet)
        np.testing.assert_array_equal(shown[10:266, 10:266], draw(make_flat(7, side=256)))
        pixelproof("world", "show", "a.json", "--out", "b.png")
        assert (tmp_path / "b.png").read_bytes() == (tmp_path / "a.png").read_bytes()
        assert "a.json: a valid flat scene; physical rules" in pixelproof("world", "check", "a.json").stdout
        (tmp_path / "a.json").write_text('{"sprites": 3, "version": 1}')
        assert "a.json: " in pixelproof("world", "check", "a.json", code=3).stderr

    @pytest.mark.slow
    def test_clips_move(self, pixelproof, tmp_path):
        words = ("world", "show", "--kind", "clip", *self.FLAT, "--frames", 5, "--movers", 2)
        told = pixelproof(*words, "--out", "a.webp").stdout
        assert "seen in" in told and "of 5 frames" in told
        with Image.open(tmp_path / "a.webp") as film:
            assert film.format == "WEBP" and film.n_frames == 5 and film.size == (256, 256)
        pixelproof(*words, "--out", "a.png")
        with Image.open(tmp_path / "a.png") as sheet:
            assert sheet.width == 10 + 4 * 266

    @pytest.mark.slow
    def test_from_making_to_verifying(self, pixelproof, tmp_path):
        words = ("world", "make", "--kind", "clip", "--n", 2, *self.FLAT, "--frames", 5, "--movers", 2)
        words = (*words, "--shift", "jitter=0.5")
        told = pixelproof(*words, "--workers", 1, "--out", "set").stdout
        assert "set: 2 clips, content " in told
        assert "no problems" in pixelproof("world", "check", "set", "--workers", 1).stdout
        pixelproof("world", "show", "set", "--index", 1, "--out", "one.webp")
        pixelproof("world", "show", "set", "--n", 2, "--out", "two.png")
        assert "set has 2 clips" in pixelproof("world", "show", "set", "--n", 3, code=3).stderr
        assert "2 clips" in pixelproof("world", "freeze", "set", "--name", "film-v1").stdout
        assert "2 of 2 clips generated again" in pixelproof("world", "verify", "film-v1.json", "--workers", 1).stdout
        frozen, recipe = load_manifest(tmp_path / "film-v1.json")
        write_manifest(tmp_path / "film-v2.json", frozen, replace(recipe, shifts={}), {})
        told = pixelproof("world", "verify", "film-v2.json", "--workers", 1, code=6).stderr
        assert "2 of 2 clips differ from the manifest film-v1" in told
        Image.new("RGB", (256, 5 * 256)).save(tmp_path / "set" / "shard-00000" / "000001.png")
        assert "clip/7/000001" in pixelproof("world", "check", "set", "--workers", 1, code=6).stdout

    def test_sets_without_pictures_are_not_shown(self, pixelproof):
        words = ("world", "make", "--kind", "flat", "--n", 1, *self.FLAT, "--layers", "ids", "--workers", 1)
        pixelproof(*words, "--out", "set")
        assert "set has no rgb layer, only ids" in pixelproof("world", "show", "set", code=3).stderr

    @pytest.mark.slow
    def test_what_is_there_is_shown_as_it_is(self, pixelproof):
        pixelproof("world", "make", "--kind", "flat", "--n", 1, *self.FLAT, "--workers", 1, "--out", "set")
        told = pixelproof("world", "show", "set", "--things", 3, code=3).stderr
        assert "--things does not apply to set, which takes --index, --n, --out, --workers: leave it out." in told
        told = pixelproof("world", "show", "set/shard-00000/000000.json", "--seed", 3, code=3).stderr
        assert "--seed does not apply to set/shard-00000/000000.json" in told
        pixelproof("world", "show", "set/shard-00000/000000.json", "--out", "one.png")

    def test_a_set_is_cited_by_a_plain_name(self, pixelproof, tmp_path):
        pixelproof("world", "make", "--kind", "flat", "--n", 1, *self.FLAT, "--workers", 1, "--out", "set")
        for name in ("../flat", "a b", ""):
            assert "is not allowed" in pixelproof("world", "freeze", "set", "--name", name, code=3).stderr
        assert [path.name for path in tmp_path.iterdir()] == ["set"]

    @pytest.mark.slow
    def test_what_cannot_be_made_leaves_no_card(self, pixelproof, tmp_path):
        words = ("world", "make", "--n", 1, *SMALL, "--workers", 1, "--out", "set")
        pixelproof(*words, "--things", 1000, code=3)
        assert [path.name for path in (tmp_path / "set").iterdir()] == [".lock"]
        words = ("world", "make", "--kind", "flat", "--n", 1, *self.FLAT, "--workers", 1, "--out", "set")
        assert "set: 1 scene, " in pixelproof(*words).stdout


class TestCollages:
    """Collages, whose pictures lie in folders."""

    MAKE = ("world", "make", "--kind", "collage", "--size", "96x72", "--things", 3, "--workers", 1, "--out", "set")

    @pytest.fixture(autouse=True)
    def cut(self, tmp_path):
        (tmp_path / "cut").mkdir()
        for number, name in enumerate(("apple", "plum", "coin")):
            rgba = np.zeros((40, 40, 4), np.uint8)
            rgba[4:36, 4:36] = (80 * number, 90, 200, 255)
            Image.fromarray(rgba).save(tmp_path / "cut" / f"{name}.png")
        return tmp_path / "cut"

    @pytest.mark.slow
    def test_one(self, pixelproof, tmp_path):
        words = ("world", "show", "--kind", "collage", "--cutouts", "cut", "--size", "96x72", "--things", 3)
        told = pixelproof(*words, "--out", "a.png").stdout
        assert all(name in told for name in ("apple", "plum", "coin"))
        with Image.open(tmp_path / "a.png") as sheet:
            assert sheet.width == 10 + 3 * 106
        assert "give --cutouts" in pixelproof("world", "show", "a.json", "--out", "b.png", code=3).stderr
        pixelproof("world", "show", "a.json", "--cutouts", "cut", "--out", "b.png")
        with Image.open(tmp_path / "b.png") as sheet:
            assert sheet.width == 10 + 3 * 522  # of the shape of the collage, without --size

    @pytest.mark.slow
    def test_a_set_finds_its_pictures(self, pixelproof, tmp_path, monkeypatch, cut):
        assert "set: 2 scenes" in pixelproof(*self.MAKE, "--n", 2, "--cutouts", "cut").stdout
        pixelproof("world", "freeze", "set", "--name", "c-v1")
        (tmp_path / "else").mkdir()
        monkeypatch.chdir(tmp_path / "else")
        assert "2 of 2 scenes generated again" in pixelproof("world", "verify", "../c-v1.json", "--workers", 1).stdout
        pixelproof("world", "show", "../set/shard-00000/000001.json", "--out", "one.png")
        pixelproof("world", "show", "../set", "--index", 1, "--out", "two.png")
        assert (tmp_path / "else" / "one.png").read_bytes() == (tmp_path / "else" / "two.png").read_bytes()
        cut.rename(tmp_path / "moved")
        for words in (("verify", "../c-v1.json", "--workers", 1), ("show", "../set/shard-00000/000001.json")):
            told = pixelproof("world", *words, code=3).stderr
            assert "which is missing: restore it, or give its new path with --cutouts." in told
            pixelproof("world", *words, "--cutouts", "../moved")

    @pytest.mark.slow
    def test_a_set_goes_on_with_the_same_pictures_only(self, pixelproof, tmp_path, cut):
        pixelproof(*self.MAKE, "--n", 1, "--cutouts", "cut")
        cut.rename(tmp_path / "moved")
        pixelproof(*self.MAKE, "--n", 2, "--cutouts", "moved")
        (tmp_path / "moved" / "coin.png").unlink()
        told = pixelproof(*self.MAKE, "--n", 3, "--cutouts", "moved", code=3).stderr
        assert "set was begun with images of" in told and "restore them, or choose another --out." in told

    @pytest.mark.slow
    def test_questions(self, pixelproof):
        words = ("world", "ask", "--kind", "collage", "--cutouts", "cut", "--seed", 7)
        told = pixelproof(*words, "--json").stdout
        assert {json.loads(line)["form"] for line in told.splitlines()} <= {"relation", "which", "rank"} and told


@pytest.mark.slow
def test_questions_about_flat_scenes_and_clips(pixelproof, tmp_path):
    asked = pixelproof("world", "ask", "--kind", "flat", "--seed", 7, "--n", 5, "--out", "scene.png").stdout
    assert asked.startswith("kind") and asked.endswith("scene.png\n")
    with Image.open(tmp_path / "scene.png") as picture:
        np.testing.assert_array_equal(np.asarray(picture), draw(make_flat(7)))
    told = pixelproof("world", "ask", "--kind", "clip", "--seed", 7, "--what", "facts", "--json").stdout
    assert {json.loads(line)["form"] for line in told.splitlines()} <= {"count", "relation", "colour"} and told


@pytest.mark.slow
class TestAsking:
    """`world ask`."""

    def test_questions_are_those_of_the_language(self, pixelproof, tmp_path):
        told = pixelproof("world", "ask", "--seed", 7, "--n", 3, "--json", "--out", "scene.png")
        asked = [json.loads(line) for line in told.stdout.splitlines()]
        known = ask("tabletop", 7, n=3)
        assert [(row["text"], row["answer"]) for row in asked] == [(one.text, one.answer) for one in known]
        with Image.open(tmp_path / "scene.png") as picture:
            assert picture.size == (512, 512)
        table = pixelproof("world", "ask", "--seed", 7, "--n", 3).stdout
        assert table.startswith("kind") and all(one.answer in table for one in known)

    def test_edits_in_two_languages(self, pixelproof):
        words = ("world", "ask", "--seed", 7, "--what", "edits", "--n", 2)
        assert "。" in pixelproof(*words, "--language", "zh").stdout
        assert "edit" in pixelproof(*words).stdout.splitlines()[0]


@pytest.mark.slow
def test_edits_are_shown_with_what_changed(pixelproof, tmp_path):
    words = ("edit", "--kind", "flat", "--seed", 7, "--size", 384, "--action", "move", "--action", "recolour")
    told = pixelproof("world", *words, "--json", "--out", "edits.png")
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert [row["edit"]["action"] for row in rows] == ["move", "recolour"]
    assert rows[0]["edit"]["target"] in rows[0]["changes"] and rows[1]["changes"][rows[1]["edit"]["target"]]["colour"]
    with Image.open(tmp_path / "edits.png") as sheet:
        assert sheet.width > 3 * 384 and sheet.height > 2 * 384
    again = pixelproof("world", *words)
    assert again.stdout.splitlines() == [row["text"] for row in rows]


@pytest.mark.slow
def test_edits_of_solid_scenes_have_instructions(pixelproof, tmp_path):
    words = ("edit", "--seed", 7, "--index", 1, "--size", 64, "--action", "remove", "--language", "zh")
    told = pixelproof("world", *words, "--out", "edits.jpg")
    assert "。" in told.stdout and (tmp_path / "edits.jpg").exists()
