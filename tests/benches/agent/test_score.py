"""Scores of answers: hand-counted rates, abstention, confidence, and what is not known without a trace."""

import pytest

import pixelproof
from benches.agent.playing import SEED, first_items, play
from harness.inspect_support import brain
from pixelproof.benches.agent import Agent, _bench
from pixelproof.benches.agent._reply import read_confidence, with_confidence
from pixelproof.benches.agent.tasks import TASKS
from pixelproof.contract import Answer, Call, PixelProofError, Source
from pixelproof.tools import Backends


@pytest.fixture(autouse=True)
def no_text_reader(monkeypatch):
    monkeypatch.setattr(_bench, "_backends", lambda: Backends(seg="components", ocr="none"))
    monkeypatch.setattr(_bench, "_require_reader", lambda task: None)


def test_rate_of_pixel_reasoning_counted_by_hand():
    """Right answers, tools on every task but the one that needs none: RaPR is 1 − the share of that task."""
    bench = Agent()
    items = list(bench.items(Source("world"), SEED, len(TASKS)))
    used = []
    for item in items:
        needs = TASKS[item.inputs["task"]].needs != "nothing"

        def reply(prompt, item=item, needs=needs):
            if needs and not prompt.history:
                return Answer(calls=(Call("1", "ZOOM", {"box": [0, 0, 500, 500]}),))
            return Answer(item.truth["answer"])

        result, _ = play(bench, item, reply)
        assert result.metrics["accuracy"] == 1
        used.append(result.metrics["uses_tools"])
        assert result.metrics["uses_valid"] == result.metrics["uses_tools"] == result.metrics["calls"]
        assert result.metrics["composite"] == 0
    assert sum(used) == len(TASKS) - 1


def test_rates_of_a_chain_counted_by_hand():
    bench, (item,) = first_items(task="flash-colour")
    calls = [
        Call("1", "ZOOM", {"box": [0, 0, 500, 500]}),
        Call("2", "ZOOM", {"box": [0, 0, 500, 500]}),  # a repeat
        Call("3", "ZOOM", {"box": [0, 0, 0, 0]}),  # invalid
        Call("4", "TEMP", {"t0": 0, "t1": 3}),
    ]

    def reply(prompt):
        done = sum(turn.role == "tool" for turn in prompt.history)
        return Answer(calls=(calls[done],)) if done < len(calls) else Answer("unknown")

    result, _ = play(bench, item, reply)
    assert result.metrics["calls"] == 4
    assert result.metrics["success"] == [3, 4] and result.metrics["invalid"] == [1, 4]
    assert result.metrics["repeats"] == [1, 4]
    assert result.metrics["stays"] == [1, 2] and result.metrics["hops"] == [0, 2]
    assert result.metrics["calls_right"] == [0, 0], "the answer is not right"


def test_abstention_costs_accuracy_and_coverage_but_is_no_error():
    bench, (item,) = first_items(task="flash-colour")
    wrong = next(option for option in bench.challenge(item).options if option != item.truth["answer"])
    for text, expected in (
        ("unknown", (0, 0, [0, 0])),
        (item.truth["answer"], (1, 1, [0, 1])),
        (wrong, (0, 1, [1, 1])),
    ):
        metrics = play(bench, item, lambda prompt, text=text: Answer(text))[0].metrics
        assert (metrics["accuracy"], metrics["answered"], metrics["selected_errors"]) == expected
    unclear, _ = play(bench, item, lambda prompt: Answer("some colour"))
    assert unclear.status == "model-fault" and unclear.metrics["selected_errors"] == [1, 1], "no way around an error"


def test_confidence_of_the_last_reply():
    bench, (item,) = first_items(task="flash-colour")
    result, answer = play(bench, item, lambda prompt: Answer(with_confidence("teal", 0.25)))
    assert answer.text == "teal" and result.metrics["confidence"] == 0.25
    for text, value in (
        ("<confidence>80 %</confidence>", 0.8),
        ("<confidence>nan</confidence>", None),
        ("<confidence>7</confidence>", None),
        ("<confidence>high</confidence>", None),
        ("teal", None),
    ):
        assert read_confidence(Answer(text)) == value


