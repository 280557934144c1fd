"""Traces that are made by execution: kinds, masks, replay, and what is left out."""

import pytest

from pixelproof.benches.agent import _bench
from pixelproof.benches.agent._commands import make_traces_command
from pixelproof.benches.agent._frozen import Place
from pixelproof.benches.agent.tasks import TASKS
from pixelproof.benches.agent.traces import NEAR, KnownViews, _make, make_traces
from pixelproof.tools.episodes import TraceFile, backends_of, replay_trace
from pixelproof.tools.trace_checks import Status, check_traces
from pixelproof.world.flat import ALPHABET

TASK = "compare-areas"


@pytest.fixture
def no_frozen_set(monkeypatch):
    monkeypatch.setattr(_make, "frozen_challenges", lambda: iter(()))


def made(tmp_path, n, wrong, **options):
    file = TraceFile(tmp_path / "traces.jsonl")
    return file, make_traces(file, n, 5, (TASK,), wrong=wrong, **options)


@pytest.mark.slow
def test_golden_traces_have_the_shortest_chain_and_can_be_executed_again(tmp_path, no_frozen_set):
    file, counts = made(tmp_path, 2, 0.0)
    traces = list(file)
    assert counts.kept == {"golden": 2} and not counts.dropped
    for trace in traces:
        assert [step.call.tool for step in trace.steps] == ["SEG", "PROP", "SEG", "PROP"]
        assert not any(step.mask_loss for step in trace.steps) and all(step.thought for step in trace.steps)
        assert replay_trace(trace, file.media(trace), pictures=file.picture).same
        assert len(trace.targets["boxes"]) == 2
    (targets,) = [finding for finding in check_traces(traces).findings if finding.check == "targets"]
    assert targets.status is Status.OK and "2 of 2 traces" in targets.message
    assert traces[0].answer["value"] == TASKS[TASK].make(5, 0, "base").answer


@pytest.mark.slow
def test_mistakes_are_executed_masked_and_followed_by_the_right_call(tmp_path, no_frozen_set):
    file, counts = made(tmp_path, 3, 1.0)
    assert set(counts.kept) <= {"recovery", "trap"} and counts.kept.total() == 3
    for trace in file:
        (slip,) = [place for place, step in enumerate(trace.steps) if step.mask_loss]
        wrong, right = trace.steps[slip], trace.steps[slip + 1]
        assert wrong.call.tool == right.call.tool and wrong.call.arguments != right.call.arguments
        assert (trace.kind == "trap") == wrong.result.ok
        assert len(trace.steps) == 5 and len({step.call.id for step in trace.steps}) == 5
        assert trace.provenance["mistake"] in ("wrong-object", "background")
        assert replay_trace(trace, file.media(trace), pictures=file.picture).same


def test_an_answer_that_does_not_follow_is_left_out(tmp_path, no_frozen_set, monkeypatch):
    class Misjudged:
        def make(self, seed, index, level):
            challenge = TASKS["count-clutter"].make(seed, index, level)
            object.__setattr__(challenge, "answer", "9")
            return challenge

        calls = 1

    monkeypatch.setattr(_make, "TASKS", {"count-clutter": Misjudged()})
    file = TraceFile(tmp_path / "traces.jsonl")
    counts = make_traces(file, 1, 5, ("count-clutter",))
    assert counts.dropped == {"the tools do not lead to the answer": 1} and not list(file)


@pytest.mark.slow
def test_near_duplicates_of_the_frozen_set_are_left_out(tmp_path, monkeypatch):
    place = Place(TASK, 5, 0, "base")
    monkeypatch.setattr(_make, "frozen_challenges", lambda: iter([(place, place.make())]))
    _, counts = made(tmp_path, 2, 0.0)
    assert counts.dropped == {"near-duplicate of the frozen set": 1} and counts.kept == {"golden": 1}


def test_other_scenes_are_far_from_each_other():
    known = KnownViews([TASKS[TASK].make(1, index, "base") for index in range(6)])
    assert known.distance(TASKS[TASK].make(1, 3, "base")) == 0
    assert min(known.distance(TASKS[TASK].make(1, index, "base")) for index in range(6, 14)) > 2 * NEAR
    assert KnownViews([]).distance(TASKS[TASK].make(1, 0, "base")) == float("inf")


def test_the_command_is_part_of_trace(capsys):
    from pixelproof.cli._trace import trace_group

    assert trace_group.get_command(None, "make") is make_traces_command
    assert "make" in trace_group.list_commands(None)


def test_a_scene_of_the_frozen_set_is_left_out_whatever_is_asked_about_it(tmp_path, monkeypatch):
    place = Place("read-code", 5, 0, "base")
    monkeypatch.setattr(_make, "frozen_challenges", lambda: iter([(place, place.make())]))
    counts = make_traces(TraceFile(tmp_path / "traces.jsonl"), 1, 5, ("two-codes",), wrong=0.0)
    assert counts.dropped == {"near-duplicate of the frozen set": 1} and not counts.kept


def test_traces_are_made_with_the_text_reader_of_the_bench(tmp_path, no_frozen_set):
    file, _ = made(tmp_path, 1, 0.0)
    (trace,) = file
    assert backends_of(trace).ocr == _bench._backends().ocr
    pytest.importorskip("onnxruntime")
    reader = backends_of(trace).reader()
    assert (reader.alphabet, reader.detect) == ("".join(sorted(ALPHABET)), "never")
