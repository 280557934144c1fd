"""Sets of scenes on disk."""

import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock
from pixelproof.world.sets import changed_software
from pixelproof.world.sets._files import encode_files, read_arrays, read_text, scene_digest, stored_arrays
from pixelproof.world.sets._freezing import write_manifest
from pixelproof.world.solid import Scene, rotation_matrix
from pixelproof.world.solid.sets import (
    Recipe,
    box_corners,
    check_set,
    freeze_set,
    load_manifest,
    make_set,
    mask_box,
    projected_corners,
    read_card,
    read_scene,
    read_set,
    verify_manifest,
    write_scene,
)
from pixelproof.world.solid.sets._checking import check_layers
from pixelproof.world.solid.sets._files import layers_of
from pixelproof.world.solid.sets._recipe import LAYERS
from pixelproof.world.solid.sets._truth import thing_rows

from .solid_support import analytic_layers, balls

SMALL = Recipe("tabletop", 7, width=48, height=32)


def contents(directory: Path) -> dict[str, str]:
    """Hashes of all files of a set but its lock."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def write_files(directory: Path, scene: Scene, layers: object, names=LAYERS) -> Path:
    stem = directory / "000000"
    for suffix, content in encode_files(scene.to_json(), stored_arrays(layers, names)).items():
        stem.with_suffix(suffix).write_bytes(content)
    return stem


class TestFiles:
    """One scene on disk."""

    def test_everyone_can_read_them(self, tmp_path):
        scene = balls()
        layers = analytic_layers(scene, 48, 32)
        stem = write_files(tmp_path, scene, layers)
        with Image.open(f"{stem}.png") as picture:
            np.testing.assert_array_equal(np.asarray(picture), layers.rgb)
        with np.load(f"{stem}.npz", allow_pickle=False) as file:
            assert set(file.files) == set(LAYERS) - {"rgb"}
            for name in ("depth", "ids", "amodal", "visible"):
                np.testing.assert_array_equal(file[name], getattr(layers, name))
            stored = file["normals"].astype(np.float64)
        there = layers.ids > 0
        cosine = (stored * layers.normals).sum(-1)[there] / np.linalg.norm(stored[there], axis=-1)
        assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).max() < 0.03
        assert Scene.from_json(stem.with_suffix(".json").read_text()) == scene

    def test_read_back(self, tmp_path):
        scene = balls(1)
        layers = analytic_layers(scene, 33, 20)
        stem = write_files(tmp_path, scene, layers)
        again = layers_of(read_arrays(stem, LAYERS))
        np.testing.assert_array_equal(again.depth, layers.depth)
        assert again.normals.dtype == np.float32 and np.abs(again.normals - layers.normals).max() < 3e-4
        assert read_text(stem) == scene.to_json()

    def test_layers_that_were_not_stored_are_empty(self, tmp_path):
        scene = balls()
        stem = write_files(tmp_path, scene, analytic_layers(scene, 8, 8), ("rgb", "ids"))
        assert zipfile.ZipFile(f"{stem}.npz").namelist() == ["ids.npy"]
        again = layers_of(read_arrays(stem, ("rgb", "ids")))
        assert again.depth.size == 0 and again.ids.shape == (8, 8)
        with pytest.raises(PixelProofError, match=r"000000\.npz is damaged .*depth"):
            read_arrays(stem, ("depth",))

    def test_the_bytes_hold_no_clock(self):
        scene = balls()
        stored = stored_arrays(analytic_layers(scene, 16, 16), LAYERS)
        first = encode_files(scene.to_json(), stored)
        with zipfile.ZipFile(io.BytesIO(first[".npz"])) as file:
            assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert encode_files(scene.to_json(), stored) == first

    @given(st.sampled_from([name for name in LAYERS if name != "visible"]), st.integers(0, 2**32))
    def test_every_bit_counts_in_the_digest(self, name, place):
        scene = balls()
        stored = stored_arrays(analytic_layers(scene, 8, 6), LAYERS)
        digest = scene_digest("{}", stored)
        flat = stored[name].copy().view(np.uint8).reshape(-1)
        flat[place % flat.size] ^= 1
        changed = stored | {name: flat.view(stored[name].dtype).reshape(stored[name].shape)}
        assert scene_digest("{}", changed) != digest != scene_digest("{ }", stored)

    @pytest.mark.parametrize("damage", [b"", b"PK", b"no zip at all"])
    def test_damaged(self, tmp_path, damage):
        scene = balls()
        stem = write_files(tmp_path, scene, analytic_layers(scene, 8, 8))
        (tmp_path / "000000.npz").write_bytes(damage)
        with pytest.raises(PixelProofError, match=r"000000\.npz is damaged .*: delete it"):
            read_arrays(stem, LAYERS)

    def test_pickles_are_refused(self, tmp_path):
        scene = balls()
        stem = write_files(tmp_path, scene, analytic_layers(scene, 8, 8))
        np.savez(tmp_path / "000000.npz", depth=np.array([{}], dtype=object))
        with pytest.raises(PixelProofError, match="damaged"):
            read_arrays(stem, ("depth",))

    def test_scene_files(self, tmp_path):
        path = tmp_path / "scene.json"
        write_scene(path, balls())
        assert read_scene(path) == balls()
        text = path.read_text()
        path.write_text(text.replace('"colour": "red"', '"colour": 3', 1))
        with pytest.raises(PixelProofError, match=r"scene\.json: scene\.things\[1\]\.colour must be a text, not '3'"):
            read_scene(path)
        path.write_text(text[:100])
        with pytest.raises(PixelProofError, match=r"scene\.json: This is not a scene: it is not JSON"):
            read_scene(path)
        with pytest.raises(PixelProofError, match="Cannot read .*none.json"):
            read_scene(tmp_path / "none.json")


class TestTruth:
    """The table of things."""

    @given(arrays_of.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))))
    def test_box_of_a_mask(self, mask):
        box = mask_box(mask)
        if box is None:
            assert not mask.any()
            return
        left, top, right, bottom = box
        assert mask[top:bottom, left:right].sum() == mask.sum()
        assert all(side.any() for side in (mask[top], mask[bottom - 1], mask[:, left], mask[:, right - 1]))

    @given(st.integers(0, 10**6))
    def test_corners_have_the_size_of_the_thing(self, seed):
        rng = np.random.default_rng(seed)
        thing = balls(seed % 100).things[1]
        size, rotation = rng.uniform(0.1, 2, 3), rng.normal(size=4)
        rotation /= np.linalg.norm(rotation)
        thing = replace(thing, size=tuple(size), rotation=tuple(rotation), scale=float(rng.uniform(0.5, 2)))
        corners = box_corners(thing)
        for axis in range(3):
            edge = corners[1 << axis] - corners[0]
            np.testing.assert_allclose(edge, size[axis] * rotation_matrix(thing.rotation)[:, axis], atol=1e-12)
        foot = corners[:4].mean(axis=0)
        np.testing.assert_allclose(foot, thing.position, atol=1e-12)

    @pytest.mark.parametrize("seed", range(8))
    def test_rows_are_true(self, seed):
        scene = balls(seed)
        layers = analytic_layers(scene, 96, 64)
        table, *rows = thing_rows("id", scene, layers.ids, layers.amodal)
        assert table["fixed"] and table["amodal_box"] is None and table["visible"] is None
        for number, (row, ball) in enumerate(zip(rows, scene.movable, strict=True), 2):
            assert row["thing"] == ball.id and row["number"] == number
            assert row["pixels"] == np.count_nonzero(layers.ids == number)
            assert row["visible"] == pytest.approx(float(layers.visible[number - 1]), abs=1e-6)
            ys, xs = np.nonzero(layers.amodal[number - 1])
            assert row["amodal_box"] == [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]
            corners = np.reshape(row["corners_px"], (8, 3))
            assert (corners[:, :2].min(0) <= (xs.min() + 0.5, ys.min() + 0.5)).all()
            assert (corners[:, :2].max(0) >= (xs.max() + 0.5, ys.max() + 0.5)).all()

    def test_what_is_behind_the_camera_has_no_pixels(self):
        scene = balls()
        behind = replace(scene.things[1], position=(0.0, -5.0, 0.0))
        assert projected_corners(behind, scene.camera, 64, 64) is None


class TestLayers:
    """Layers against each other."""

    def wrong(self, **changes) -> set[tuple[str, str]]:
        scene = balls(4)
        arrays = stored_arrays(analytic_layers(scene, 96, 64), LAYERS)
        for name, change in changes.items():
            arrays[name] = change(arrays[name].copy(), arrays["ids"])
        return {(rule, thing) for rule, thing, _ in check_layers(scene, arrays, (64, 96))}

    @pytest.mark.parametrize("seed", range(8))
    def test_true_ones_pass(self, seed):
        scene = balls(seed)
        arrays = stored_arrays(analytic_layers(scene, 96, 64), LAYERS)
        assert list(check_layers(scene, arrays, (64, 96))) == []
        some = {name: arrays[name] for name in ("amodal", "depth")}
        assert list(check_layers(scene, some, (64, 96))) == []

    def test_every_inconsistency_is_found(self):
        def put(where, value):
            def change(array, ids):
                array[where(ids)] = value
                return array

            return change

        on_ball, nowhere = (lambda ids: ids == 2), (lambda ids: ids == 0)
        assert self.wrong(depth=put(on_ball, np.nan)) == {("depth", "")}
        assert self.wrong(depth=put(on_ball, -1)) == {("depth", "")}
        assert self.wrong(depth=put(nowhere, 3)) == {("depth", "")}
        assert self.wrong(normals=put(on_ball, 0.5)) == {("normals", "")}
        assert self.wrong(normals=put(nowhere, 1)) == {("normals", "")}
        assert ("ids", "") in self.wrong(ids=put(on_ball, 99))
        assert self.wrong(amodal=put(lambda ids: (1, ids == 2), False)) == {("amodal", "ball-0"), ("visible", "ball-0")}
        assert self.wrong(amodal=put(lambda ids: 0, True)) == {("amodal", "table")}
        assert {("box", "ball-0"), ("visible", "ball-0")} == self.wrong(amodal=put(lambda ids: (1, 0, 0), True))
        assert self.wrong(visible=put(lambda ids: 1, 0.123)) == {("visible", "ball-0")}
        assert self.wrong(rgb=lambda array, ids: array[:10]) == {("size", "")}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "galaxy"}, "There is no kind of solid scenes 'galaxy': choose from tabletop"),
        ({"width": 0}, r"A picture of 0 × 32 pixels cannot be made"),
        ({"height": 10**6}, "cannot be made: choose a size from 1 to"),
        ({"quality": "best"}, "There is no quality 'best': choose from draft, beauty"),
        ({"layers": ("rgb", "smell")}, "There is no layer 'smell'"),
        ({"layers": ()}, "A set without layers is empty"),
        ({"seed": -1}, "A seed is a whole number from 0"),
        ({"seed": 2**63}, "A seed is a whole number from 0"),
        ({"split": "dev"}, "There is no split 'dev'"),
    ],
)
def test_impossible_recipes(given, said):
    with pytest.raises(PixelProofError, match=said):
        replace(SMALL, **given)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("made") / "set"
    make_set(SMALL, 5, directory, workers=1)
    return directory


@pytest.fixture
def copy(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "set"))


@pytest.mark.slow
class TestSets:
    """Whole sets, with the real layouts and the real renderer."""

    def test_two_processes_give_the_same_bytes(self, made, tmp_path):
        seen = []
        make_set(SMALL, 5, tmp_path / "set", workers=2, progress=lambda done, total: seen.append((done, total)))
        assert contents(tmp_path / "set") == contents(made)
        assert seen == [(done, 5) for done in range(6)]

    def test_what_is_in_it(self, made):
        scenes = pq.read_table(made / "scenes.parquet").to_pylist()
        things = pq.read_table(made / "things.parquet").to_pylist()
        opened = read_set(made)
        assert len(opened) == len(scenes) == 5 and opened.card.complete
        for row, (scene, layers) in zip(scenes, opened, strict=True):
            assert row["scene"] == scene.to_json() and row["shard"] == "shard-00000" and row["index"] == scene.index
            own = [thing for thing in things if thing["scene"] == row["id"]]
            assert [thing["thing"] for thing in own] == [thing.id for thing in scene.things]
            assert layers.rgb.shape == (32, 48, 3)
            for number, thing in enumerate(own, 1):
                assert thing["pixels"] == np.count_nonzero(layers.ids == number)
        assert opened[3][0] == SMALL.item(3)
        with pytest.raises(IndexError):
            opened[5]

    def test_it_can_grow(self, made, tmp_path):
        make_set(SMALL, 2, tmp_path / "set", workers=1)
        make_set(SMALL, 5, tmp_path / "set", workers=1)
        assert contents(tmp_path / "set") == contents(made)

    def test_what_is_missing_is_made_again(self, made, copy):
        (copy / "shard-00000" / "000002.png").unlink()
        (copy / "shard-00000" / "000004.json").unlink()
        assert {problem.rule for problem in check_set(copy, workers=1)} == {"files"}
        made_again = []
        make_set(SMALL, 5, copy, workers=1, progress=lambda done, total: made_again.append(done))
        assert made_again == [3, 4, 5] and contents(copy) == contents(made)

    @pytest.mark.parametrize("name", ["scenes.parquet", "things.parquet"])
    @pytest.mark.parametrize("damage", ["gone", "cut", "edited"])
    def test_damaged_tables_are_found_and_made_again(self, made, copy, name, damage):
        if damage == "gone":
            (copy / name).unlink()
        elif damage == "cut":
            (copy / name).write_bytes((copy / name).read_bytes()[:900])
        else:
            pq.write_table(pq.read_table(copy / name).slice(1), copy / name)
        Image.new("RGB", (48, 32)).save(copy / "shard-00000" / "000001.png")
        found = list(check_set(copy, workers=1))
        assert found[0].rule == ("hash" if damage == "edited" else "files") and name in found[0].message
        assert "--resume" not in "".join(problem.message for problem in found)
        if name == "things.parquet":
            assert (SMALL.item_id(1), "hash") in [(problem.scene, problem.rule) for problem in found]
        make_set(SMALL, 5, copy, workers=1)
        assert contents(copy) == contents(made)

    @pytest.mark.parametrize("name", ["scenes", "things"])
    def test_damaged_tables_of_a_set_that_is_not_complete(self, made, copy, name):
        read_card(copy).begun(copy)
        path = copy / f"{name}.parquet"
        content = bytearray(path.read_bytes())
        content[len(content) // 4] ^= 255  # within a column: its keys can still be read
        path.write_bytes(content)
        make_set(SMALL, 5, copy, workers=1)
        assert contents(copy) == contents(made)
        read_card(copy).begun(copy)
        path.unlink()
        make_set(SMALL, 5, copy, workers=1)
        assert contents(copy) == contents(made)
        path.write_bytes(b"nothing")
        with pytest.raises(PixelProofError, match=rf"{name}\.parquet is damaged: give the pixelproof world make"):
            freeze_set(copy, "v1", copy / "v1.json") if name == "scenes" else read_set(copy).parts(0)

    @pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n"])
    def test_files_of_another_length_are_made_again(self, made, copy, content):
        (copy / "shard-00000" / "000002.png").write_bytes(content)
        (problem,) = check_set(copy, workers=1)
        assert problem.rule == "files" and "000002.png is damaged (it is no whole PNG file): delete" in problem.message
        make_set(SMALL, 5, copy, workers=1)
        assert contents(copy) == contents(made)

    def test_strays_are_found(self, copy):
        shutil.copy(copy / "shard-00000" / "000003.png", copy / "shard-00000" / "000099.png")
        (copy / "notes.txt").write_text("mine")
        (copy / ".DS_Store").write_text("of the system")
        found = [(problem.rule, problem.message.split()[0]) for problem in check_set(copy, workers=1)]
        assert found == [("stray", "notes.txt"), ("stray", os.path.join("shard-00000", "000099.png"))]

    def test_what_cannot_be_made_leaves_the_set_as_it_was(self, made, copy, tmp_path, monkeypatch):
        with pytest.raises(PixelProofError, match="A scene has 1 to"):
            make_set(replace(SMALL, things=1000), 1, tmp_path / "none", workers=1)
        assert contents(tmp_path / "none") == {}
        (tmp_path / "none" / "card.json").write_bytes((made / "card.json").read_bytes())
        make_set(replace(SMALL, seed=8), 1, tmp_path / "none", workers=1)  # in place of a card without scenes
        monkeypatch.setitem(sys.modules, "mujoco", None)
        with pytest.raises(PixelProofError, match=r"pixelproof\[world\]"):
            make_set(SMALL, 6, copy, workers=1)
        assert contents(copy) == contents(made)

    def test_another_set_is_refused(self, copy):
        before = contents(copy)
        with pytest.raises(PixelProofError, match="holds another set, with seed 7 and not 8: choose another folder"):
            make_set(replace(SMALL, seed=8), 5, copy)
        with pytest.raises(PixelProofError, match="with width 48 and not 64, quality 'draft' and not 'beauty'"):
            make_set(replace(SMALL, width=64, quality="beauty"), 5, copy)
        with pytest.raises(PixelProofError, match="holds a set of 5 scenes already"):
            make_set(SMALL, 4, copy)
        with pytest.raises(PixelProofError, match="at least one scene, not 0"):
            make_set(SMALL, 0, copy)
        assert contents(copy) == before

    def test_other_software_does_not_go_on(self, copy):
        card = json.loads((copy / "card.json").read_text())
        card["software"]["numpy"] = "1.0"
        (copy / "card.json").write_text(json.dumps(card))
        with pytest.raises(PixelProofError, match=r"was begun with numpy 1\.0"):
            make_set(SMALL, 6, copy)
        (copy / "shard-00000" / "000002.png").unlink()
        with pytest.raises(PixelProofError, match=r"was begun with numpy 1\.0"):
            make_set(SMALL, 5, copy)

    def test_other_files_are_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(PixelProofError, match="is no set of scenes, and nothing in it is touched"):
            make_set(SMALL, 1, tmp_path)
        with pytest.raises(PixelProofError, match="is no set of scenes"):
            make_set(SMALL, 1, tmp_path / "thesis.tex")
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_one_maker_at_a_time(self, tmp_path):
        with Lock(tmp_path / "set"), pytest.raises(PixelProofError, match=r"Another process \(pid \d+\) is working"):
            make_set(SMALL, 1, tmp_path / "set")

    def test_damaged_cards(self, copy):
        text = (copy / "card.json").read_text()
        (copy / "card.json").write_text(text[:50])
        with pytest.raises(PixelProofError, match=r"card\.json is damaged"):
            read_card(copy)
        (copy / "card.json").write_text(text.replace('"tabletop"', "7"))
        with pytest.raises(PixelProofError, match=r"recipe\.kind must be a text"):
            read_card(copy)
        with pytest.raises(PixelProofError, match="holds no set of scenes"):
            read_set(copy / "nowhere")

    def test_a_sound_set_passes(self, made):
        assert list(check_set(made, workers=1)) == []

    def test_damage_is_found(self, copy):
        picture = np.zeros((32, 48, 3), np.uint8)
        Image.fromarray(picture).save(copy / "shard-00000" / "000001.png")
        table = pq.read_table(copy / "things.parquet")
        counts = table.column("pixels").to_pylist()
        counts[0] += 1
        place = table.schema.get_field_index("pixels")
        pq.write_table(
            table.set_column(place, table.schema.field(place), pa.array(counts, pa.int32())), copy / "things.parquet"
        )
        found = [(problem.scene, problem.rule) for problem in check_set(copy, workers=1)]
        first, second = SMALL.item_id(0), SMALL.item_id(1)
        assert found == [("", "hash"), (first, "table"), (second, "hash")]

    def test_rows_that_are_missing_are_found(self, copy):
        table = pq.read_table(copy / "things.parquet")
        pq.write_table(table.filter(pc.field("index") != 1), copy / "things.parquet")
        found = [(problem.scene, problem.rule) for problem in check_set(copy, workers=1)]
        assert found == [("", "hash"), (SMALL.item_id(1), "table")]

    def test_rules_are_checked(self, tmp_path):
        from pixelproof.world.solid.sets import check_scene

        scene = SMALL.item(0)
        assert check_scene(scene) == []
        flying = scene.movable[0]
        x, y, z = flying.position
        wrong = check_scene(scene.with_thing(replace(flying, position=(x, y, z + 0.3))), "mine")
        assert wrong and {problem.scene for problem in wrong} == {"mine"}

    def test_freezing(self, made, copy, tmp_path):
        manifest = tmp_path / "tabletop-v1.json"
        frozen = freeze_set(made, "tabletop-v1", manifest)
        assert load_manifest(manifest) == (frozen, SMALL) and len(frozen) == 5
        assert list(verify_manifest(manifest, workers=1)) == []
        before = manifest.read_bytes()
        freeze_set(copy, "tabletop-v1", manifest)
        assert manifest.read_bytes() == before
        make_set(SMALL, 6, copy, workers=1)
        with pytest.raises(PixelProofError, match="what is frozen stays"):
            freeze_set(copy, "tabletop-v1", manifest)
        assert changed_software(manifest) == []
        other = tmp_path / "other.json"
        write_manifest(other, frozen, replace(SMALL, clutter=0.9), read_card(made).software | {"numpy": "1.0"})
        assert len(list(verify_manifest(other, sample=2, workers=1))) == 2
        assert changed_software(other) == [f"numpy 1.0 (here {np.__version__})"]
        for key, value in (
            ("recipe", {"clutter": 0.9}),
            ("software", {"numpy": "1.0"}),
            ("items", {SMALL.item_id(0): "0" * 64}),
        ):
            data = json.loads(before)
            data[key] |= value
            manifest.write_text(json.dumps(data))
            with pytest.raises(PixelProofError, match="no unchanged manifest") as told:
                load_manifest(manifest)
            assert "reinstall" not in str(told.value)


COMMAND = """
import sys
from pathlib import Path
from pixelproof.world.solid.sets import Recipe, make_set
if __name__ == "__main__":
    make_set(Recipe("tabletop", 7, width=48, height=32), 24, Path(sys.argv[1]), workers=2)
