"""Sets are made, go on and grow, and touch nothing else."""

import json
import sys
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock
from pixelproof.world.sets import make_set, read_set
from world.sets.samples import SMALL, contents


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "galaxy"}, "There is no kind of solid scenes 'galaxy'. Choose one of: tabletop"),
        ({"width": 0}, r"An image of 0 × 32 pixels cannot be made"),
        ({"height": 10**6}, "cannot be made: choose a size from 1 to"),
        ({"quality": "best"}, "There is no quality 'best'; did you mean 'beauty'"),
        ({"layers": ("rgb", "smell")}, "There is no layer 'smell'"),
        ({"layers": ()}, "A set needs at least one layer"),
        ({"seed": -1}, "A seed must be a whole number from 0"),
        ({"seed": 2**63}, "A seed must be a whole number from 0"),
        ({"split": "dev"}, "There is no split 'dev'"),
    ],
)
def test_impossible_recipes(given, said):
    with pytest.raises(PixelProofError, match=said):
        replace(SMALL, **given)


@pytest.mark.slow
class TestSets:
    """Whole sets, with the real layouts and the real renderer."""

    @pytest.mark.slow
    def test_two_processes_give_the_same_bytes(self, made, tmp_path):
        seen = []
        make_set(SMALL, 5, tmp_path / "set", workers=2, progress=lambda done, total: seen.append((done, total)))
        assert contents(tmp_path / "set") == contents(made)
        assert seen == [(done, 5) for done in range(6)]

    @pytest.mark.slow
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

    @pytest.mark.slow
    def test_it_can_grow(self, made, tmp_path):
        make_set(SMALL, 2, tmp_path / "set", workers=1)
        make_set(SMALL, 5, tmp_path / "set", workers=1)
        assert contents(tmp_path / "set") == contents(made)

    @pytest.mark.slow
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
        with pytest.raises(PixelProofError, match="scenes of a set must be a whole number, 1 to 1000000, not 0"):
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
        with pytest.raises(PixelProofError, match="is not a set of scenes and was not changed"):
            make_set(SMALL, 1, tmp_path)
        with pytest.raises(PixelProofError, match="is not a set of scenes"):
            make_set(SMALL, 1, tmp_path / "thesis.tex")
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_one_maker_at_a_time(self, tmp_path):
        with Lock(tmp_path / "set"), pytest.raises(PixelProofError, match=r"Another process \(pid \d+ on .* working"):
            make_set(SMALL, 1, tmp_path / "set")


@pytest.mark.parametrize(
    ("recipe", "n", "out", "part"),
    [
        (None, 3, "new", "must be a recipe, such as"),
        (SMALL, 3, None, "must be the path of a folder, not None"),
        (SMALL, 0, "new", "scenes of a set must be a whole number, 1 to"),
    ],
)
def test_what_is_refused_at_once_leaves_no_folder(recipe, n, out, part, tmp_path):
    with pytest.raises(PixelProofError) as caught:
        make_set(recipe, n, out and tmp_path / out)
    assert part in str(caught.value)
    assert not list(tmp_path.iterdir())
