"""`pixelproof spatial`: make, show, export to the files of GSI-Bench."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial._commands import spatial_group
from pixelproof.benches.spatial._gsi_export import gsi_annotation
from pixelproof.benches.spatial._gsi_files import read_gsi_folder
from pixelproof.benches.spatial.published import box_iou
from pixelproof.contract import PixelProofError, Source
from pixelproof.world.pairs import sample_pair
from pixelproof.world.sets import read_set


def invoke(*words):
    return CliRunner().invoke(
        spatial_group, [str(word) for word in words], standalone_mode=False, catch_exceptions=False
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("spatial") / "set"
    words = ("--n", 3, "--seed", 7, "--size", 64, "--room", "tabletop", "--workers", 1, "--layers", "before,after")
    chosen = ("--operation", "scaling", "--operation", "swap", "--operation", "rotation")
    assert "3 pairs" in invoke("make", *words, *chosen, "--out", out).output
    return out


@pytest.mark.slow
def test_a_set_is_made_and_exported_to_the_files_of_gsi_bench(made, tmp_path):
    told = invoke("export", made, "--out", tmp_path / "gsi").output
    assert "2 pairs; 1 of operations" in told
    folder = read_gsi_folder(tmp_path / "gsi")
    assert not folder.problems and [item.key for item in folder.items] == ["000000/0", "000002/0"]
    scaled, turned = (item.annotation for item in folder.items)
    pairs = read_set(made)
    assert scaled.prompt == pairs[0][0].text and folder.items[0].truth.exists()
    growth = np.divide(scaled.new_bbox_3d[3:6], scaled.original_bbox_3d[3:6])
    assert growth == pytest.approx([pairs[0][0].edit.amount] * 3)
    assert box_iou(turned.original_bbox_3d, turned.original_bbox_3d) == pytest.approx(1)
    assert turned.rotation_matrix != turned.new_rotation_matrix


def test_an_export_does_not_mix_with_other_files(made, tmp_path):
    before = sorted(path.name for path in made.iterdir())
    (tmp_path / "other_edit_0.json").write_text("{}")
    for folder in (made, tmp_path):
        with pytest.raises(PixelProofError, match="has files already"):
            invoke("export", made, "--out", folder)
    assert sorted(path.name for path in made.iterdir()) == before


def test_boxes_are_in_the_frame_of_the_camera():
    pair = sample_pair("swap", 7, 1, kind="tabletop")
    note = gsi_annotation(pair, 200, 100)
    intrinsics = np.array(note.camera_intrinsics)
    for thing, box in ((pair.before, note.original_bbox_3d), (pair.after, note.new_bbox_3d)):
        seen = intrinsics @ box[:3]
        centre = thing.thing(pair.edit.target).centre
        assert (*seen[:2] / seen[2], seen[2]) == pytest.approx(pair.before.camera.project([centre], 200, 100)[0])
    axes = np.array(note.rotation_matrix)
    assert axes.T @ axes == pytest.approx(np.eye(3)) and np.linalg.det(axes) == pytest.approx(1)
    assert note.reference and len(note.reference_point) == 3


def test_pairs_are_shown_as_json():
    told = invoke("show", "--seed", 7, "--operation", "scaling", "--room", "tabletop", "--json", "--size", 48)
    row = json.loads(told.output)
    assert row["operation"] == "scaling" and row["steps"][0]["action"] == "scale" and row["text"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("make", "--n", 1, "--split", "tset"), "split"),
        (("make", "--n", 1, "--operation", "lift"), "operation"),
        (("make", "--n", 0), "1"),
        (("make", "--n", 1, "--layers", "rgb"), "layer"),
    ],
)
def test_wrong_options_are_errors(words, message, tmp_path):
    with pytest.raises(PixelProofError, match=message):
        invoke(*words, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_only_sets_of_pairs_are_exported(made, tmp_path):
    with pytest.raises(PixelProofError, match="no set"):
        invoke("export", tmp_path, "--out", tmp_path / "gsi")


def test_a_changed_pair_is_not_asked(made, tmp_path):
    copy = Path(shutil.copytree(made, tmp_path / "set"))
    assert len(list(Spatial().items(Source("made", copy), 0, None))) == 3
    file = next(copy.glob("*/000001.json"))
    file.write_text(file.read_text().replace('"amount": ', '"amount": 1'))
    with pytest.raises(PixelProofError, match=r"000001\.json differs from the table"):
        list(Spatial().items(Source("made", copy), 0, None))
