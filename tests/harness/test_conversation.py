"""Conversations: what a model receives, turn by turn, and what becomes of exceptions."""

import io
import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image

from pixelproof.contract import (
    Answer,
    Artefact,
    Call,
    Failure,
    Fault,
    PixelProofError,
    Player,
    Prompt,
    Source,
    Tool,
    Turn,
    Usage,
)
from pixelproof.harness import Plan, Settings, rescore, run
from pixelproof.harness._conversation import NOT_EXECUTED, Conversation, converse
from pixelproof.pixels import encode_png
from support import Guess

LOOK = Tool("look", "Look.", {"type": "object", "properties": {}})
PICTURE = encode_png(np.zeros((2, 2, 3), np.uint8))


@dataclass
class Scripted:
    """An episode that returns the given observations, and records the replies."""

    observations: list[Any]
    replies: list[Answer] = field(default_factory=list)
    final: Answer = field(default_factory=lambda: Answer("done"))

    def reset(self) -> Prompt:
        return Prompt(("begin", PICTURE), system="Be brief.", tools=(LOOK,), max_tokens=9)

    def step(self, answer: Answer) -> Prompt | None:
        self.replies.append(answer)
        observation = self.observations.pop(0)
        if isinstance(observation, Exception):
            raise observation
        return observation

    def answer(self) -> Answer:
        return self.final


@dataclass(frozen=True)
class Played(Guess):
    """Guess, with a scripted episode."""

    episodes: ClassVar[list[Scripted]] = []

    def episode(self, item):
        return self.episodes[0]


@pytest.fixture
def play(monkeypatch):
    def go(*observations, replies, final=None):
        monkeypatch.setattr(Played, "episodes", [Scripted(list(observations), final=final or Answer("done"))])
        prompts, left = [], list(replies)

        def reply(prompt):
            prompts.append(prompt)
            return left.pop(0)

        item = next(iter(Played().items(Source("digits"), 0, 1)))
        return converse(Played(), item, reply), prompts

    return go


def test_every_prompt_has_the_whole_conversation(play):
    first, second = Answer("one", usage=Usage(3, 4)), Answer("two", usage=Usage(5, 6))
    exchange, prompts = play(Prompt(("go on",)), None, replies=[first, second])
    assert prompts[0].parts == ("begin", PICTURE) and prompts[0].history == ()
    assert prompts[1].history == (Turn("user", ("begin", PICTURE)), Turn("model", ("one",)))
    assert prompts[1].parts == ("go on",)
    assert prompts[1].system == "Be brief." and prompts[1].tools == (LOOK,) and prompts[1].max_tokens == 9
    assert exchange.answer.text == "done" and exchange.answer.usage == Usage(8, 10)
    assert [entry["role"] for entry in exchange.answer.trace] == ["user", "model", "user", "model"]
    assert exchange.prompt == prompts[0]


def test_every_call_has_a_result_in_the_order_of_the_calls(play):
    a, b, c = (Call(name, "look", {}) for name in "abc")
    results = Prompt((), history=(Turn("tool", ("second",), call=b), Turn("tool", ("first",), call=a)))
    _, prompts = play(results, None, replies=[Answer("", calls=(a, b, c)), Answer("end")])
    assert prompts[1].history[2:] == (
        Turn("tool", ("first",), call=a),
        Turn("tool", ("second",), call=b),
        Turn("tool", (NOT_EXECUTED,), call=c),
    )
    assert prompts[1].parts == ()


def test_an_observation_without_results_is_the_result_of_the_last_call(play):
    a, b = Call("a", "look", {}), Call("b", "look", "{broken")
    _, prompts = play(Prompt(("seen", PICTURE)), None, replies=[Answer(calls=(a, b)), Answer("end")])
    assert prompts[1].history[-2:] == (
        Turn("tool", (NOT_EXECUTED,), call=a),
        Turn("tool", ("seen", PICTURE), call=b),
    )


def test_a_result_for_a_call_that_was_not_made_is_an_instrument_fault(play):
    stray = Prompt((), history=(Turn("tool", ("x",), call=Call("zz", "look", {})),))
    exchange, _ = play(stray, replies=[Answer(calls=(Call("a", "look", {}),))])
    assert exchange.answer.failure.fault is Fault.INSTRUMENT and "'zz'" in exchange.answer.failure.detail


