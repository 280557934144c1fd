"""Sets of collages find the pictures that they are made of, and know them again."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.world.collage._recipe import CollageRecipe
from pixelproof.world.sets import freeze_set, load_manifest, make_set, read_card, verify_manifest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with cut-outs and photographs in it, in which we are."""
    home = tmp_path / "project"
    (home / "cut").mkdir(parents=True)
    (home / "photos").mkdir()
    for number, name in enumerate(("apple", "plum", "coin")):
        rgba = np.zeros((40, 40, 4), np.uint8)
        rgba[4:36, 4:36] = (80 * number, 90, 200, 255)
        Image.fromarray(rgba).save(home / "cut" / f"{name}.png")
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)).save(home / "photos" / "a.png")
    monkeypatch.chdir(home)
    return home


def recipe(**more):
    return CollageRecipe("collage", 7, **{"cutouts": "cut", "width": 64, "height": 48, "things": 3, **more})


@pytest.fixture
def frozen(project):
    """A set with its manifest in a folder of its own."""
    make_set(recipe(photographs="photos"), 2, "sets/mine", workers=1)
    (project / "published").mkdir()
    freeze_set(Path("sets/mine"), "v1", Path("published/v1.json"))
    return project


def verified(path, **more) -> list[str]:
    return list(verify_manifest(Path(path), workers=1, **more))


class TestPlaces:
    """Folders are found from wherever one is."""

    @pytest.mark.slow
    def test_paths_are_from_the_file_that_has_them(self, frozen):
        card = json.loads((frozen / "sets" / "mine" / "card.json").read_text())["recipe"]
        manifest = json.loads((frozen / "published" / "v1.json").read_text())["recipe"]
        assert (card["cutouts"], manifest["cutouts"]) == ("../../cut", "../cut")
        assert (card["photographs"], manifest["photographs"]) == ("../../photos", "../photos")
        assert read_card(Path("sets/mine")).recipe.cutouts == os.path.realpath("cut")

    @pytest.mark.slow
    def test_the_current_directory_does_not_matter(self, frozen, monkeypatch):
        monkeypatch.chdir(frozen / "published")
        assert verified("v1.json") == []
        monkeypatch.chdir("/")
        assert verified(frozen / "published" / "v1.json") == []

    @pytest.mark.slow
    def test_all_can_be_moved_together(self, frozen, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        frozen.rename(tmp_path / "elsewhere")
        assert verified("elsewhere/published/v1.json") == []

    @pytest.mark.slow
    def test_a_folder_that_is_gone_is_named_with_the_option(self, frozen):
        (frozen / "cut").rename(frozen / "moved")
        with pytest.raises(PixelProofError, match=r"cut, which is missing: .* new path with --cutouts"):
            verified("published/v1.json")
        assert verified("published/v1.json", folders={"cutouts": "moved"}) == []
        (frozen / "photos").rename(frozen / "pictures")
        with pytest.raises(PixelProofError, match=r"photos, which is missing: .* new path with --photographs"):
            verified("published/v1.json", folders={"cutouts": "moved"})

    @pytest.mark.slow
    def test_a_folder_with_the_name_of_a_library_is_a_folder(self, project):
        (project / "cut").rename(project / "solid")
        make_set(recipe(cutouts="./solid"), 1, "set", workers=1)
        freeze_set(Path("set"), "v1", Path("v1.json"))
        assert json.loads((project / "v1.json").read_text())["recipe"]["cutouts"] == "./solid"
        assert load_manifest(Path("v1.json"))[1].cutouts == str(project / "solid") and verified("v1.json") == []

    @pytest.mark.slow
    def test_links_are_followed(self, frozen, tmp_path):
        (tmp_path / "link").symlink_to(frozen / "published")
        assert verified(tmp_path / "link" / "v1.json") == []

    def test_other_kinds_have_no_folders(self, tmp_path):
        from pixelproof.world.sets import recipe_class

        make_set(recipe_class("flat")("flat", 7, width=256, height=256), 1, tmp_path / "set", workers=1)
        freeze_set(tmp_path / "set", "v1", tmp_path / "v1.json")
        with pytest.raises(PixelProofError, match="--cutouts does not apply to .*v1.json"):
            verified(tmp_path / "v1.json", folders={"cutouts": "cut"})


class TestContent:
    """What is in the folders decides, and not where they are."""

    def test_content_is_that_of_the_files(self, project):
        known = recipe()
        shutil.copytree("cut", "copy")
        assert recipe(cutouts="copy") == known and recipe(cutouts="copy").content == known.content
        (project / "copy" / ".DS_Store").write_text("of the system")
        assert recipe(cutouts="copy") == known
        (project / "copy" / "plum.png").unlink()
        assert recipe(cutouts="copy").content != known.content
        assert recipe(photographs="photos").content != known.content

    def test_a_cut_out_is_not_a_photograph(self, project):
        shutil.copytree("cut", "both")
        first = recipe(cutouts="cut", photographs="both").content
        shutil.copy(project / "cut" / "coin.png", project / "both" / "z.png")
        (project / "both" / "coin.png").unlink()
        assert recipe(cutouts="cut", photographs="both").content != first

    def test_a_library_with_a_name_is_not_a_folder(self, project):
        assert recipe(cutouts="solid").content != recipe(cutouts="solid", photographs="photos").content
        assert recipe(cutouts="solid").cutouts == "solid"

    @pytest.mark.slow
    def test_other_pictures_are_refused(self, frozen):
        Image.new("RGBA", (20, 20), (9, 9, 9, 128)).save(frozen / "cut" / "plum.png")
        said = "photos differ from those of the set: restore them, or give their new path with --cutouts and --photog"
        with pytest.raises(PixelProofError, match=said):
            verified("published/v1.json")
        with pytest.raises(PixelProofError, match="differ from those of the set"):
            replace(recipe(), content="0" * 16).item(0)

    @pytest.mark.slow
    def test_a_set_goes_on_with_the_same_pictures_elsewhere(self, project):
        make_set(recipe(), 1, "set", workers=1)
        shutil.move("cut", "moved")
        make_set(recipe(cutouts="moved"), 2, "set", workers=1)
        assert json.loads((project / "set" / "card.json").read_text())["recipe"]["cutouts"] == "../moved"

    @pytest.mark.slow
    def test_a_set_does_not_go_on_with_others(self, project):
        make_set(recipe(), 1, "set", workers=1)
        (project / "cut" / "plum.png").rename(project / "cut" / "pear.png")
        said = r"set was begun with images of .*cut that differ from those now in .*cut: restore them, or choose"
        with pytest.raises(PixelProofError, match=said) as told:
            make_set(recipe(), 2, "set", workers=1)
        assert recipe().content not in str(told.value)

    def test_photographs(self, project):
        assert recipe(photographs="photos").item(0).background.photo == "a.png"
