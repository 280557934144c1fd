"""The solid tier: codes on things in rendered scenes and clips."""

import numpy as np
import pytest

pytest.importorskip("embreex")
pytest.importorskip("mujoco")
pytest.importorskip("manifold3d")

from benches.agent.playing import oracle_of, play
from pixelproof.benches.agent import Agent, _bench
from pixelproof.benches.agent.tasks import SOLID_TASKS
from pixelproof.contract import Answer, Call, PixelProofError, Source
from pixelproof.tools import Backends

SEED = 4711


def item_of(task, **options):
    bench = Agent(task=task, **options)
    return bench, next(bench.items(Source("solid"), SEED, 1))


@pytest.mark.slow
@pytest.mark.parametrize("task", ["read-sign", "flash-sign"])
def test_the_chain_of_the_oracle_leads_to_the_answer(task, monkeypatch):
    bench, item = item_of(task)
    challenge = bench.challenge(item)
    oracle = oracle_of(challenge)
    monkeypatch.setattr(_bench, "_backends", lambda: Backends(oracle, oracle, oracle))
    control = bench.controls()["oracle-tools"]
    result, _ = play(bench, item, lambda prompt: control.reply(item, prompt, None))
    assert result.failure is None and result.metrics["accuracy"] == 1
    assert result.metrics["faithful"] == [1, 1] and result.metrics["visfid"] == 1
    assert result.metrics["calls"] == SOLID_TASKS[task].calls and result.metrics["chance"] < 0.001
    result, _ = play(bench, item, lambda prompt: Answer(challenge.answer))
    assert result.metrics["accuracy"] == 1 and result.metrics["faithful"] == [0, 1]


@pytest.mark.slow
def test_texts_cover_things_in_their_frames_and_change_nothing_else():
    bench, item = item_of("flash-sign")
    challenge = bench.challenge(item)
    ((lit, text),) = challenge.targets
    left, top, right, bottom = challenge.truth(lit).seen[text].box
    change = abs(challenge.frames[0].astype(int) - challenge.frames[lit]).max(axis=-1)
    ink = change > 24  # light that the text reflects changes less
    assert ink[top:bottom, left:right].sum() > 50
    thing = challenge.truth(lit).visible_mask(text.removesuffix("/text"))
    assert thing[top:bottom, left:right].mean() >= 0.9 and ink[thing].sum() > 0.9 * ink.sum()
    assert challenge.scene(0).sprite(text).text == "" and challenge.scene(lit).sprite(text).text == challenge.answer
    assert list(challenge.frames_like(lit, text)) == [lit, lit + 1]


@pytest.mark.slow
def test_two_codes_follow_each_other_on_a_blank_thing():
    challenge = SOLID_TASKS["order-sign"].make(SEED, 0, "base")
    (first, text), (last, _) = challenge.targets
    shown = [challenge.scene(frame).sprite(text).text for frame in range(6)]
    assert shown[0] == "" and shown[first] + shown[last] == challenge.answer and shown.count("") == 4
    assert list(challenge.frames_like(first, text)) == [first]


@pytest.mark.slow
def test_a_segment_is_measured_against_the_thing_that_it_covers(monkeypatch):
    bench, item = item_of("read-sign")
    challenge = bench.challenge(item)
    oracle = oracle_of(challenge)
    monkeypatch.setattr(_bench, "_backends", lambda: Backends(oracle, oracle, oracle))
    thing = challenge.targets[0][1].removesuffix("/text")
    rows, columns = np.nonzero(challenge.truth(0).visible_mask(thing))
    point = [round(1000 * (columns[0] + 0.5) / 1024), round(1000 * (rows[0] + 0.5) / 1024)]
    replies = iter([Answer(calls=(Call("a", "SEG", {"point": point}),)), Answer("unknown")])
    result, _ = play(bench, item, lambda prompt: next(replies))
    assert result.metrics["seg.iou"] == [1, 1] and result.metrics["answered"] == 0


def test_tasks_belong_to_a_source():
    with pytest.raises(PixelProofError, match="--source solid"):
        list(Agent(task="read-sign").items(Source("world"), SEED, 1))
    with pytest.raises(PixelProofError, match="--source world"):
        list(Agent(task="read-code").items(Source("solid"), SEED, 1))
    with pytest.raises(PixelProofError, match="read-sign"):
        Agent(task="read-sig")
