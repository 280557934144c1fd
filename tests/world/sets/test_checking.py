"""What is wrong in a set is found, and what is missing is made again."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.store import write_parquet
from pixelproof.world.sets import check_set, freeze_set, make_set, read_card, read_set
from world.sets.samples import SMALL, contents


@pytest.mark.slow
class TestChecking:
    """What is wrong is found."""

    @pytest.mark.slow
    def test_strays_are_found(self, copy):
        shutil.copy(copy / "shard-00000" / "000003.png", copy / "shard-00000" / "000099.png")
        (copy / "notes.txt").write_text("mine")
        (copy / ".DS_Store").write_text("of the system")
        found = [(problem.rule, problem.message.split()[0]) for problem in check_set(copy, workers=1)]
        assert found == [("stray", "notes.txt"), ("stray", os.path.join("shard-00000", "000099.png"))]

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

    @pytest.mark.slow
    def test_a_sound_set_passes(self, made):
        assert list(check_set(made, workers=1)) == []

    @pytest.mark.slow
    def test_damage_is_found(self, copy):
        picture = np.zeros((32, 48, 3), np.uint8)
        Image.fromarray(picture).save(copy / "shard-00000" / "000001.png")
        table = pq.read_table(copy / "things.parquet")
        counts = table.column("pixels").to_pylist()
        counts[0] += 1
        place = table.schema.get_field_index("pixels")
        edited = table.set_column(place, table.schema.field(place), pa.array(counts, pa.int32()))
        write_parquet(copy / "things.parquet", edited)
        found = [(problem.scene, problem.rule) for problem in check_set(copy, workers=1)]
        first, second = SMALL.item_id(0), SMALL.item_id(1)
        assert found == [("", "hash"), (first, "table"), (second, "hash")]

    @pytest.mark.slow
    def test_rows_that_are_missing_are_found(self, copy):
        table = pq.read_table(copy / "things.parquet")
        write_parquet(copy / "things.parquet", table.filter(pc.field("index") != 1))
        found = [(problem.scene, problem.rule) for problem in check_set(copy, workers=1)]
        assert found == [("", "hash"), (SMALL.item_id(1), "table")]

    @pytest.mark.slow
    def test_rules_are_checked(self, tmp_path):
        from pixelproof.world.solid import check_scene

        scene = SMALL.item(0)
        assert check_scene(scene) == []
        flying = scene.movable[0]
        x, y, z = flying.position
        wrong = check_scene(scene.with_thing(replace(flying, position=(x, y, z + 0.3))), "mine")
        assert wrong and {problem.scene for problem in wrong} == {"mine"}


@pytest.mark.slow
class TestMending:
    """What is missing or damaged is made again, with the same bytes."""

    @pytest.mark.slow
    def test_what_is_missing_is_made_again(self, made, copy):
        (copy / "shard-00000" / "000002.png").unlink()
        (copy / "shard-00000" / "000004.json").unlink()
        assert {problem.rule for problem in check_set(copy, workers=1)} == {"files"}
        made_again = []
        make_set(SMALL, 5, copy, workers=1, progress=lambda done, total: made_again.append(done))
        assert made_again == [3, 4, 5] and contents(copy) == contents(made)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["scenes.parquet", "things.parquet"])
    @pytest.mark.parametrize("damage", ["gone", "cut", "edited"])
    def test_damaged_tables_are_found_and_made_again(self, made, copy, name, damage):
        if damage == "gone":
            (copy / name).unlink()
        elif damage == "cut":
            (copy / name).write_bytes((copy / name).read_bytes()[:900])
        else:
            write_parquet(copy / name, pq.read_table(copy / name).slice(1))
        Image.new("RGB", (48, 32)).save(copy / "shard-00000" / "000001.png")
        found = list(check_set(copy, workers=1))
        assert found[0].rule == ("hash" if damage == "edited" else "files") and name in found[0].message
        assert "--resume" not in "".join(problem.message for problem in found)
        if name == "things.parquet":
            assert (SMALL.item_id(1), "hash") in [(problem.scene, problem.rule) for problem in found]
        make_set(SMALL, 5, copy, workers=1)
        assert contents(copy) == contents(made)

    @pytest.mark.slow
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
        with pytest.raises(PixelProofError, match=rf"{name}\.parquet is damaged: run the command that made the set"):
            freeze_set(copy, "v1", copy / "v1.json") if name == "scenes" else read_set(copy).parts(0)

    @pytest.mark.slow
    @pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n"])
    def test_files_of_another_length_are_made_again(self, made, copy, content):
        (copy / "shard-00000" / "000002.png").write_bytes(content)
        (problem,) = check_set(copy, workers=1)
        assert (
            problem.rule == "files"
            and "000002.png is damaged (it is not a complete PNG file): delete" in problem.message
        )
        make_set(SMALL, 5, copy, workers=1)
        assert contents(copy) == contents(made)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["card.json", "scenes.parquet", "shard-00000", "shard-00000/000000.json"])
def test_links_that_leave_a_set_are_refused(copy, tmp_path, name):
    path = next(copy.glob(name))
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PixelProofError, match="leaves"):
        read_set(copy)[0]