"""


def start(script: Path, directory: Path) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen([sys.executable, str(script), str(directory)], env=environment, stderr=subprocess.PIPE)


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_at_any_time_it_goes_on(tmp_path):
    script = tmp_path / "make.py"
    script.write_text(COMMAND)
    assert start(script, tmp_path / "straight").wait() == 0
    chance = random.Random(7)
    directory = tmp_path / "killed"
    for _ in range(int(os.environ.get("PIXELPROOF_SOAK", "5"))):
        process = start(script, directory)
        time.sleep(chance.uniform(1.0, 12.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for shard in directory.glob("shard-*[0-9]"):
            assert shard.suffix == ".part" or len(list(shard.glob("*.png"))) == 24
    process = start(script, directory)
    assert process.wait() == 0, process.stderr.read()
    assert contents(directory) == contents(tmp_path / "straight")


@pytest.mark.slow
def test_a_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no permission to mount a file system")
    try:
        with pytest.raises(PixelProofError, match=r"Cannot write in .*set \(No space left on device\): make room"):
            make_set(SMALL, 12, disk / "set", workers=1)
        assert list((disk / "set").glob("shard-*")) == [disk / "set" / "shard-00000.part"]
        assert not list(disk.rglob("*.tmp"))
        done = len(list(disk.rglob("*.npz")))
        assert 0 < done < 12
        subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
        seen = []
        make_set(SMALL, 12, disk / "set", workers=1, progress=lambda done, total: seen.append(done))
        assert seen[0] in (done, done - 1) and list(check_set(disk / "set", workers=1)) == []
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
