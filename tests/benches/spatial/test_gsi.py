"""Released folders of GSI-Bench as a source: prompts, boxes of controls, damaged files."""

import numpy as np
import pytest

from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial._gsi_files import GsiAnnotation, write_gsi_item
from pixelproof.contract import Answer, Fault, PixelProofError, Source
from pixelproof.pixels import encode_png

BENCH = Spatial()
BOX = (0.1, 0.2, 1.5, 0.1, 0.12, 0.1, 0.0)
EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
QUARTER = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
EDITS = {
    "move": GsiAnnotation("Move the mug 20 cm to the left.", "mug", BOX, (-0.1, *BOX[1:]), EYE, EYE),
    "rotation": GsiAnnotation("Rotate the mug by 90 degrees.", "mug", BOX, (*BOX[:6], 1.57), EYE, QUARTER),
    "scaling": GsiAnnotation("Scale the mug by 2.", "mug", BOX, (0.1, 0.14, 1.5, 0.2, 0.24, 0.2, 0.0), EYE, EYE),
    "removal": GsiAnnotation("Remove the mug.", "mug", BOX),
    "viewpoint": GsiAnnotation("Turn the camera left by 15 degrees.", "camera"),
}


def textured(shade):
    """A photograph with edges; its first pixel has the shade."""
    pixels = np.random.default_rng(7).integers(0, 255, (12, 16, 3), np.uint8).repeat(4, axis=0).repeat(4, axis=1)
    pixels[:4, :4] = shade
    return pixels


def picture(shade):
    return encode_png(textured(shade)).data


@pytest.fixture
def items(tmp_path):
    for number, annotation in enumerate(EDITS.values()):
        write_gsi_item(tmp_path, "room_7", number, annotation, picture(90), picture(100 + number))
    write_gsi_item(tmp_path, "room_8", 0, EDITS["move"], picture(90), None)
    (tmp_path / "room_8_edit_9.json").write_text("{")
    return list(BENCH.items(Source("gsi", tmp_path), 0, None))


def scored(item, control):
    return BENCH.score(item, BENCH.controls()[control](item, None), {})


def test_every_edit_is_an_item_with_its_prompt(items, tmp_path):
    assert [item.tags["operation"] for item in items] == [*EDITS, "move"]
    assert BENCH.prompt(items[0]).text.endswith("Move the mug 20 cm to the left.")
    assert BENCH.prompt(items[0]).parts[0].data == picture(90)
    (_, remark) = BENCH.remarks(Source("gsi", tmp_path))
    assert "room_8_edit_9.json" in remark


def test_a_camera_that_is_a_thing_is_not_the_viewpoint(tmp_path):
    old, new = EDITS["move"].original_bbox_3d, EDITS["move"].new_bbox_3d
    moved = GsiAnnotation("Move the black camera 20 cm to the left.", "black camera", old, new)
    beside = GsiAnnotation("Move the mug to the left of the camera.", "mug", old, new, reference="camera")
    for number, annotation in enumerate((moved, beside, EDITS["viewpoint"])):
        write_gsi_item(tmp_path, "room_7", number, annotation, picture(90), None)
    found = [item.tags["operation"] for item in BENCH.items(Source("gsi", tmp_path), 0, None)]
    assert found[0] == "move" and found[1] != "viewpoint" and found[2] == "viewpoint"


def test_truth_scores_1_and_a_copy_0_and_the_published_formulas_disagree(items):
    for item in items[:4]:
        truth, copy = scored(item, "ceiling-truth").metrics, scored(item, "floor-copy").metrics
        assert (truth["micro.ic"], truth["micro.sa"]) == (1, pytest.approx(1)), item.tags
        assert (copy["micro.ic"], copy["micro.sa"]) == (0, pytest.approx(0, abs=1e-9)), item.tags
        if item.tags["operation"] == "move":
            assert (truth["published.ic"], truth["published.sa"]) == (0, 0), "a perfect move of 20 cm"
        if item.tags["operation"] == "scaling":
            assert copy["published.sa"] > 0.5, "an untouched image"
    assert scored(items[0], "ceiling-channel").metrics["micro.ic"] == 1
    assert not scored(items[4], "ceiling-truth").metrics, "no boxes, no score"


def test_what_does_not_apply_says_so(items):
    for item, control in ((items[5], "ceiling-truth"), (items[0], "wrong-direction"), (items[0], "floor-prior")):
        assert scored(item, control).failure.name == "not-applicable"


