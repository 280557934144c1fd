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


def picture(shade):
    return encode_png(np.full((48, 64, 3), shade, np.uint8)).data


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
    for item, control in ((items[5], "ceiling-truth"), (items[0], "wrong-direction"), (items[0], "floor-blank")):
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
