"""The task: questions about the scenes of the editing task, floors and ceilings, and both tasks side by side."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

import pytest
from click.testing import CliRunner

import pixelproof
from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial._commands import spatial_group
from pixelproof.benches.spatial.understanding import Question, Scene, edit_id, relate_tasks, understanding_items
from pixelproof.contract import Answer, Item, PixelProofError, Source
from pixelproof.stats import generator

from .desk_pairs import DeskBench, pairs

WORLD = Source("world")
BENCH = Spatial(task="understanding", size=64, quality="draft", world_split="train")
RNG = generator(0, "test")


def asked(skill="distance", kind="number", answer="40", options=(), unit="cm"):
    return Question(skill, kind, "How far?", answer, options, unit, options[0] if options else "60", pair="")


def item_of(question, name="spatial/world/1/0/00000/distance"):
    return Item(name, {"index": 10**6, "size": 64, "quality": "draft"}, question)


@pytest.mark.parametrize("reply, value", [("40 cm", 1.0), ("44", 0.9), ("0.5 m", 0.6), ("90", 0.0), ("-40 cm", 0.0)])
def test_numbers_are_scored_by_relative_accuracy(reply, value):
    result = BENCH.score(item_of(asked()), Answer(reply), {})
    assert result.metrics["mra"] == pytest.approx(value) and "accuracy" not in result.metrics
    assert sum(result.metrics["answer"]) == pytest.approx(1 + value)


@pytest.mark.parametrize("reply, value", [("B", 1.0), ("no", 1.0), ("A", 0.0), ("yes", 0.0)])
def test_options_are_right_or_wrong(reply, value):
    question = asked("direction", "choice", "no", ("yes", "no"), "")
    result = BENCH.score(item_of(question), Answer(reply), {})
    assert result.metrics["accuracy"] == value and "mra" not in result.metrics
    assert result.notes["right answer"] == "B. no" and result.notes["options"] == "A. yes; B. no"


def test_an_unclear_reply_is_a_fault_of_the_model_and_no_wrong_answer():
    result = BENCH.score(item_of(asked()), Answer("30 to 60 cm"), {})
    assert result.failure.name == "ambiguous-answer" and result.metrics == {}


def test_the_prompt_has_the_options_and_never_the_answer():
    question = asked("count", "choice", "3", ("2", "3"), "")
    question = Question(**{**question.__dict__, "images": ()})
    prompt = BENCH.prompt(item_of(question))
    assert "A. 2\nB. 3\n" in prompt.text and prompt.text.endswith("nothing else.")
    bare = Spatial(task="understanding", wording="bare-v1").prompt(item_of(question))
    assert bare.text.startswith("How far?") and len(bare.text) < len(prompt.text)


class TestRelation:
    def test_scenes_are_compared_one_by_one(self):
        edits = {f"s/{n}": float(n % 2) for n in range(8)}
        answers = {f"s/{n}/{slot}": float(n % 2) for n in range(8) for slot in ("distance", "count")}
        relation = relate_tasks(edits, answers, {}, {f"s/{n}": "move" if n < 4 else "swap" for n in range(8)})
        assert (relation.scenes, relation.edits, relation.answers) == (8, 0.5, 0.5)
        assert relation.correlation.value == pytest.approx(1) and relation.difference.value == 0
        assert relation.table == {"both": 4, "only edits": 0, "only answers": 0, "neither": 4}
        assert relation.by_operation == {"move": (4, 0.5, 0.5), "swap": (4, 0.5, 0.5)}

    def test_a_model_that_understands_but_cannot_draw(self):
        edits = {f"s/{n}": 0.0 for n in range(6)}
        answers = {f"s/{n}/count": 1.0 for n in range(6)}
        relation = relate_tasks(edits, answers, {}, {})
        assert relation.table["only answers"] == 6 and relation.difference.value == -1

    def test_other_scenes_are_refused(self):
        with pytest.raises(PixelProofError, match="no scene in common"):
            relate_tasks({"a/1": 1.0}, {"a/2/count": 1.0}, {}, {})


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@lru_cache
def desks():
    """Edits of different scenes: the desk, as edits leave it."""
    scenes = [replace(pair.after, index=place) for place, pair in enumerate(pairs()[:6])]
    return tuple(replace(pairs()[0], before=scene, after=scene) for scene in scenes)


@dataclass(frozen=True)
class DesksBench(DeskBench):
    """The bench on these scenes, in both tasks."""

    size: int = 64

    def _edit_items(self, source, seed, n):
        listed = enumerate(desks())
        made = (self.pair_item("world", f"{place:05d}", place, pair.to_json()) for place, pair in listed)
        return islice(made, n)

    def items(self, source, seed, n):
        return Spatial.items(self, source, seed, n)


DESKS = DesksBench(task="understanding")


@pytest.fixture(scope="module")
def items(cache):
    return list(DESKS.items(WORLD, 3, None))


@pytest.mark.slow
def test_items_are_deterministic_and_about_the_scenes_of_the_editing_task(items):
    again = list(DESKS.items(WORLD, 3, None))
    assert [(item.id, item.inputs) for item in again] == [(item.id, item.inputs) for item in items]
    scenes = list(dict.fromkeys(edit_id(item.id) for item in items))
    edits = {item.id: item for item in DesksBench().items(WORLD, 3, None)}
    assert scenes == [id for id in edits if id in scenes], "in the order of the editing task"
    for item in items:
        assert item.cluster == edits[edit_id(item.id)].cluster
        assert item.truth.pair == edits[edit_id(item.id)].truth
    assert len(scenes) >= 5 and {item.truth.skill for item in items} >= {"distance", "direction", "what-if"}
    prompt = DESKS.prompt(items[0])
    assert prompt.parts[0].media_type == "image/png" and items[0].truth.text in prompt.text


@pytest.mark.slow
def test_the_right_place_is_balanced_and_floors_and_ceiling_are_where_they_belong(items):
    letters = Counter(item.truth.letter for item in items if len(item.truth.options) == 2)
    assert abs(letters["A"] - letters["B"]) <= 1 and letters.total() >= 4
    for item in items:
        said = {name: control(item, RNG) for name, control in DESKS.controls().items()}
        scores = {name: DESKS.score(item, answer, {}) for name, answer in said.items()}
        assert all(result.failure is None for result in scores.values()), scores
        assert sum(scores["ceiling-truth"].metrics["answer"]) == 2
        assert scores["ceiling-truth"].evidence["before"].media_type == "image/png"


@pytest.mark.slow
def test_a_foil_is_another_scene(cache):
    edits = list(DesksBench().items(WORLD, 0, 1))
    same = [Scene(item.truth, item) for item in (*edits, *edits)]
    assert not list(understanding_items(same, 0, "en")), "a scene is not its own foil"


@pytest.mark.slow
def test_both_tasks_are_compared_scene_by_scene(tmp_path, cache):
    pixelproof.run(DesksBench(), "control/floor-copy", limit=4, out=tmp_path / "edits", calibrate=0)
    run = pixelproof.run(DESKS, "control/ceiling-truth", out=tmp_path / "answers", workers=1)
    metrics = run.summary["metrics"]
    assert metrics["accuracy"]["value"] == metrics["mra"]["value"] == metrics["answer"]["value"] == 1
    assert metrics["accuracy"]["floor"] < 1 and "ic" not in metrics
    runs = [str(tmp_path / name) for name in ("edits", "answers")]
    relation = json.loads(CliRunner().invoke(spatial_group, ["relate", *runs, "--json"]).output)
    assert relation["answers"] == 1 and relation["edits"] == 0 and relation["table"]["only answers"] > 0
    assert "rank correlation" in CliRunner().invoke(spatial_group, ["relate", *runs]).output
    wrong = CliRunner().invoke(spatial_group, ["relate", *runs[::-1]])
    assert isinstance(wrong.exception, PixelProofError) and "give EDITS first" in str(wrong.exception)
    page = tmp_path / "report.html"
    pixelproof.report(runs[1], out=page, bench=DESKS)
    assert "Which edits were asked for" not in page.read_text()
    assert "Which questions were asked" in page.read_text()


def test_boxes_cannot_be_asked_about(tmp_path):
    with pytest.raises(PixelProofError, match="no scenes to ask about"):
        BENCH.items(Source("gsi", tmp_path), 0, None)
