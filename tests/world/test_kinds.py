"""Sets of flat scenes, of clips and of collages."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.world.collage._recipe import CollageRecipe
from pixelproof.world.flat import draw, draw_clip, make_clip, make_flat
from pixelproof.world.flat._recipe import FlatClipRecipe, FlatRecipe
from pixelproof.world.sets import (
    KINDS,
    check_set,
    freeze_set,
    kind_of,
    load_manifest,
    make_set,
    picture_of,
    read_recipe,
    read_set,
    recipe_class,
    verify_manifest,
)
from pixelproof.world.sets._files import encode_files, read_arrays
from pixelproof.world.sets._freeze import write_manifest
from pixelproof.world.sets._tables import part_order
from pixelproof.world.solid.clips import SolidClipRecipe

FLAT = FlatRecipe("flat", 7, width=256, height=256)
CLIP = FlatClipRecipe("clip", 7, width=256, height=256, frames=5, movers=2)


def contents(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def tight_box(mask: np.ndarray) -> list[int] | None:
    rows, columns = np.nonzero(mask)
    return [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1] if len(rows) else None


@pytest.fixture(scope="module")
def cutouts(tmp_path_factory) -> Path:
    """Discs and rings of several colours, with soft edges."""
    folder = tmp_path_factory.mktemp("cutouts")
    y, x = np.mgrid[:64, :64] - 31.5
    for number, name in enumerate(("apple", "plum", "coin", "ring", "ball")):
        inner = 12 if name == "ring" else -9
        alpha = np.clip(30 - np.hypot(x, y), 0, 1) * np.clip(np.hypot(x, y) - inner, 0, 1)
        rgba = np.zeros((64, 64, 4), np.uint8)
        rgba[..., :3] = (40 + 40 * number, 220 - 30 * number, 90)
        rgba[..., 3] = np.round(alpha * 255)
        Image.fromarray(rgba).save(folder / f"{name}.png")
    return folder


@pytest.fixture(scope="module")
def recipes(cutouts):
    return {
        "flat": FLAT,
        "clip": CLIP,
        "collage": CollageRecipe("collage", 7, cutouts=str(cutouts), width=120, height=90, things=4),
    }


@pytest.fixture(scope="module")
def made(recipes, tmp_path_factory):
    directory = tmp_path_factory.mktemp("made")
    for kind, recipe in recipes.items():
        make_set(recipe, 3, directory / kind, workers=1)
    return directory


EACH = pytest.mark.parametrize("kind", ["flat", "clip", "collage"])


@EACH
class TestEveryKind:
    """What holds of any set."""

    @pytest.mark.slow
    def test_it_is_sound(self, made, kind):
        assert list(check_set(made / kind, workers=1)) == []
        assert len(read_set(made / kind)) == 3

    @pytest.mark.slow
    def test_two_processes_give_the_same_bytes(self, made, recipes, kind, tmp_path):
        make_set(recipes[kind], 3, tmp_path / "set", workers=2)
        assert contents(tmp_path / "set") == contents(made / kind)

    @pytest.mark.slow
    def test_what_is_missing_is_made_again(self, made, recipes, kind, tmp_path):
        copy = Path(shutil.copytree(made / kind, tmp_path / "set"))
        (copy / "shard-00000" / ("000001.webp" if kind == "clip" else "000001.png")).unlink()
        seen = []
        make_set(recipes[kind], 3, copy, workers=1, progress=lambda done, total: seen.append(done))
        assert seen == [2, 3] and contents(copy) == contents(made / kind)

    @pytest.mark.slow
    def test_damage_is_found(self, made, recipes, kind, tmp_path):
        copy = Path(shutil.copytree(made / kind, tmp_path / "set"))
        path = copy / "shard-00000" / "000002.png"
        with Image.open(path) as picture:
            Image.new("RGB", picture.size).save(path)
        assert [(wrong.scene, wrong.rule) for wrong in check_set(copy, workers=1)] == [
            (recipes[kind].item_id(2), "hash")
        ]
        path.unlink()
        assert [wrong.rule for wrong in check_set(copy, workers=1)] == ["files"]

    @pytest.mark.slow
    def test_another_seed_is_refused(self, made, recipes, kind):
        with pytest.raises(PixelProofError, match="holds another set, with seed 7 and not 8"):
            make_set(replace(recipes[kind], seed=8), 3, made / kind)

    @pytest.mark.slow
    def test_freezing(self, made, recipes, kind, tmp_path):
        frozen = freeze_set(made / kind, "v1", tmp_path / "v1.json")
        assert load_manifest(tmp_path / "v1.json") == (frozen, recipes[kind])
        assert list(verify_manifest(tmp_path / "v1.json", sample=2, workers=1)) == []
        write_manifest(tmp_path / "v2.json", frozen, replace(recipes[kind], seed=8), {})
        assert len(list(verify_manifest(tmp_path / "v2.json", workers=1))) == 3

    def test_boxes_and_pixels_are_those_of_the_ids(self, made, recipes, kind):
        opened, recipe = read_set(made / kind), recipes[kind]
        rows = pq.read_table(made / kind / f"{recipe.parts.name}.parquet").to_pylist()
        layers = [arrays["ids"] for _, arrays in opened]
        assert rows
        for row in rows:
            ids = layers[row["index"]]
            mask = (ids[row["frame"]] if recipe.moving else ids) == row["number"]
            assert (row["pixels"], row["box"]) == (mask.sum(), tight_box(mask))

    @pytest.mark.slow
    def test_a_wrong_layer_is_found_without_its_hash(self, recipes, kind):
        recipe = recipes[kind]
        item = recipe.item(0)
        fresh = recipe.render(0, item)
        assert list(recipe.check(0, item, fresh.arrays, fresh.parts)) == []
        ids = fresh.arrays["ids"].copy()
        ids.flat[np.flatnonzero(ids)[0]] = 0
        found = {rule for rule, _, _ in recipe.check(0, item, fresh.arrays | {"ids": ids}, fresh.parts)}
        assert found & {"truth", "ids"}
        parts = [fresh.parts[0] | {"pixels": 10**6}, *fresh.parts[1:]]
        wrong = [(rule, thing) for rule, thing, _ in recipe.check(0, item, fresh.arrays, parts)]
        assert wrong == [("table", fresh.parts[0]["thing"])]
        assert [rule for rule, *_ in recipe.check(0, item, fresh.arrays, parts[1:])] == ["table"]
        small = {"ids": fresh.arrays["ids"][..., :8]}
        assert "size" in {rule for rule, *_ in recipe.check(0, item, small, fresh.parts)}

    def test_sheets_have_all_panels(self, recipes, kind):
        recipe = recipes[kind]
        item = recipe.item(0)
        fresh = recipe.render(0, item)
        height, width = recipe.sheet(item, fresh.arrays).shape[:2]
        assert width > (3 if kind != "clip" else 4) * recipe.width and height > recipe.height
        assert [row["thing"] for row in recipe.describe(item, fresh.parts)]

    def test_the_file_tells_its_kind(self, recipes, kind):
        assert kind_of(recipes[kind].item(0).to_json()) == kind

    def test_recipes_are_read_back(self, recipes, kind):
        from pixelproof.store import plain

        assert read_recipe(json.loads(json.dumps(plain(recipes[kind]))), "here") == recipes[kind]


class TestFlat:
    """Flat scenes and clips are those of the flat world."""

    def test_pictures_are_those_of_the_world(self, made):
        scene, arrays = read_set(made / "flat")[1]
        assert scene == make_flat(7, 1, side=256)
        np.testing.assert_array_equal(arrays["rgb"], draw(scene))
        whole = arrays["amodal"].sum(axis=(1, 2))
        seen = [(arrays["ids"] == number).sum() for number in range(1, len(whole) + 1)]
        things = [place for place, sprite in enumerate(scene.sprites) if sprite.role == "thing"]
        np.testing.assert_allclose(arrays["visible"][things], (seen / whole)[things], rtol=1e-6)
        clip, arrays = read_set(made / "clip")[1]
        assert clip == make_clip(7, 1, side=256, frames=5, movers=2)
        np.testing.assert_array_equal(arrays["rgb"], draw_clip(clip))
        np.testing.assert_array_equal(picture_of((CLIP, 1)), arrays["rgb"][2])

    def test_shifts_are_wishes(self):
        shifted = replace(FLAT, shifts={"font": 1.0}).item(0)
        assert {sprite.font for sprite in shifted.sprites if sprite.shape == "plate"} == {"sans"}
        assert replace(CLIP, shifts={"jitter": 1.0}).item(0).camera and not CLIP.item(0).camera

    @pytest.mark.parametrize("things", [1, 2, 3, 4, 5, 9])
    def test_any_number_of_things(self, things):
        scene = replace(FLAT, width=512, height=512, things=things).item(0)
        assert sum(sprite.role == "thing" and not sprite.upright for sprite in scene.sprites) == things

    def test_equal_frames_stay_apart(self, tmp_path):
        frames = np.zeros((4, 6, 8, 3), np.uint8)
        frames[2:] = 200
        for suffix, data in encode_files("{}", {"rgb": frames}).items():
            (tmp_path / f"000000{suffix}").write_bytes(data)
        np.testing.assert_array_equal(read_arrays(tmp_path / "000000", ["rgb"], 6)["rgb"], frames)
        with pytest.raises(PixelProofError, match="not a multiple of the frame height 7"):
            read_arrays(tmp_path / "000000", ["rgb"], 7)


@pytest.mark.slow
class TestSolidClips:
    """Clips of solid scenes."""

    RECIPE = SolidClipRecipe("tabletop-clip", 7, width=48, height=32, frames=5)

    @pytest.mark.slow
    def test_from_making_to_checking(self, tmp_path):
        make_set(self.RECIPE, 1, tmp_path / "set", workers=1)
        assert list(check_set(tmp_path / "set", workers=1)) == []
        clip, arrays = read_set(tmp_path / "set")[0]
        assert kind_of(clip.to_json()) == "tabletop-clip"
        assert arrays["rgb"].shape == (5, 32, 48, 3) and arrays["depth"].shape == (5, 32, 48)
        rows = pq.read_table(tmp_path / "set" / "tracks.parquet").to_pylist()
        assert len(rows) == 5 * len(clip.scene.movable)
        for row in rows:
            thing = clip.frame(row["frame"]).thing(row["thing"])
            assert row["position"] == list(thing.position) and row["moves"] == any(m.id == thing.id for m in clip.moves)
            mask = arrays["ids"][row["frame"]] == row["number"]
            assert (row["pixels"], row["box"]) == (mask.sum(), tight_box(mask))
        moved = [rows[0] | {"position": [9.0, 9.0, 9.0]}, *rows[1:]]
        found = [(rule, thing) for rule, thing, _ in self.RECIPE.check(0, clip, arrays, moved)]
        assert found == [("table", rows[0]["thing"])]
        ids = np.where(arrays["ids"] == rows[0]["number"], 0, arrays["ids"])
        found = {(rule, thing) for rule, thing, _ in self.RECIPE.check(0, clip, arrays | {"ids": ids}, rows)}
        assert ("table", rows[0]["thing"]) in found and ("depth", "") in found
        assert [rule for rule, *_ in self.RECIPE.check(0, clip, arrays, rows[1:])] == ["table"]
        assert {rule for rule, *_ in self.RECIPE.check(0, clip, {"ids": ids[:2]}, rows)} == {"size"}
        assert self.RECIPE.describe(clip, rows) and self.RECIPE.sheet(clip, arrays).shape[1] > 4 * 48


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("flat", {"height": 128}, "Flat scenes are square"),
        ("flat", {"layers": ("depth",)}, "There is no layer 'depth'. Choose one of: rgb, ids, amodal, visible"),
        (
            "flat",
            {"shifts": {"fog": 1.0}},
            "There is no shift of flat worlds 'fog'. Choose one of: font, palette, prior",
        ),
        ("flat", {"shifts": {"jitter": 1.0}}, "There is no shift of flat worlds 'jitter'"),
        ("flat", {"shifts": {"font": 2.0}}, "strength of a shift must be from 0 to 1, not 2.0"),
        ("flat", {"things": 0}, "things of a flat scene must be a whole number, 1 or more, not 0"),
        (
            "clip",
            {"frames": 10**6},
            "frames of a clip of 256 × 256 pixels must be a whole number, 5 to 915, not 1000000",
        ),
        ("clip", {"frames": 4}, "frames of a clip of 256 × 256 pixels must be a whole number, 5 to 915, not 4"),
        ("flat", {"kind": "collage"}, "There is no kind of flat scenes 'collage'. Choose one of: flat"),
        ("flat", {"things": "x"}, "things of a flat scene must be a whole number, 1 or more, not 'x'"),
        ("clip", {"kind": "tabletop"}, "There is no kind of flat clips 'tabletop'. Choose one of: clip"),
        ("clip", {"frames": 9.5}, "must be a whole number, 5 to 915, not 9.5"),
        ("clip", {"width": 4096, "height": 4096}, "A clip of 4096 × 4096 pixels is too large"),
        ("collage", {"kind": "flat"}, "There is no kind of collages 'flat'. Choose one of: collage"),
        ("collage", {"width": 4, "height": 4}, "of 4 × 4 pixels cannot be made: choose a size from 8 to 8192"),
        ("collage", {"seed": -1}, "A seed must be a whole number from 0"),
        ("collage", {"cutouts": ""}, "A collage needs cut-outs: give --cutouts"),
        ("collage", {"cutouts": "nowhere", "content": ""}, "There is no folder .*nowhere: name one"),
    ],
)
def test_impossible_recipes(recipes, kind, given, said):
    with pytest.raises(PixelProofError, match=said):
        replace(recipes[kind], **given)


def test_solid_clips_have_a_kind_and_as_many_frames_as_others():
    with pytest.raises(PixelProofError, match="no kind of solid clips 'tabletop'; did you mean 'tabletop-clip'"):
        recipe_class("tabletop-clip")("tabletop", 7)
    with pytest.raises(PixelProofError, match="of a clip of 512 × 512 pixels must be a whole number, 5 to 228, not 4"):
        recipe_class("tabletop-clip")("tabletop-clip", 7, frames=4)


def test_unknown_kinds():
    with pytest.raises(PixelProofError, match=r"no kind of scene 'galaxy'. Choose one of: tabletop, .*collage"):
        recipe_class("galaxy")
    with pytest.raises(PixelProofError, match=r"here\.kind must be a text"):
        read_recipe({"kind": 7}, "here")
    for kind in KINDS:
        assert {"items", "parts", "moving", "code", "edition", "render"} <= set(dir(recipe_class(kind)))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 9999), st.integers(0, 9999)), unique=True))
def test_rows_are_sorted_by_item_frame_and_thing(places):
    orders = {(index, frame, number): part_order(index, number, frame) for index, frame, number in places}
    assert sorted(orders) == sorted(orders, key=orders.__getitem__)
    assert len(set(orders.values())) == len(orders)
