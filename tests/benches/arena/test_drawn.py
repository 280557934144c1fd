"""Contours and keypoints as tasks: floors, ceilings, and answers that are unusual or dishonest."""

from itertools import islice

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from benches.arena.folders import make, mask
from pixelproof.benches.arena import Arena
from pixelproof.benches.arena.sources import open_source
from pixelproof.benches.arena.tasks import discs, find_discs
from pixelproof.contract import Answer, PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.metrics import LINE
from pixelproof.pixels import VOID, encode_png


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


def scored(bench, item, picture):
    result = bench.score(item, Answer(images=(encode_png(picture),)), {})
    assert result.failure is None
    return result


def folder_items(tmp_path, n=3, **more):
    options = make(tmp_path, n)
    options.pop("generated")
    bench = Arena(**options, task="edges", **more)
    return bench, list(bench.items(Source("folder"), 0, None))


def test_masks_of_a_folder_have_contours_between_their_labels(tmp_path):
    bench, (item, *_) = folder_items(tmp_path)
    case, frame, _ = bench.frame_of(item)
    assert case.palette.colours == ((0, 0, 0), (255, 255, 255)) and frame.labels is None
    labels = mask(0)
    border = (ndimage.maximum_filter(labels, 3) != ndimage.minimum_filter(labels, 3)) & (frame.contours == LINE)
    assert border.sum() > 0.6 * (frame.contours == LINE).sum()
    away = ndimage.distance_transform_edt(frame.contours != LINE)
    assert away[ndimage.maximum_filter(labels, 3) != ndimage.minimum_filter(labels, 3)].max() <= 1


def test_void_borders_may_be_painted_or_not(tmp_path):
    bench, _ = folder_items(tmp_path, 1)
    labels = mask(0)
    labels[60:80, 30:60] = VOID
    Image.fromarray(labels).save(tmp_path / "masks" / "case0.png")  # grey masks are read as ids
    bench, (item,) = folder_items(tmp_path, 0)
    case, frame, _ = bench.frame_of(item)
    assert (frame.contours[60:80, 30:60] == VOID).all()
    lines = frame.contours == LINE
    around = lines.copy()
    around[60:80, 30:60] = ndimage.binary_dilation(np.zeros((20, 30), bool), border_value=1)
    for painted in (lines, lines | around):
        assert scored(bench, item, case.palette.paint(painted.astype(np.uint8))).metrics["edges.f1"] == 1.0


@pytest.mark.slow
def test_an_edge_run_has_floor_and_ceiling(tmp_path):
    bench, _ = folder_items(tmp_path)
    done = run(Plan(bench, Source("folder")), "control/ceiling-truth", settings=Settings(out=tmp_path / "run"))
    for name in ("edges.f1", "edges.f1_pooled", "edges.precision", "edges.recall"):
        metric = done.summary["metrics"][name]
        assert metric["value"] == 1.0 and metric["floor"] < (0.95 if name == "edges.recall" else 0.7), name
        assert metric["calibrated"]["value"] >= 1.0
    assert not any(name.startswith(("robust", "depth", "keypoints")) for name in done.summary["metrics"])


def test_other_colours_are_asked_for_and_decoded(tmp_path):
    bench, (item, *_) = folder_items(tmp_path, colours="fresh", colours_seed=2)
    case, frame, _ = bench.frame_of(item)
    assert set(case.palette.colours) != {(0, 0, 0), (255, 255, 255)}
    assert str(list(case.palette.colours[1])) in bench.prompt(item).text
    assert scored(bench, item, bench.painting.perfect(case, frame)).metrics["edges.f1"] == 1.0


def test_reversed_lines_get_a_note_and_a_low_score(tmp_path):
    bench, (item, *_) = folder_items(tmp_path)
    case, frame, _ = bench.frame_of(item)
    result = scored(bench, item, 255 - bench.painting.perfect(case, frame))
    assert "reversed" in result.notes["edges"] and result.metrics["edges.f1"] < 0.5


def test_evidence_marks_what_is_missed_and_what_is_invented(tmp_path):
    from pixelproof.pixels import read_image

    bench, (item, *_) = folder_items(tmp_path)
    case, frame, _ = bench.frame_of(item)
    exact = scored(bench, item, bench.painting.perfect(case, frame))
    assert {"photo", "truth", "decoded", "errors"} <= set(exact.evidence)

    def shown(result, colour):
        return int((read_image(result.evidence["errors"]) == colour).all(axis=2).sum())

    missed, invented = (64, 156, 255), (255, 176, 0)
    assert shown(exact, missed) == shown(exact, invented) == 0
    blank = scored(bench, item, np.zeros((96, 96, 3), np.uint8))
    assert shown(blank, missed) == (frame.contours == LINE).sum() and shown(blank, invented) == 0
    wrong = np.zeros((96, 96, 3), np.uint8)
    wrong[90:93] = 255
    assert shown(scored(bench, item, wrong), invented) > 100


