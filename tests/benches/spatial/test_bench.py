"""The bench: floors and ceilings, wrong answers that come out as their names say, and answers that claim too much."""

from dataclasses import replace

import numpy as np
import pytest

import pixelproof
from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial._metrics import METRICS
from pixelproof.benches.spatial._pairs import OPERATIONS
from pixelproof.benches.spatial._perception import Perceived
from pixelproof.benches.spatial._score import Scorer
from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError, Source
from pixelproof.pixels import encode_png, read_image
from pixelproof.stats import generator
from pixelproof.world.edits import Edit, pivot, placed
from pixelproof.world.pairs import PairRecipe
from pixelproof.world.sets import make_set, read_set
from pixelproof.world.solid import SolidRecipe

from .desk_pairs import STEPS, DeskBench, made

pytestmark = pytest.mark.slow  # renders
BENCH, WORLD = DeskBench(), Source("world")


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def items(cache):
    return list(BENCH.items(WORLD, 0, None))


@pytest.fixture(scope="module")
def edits(items):
    """Items with a possible edit."""
    return [item for item in items if item.tags["operation"] != "impossible"]


def answer_of(name, item):
    return BENCH.controls()[name](item, generator(0, "control"))


def score_of(name, item):
    return BENCH.score(item, answer_of(name, item), {})


def values(result):
    """Scores of one answer."""
    pools = {metric.name: metric.pool for metric in BENCH.metrics}
    return {n: float(pools[n](v) if pools[n] else v) for n, v in result.metrics.items()}


def test_generated_items_are_deterministic_and_every_operation_occurs():
    bench = Spatial(perception="oracle", size=64, quality="draft", preset="gsi", world_split="train")
    items, again = (list(bench.items(WORLD, 0, 7)) for _ in range(2))
    assert [item.inputs for item in again] == [item.inputs for item in items]
    assert len({item.id for item in items}) == 7 and len({item.tags["operation"] for item in items}) == 7
    for item in items:
        truth, copy = (
            values(bench.score(item, bench.controls()[n](item, None), {})) for n in ("ceiling-truth", "floor-copy")
        )
        assert (truth["ic"], truth["sa"], truth["el"]) == (1, pytest.approx(1), 1), item.tags
        assert (copy["ic"], copy["sa"]) == (0, pytest.approx(0, abs=1e-9)), item.tags


def test_truth_scores_1_and_a_copy_0(edits):
    for item in edits:
        truth, copy = values(score_of("ceiling-truth", item)), values(score_of("floor-copy", item))
        assert all(truth[name] == pytest.approx(1) for name in ("ic", "sa", "el", "joint")), item.tags
        assert all(copy[name] == pytest.approx(0, abs=1e-9) for name in ("ic", "sa", "joint")), item.tags
        assert copy["el"] == 1, "a copy touches nothing"
        assert truth.get("ac", 1) == 1 and truth.get("shadow", 1) == pytest.approx(1)
        assert truth["micro.ic"] == truth["ic"]


def test_a_blank_image_scores_nothing(edits):
    for item in edits:
        blank = values(score_of("floor-blank", item))
        assert (blank["ic"], blank["sa"], blank["joint"]) == (0, 0, 0) and blank["el"] < 0.4


def test_the_channel_hardly_costs(edits):
    for item in edits:
        channel = values(score_of("ceiling-channel", item))
        assert (channel["ic"], channel["sa"], channel["joint"]) == (1, pytest.approx(1), 1)
        assert channel["el"] > 0.93


def test_faults_come_out_as_their_names_say(edits):
    seen = set()
    for item in edits:
        for name in ("wrong-direction", "wrong-object", "over-edit", "camera-nudge"):
            result = score_of(name, item)
            if result.failure is not None:
                assert result.failure.name == "not-applicable" and result.failure.fault is Fault.INSTRUMENT
                continue
            seen.add(name)
            got = values(result)
            assert got["ic"] == (name == "over-edit") and got["joint"] == 0, (name, item.tags)
            if name == "wrong-direction":
                assert got["sa"] == 0 and got["el"] == 1
            elif name == "over-edit":
                assert got["sa"] == pytest.approx(1) and got["el"] < 0.97 and "also changed" in result.notes
            else:
                assert got["sa"] < 0.3, (name, item.tags)
                assert got["el"] < 0.97 or item.tags["operation"] == "viewpoint", (name, item.tags)
    assert seen == {"wrong-direction", "wrong-object", "over-edit", "camera-nudge"}