def test_answers_of_models_and_false_traces_are_not_believed(items):
    truth = BENCH.controls()["ceiling-truth"](items[0], None)
    other = (encode_png(np.full((48, 64, 3), 33, np.uint8)),)
    for answer in (Answer(images=other), Answer(images=other, trace=truth.trace), Answer(images=truth.images)):
        assert BENCH.score(items[0], answer, {}).failure.name == "not-perceived"
    assert BENCH.score(items[0], Answer("no"), {}).failure.fault is Fault.MODEL


def test_files_that_vanish_are_a_fault_of_the_instrument(items, tmp_path):
    (tmp_path / "room_7.png").unlink()
    assert scored(items[0], "floor-copy").failure.name == "bad-reference"
    with pytest.raises(PixelProofError, match="restore"):
        BENCH.prompt(items[0])


def test_a_folder_is_needed():
    with pytest.raises(PixelProofError, match="--data"):
        list(BENCH.items(Source("gsi"), 0, None))
    with pytest.raises(PixelProofError, match="spatial make"):
        list(BENCH.items(Source("made"), 0, None))


DETECTOR = """
from pixelproof.benches.spatial.published import Detection

class Detector:
    def detect(self, photo, name, intrinsics):
        assert name == "mug"
        shade = int(photo[0, 0, 0])
        if shade == 0:
            return []
        x = -0.1 if shade == 100 else 0.1
        return [Detection((x + 0.02, 0.2, 1.5, 0.2, 0.24, 0.2, 0.0)), Detection((0.6, 0.2, 1.5, 0.1, 0.1, 0.1, 0.0))]

class Blind:
    def detect(self, photo, name, intrinsics):
        return []
"""


@pytest.fixture
def detectors(tmp_path, monkeypatch):
    """A package with two detectors, as an installer would leave it."""
    folder = tmp_path / "packages"
    (folder / "eyes-1.0.dist-info").mkdir(parents=True)
    (folder / "eyes.py").write_text(DETECTOR)
    (folder / "eyes-1.0.dist-info" / "METADATA").write_text("Name: eyes\nVersion: 1.0\n")
    points = "[pixelproof.detectors]\neyes = eyes:Detector\nblind = eyes:Blind\nbroken = no_such_module:D\n"
    (folder / "eyes-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(folder))


def test_a_detector_comes_by_entry_point_and_its_constant_error_costs_nothing(items, detectors):
    bench = Spatial(perception="detector", detector="eyes")
    moved, copied = (bench.score(items[0], Answer(images=(encode_png(textured(v)),)), {}) for v in (100, 90))
    assert moved.metrics["micro.ic"] == 1 and moved.metrics["micro.sa"] == pytest.approx(1)
    assert copied.metrics["micro.ic"] == 0
    gone = bench.score(items[3], Answer(images=(encode_png(textured(0)),)), {})
    assert gone.metrics["micro.ic"] == 1, "the removal"


def test_a_picture_without_the_photograph_is_no_removal(items, detectors):
    bench = Spatial(perception="detector", detector="eyes")
    blank = bench.score(items[3], Answer(images=(encode_png(_grey(0)),)), {}).metrics
    assert blank["micro.ic"] == blank["micro.sa"] == 0
    for item in items[:4]:
        floor = scored(item, "floor-blank").metrics
        assert floor["micro.ic"] == floor["micro.sa"] == 0, item.tags


def _grey(shade):
    return np.full((48, 64, 3), shade, np.uint8)


def test_a_detector_without_its_perception_is_refused():
    with pytest.raises(PixelProofError, match="--perception detector"):
        Spatial(detector="eyes")


def test_a_detector_that_does_not_detect_the_thing_before_abstains(items, detectors):
    bench = Spatial(perception="detector", detector="blind")
    result = bench.score(items[0], Answer(images=(encode_png(_grey(100)),)), {})
    assert result.abstained and "detector" in result.notes["unclear"] and "sa" not in result.metrics


def test_detectors_that_are_missing_or_broken_are_named(items, detectors):
    for name, message in (("eye", "eyes"), ("broken", "reinstall")):
        with pytest.raises(PixelProofError, match=message):
            Spatial(perception="detector", detector=name).score(items[0], Answer(images=(encode_png(_grey(1)),)), {})
    with pytest.raises(PixelProofError, match="gsi"):
        list(Spatial(perception="detector").items(Source("world"), 0, 1))
