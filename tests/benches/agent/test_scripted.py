"""The scripted agent: what it recognises, and that it answers from evidence alone."""

import numpy as np
import pytest

from benches.agent.playing import SEED, PerfectTools, first_items, play, scripted
from pixelproof.benches.agent import _bench, _vision
from pixelproof.benches.agent.tasks import TASKS
from pixelproof.contract import PixelProofError, Prompt
from pixelproof.nets import get_net
from pixelproof.stats import generator
from pixelproof.world import COLOURS
from pixelproof.world.flat import SHAPES, FlatScene, Sprite, draw, make_flat


@pytest.fixture
def perfect_tools(monkeypatch):
    tools = PerfectTools()
    monkeypatch.setattr(_bench, "_backends", lambda: tools)
    return tools


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_recognised_at_any_rotation(shape):
    for angle in (0.0, 37.0, 205.0):
        sprite = Sprite("thing", shape, "red", 64.0, 64.0, 60.0, angle)
        blobs = _vision.find_blobs(draw(FlatScene(0, 0, 128, 128, (sprite,))), ["red"], 200)
        scores = _vision.shape_scores(blobs[0].mask)
        assert max(scores, key=scores.__getitem__) == shape


def test_things_and_their_plates_are_found():
    scene = make_flat(SEED, 3, sans=1.0)
    picture = draw(scene)
    for plate in (sprite for sprite in scene.sprites if sprite.text):
        thing = scene.sprite(plate.carrier)
        blob = _vision.find_thing(picture, thing.colour, thing.shape)
        assert abs((blob.box[0] + blob.box[2]) / 2 - plate.x) < 6
        found, _ = _vision.find_plate(picture, (blob.box[0] + blob.box[2]) / 2, blob.box[3], blob.box[3] + 10)
        assert found == plate.rectangle
    assert len(_vision.find_labelled(picture)) == sum(bool(sprite.text) for sprite in scene.sprites)


def test_colour_words():
    for word, colour in COLOURS.items():
        assert _vision.word_of(colour)[0] == word
    assert _vision.colour_map(np.full((4, 4, 3), 200, np.uint8)).tolist() == [[255] * 4] * 4, "background"


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_it_answers_every_task_from_evidence(task, perfect_tools):
    bench, (item,) = first_items(task=task)
    perfect_tools.register(bench.challenge(item))
    result, answer = play(bench, item, scripted)
    assert result.failure is None and result.metrics["accuracy"] == 1
    assert result.metrics["confidence"] > 0
    assert result.metrics["uses_tools"] == float(TASKS[task].needs != "nothing")
    if TASKS[task].needs != "nothing":
        assert result.metrics["faithful"] == [1, 1]


def test_it_is_a_net_that_refuses_other_questions():
    net = get_net("scripted-agent")
    with pytest.raises(PixelProofError, match="does not know this question"):
        net.answer(Prompt(("A picture of 64 × 64 pixels.", "Is it art?")), generator(1, "test"))
    with pytest.raises(PixelProofError, match="choose another model"):
        net.answer(Prompt(("Draw Saturn.",)), generator(1, "test"))


def test_it_answers_when_the_budget_is_used_up(perfect_tools):
    bench, (item,) = first_items(task="event-order", calls=2)
    result, _ = play(bench, item, scripted)
    assert result.failure is None and result.metrics["calls"] == 2 and result.metrics["confidence"] == 0