def test_an_exception_in_an_episode_is_an_instrument_fault_with_the_usage_so_far(play):
    exchange, _ = play(ZeroDivisionError("a bug"), replies=[Answer("one", usage=Usage(3, 4))])
    failure = exchange.answer.failure
    assert (failure.fault, failure.name) == (Fault.INSTRUMENT, "episode-crashed") and "a bug" in failure.detail
    assert exchange.answer.usage == Usage(3, 4)


def test_a_lost_reply_ends_the_conversation(play):
    lost = Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout"))
    exchange, prompts = play(Prompt(("go on",)), replies=[lost])
    assert exchange.answer.failure == lost.failure and len(prompts) == 1


def five(prompt):
    return "5"


def clip(frames: int) -> Artefact:
    images = [Image.fromarray(np.full((4, 6, 3), 40 * k, np.uint8)) for k in range(frames)]
    buffer = io.BytesIO()
    images[0].save(buffer, "WEBP", save_all=True, append_images=images[1:], duration=250, lossless=True)
    return Artefact(buffer.getvalue(), "image/webp")


def test_clips_travel_as_frames():
    class Clips(Guess):
        def prompt(self, item):
            return Prompt(("Watch.", clip(3), PICTURE))

    prompt = Conversation(Clips(), next(iter(Guess().items(Source("digits"), 0, 1)))).begin()
    assert prompt.parts[:2] == ("Watch.", "A clip of 3 frames at 4 frames per second:")
    frames = [np.asarray(Image.open(io.BytesIO(part.data))) for part in prompt.parts[2:5]]
    assert [frame[0, 0, 0] for frame in frames] == [0, 40, 80] and prompt.parts[5] == PICTURE


@dataclass(frozen=True)
class Hide(Guess):
    """Two turns with an artefact in the trace; every third item crashes."""

    n: int = 6
    broken: ClassVar[bool] = True

    def episode(self, item):
        if self.broken and int(item.id[-1]) % 3 == 1:
            return Scripted([RuntimeError("the tool failed")])
        return Scripted([Prompt(("more", PICTURE)), None], final=Answer(str(item.truth)))

    def controls(self):
        def show(item, prompt, rng):
            """Say the truth."""
            return Answer(str(item.truth) if prompt.history else f"look {rng.integers(10)}")

        return {**super().controls(), "ceiling-truth": Player(show)}


@pytest.mark.slow
def test_faults_inside_episodes_leave_the_run_going_and_are_asked_again(tmp_path, monkeypatch):
    plan = Plan(Hide(), Source("digits"))
    first = run(plan, five, settings=Settings(out=tmp_path / "run"))
    assert first.summary["counts"] | {"planned": 6} == first.summary["counts"]
    assert first.summary["counts"]["unscored"] == 2 and first.summary["counts"]["completed"] == 4
    assert {r.failure.name for r in first.results(Hide()) if r.failure} == {"episode-crashed"}
    monkeypatch.setattr(Hide, "broken", False)
    again = run(plan, five, settings=Settings(out=tmp_path / "run", resume=True))
    assert again.complete and again.summary["counts"]["completed"] == 6


@pytest.mark.slow
def test_artefacts_of_a_trace_are_blobs_and_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr(Hide, "broken", False)
    done = run(
        Plan(Hide(), Source("digits"), limit=1), "control/ceiling-truth", settings=Settings(out=tmp_path / "run")
    )
    _, _, answer, _ = next(iter(done.answers()))
    references = [part for entry in answer.trace for part in entry["parts"] if isinstance(part, dict)]
    assert references and done.blob(references[0]["$artefact"]) == PICTURE.data
    assert "base64" not in json.dumps(answer.trace)
    seen = []

    def score(self, item, answer, judgements):
        seen.append(answer)
        return Guess.score(self, item, answer, judgements)

    monkeypatch.setattr(Hide, "score", score)
    rescore(tmp_path / "run", Hide())
    assert PICTURE in seen[0].trace[0]["parts"]


@pytest.mark.slow
def test_a_player_gets_the_truth_and_draws_of_its_own_for_every_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(Hide, "broken", False)
    plan = Plan(Hide(), Source("digits"))
    one, two = (run(plan, "control/ceiling-truth", settings=Settings(out=tmp_path / name)) for name in "ab")
    assert one.summary["metrics"]["close"]["calibrated"]["value"] == 1
    traces = [[answer.trace for _, _, answer, _ in done.answers()] for done in (one, two)]
    assert traces[0] == traces[1] and len({json.dumps(trace[1]) for trace in traces[0]}) > 1


