"""Tasks of the agent bench: what the first view hides, and oracle chains with perfect tools."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benches.agent.playing import oracle_of
from pixelproof.benches.agent import Agent, _bench
from pixelproof.benches.agent._controls import play_chain
from pixelproof.benches.agent._reply import read_reply
from pixelproof.benches.agent._vision import find_blobs
from pixelproof.benches.agent.tasks import LEVELS, SMALLEST, TASKS, Challenge
from pixelproof.contract import Answer, Artefact, PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.harness._conversation import converse
from pixelproof.pixels import read_image
from pixelproof.tools import Backends
from pixelproof.tools._plain_tools import scaled
from pixelproof.world import COLOURS
from pixelproof.world.flat import ALPHABET, SHAPES, Clip, draw, thumbnail

SEED = 11


def perfect(challenge):
    """Back ends without errors."""
    oracle = oracle_of(challenge)
    return Backends(oracle, oracle, oracle)


def item_of(task, level="base", index=0):
    bench = Agent(task=task, level=level)
    return bench, list(bench.items(Source("world"), SEED, index + 1))[index]


def play(bench, item, monkeypatch, reply):
    challenge = bench.challenge(item)
    monkeypatch.setattr(_bench, "_backends", lambda: perfect(challenge))
    answer = converse(bench, item, reply).answer
    return bench.score(item, answer, {}), answer


@pytest.mark.slow
@pytest.mark.parametrize("level", ["base", "hard"])
@pytest.mark.parametrize("task", TASKS)
def test_the_chain_of_the_oracle_leads_to_the_answer(task, level, monkeypatch):
    bench, item = item_of(task, level)
    result, answer = play(bench, item, monkeypatch, lambda prompt: play_chain(bench.challenge(item).chain(), prompt))
    assert result.failure is None and result.metrics["accuracy"] == 1
    assert result.metrics["calls"] <= TASKS[task].calls
    if TASKS[task].needs != "nothing":
        assert result.metrics["faithful"] == [1, 1]
        assert result.metrics["visfid"] > 0.9 or task == "count-clutter", "of which all of the frame is looked at"
    else:
        assert result.metrics["uses_tools"] == 0 and "visfid" not in result.metrics


@pytest.mark.parametrize("task", ["read-code", "same-code", "odd-code", "two-codes"])
@pytest.mark.parametrize("level", LEVELS)
def test_codes_are_not_in_the_first_view(task, level):
    """Scenes that differ in their codes alone are asked about with the same bytes."""
    bench, item = item_of(task, level, 3)
    challenge = bench.challenge(item)
    world = challenge.world
    for sprite in world.sprites:
        if sprite.text:
            world = world.with_sprite(replace(sprite, text=sprite.text[::-1]))
    other = replace(challenge, world=world)
    assert not np.array_equal(other.frames, challenge.frames)
    assert np.array_equal(other.first_frame, challenge.first_frame)
    shown = next(part for part in bench.prompt(item).parts if isinstance(part, Artefact))
    assert np.array_equal(read_image(shown), scaled(challenge.first_frame, 64))
    views = [thumbnail(frame, 8).astype(int) for frame in (challenge.frames, challenge.first_frame)]
    assert np.abs(views[0] - views[1]).max() <= 1, "it looks like the picture"


@pytest.mark.parametrize("task", ["follow-code", "flash-colour", "event-order"])
def test_what_happens_later_is_not_in_the_first_frame(task):
    challenge = TASKS[task].make(SEED, 3, "base")
    assert isinstance(challenge.world, Clip)
    still = replace(challenge.world, changes=())
    assert np.array_equal(draw(still.frame(0)), draw(challenge.world.frame(0)))


@pytest.mark.parametrize("index", [389, 399])
def test_cells_of_noise_are_not_counted_as_shapes(index):
    challenge = TASKS["count-clutter"].make(4711, index, "base")
    colour = challenge.question.split()[2]
    assert str(len(find_blobs(challenge.frames, [colour], SMALLEST))) == challenge.answer
    assert len(find_blobs(challenge.frames, [colour], SMALLEST // 2)) > int(challenge.answer)


@pytest.mark.parametrize("task", TASKS)
def test_challenges_are_deterministic_and_answers_are_possible(task):
    first, again = (TASKS[task].make(SEED, 5, "base") for _ in range(2))
    assert first == again
    assert read_reply(first.answer, first) == first.answer
    assert bool(first.options) != bool(first.length)
    if first.guesses:
        assert set(first.answer.split(", ")) <= set(first.guesses) <= set(first.options)


@pytest.mark.parametrize("task", ["same-code", "flash-colour", "event-order", "largest-colour"])
def test_a_guess_without_a_look_is_one_of_those_that_the_first_view_does_not_rule_out(task):
    """So that the floor is at chance, not below it."""
    bench, item = item_of(task)
    challenge = bench.challenge(item)
    floor = bench.controls()["floor-never-look"]
    rng = np.random.default_rng(3)
    guesses = [floor.reply(item, None, rng).text.split(", ") for _ in range(300)]
    assert {word for words in guesses for word in words} == set(challenge.guesses) < set(challenge.options)
    assert challenge.chance == pytest.approx(1 / math.perm(len(challenge.guesses), challenge.words))
    assert all(len(set(words)) == challenge.words for words in guesses)


def test_prompts_list_the_words_of_answers():
    bench, item = item_of("flash-colour")
    system = bench.prompt(item).system
    assert all(word in system for word in (*COLOURS, *SHAPES, ALPHABET))


def test_items_have_scenes_of_their_own_and_do_not_depend_on_the_choice_of_tasks():
    bench = Agent()
    items = list(bench.items(Source("world"), SEED, 2 * len(TASKS)))
    assert len({item.id for item in items}) == len(items)
    assert len({item.inputs["index"] for item in items}) == len(items)
    alone = list(Agent(task="read-code").items(Source("world"), SEED, 2))
    assert [item for item in items if item.tags["task"] == "read-code"] == alone


@pytest.mark.parametrize(
    "options",
    [
        {"task": "read-cod"},
        {"task": "read-code,read-code"},
        {"level": "easy"},
        {"calls": 0},
        {"intervention": "shuffle"},
    ],
)
def test_wrong_options_are_a_sentence(options):
    with pytest.raises(PixelProofError):
        Agent(**options)


CODE = Challenge("?", "3SX", None, length=3)
COLOUR = Challenge("?", "teal", None, ("red", "teal", "lime"))
PAIR = Challenge("?", "red ring", None, ("red ring", "red circle"))
CODES = Challenge("?", "3SXKRU", None, length=6)
GREY = Challenge("?", "grey", None, ("grey", "red", "circle"))
COUNT = Challenge("?", "3", None, ("1", "2", "3", "4", "5"))
PALETTE = Challenge("?", "navy", None, tuple(COLOURS))
SHAPE = Challenge("?", "drop", None, tuple(SHAPES))
ORDER = Challenge("?", "red, lime", None, ("red", "teal", "lime"), words=2)


@pytest.mark.parametrize(
    ("challenge", "text", "reply"),
    [
        (CODE, "3SX", "3SX"),
        (CODE, " 3 s x ", "3SX"),
        (CODE, "The code is 3SX.", "3SX"),
        (CODE, "the code may be 3SX or 4SX", None),
        (CODE, "", None),
        (CODE, "3SX3SX", None),
        (COLOUR, "It is Teal.", "teal"),
        (COLOUR, "teal, not red", None),
        (COLOUR, "steal", None),
        (PAIR, "the red ring", "red ring"),
        (PAIR, "red", None),
        (ORDER, "red, then lime", "red, lime"),
        (ORDER, "lime and red", "lime, red"),
        (ORDER, "red", None),
        (ORDER, "red, teal, lime", None),
        (CODE, "3SX <confidence>0.5</confidence>", "3SX"),
        (CODE, "unknown", "unknown"),
        (COLOUR, " Unknown. ", "unknown"),
        (COLOUR, "unknown, perhaps teal", "teal"),
        (CODE, "OCR reads 3SX", "3SX"),
        (CODE, "THE CODE IS 3SX", "3SX"),
        (CODE, "3SX, with 100 % confidence", "3SX"),
        (CODE, "code: 3sx", "3SX"),
        (CODE, "it was 3sx", None),
        (CODES, "ANSWER: 3SXKRU", "3SXKRU"),
        (CODES, "The codes are 3SX and KRU.", "3SXKRU"),
        (CODES, "3SX, KRU or DDD", None),
        (COLOUR, "<think>red or lime?</think> teal", "teal"),
        (COLOUR, "<think>it may be teal", None),
        (COLOUR, "red? <answer>teal</answer>", "teal"),
        (COLOUR, "<answer>red</answer> no, <answer>teal</answer>", "teal"),
        (COLOUR, "anything but teal", None),
        (COLOUR, "any colour except teal", None),
        (COLOUR, "never teal", None),
        (COUNT, "three hundred", None),
        (COUNT, "3,000", None),
        (COUNT, "3 %", None),
        (COUNT, "at most 3", None),
        (COUNT, "fewer than three", None),
        (PAIR, "the lime ring", None),
        (COLOUR, "It isn't teal", None),
        (COLOUR, "not the red", None),
        (GREY, "Gray", "grey"),
        (GREY, "a disc", "circle"),
        (COUNT, "three", "3"),
        (COUNT, "There are 3.", "3"),
        (COUNT, "0.5", None),
        (COUNT, "-3", None),
        (PAIR, "ring", "red ring"),
        (PAIR, "the circle, not the ring", None),
        (PALETTE, "navy blue", "navy"),
        (PALETTE, "Navy-blue.", "navy"),
        (PALETTE, "lime green", "lime"),
        (PALETTE, "violet", "purple"),
        (PALETTE, "dark green", "green"),
        (PALETTE, "dark blue", None),
        (PALETTE, "light green", None),
        (PALETTE, "blue-green", None),
        (PALETTE, "turquoise", None),
        (SHAPE, "a teardrop", "drop"),
        (SHAPE, "the crescent moon", "crescent"),
        (SHAPE, "a half-circle", "semicircle"),
        (SHAPE, "circle", "circle"),
        (COLOUR, "violet", None),
    ],
)
def test_reading_of_replies(challenge, text, reply):
    assert read_reply(text, challenge) == reply


def test_an_unclear_answer_is_a_model_fault(monkeypatch):
    bench, item = item_of("flash-colour")
    result, _ = play(bench, item, monkeypatch, lambda prompt: Answer("teal or red"))
    assert result.status == "model-fault" and result.failure.name == "unclear-answer"
    assert result.metrics["uses_tools"] == 0 and result.metrics["visfid"] == 0


@pytest.mark.slow
def test_floors_do_not_see_the_answer(tmp_path, monkeypatch):
    """Random answers reach chance; a run of a control goes through the harness as any other."""
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    plan = Plan(Agent(task="flash-colour"), Source("world"), SEED, 12, 1)
    done = run(plan, "control/floor-never-look", settings=Settings(out=tmp_path / "run", calibrate=0))
    assert done.summary["counts"]["completed"] == 12
    assert done.summary["metrics"]["accuracy"]["value"] <= 0.5
    assert done.summary["metrics"]["uses_tools"]["value"] == 0
