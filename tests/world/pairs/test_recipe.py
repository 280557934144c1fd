"""Sets of pairs: made, continued, checked, and read back with all truth."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import change_mask
from pixelproof.world.pairs import Pair, PairRecipe, pair_sheet
from pixelproof.world.sets import check_set, make_set, read_set
from pixelproof.world.solid import box_corners

RECIPE = PairRecipe("pair", 7, width=96, height=96, operations=("move", "removal", "rotation"), room="tabletop")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("pairs") / "set"
    make_set(RECIPE, 3, directory, workers=1)
    return directory


@pytest.mark.slow
def test_a_set_has_pictures_and_truth_of_both_scenes(made):
    pairs = read_set(made)
    assert [pair.operation for pair, _ in pairs] == ["move", "removal", "rotation"]
    pair, layers = pairs[1]
    assert isinstance(pair, Pair) and pair == RECIPE.item(1)
    rows = pairs.parts(1)
    assert [row["side"] for row in rows].count("after") == len(pair.after.things)
    gone = [row for row in rows if row["thing"] == pair.edit.target]
    assert [row["side"] for row in gone] == ["before"]
    assert gone[0]["corners"] == pytest.approx(box_corners(pair.before.thing(pair.edit.target)).ravel().tolist())
    number = [thing.id for thing in pair.before.things].index(pair.edit.target) + 1
    assert gone[0]["pixels"] == (layers.before.ids == number).sum() > 0
    assert layers.after.depth.shape == layers.change.shape == (96, 96)


@pytest.mark.slow
def test_pictures_differ_where_the_change_mask_says(made):
    for pair, layers in read_set(made):
        mask = change_mask(pair.before, pair.after, 96)
        assert ((layers.change == 1) == mask.object).all() and ((layers.change == 3) == mask.light).all()
        far = np.abs(layers.before.rgb.astype(int) - layers.after.rgb).max(axis=2) >= 12
        assert (far & (layers.change == 0)).mean() < 0.002


@pytest.mark.slow
def test_a_set_is_sound_and_damage_is_named(made, tmp_path):
    assert list(check_set(made, workers=1)) == []
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    picture = copy / "shard-00000" / "000001.after.png"
    picture.write_bytes(picture.read_bytes()[:-40])
    (copy / "shard-00000" / "000002.npz").unlink()
    found = "\n".join(f"{one.scene} {one.message}" for one in check_set(copy, workers=1))
    assert "000001.after.png" in found and "000002.npz" in found
    make_set(RECIPE, 3, copy, workers=1)
    assert list(check_set(copy, workers=1)) == []


@pytest.mark.slow
def test_a_pair_that_was_changed_is_found():
    pair = RECIPE.item(0)
    arrays = RECIPE.render(0, pair).arrays
    rows = RECIPE.render(0, pair).parts
    assert list(RECIPE.check(0, pair, arrays, rows)) == []
    other = replace(pair, after=pair.before)
    assert "edit" in {rule for rule, _, _ in RECIPE.check(0, other, arrays, rows)}
    arrays["change"] = np.zeros_like(arrays["change"])
    assert "change" in {rule for rule, _, _ in RECIPE.check(0, pair, arrays, rows)}
    wrong = replace(pair, why_not="blocked", after=pair.before)
    assert "edit" in {rule for rule, _, _ in RECIPE.check(0, wrong, arrays, rows)}


def test_operations_come_in_turn_and_suit_the_room():
    recipe = PairRecipe("pair", 1)
    assert len(recipe.names) == 12 and recipe.batch == 24
    assert "stacking" not in PairRecipe("pair", 1, room="shelf").names
    assert len(PairRecipe("pair", 1, preset="gsi").names) == 7
    with pytest.raises(PixelProofError, match="choose another of tabletop"):
        PairRecipe("pair", 1, room="shelf", operations=("stacking",))
    for wrong in ({"preset": "x"}, {"room": "x"}, {"operations": ("x",)}, {"language": "x"}, {"layers": ("x",)}):
        with pytest.raises(PixelProofError):
            PairRecipe("pair", 1, **wrong)


@pytest.mark.slow
def test_a_sheet_shows_before_after_and_change():
    recipe = replace(RECIPE, width=48, height=48)
    sheet = pair_sheet(recipe, [recipe.item(0)])
    assert sheet.shape[1] == 3 * 48 + 4 * 10 and sheet.shape[0] > 48
