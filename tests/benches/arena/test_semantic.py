"""What a painted mask is charged for: invented labels, ignored labels, void, transparent grounds, objects."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from benches.arena.folders import PALETTE
from pixelproof.benches.arena import Arena
from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.arena.tasks import Referring, Semantic, Submission
from pixelproof.contract import Answer, Artefact, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.metrics import pooled_pq
from pixelproof.pixels import VOID, Palette, encode_indexed_png, encode_labels, encode_png, read_answer

FOLDER = Source("folder")


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


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


def rgba(labels, hidden, opaque=None):
    """The mask with its background transparent, over hidden colours."""
    opaque = labels > 0 if opaque is None else opaque
    picture = np.where(opaque[..., None], PALETTE.paint(labels), hidden).astype(np.uint8)
    alpha = np.where(opaque, 255, 0).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(np.dstack([picture, alpha])).save(buffer, "PNG")
    return Artefact(buffer.getvalue())


def test_a_transparent_black_ground_is_black(tmp_path):
    truth = two_labels()
    bench, item = folder(tmp_path, truth)
    result = bench.score(item, Answer(images=(rgba(truth, (0, 0, 0)),)), {})
    assert result.metrics["robust.f1"] == 1 and result.metrics["audit.invented"] == 0
    assert result.metrics["audit.off_palette"] == 0 and "audit" not in result.notes
    assert "stored colours are in the palette" in result.notes["transparency"]


@pytest.mark.parametrize("hidden", ["white", "photo"])
def test_a_transparent_ground_of_other_colours_has_no_label(tmp_path, hidden):
    truth = two_labels()
    bench, item = folder(tmp_path, truth)
    noise = np.random.default_rng(0).integers(0, 256, (120, 120, 3))
    result = bench.score(item, Answer(images=(rgba(truth, (255, 255, 255) if hidden == "white" else noise),)), {})
    numbers = result.metrics
    assert numbers["robust.invented"] == numbers["audit.invented"] == 0
    assert numbers["robust.f1"] == pytest.approx(0.5)  # the disc is right, the background is not painted
    assert "have no label" in result.notes["transparency"]


def test_a_transparent_ground_is_not_the_target_of_a_referring_mask():
    """Black and white masks: a viewer shows a transparent ground in white, which is the target's colour."""
    palette = Palette(("everything else", "target"), ((0, 0, 0), (255, 255, 255)))
    labels = (two_labels() == 1).astype(np.uint8)
    case = Case("folder", "a", palette, "")
    hidden = palette.paint(labels)
    buffer = io.BytesIO()
    Image.fromarray(np.dstack([hidden, np.where(labels, 255, 0).astype(np.uint8)])).save(buffer, "PNG")
    image = read_answer(Answer(images=(Artefact(buffer.getvalue()),)), labels.shape, palette=palette)
    source = SimpleNamespace(vocabulary=palette.labels, ignored=frozenset(), pairs=(), notes=())
    measured = Referring().measure(Submission(image), case, Frame(None, labels), source)
    assert measured.numbers["referring.giou"] == 1


def test_opaque_alpha_changes_nothing(tmp_path):
    truth = two_labels()
    bench, item = folder(tmp_path, truth)
    opaque = bench.score(item, Answer(images=(rgba(truth, (0, 0, 0), np.ones_like(truth, bool)),)), {})
    assert opaque.metrics == measured(bench, item, truth).metrics and not opaque.notes


def test_what_lies_in_void_is_not_invented(tmp_path):
    """Neither a label painted in void alone, nor the perfect answer, which fills void with the first colour."""
    truth = two_labels()
    truth[:, :25] = VOID
    truth[truth == 0] = 2  # the first label is nowhere
    bench, item = folder(tmp_path, truth)
    for label in (0, 3):
        painted = np.where(truth == VOID, np.uint8(label), truth)
        numbers = measured(bench, item, painted).metrics
        assert numbers["audit.invented"] == 0 and numbers["robust.f1"] == 1
    beyond = np.where(np.arange(120)[None] < 45, np.uint8(3), truth)
    assert measured(bench, item, beyond).metrics["audit.invented"] == 1


def test_an_ignored_label_is_not_invented_and_hides_nothing(tmp_path):
    truth = two_labels()
    truth[:40] = 4
    bench, item = folder(tmp_path, truth, void="dot")
    painted = np.where(truth == 4, np.uint8(3), truth)  # where the truth is "other", nobody knows
    assert measured(bench, item, painted).metrics["audit.invented"] == 0
    plain, thing = folder(tmp_path / "plain", two_labels(), void="dot")
    other = two_labels()
    other[:30] = 4
    assert measured(plain, thing, other).metrics["audit.invented"] == 0