def test_a_trace_that_json_cannot_hold_names_the_bench(tmp_path, monkeypatch):
    monkeypatch.setattr(Played, "episodes", [Scripted([None], final=Answer("5", trace=({"x": object()},)))])
    with pytest.raises(PixelProofError, match="guess.*trace"):
        run(Plan(Played(n=1), Source("digits")), five, settings=Settings(out=tmp_path / "run"))


@pytest.mark.slow
def test_the_prompt_is_stored_with_the_first_sample(tmp_path):
    done = run(Plan(Guess(n=2), Source("digits"), samples=2), five, settings=Settings(out=tmp_path / "run"))
    assert [prompt["parts"][0][:13] for prompt in done.prompts().values()] == ["Guess a digit"] * 2
    assert done.prompt("guess/digits/1/00000")["tools"] == [] and done.prompt("nothing") is None
    control = run(Plan(Guess(n=2), Source("digits")), "control/wrong", settings=Settings(out=tmp_path / "control"))
    assert control.prompts() == {}


@pytest.mark.slow
def test_items_are_listed_once(tmp_path, monkeypatch):
    listed = []
    plain = Guess.items
    monkeypatch.setattr(Guess, "items", lambda *given: listed.append(1) or plain(*given))
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    run(Plan(Guess(), Source("digits"), samples=2), five, settings=Settings(out=tmp_path / "run"))
    assert len(listed) == 1


def test_turns_that_are_no_results_of_calls_are_an_instrument_fault(play):
    a = Call("a", "look", {})
    for history in ((Turn("tool", ("x",)),), (Turn("user", ("x",)),), (Turn("tool", ("x",), call=a),) * 2):
        exchange, _ = play(Prompt((), history=history), replies=[Answer(calls=(a,))])
        assert exchange.answer.failure.name == "episode-crashed"


def test_a_refusal_that_ends_an_episode_is_its_answer(play):
    refusal = Failure(Fault.MODEL, "refusal", "no")
    exchange, _ = play(Prompt(("go on",)), None, replies=[Answer("one"), Answer("", failure=refusal, stop="length")])
    assert exchange.answer.failure == refusal and exchange.answer.stop == "length"
    recovered, _ = play(Prompt(("go on",)), None, replies=[Answer("", failure=refusal), Answer("two")])
    assert recovered.answer.failure is None


def test_an_endless_episode_ends(play):
    again = [Prompt(("again",))] * 2000
    exchange, prompts = play(*again, replies=[Answer("x")] * 2000)
    assert len(prompts) == 1000 and "did not end" in exchange.answer.failure.detail


@pytest.mark.slow
@pytest.mark.parametrize("bad", [ZeroDivisionError("a bug"), None, "text"])
def test_a_player_or_control_that_fails_does_not_end_the_run(tmp_path, monkeypatch, bad):
    monkeypatch.setattr(Hide, "broken", False)
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))

    def broken(item, *rest):
        if isinstance(bad, Exception):
            raise bad
        return bad

    healthy = Hide.controls
    monkeypatch.setattr(Hide, "controls", lambda self: {"floor-five": broken, "ceiling-truth": Player(broken)})
    plan = Plan(Hide(), Source("digits"))
    if not isinstance(bad, Exception):  # a wrong type is a mistake of the author, and is named
        with pytest.raises(PixelProofError, match="guess.*control/"):
            run(plan, "control/ceiling-truth", settings=Settings(out=tmp_path / "bad"))
        return
    for control in ("floor-five", "ceiling-truth"):
        done = run(plan, f"control/{control}", settings=Settings(out=tmp_path / control))
        assert done.summary["counts"]["unscored"] == 6
    assert run(plan, five, settings=Settings(out=tmp_path / "model")).summary["counts"]["completed"] == 6
    monkeypatch.setattr(Hide, "controls", healthy)
    again = run(plan, "control/floor-five", settings=Settings(out=tmp_path / "floor-five", resume=True))
    assert again.complete  # a control that crashed is asked again
    repaired = run(plan, five, settings=Settings(out=tmp_path / "second"))
    assert repaired.summary["metrics"]["close"]["floor"] is not None  # and its crash was not cached


def test_two_items_of_one_id_are_refused(tmp_path, monkeypatch):
    plain = Guess.items
    monkeypatch.setattr(Guess, "items", lambda *given: (item for item in (*plain(*given), *plain(*given))))
    with pytest.raises(PixelProofError, match="two items with the id guess/digits/1/00000"):
        run(Plan(Guess(n=2), Source("digits")), five, settings=Settings(out=tmp_path / "run"))