def test_discs_are_found_where_they_were_painted():
    points = [(1, 30.0, 40.0), (2, 90.5, 20.0), (3, 36.0, 43.0), (5, 3.0, 97.0)]
    found = find_discs(discs(points, (100, 120)), 7)
    assert set(found) == {1, 2, 3, 5}
    for label, x, y in points:
        assert np.hypot(found[label][0] - x, found[label][1] - y) < 1.0


def test_a_second_disc_of_a_colour_is_wrong_and_specks_are_not_discs():
    labels = discs([(1, 30.0, 40.0)], (400, 400))
    labels[200, 200:204] = 1
    assert find_discs(labels, 3)[1] is not None
    assert find_discs(np.maximum(labels, discs([(1, 300.0, 300.0)], (400, 400))), 3)[1] is None
    spray = np.zeros((400, 400), np.uint8)
    spray[::3, ::3] = 1
    assert find_discs(spray, 3) == {}, "dots below nine pixels are no discs"


world = pytest.mark.skipif(
    any(__import__("importlib.util").util.find_spec(name) is None for name in ("mujoco", "embreex")),
    reason="needs the extra world",
)


@pytest.mark.slow
@world
def test_collages_and_worlds_offer_both_tasks_and_name_what_they_lack(tmp_path):
    with pytest.raises(PixelProofError, match="Collages have no depth"):
        open_source("collage", None, "depth")
    source = open_source("world", None, "keypoints", size=128)
    for case in islice(source.cases(5), 3):
        frame = source.load(case)
        assert frame.keypoints and len(case.palette) > len(frame.keypoints)
        facts = source.scenes.facts(case.details["seed"], case.details["index"])
        ids = source.scenes.layers(case.details["seed"], case.details["index"], ("ids",))["ids"]
        for point in frame.keypoints:
            noun = case.palette.labels[point.label]
            assert facts.nouns.count(noun) == 1 and facts.visible[facts.nouns.index(noun)] >= 0.5
            rows, columns = np.nonzero(ids == facts.nouns.index(noun) + 1)
            assert point.x == (columns.min() + columns.max()) / 2 and point.y == (rows.min() + rows.max()) / 2
        shown = {case.palette.labels[point.label] for point in frame.keypoints}
        assert not (set(case.palette.labels[1:]) - shown) & set(facts.nouns), "labels without a point are absent"


@pytest.mark.slow
@world
def test_a_keypoint_answer_is_scored_label_by_label():
    bench = Arena(task="keypoints")
    item = next(bench.items(Source("world"), 5, 1))
    case, frame, _ = bench.frame_of(item)
    perfect = bench.painting.perfect(case, frame)
    result = scored(bench, item, perfect)
    assert result.metrics["keypoints.f1"] == result.metrics["keypoints.pck"] == 1.0
    assert result.metrics["keypoints.oks"] > 0.99 and result.metrics["keypoints.invented"] == 0.0
    assert {"photo", "truth", "decoded", "overlay"} <= set(result.evidence)
    points = [(point.label, point.x, point.y) for point in frame.keypoints]
    absent = next(k for k in range(1, len(case.palette)) if k not in {point.label for point in frame.keypoints})
    one_more = case.palette.paint(discs([*points, (absent, 5.0, 5.0)], frame.shape))
    n = len(points)
    assert scored(bench, item, one_more).metrics["keypoints.f1"] == pytest.approx(2 * n / (2 * n + 1))
    twice = discs(points, frame.shape)
    label = points[0][0]
    twice[480:500, 480:500] = label
    result = scored(bench, item, case.palette.paint(twice))
    assert result.metrics["keypoints.pck"] <= (n - 1) / n and case.palette.labels[label] in result.notes["keypoints"]
    blank = scored(bench, item, np.broadcast_to(case.palette.array[0], perfect.shape).copy())
    assert blank.metrics["keypoints.f1"] == blank.metrics["keypoints.oks"] == 0.0
    assert bench.prompt(item).data["labels"] == list(case.palette.labels)
    assert "Exactly one disc" in bench.prompt(item).text


@pytest.mark.slow
@world
def test_walls_and_tables_are_no_contours_of_objects():
    source = open_source("world", None, "edges", size=128)
    for case in islice(source.cases(5), 3):
        frame = source.load(case)
        facts = source.scenes.facts(case.details["seed"], case.details["index"])
        ids = source.scenes.layers(case.details["seed"], case.details["index"], ("ids",))["ids"]
        objects = np.array([False, *map(bool, facts.nouns)])[ids]
        near = ndimage.binary_dilation(objects, np.ones((3, 3)), iterations=2)
        assert (frame.contours == LINE).any() and not (frame.contours == LINE)[~near].any()
        assert frame.photo is not None and frame.shape == (128, 128)
