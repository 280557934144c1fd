"""The default perception in the bench: controls and models are read in the same way; doubt is an abstention."""

from dataclasses import dataclass, replace

import pytest

import pixelproof
from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial.perception import calibration, describe_calibration
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.contract import Answer, Source
from pixelproof.pixels import encode_png
from pixelproof.world.edits import Edit
from world.edits.scenes import block, desk

from .desk_pairs import DeskBench, made

pytestmark = pytest.mark.slow  # renders


@dataclass(frozen=True)
class MugBench(DeskBench):
    """One item: move the mug to the left."""

    perception: str = "render-and-compare"
    gallery: int = 0

    def items(self, source, seed, n):
        pair = made("move", (Edit("move", "mug", "left", 0.12),))
        yield self.pair_item("world", "00000", 0, pair.to_json())


BENCH = MugBench()


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def move(cache):
    return next(BENCH.items(Source("world"), 0, None))


def shows(scene):
    return Answer(images=(encode_png(SceneRenderer(256, "draft").render(scene).rgb),))


def something_else():
    """A scene in which a green bowl stands where the mug should be."""
    bowl = replace(block("bowl", (-0.12, 0.25), "bowl"), colour="green")
    return replace(desk().without("mug"), things=(*desk().without("mug").things, bowl))


def test_it_is_the_default_and_states_its_error():
    assert Spatial().perception == "render-and-compare"
    _, errors = calibration("render-and-compare")
    assert set(errors) <= {"tabletop", "room", "shelf"} and all(error.answers > 0 for error in errors.values())
    assert "not measured" in describe_calibration("silhouette")
    assert "512 pixels, beauty" in describe_calibration("render-and-compare")
    assert [*Spatial().remarks(Source("world"))] == [describe_calibration("render-and-compare")]


def test_what_a_trace_says_makes_no_difference(move):
    control = BENCH.controls()["ceiling-truth"](move, None)
    results = [BENCH.score(move, answer, {}) for answer in (control, Answer(images=control.images))]
    assert results[0].metrics == results[1].metrics and results[0].metrics["micro.ic"] == 1
    assert results[0].metrics["micro.sa"] == pytest.approx(1, abs=0.03) and results[0].metrics["perceived"] == 1


def test_doubt_is_an_abstention_and_not_a_fault(move):
    result = BENCH.score(move, shows(something_else()), {})
    assert result.status == "abstained" and result.failure is None and "mug" in result.notes["unclear"]
    assert result.metrics == {"perceived": 0.0}


def test_a_summary_counts_abstentions_and_bounds_the_mean(tmp_path):
    answers = iter([shows(something_else()).images[0]] * 9)
    run = pixelproof.run(BENCH, lambda prompt: next(answers), source="world", limit=1, out=tmp_path / "run", workers=1)
    assert run.summary["counts"]["abstained"] == 1 and run.summary["metrics"]["perceived"]["value"] == 0
    low, high = run.summary["metrics"]["sa"]["bounds"]
    assert low < 0.1 and high > 0.9 and run.summary["metrics"]["sa"]["value"] == pytest.approx(low)