def test_without_a_trace_nothing_is_known_about_calls():
    bench, (item,) = first_items(task="flash-colour")
    result = bench.score(item, Answer(item.truth["answer"]), {})
    assert result.metrics == {
        "accuracy": 1,
        "answered": 1,
        "selected_errors": [0, 1],
        "chance": bench.challenge(item).chance,
    }
    assert bench.controls()["ceiling-truth"](item, None).trace == ()


def test_no_object_at_a_point_is_an_observation_and_no_fault(monkeypatch):
    """Else a model could have its doubtful answers left out by segmenting the empty background."""

    class Nothing:
        name = version = "nothing"

        def segment(self, picture, point, box, frame):
            return None

    bench, (item,) = first_items(task="compare-areas")
    monkeypatch.setattr(_bench, "_backends", lambda: Backends(seg=Nothing()))

    def reply(prompt):
        return Answer("unknown") if prompt.history else Answer(calls=(Call("1", "SEG", {"point": [5, 5]}),))

    result, _ = play(bench, item, reply)
    assert result.failure is None and result.metrics["success"] == [0, 1] and result.metrics["invalid"] == [0, 1]


def test_a_missing_reader_is_a_sentence(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(_bench, "_backends", lambda: Backends(ocr="missing"))
    bench, (item,) = first_items(task="read-code")
    with pytest.raises(PixelProofError, match="read-code needs OCR.*Tasks that do not: --task largest-colour"):
        bench.episode(item)
    assert bench.prompt(item).tools, "the question can be shown"
    bench, (item,) = first_items(task="flash-colour")
    assert bench.episode(item).reset().tools


def test_calls_beyond_the_budget_are_not_executed_and_do_not_count():
    """And who never answers has not answered."""
    bench, (item,) = first_items(task="compare-areas", calls=2)
    many = Answer(calls=tuple(Call(f"{k}", "ZOOM", {"box": [0, 0, 10 + k, 10]}) for k in range(5)))
    result, _ = play(bench, item, lambda prompt: many)
    assert result.failure.name == "no-answer"
    assert result.metrics["calls"] == 2 and result.metrics["success"] == [2, 2]
    assert result.metrics["answered"] == 0 and result.metrics["selected_errors"] == [0, 0]


ASKED: list[str] = []


def counting_red(prompt, item_id):
    ASKED.append(item_id)
    return "red"


@pytest.mark.slow
@pytest.mark.attack(
    "items that need OCR where it is not installed, at every place of a run, natively and through Inspect AI",
    before="the items before them are asked, and paid for; then the run ends",
    lost="refused before the first call, and nothing is written",
)
def test_trust4_an_item_that_cannot_run_here_is_refused_before_the_first_call(tmp_path, monkeypatch, record_property):
    monkeypatch.undo()
    monkeypatch.setattr(_bench, "_backends", lambda: Backends(ocr="missing"))
    puppet = brain("agent", say=lambda call: "red")
    settings = {"limit": 4, "calibrate": 0, "out": tmp_path / "run"}
    runs = [
        {"task": tasks}
        for tasks in ("read-code", "largest-colour,read-code", "flash-colour,largest-colour,event-order,read-code")
    ]
    runs.append({"source": "agent-v1"})
    for options in runs:
        for model in (counting_red, "pptest/agent", "nets/scripted-agent"):
            with pytest.raises(PixelProofError, match="needs OCR"):
                pixelproof.run("agent", model, **(settings | {"limit": 12} | options))
            assert not ASKED and not puppet.n and not (tmp_path / "run").exists()
    assert pixelproof.run("agent", counting_red, **settings, task="largest-colour").complete and len(ASKED) == 4
    record_property("tries", 3 * len(runs))