@pytest.mark.parametrize(
    ("symmetry", "degrees", "applies"), [("C1", 120, 1), ("C1", 165, 0), ("C2", 75, 0), ("C2", 60, 1)]
)
def test_turns_whose_opposite_looks_alike_have_no_wrong_direction(symmetry, degrees, applies):
    pair = made("rotation", (Edit("turn", "mug", "clockwise", float(degrees)),))
    mugs = [replace(scene.thing("mug"), symmetry=symmetry) for scene in (pair.before, pair.after)]
    pair = replace(pair, before=pair.before.with_thing(mugs[0]), after=pair.after.with_thing(mugs[1]))
    item = BENCH.pair_item("world", "0", 0, pair.to_json())
    result = score_of("wrong-direction", item)
    assert (result.failure is None) == bool(applies)
    if applies:
        assert values(result)["ic"] == 0 and values(result)["sa"] == pytest.approx(0, abs=1e-6)


def test_a_trace_that_claims_a_perfect_scene_is_not_believed(items):
    """The picture is a copy, or anything else; the trace says that it shows the target."""
    item = items[0]
    truth, copy = answer_of("ceiling-truth", item), answer_of("floor-copy", item)
    grey = encode_png(np.full((256, 256, 3), 200, np.uint8))
    for picture in (answer_of("wrong-direction", item).images or copy.images, (grey,)):
        result = BENCH.score(item, Answer(images=picture, trace=truth.trace), {})
        assert result.failure is not None and result.failure.name == "not-perceived"
        assert "ic" not in result.metrics and "sa" not in result.metrics
    claimed = BENCH.score(item, Answer(images=copy.images, trace=truth.trace), {})
    assert values(claimed)["ic"] == 0, "a picture without a visible change is a copy, whatever the trace says"
    renamed = ({"control": "mine", "scene": BENCH.pair_of(item).after.to_json()},)
    assert BENCH.score(item, Answer(images=truth.images, trace=renamed), {}).failure.name == "not-perceived"
    for trace in (({},), ({"control": 3},), ({"control": ["ceiling-truth"]},), ({"control": None},)):
        assert BENCH.score(item, Answer(images=(grey,), trace=trace), {}).failure.name == "not-perceived"


def test_answers_of_models_wait_and_say_so(items, tmp_path):
    def model(prompt):
        picture = np.array(read_image(prompt.data["photo"]))
        picture[30:70, 30:70] = (250, 20, 20)
        return encode_png(picture)

    run = pixelproof.run(BENCH, model, source="world", limit=2, out=tmp_path / "run", calibrate=0)
    assert run.summary["counts"]["unscored"] == 2
    assert run.summary["failures"] == {"not-perceived": 2}
    result = next(iter(run.results(BENCH)))
    assert "oracle" in result.failure.detail and "control/" in result.failure.detail


@pytest.mark.parametrize(
    "answer",
    [
        Answer("I cannot do that."),
        Answer(images=(Artefact(b"no image"),)),
        Answer(images=(encode_png(np.zeros((64, 128, 3), np.uint8)),)),
        Answer(failure=Failure(Fault.MODEL, "refusal", "")),
    ],
)
def test_hostile_answers_are_faults_of_the_model(items, answer):
    result = BENCH.score(items[0], answer, {})
    assert result.failure.fault is Fault.MODEL and not result.metrics


def test_saying_that_a_possible_edit_is_impossible_is_wrong(items):
    item = next(item for item in items if item.tags["operation"] == "move")
    for answer in (
        Answer("IMPOSSIBLE"),
        replace(answer_of("ceiling-truth", item), text="Impossible: no room"),
    ):
        got = values(BENCH.score(item, answer, {}))
        assert (got["ic"], got["sa"]) == (0, 0) and "impossible" not in got
    assert values(BENCH.score(item, replace(answer_of("ceiling-truth", item), text="Done!"), {}))["ic"] == 1


def test_prompts_have_names_and_versions(items):
    prompt = BENCH.prompt(items[0])
    assert prompt.wants == "image" and items[0].inputs["instruction"] in prompt.text and "IMPOSSIBLE" in prompt.text
    assert read_image(prompt.parts[0]).shape == (256, 256, 3)
    assert set(prompt.data) == {"instruction", "photo"}, "no truth"
    bare = replace(BENCH, wording="bare-v1").prompt(items[0])
    assert bare.text == items[0].inputs["instruction"]


def test_evidence_shows_before_target_and_answer(items):
    item = next(item for item in items if item.tags["operation"] == "move")
    result = score_of("ceiling-truth", item)
    assert list(result.evidence) == ["before", "target", "read", "changed besides"]
    assert result.notes["asked"] == result.notes["done"] and "cm" in result.notes["asked"]
    assert list(BENCH.score(item, Answer(""), {}).evidence) == ["before", "target"]
    assert not replace(BENCH, gallery=0).score(item, answer_of("floor-copy", item), {}).evidence


def test_a_run_is_calibrated(tmp_path):
    run = pixelproof.run(BENCH, "control/ceiling-channel", limit=3, out=tmp_path / "run", workers=1)
    metrics = run.summary["metrics"]
    assert metrics["ic"]["value"] == 1 and metrics["ic"]["floor"] < 0.3 and metrics["ic"]["ceiling"] == 1
    assert metrics["sa"]["calibrated"]["value"] == pytest.approx(1)
    assert metrics["el"]["floor"] < 0.3 and set(run.summary["groups"]["operation"]) == set(list(STEPS)[:3])


