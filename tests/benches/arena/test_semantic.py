"""What a painted mask is charged for: invented labels, ignored labels, void."""

import json

import numpy as np
import pytest

from benches.arena.folders import PALETTE
from pixelproof.benches.arena import Arena
from pixelproof.contract import Answer, Source
from pixelproof.pixels import VOID, encode_indexed_png, encode_labels, encode_png

FOLDER = Source("folder")


def folder(root, labels, **options):
    """A bench and its item, whose reference is the given label map."""
    (root / "masks").mkdir(parents=True)
    file = encode_labels(labels, PALETTE) if VOID in labels else encode_indexed_png(labels, PALETTE.colours)
    (root / "masks" / "a.png").write_bytes(file.data)
    (root / "palette.json").write_text(json.dumps(PALETTE.to_json()))
    bench = Arena(reference=str(root / "masks"), palette=str(root / "palette.json"), **options)
    (item,) = bench.items(FOLDER, 0, None)
    return bench, item


def measured(bench, item, labels):
    picture = PALETTE.paint(labels) if labels.ndim == 2 else labels
    return bench.score(item, Answer(images=(encode_png(picture),)), {})


def two_labels(side=120):
    labels = np.zeros((side, side), np.uint8)
    labels[30:70, 30:70] = 1
    return labels


def test_invented_area_lowers_the_robust_headline(tmp_path):
    truth = two_labels()
    bench, item = folder(tmp_path, truth)
    disc = truth.copy()
    disc[80:118, 80:118] = 3  # a tenth of the image
    ground = np.where(truth == 0, np.uint8(3), truth)
    clean, with_disc, with_ground = (measured(bench, item, labels).metrics for labels in (truth, disc, ground))
    assert clean["robust.f1"] == 1 and clean["robust.invented"] == 0
    assert with_disc["robust.f1"] < 0.92 and with_disc["robust.invented"] == pytest.approx(38 * 38 / 120**2)
    assert with_ground["robust.f1"] < 0.3


def test_an_ignored_label_is_a_miss_and_not_an_invention(tmp_path):
    truth = two_labels()
    bench, item = folder(tmp_path, truth, void="dot")
    painted = np.where(np.arange(120)[:, None] < 20, np.uint8(4), truth)
    numbers = measured(bench, item, painted).metrics
    assert numbers["robust.invented"] == 0 and numbers["robust.recall"] < 1
    other = np.where(np.arange(120)[:, None] < 20, np.uint8(3), truth)
    assert measured(bench, item, other).metrics["robust.f1"] < numbers["robust.f1"]


def test_labels_painted_in_void_alone_are_free(tmp_path):
    truth = two_labels()
    truth[:, :25] = VOID
    bench, item = folder(tmp_path, truth)
    painted = np.where(truth == VOID, np.uint8(3), truth)
    numbers = measured(bench, item, painted).metrics
    assert numbers["robust.f1"] == numbers["robust.iou"] == 1 and numbers["robust.invented"] == 0
