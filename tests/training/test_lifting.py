"""Lifting by geometry; and a detector and a depth network of transformers with tiny random weights."""

import numpy as np
import pytest

from pixelproof.benches.spatial.real import Frame, open_lifter, project
from pixelproof.contract import PixelProofError
from training import lifting

NAME = "training.lifting:TransformersLifter"
CAMERA = np.array([[200.0, 0, 64], [0, 200, 48], [0, 0, 1]])


def test_a_detection_is_lifted_to_where_it_is():
    depth = np.full((96, 128), 5.0)
    depth[30:60, 40:80] = np.linspace(1.9, 2.1, 40)
    box = lifting.lift_box("mug", 0.9, np.array([40.0, 30, 80, 60]), depth, CAMERA, (0.0, 1.0, 0.0))
    assert box.label == "mug" and box.score == 0.9
    assert box.size[0] == pytest.approx(0.4, rel=0.02) and box.size[1] == pytest.approx(0.3, rel=0.02)
    x, y, z = project(np.array([box.centre]), CAMERA)[0]
    assert (x, y) == (pytest.approx(60), pytest.approx(45)) and z == pytest.approx(2.0, abs=0.05)
    assert np.allclose(box.axes, np.eye(3))


def test_axes_are_upright_for_a_tilted_camera():
    tilt = np.radians(25)
    axes = lifting.upright_axes((0.0, np.cos(tilt), np.sin(tilt)))
    assert np.allclose(axes.T @ axes, np.eye(3)) and np.linalg.det(axes) == pytest.approx(1)
    assert np.allclose(axes[:, 1], [0, np.cos(tilt), np.sin(tilt)])


@pytest.mark.parametrize("box", [[10, 10, 11, 11], [200, 10, 240, 40], [0, 0, 20, 20]])
def test_empty_detections_and_unknown_depths_are_left_out(box):
    depth = np.full((96, 128), np.nan)
    assert lifting.lift_box("mug", 0.9, np.array(box, float), depth, CAMERA, (0.0, 1.0, 0.0)) is None


def test_directories_must_be_named():
    with pytest.raises(PixelProofError, match="two directories"):
        open_lifter(f"{NAME}:one")


@pytest.mark.slow
def test_directories_must_hold_networks(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    with pytest.raises(PixelProofError, match="not a directory"):
        open_lifter(f"{NAME}:{tmp_path / 'a'},{tmp_path / 'b'}")
    (tmp_path / "a").mkdir()
    with pytest.raises(PixelProofError, match="cannot be loaded"):
        open_lifter(f"{NAME}:{tmp_path / 'a'},{tmp_path / 'a'}")


@pytest.mark.slow
def test_networks_of_transformers(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    labels = {0: "mug", 1: "bowl"}
    detector = transformers.YolosForObjectDetection(
        transformers.YolosConfig(
            **small, image_size=[64, 64], patch_size=16, num_detection_tokens=5, id2label=labels,
            label2id={"mug": 0, "bowl": 1},
        )
    )  # fmt: skip
    detector.save_pretrained(tmp_path / "detector")
    transformers.YolosImageProcessor(size={"height": 64, "width": 64}).save_pretrained(tmp_path / "detector")
    depth = transformers.GLPNForDepthEstimation(
        transformers.GLPNConfig(
            num_encoder_blocks=4, depths=[1] * 4, hidden_sizes=[8, 8, 8, 8], num_attention_heads=[1] * 4,
            decoder_hidden_size=8, sr_ratios=[1] * 4,
        )
    )  # fmt: skip
    depth.save_pretrained(tmp_path / "depth")
    transformers.GLPNImageProcessor(size_divisor=32).save_pretrained(tmp_path / "depth")
    monkeypatch.setattr(lifting, "THRESHOLD", 0.0)
    lifter = open_lifter(f"{NAME}:{tmp_path / 'detector'},{tmp_path / 'depth'}")
    rgb = np.random.default_rng(0).integers(0, 255, (96, 128, 3)).astype(np.uint8)
    boxes = lifter.lift(Frame("photo", rgb, CAMERA))
    assert len(boxes) <= 5 and {one.label for one in boxes} <= {"mug", "bowl"}
    assert all(min(one.size) > 0 and one.centre[2] > 0 for one in boxes)
    assert boxes == lifter.lift(Frame("photo", rgb, CAMERA)), "deterministic"
    only = lifter.lift(Frame("photo", rgb, CAMERA, labels=("bowl",)))
    assert only == [one for one in boxes if one.label == "bowl"]
    assert lifter._depths(rgb).shape == (96, 128)