def test_unknown_sources_and_sizes_are_refused():
    with pytest.raises(PixelProofError, match="world"):
        list(Spatial().items(Source("wrold"), 0, 1))


def test_impossible_edits_are_a_balanced_accuracy_of_their_own(items):
    twins = [item for item in items if item.tags["operation"] == "impossible"]
    assert [BENCH.pair_of(item).possible for item in twins].count(True) == len(twins) // 2 == 1

    def accuracy(answers):
        states = [
            BENCH.score(item, answer, {}).metrics["impossible"] for item, answer in zip(twins, answers, strict=True)
        ]
        return float(next(m for m in BENCH.metrics if m.name == "impossible").pool(np.sum(states, axis=0)))

    assert accuracy([answer_of("ceiling-truth", item) for item in twins]) == 1
    assert accuracy([answer_of("ceiling-channel", item) for item in twins]) == 1
    assert accuracy([answer_of("floor-copy", item) for item in twins]) == 0.5
    assert accuracy([answer_of("floor-blank", item) for item in twins]) == 0.5
    assert accuracy([Answer("IMPOSSIBLE")] * len(twins)) == 0.5
    right = [answer_of("ceiling-truth", i) if BENCH.pair_of(i).possible else Answer("impossible.") for i in twins]
    assert accuracy(right) == 1
    for item in twins:
        assert set(score_of("ceiling-truth", item).metrics) == {"impossible"}, "no part of the other scores"


def test_a_set_that_was_made_is_a_source(tmp_path):
    recipe = PairRecipe("pair", 7, width=64, height=64, operations=("move",), room="tabletop")
    make_set(recipe, 1, tmp_path / "set", workers=1)
    (item,) = Spatial().items(Source("made", tmp_path / "set"), 0, None)
    stored, layers = read_set(tmp_path / "set")[0]
    assert item.inputs["instruction"] == stored.text and item.inputs["size"] == 64
    photo = read_image(Spatial().prompt(item).parts[0])
    assert np.array_equal(photo, layers.before.rgb), "what was made is what is asked about"
    bench = Spatial(perception="oracle")
    truth = bench.score(item, bench.controls()["ceiling-truth"](item, None), {})
    assert truth.metrics["micro.ic"] == 1 and truth.metrics["micro.sa"] == pytest.approx(1)
    make_set(SolidRecipe("tabletop", 7, width=32, height=32), 1, tmp_path / "scenes", workers=1)
    with pytest.raises(PixelProofError, match="spatial make"):
        list(Spatial().items(Source("made", tmp_path / "scenes"), 0, None))


def test_a_right_move_of_a_thing_that_also_grows_is_no_joint_success(items, monkeypatch):
    """The expected picture shows the thing as the answer has it, so that neither locality nor appearance falls."""
    from pixelproof.benches.spatial import _executed

    def grown(pair):
        thing = pair.after.thing("two")
        return pair.after.with_thing(placed(thing, *pivot(thing), turn_deg=0.0, factor=1.6))

    monkeypatch.setitem(_executed._EXECUTED, "over-edit", grown)
    _executed._memory.clear()
    result = score_of("over-edit", items[0])
    _executed._memory.clear()
    got = values(result)
    assert got["ic"] == 1 and got["el"] > 0.99 and got["ac"] > 0.99
    assert got["joint"] == 0 and "turn or size" in result.notes["not kept"]


def test_what_perception_noticed_besides_is_no_joint_success(items):
    """A thing that is there twice, has other colours, or was changed as well may be a small part of the picture."""
    item = items[0]
    pair, renderer = BENCH.pair_of(item), BENCH.renderer_of(item)
    answer = answer_of("ceiling-truth", item)
    for notes, joint in (
        ({}, 1),
        ({"repainted": "two"}, 0),
        ({"there twice": "two"}, 0),
        ({"changed as well": "mug"}, 0),
    ):
        perceived = Perceived(pair.after, "a test", notes, confidence=0.75)
        scorer = Scorer(lambda *_, seen=perceived: seen, renderer, OPERATIONS, gallery=False)
        result = scorer.score(item, answer, pair)
        assert result.metrics["micro.joint"] == joint and result.metrics["micro.ic"] == 1
        assert result.notes["confidence of the reading"] == "0.75"


def test_a_copy_is_no_floor_of_what_it_leaves_alone():
    """Faults and abstentions count as the floor: with a copy as floor, broken files would look perfect."""
    floors = {metric.name: metric.floors for metric in METRICS}
    for name in ("ac", "el", "micro.ac", "micro.el", "judge.ac"):
        assert floors[name] == ("floor-blank",)
    assert floors["shadow"] == floors["micro.shadow"] == ()