def two_discs(side=200):
    """Two objects of one label and a speck of another, on the background."""
    y, x = np.mgrid[:side, :side]
    labels = np.zeros((side, side), np.uint8)
    labels[(y - 60) ** 2 + (x - 60) ** 2 < 900] = 1
    labels[(y - 140) ** 2 + (x - 140) ** 2 < 900] = 1
    labels[20:24, 170:180] = 2
    return labels


def vocabulary_counts(result, metric="panoptic.pq"):
    return dict(zip(("iou", "tp", "fp", "fn"), np.reshape(result.metrics[metric], (4, -1)).tolist(), strict=True))


def test_a_missed_object_and_an_invented_one_are_counted(tmp_path):
    truth = two_discs()
    bench, item = folder(tmp_path, truth)
    perfect = measured(bench, item, truth)
    assert vocabulary_counts(perfect)["tp"] == [1, 2, 1, 0, 0]
    assert perfect.metrics["recall.small"] == [1, 1] and perfect.metrics["recall.large"] == [2, 2]
    painted = truth.copy()
    painted[:100, :100] = 0
    painted[150:180, 20:60] = 3
    painted[199, 199] = 4  # a speck is no segment
    counts = vocabulary_counts(measured(bench, item, painted))
    assert counts["fn"] == [0, 1, 0, 0, 0] and counts["fp"] == [0, 0, 0, 1, 0]
    assert measured(bench, item, painted).metrics["recall.large"] == [1, 2]
    assert float(pooled_pq(np.ravel(list(counts.values())))) < 0.75


@pytest.mark.slow
@pytest.mark.parametrize("side", [40, 96, 299, 500])
def test_specks_are_no_segments_at_any_size(tmp_path, side):
    """Up to 8 pixels never are, and 3 × 3 pixels are where they make up 0.01 % of the frame."""
    truth = np.zeros((side, side), np.uint8)
    truth[side // 4 : side // 2, side // 4 : side // 2] = 1
    truth[side // 2 : -side // 8, side // 2 : -side // 8] = 2
    bench, item = folder(tmp_path, truth, form="labels")
    for shape, counts in (((1, 1), False), ((2, 4), False), ((3, 3), side < 300)):
        painted = truth.copy()
        painted[2 : 2 + shape[0], 2 : 2 + shape[1]] = 4
        result = bench.score(item, Answer(images=(encode_labels(painted, PALETTE),)), {})
        assert vocabulary_counts(result)["fp"] == [0, 0, 0, 0, float(counts)]
        assert (float(pooled_pq(result.metrics["panoptic.pq"])) > 0.99) == (not counts)


def test_lean_scoring_measures_no_objects(tmp_path):
    bench, item = folder(tmp_path, two_discs(), detail="lean")
    assert not any(name.startswith(("panoptic", "recall")) for name in measured(bench, item, two_discs()).metrics)


def test_instances_of_the_reference_count_where_they_are_known():
    """Two touching objects of one label: painted as one, they are one segment, which matches the larger."""
    labels = np.zeros((100, 100), np.uint8)
    labels[20:80, 20:90] = 1
    instances = np.where(labels == 1, 1, 0) + ((np.arange(100) >= 70)[None] & (labels == 1))
    case = Case("folder", "a", PALETTE, "")
    kinds = {"vocabulary": PALETTE.labels, "ignored": frozenset(), "pairs": (), "stuff": frozenset({"background"})}
    image = read_answer(Answer(images=(encode_png(PALETTE.paint(labels)),)), labels.shape, palette=PALETTE)
    for frame, expected in ((Frame(None, labels, instances=instances), 1), (Frame(None, labels), 0)):
        found = Semantic().measure(Submission(image), case, frame, SimpleNamespace(**kinds))
        state = np.reshape(found.numbers["panoptic.pq"], (4, -1))
        assert state[3].tolist() == [0, expected, 0, 0, 0] and state[1].tolist() == [1, 1, 0, 0, 0]
        assert found.numbers["recall.large"] == [1 + expected, 1 + expected]


@pytest.mark.slow
def test_objects_are_in_the_summary(tmp_path):
    bench, _ = folder(tmp_path, two_discs())
    done = run(Plan(bench, FOLDER), "control/ceiling-truth", settings=Settings(out=tmp_path / "out"))
    values = {name: metric["value"] for name, metric in done.summary["metrics"].items()}
    assert values["panoptic.pq"] == values["panoptic.sq"] == values["panoptic.rq"] == 1
    assert values["recall.small"] == values["recall.large"] == 1 and "recall.medium" not in values
    assert done.summary["groups"]["class"]["disc"]["pq"]["value"] == 1
    floor = done.summary["metrics"]["panoptic.pq"]["floor"]
    assert 0 <= floor < 0.7
