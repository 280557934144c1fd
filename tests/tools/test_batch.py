"""Episodes played in batches: the prompts, tools and digests of the single loop, many conversations at a time."""

import gc
import json
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import pytest

from pixelproof import ask
from pixelproof.contract import Answer, Bench, Call, Display, Fault, Item, PixelProofError, Prompt, Result, Source, Tool
from pixelproof.harness import play_batch
from pixelproof.harness.asking import AskedFile
from pixelproof.tools.episodes import steps_of
from tools.agents import digests, looker, next_move

QUESTION = "Which colour?"


@pytest.fixture(scope="module")
def single(file, tmp_path_factory):
    """The trace of the scripted agent in the loop of `ask`."""
    return ask(file, QUESTION, looker, out=tmp_path_factory.mktemp("single") / "run", seg="components").trace


def asked(file):
    bench = AskedFile(QUESTION, seg="components")
    return bench, list(bench.items(Source("file", file), 0, None))


def test_a_batch_gives_the_digests_of_the_single_loop(file, single):
    bench, items = asked(file)
    batches = []

    def policy(prompts):
        batches.append(len(prompts))
        return [looker(prompt) for prompt in prompts]

    played = list(play_batch(bench, items, policy, size=3, samples=4))
    assert sorted(one.sample for one in played) == [0, 1, 2, 3]
    assert batches == [3] * 6 + [1] * 6  # one generation per turn: five calls and an answer
    for one in played:
        assert digests(steps_of(one.answer.trace)) == digests(single.steps) and one.answer.text == "red"
        assert len(one.turns) == 6 and one.turns[-1][1].text == "red"
        assert bench.score(one.item, one.answer, {}).metrics["calls"] == 5


def test_a_policy_of_text_alone_gives_them_too(file, single):
    bench, items = asked(file)
    seen = []

    def policy(prompts):
        replies = []
        for prompt in prompts:
            assert not prompt.tools and "Reply with one JSON object" in prompt.system
            seen.append(prompt)
            turns = [part for turn in prompt.history for part in turn.parts] + list(prompt.parts)
            results = [part for part in turns if isinstance(part, str) and part.startswith('{"ok":')]
            said, call = next_move(results)
            body = {"answer": said} if call is None else {"tool": call.tool, "arguments": call.arguments}
            replies.append((f"{said}\n" if call else "") + json.dumps(body))
        return replies

    (played,) = play_batch(bench, items, policy, text=True)
    assert digests(steps_of(played.answer.trace)) == digests(single.steps) and played.answer.text == "red"
    assert [prompt for prompt, _ in played.turns] == seen
    assert played.turns[-1][1].text == '{"answer": "red"}'  # what the policy wrote, not what was read from it


@dataclass(frozen=True)
class Tokens(Answer):
    ids: tuple[int, ...] = ()


def test_fields_of_the_policy_come_back(file):
    bench, items = asked(file)

    def policy(prompts):
        said = [looker(prompt) for prompt in prompts]
        return [Tokens(reply.text, calls=reply.calls, ids=(len(reply.text), 7)) for reply in said]

    (played,) = play_batch(bench, items, policy)
    assert [reply.ids for _, reply in played.turns] == [(len(reply.text), 7) for _, reply in played.turns]


class Countdown:
    """An episode of a given number of turns."""

    alive: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __init__(self, left):
        self.left = left
        self.alive.add(self)

    def reset(self):
        if self.left < 0:
            raise RuntimeError("cannot begin")
        return Prompt((f"{self.left} left",), tools=(Tool("tick", "one less", {"type": "object"}),))

    def step(self, answer):
        if not answer.calls:
            return None
        self.left -= 1
        return Prompt((f"{self.left} left",))

    def answer(self):
        return Answer(str(self.left))


@dataclass(frozen=True)
class Counting(Bench):
    name: ClassVar[str] = "counting"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Counting"
    sources: ClassVar[Mapping[str, str]] = {"world": "numbers"}
    metrics: ClassVar = ()
    display: ClassVar[Display] = Display(headline=())

    def items(self, source, seed, n):
        for number in range(n):
            yield Item(f"counting/world/1/{number}", {"left": number % 5 if number != 3 else -1})

    def episode(self, item):
        return Countdown(item.inputs["left"])

    def prompt(self, item):
        return self.episode(item).reset()

    def score(self, item, answer, judgements):
        return Result(item.id, {})

    def controls(self):
        return {}


def count_down(prompts):
    def one(prompt):
        last = prompt.parts or prompt.history[-1].parts
        return "done" if last[0].startswith("0") else Answer(calls=(Call("", "tick", {}),))

    return [one(prompt) for prompt in prompts]


def test_places_of_finished_episodes_are_filled_and_memory_is_flat():
    bench, largest, drawn, sizes = Counting(), 0, [], []

    def items():
        for item in bench.items(Source("world"), 0, 400):
            drawn.append(item)
            yield item

    def policy(prompts):
        sizes.append(len(prompts))
        return count_down(prompts)

    ended = []
    for number, played in enumerate(play_batch(bench, items(), policy, size=8), 1):
        ended.append(played.item.id)
        del played
        if number % 50 == 0:
            gc.collect()
            largest = max(largest, len(Countdown.alive))
            assert len(drawn) <= number + 8
    assert len(set(ended)) == 400 and largest <= 9 + 8
    assert set(sizes[:-8]) == {8}  # full until the end


def test_an_episode_that_cannot_begin_is_an_instrument_fault():
    bench = Counting()
    played = {one.item.id: one for one in play_batch(bench, bench.items(Source("world"), 0, 5), count_down)}
    crashed = played.pop("counting/world/1/3")
    assert crashed.answer.failure.fault is Fault.INSTRUMENT and not crashed.turns
    assert all(one.answer.text == "0" and one.answer.failure is None for one in played.values())


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda prompts: "done", "returned str"),
        (lambda prompts: None, "returned NoneType"),
        (lambda prompts: ["done"], "1 replies to 3 prompts"),
        (lambda prompts: [None] * len(prompts), "cannot be used"),
        (lambda prompts: [Answer(calls=("tick",))] * len(prompts), "cannot be used"),
    ],
)
def test_a_policy_that_gives_no_replies_is_refused(policy, message):
    bench = Counting()
    with pytest.raises(PixelProofError, match=message):
        list(play_batch(bench, bench.items(Source("world"), 0, 3), policy))


def test_an_exception_of_the_policy_is_the_callers():
    bench = Counting()
    with pytest.raises(ZeroDivisionError):
        list(play_batch(bench, bench.items(Source("world"), 0, 3), lambda prompts: [1 / 0]))
    with pytest.raises(PixelProofError, match="1 or more"):
        next(play_batch(bench, [], count_down, size=0))
    assert list(play_batch(bench, [], count_down)) == []
