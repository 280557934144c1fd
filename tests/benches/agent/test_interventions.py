"""Interventions: an answer that comes from evidence changes with it; one that does not was not."""

import pytest

from benches.agent.playing import PerfectTools, first_items, play, scripted
from pixelproof.benches.agent import Agent, _bench
from pixelproof.benches.agent._controls import play_chain, tool_results
from pixelproof.benches.agent._interventions import INTERVENTIONS, SwappedToolbox, replaced_tools
from pixelproof.contract import Answer, Artefact, Call
from pixelproof.tools import Backends, Budget, Media, Toolbox
from pixelproof.world.flat import draw, make_flat

ITEMS = 3


@pytest.fixture
def perfect_tools(monkeypatch):
    tools = PerfectTools()
    monkeypatch.setattr(_bench, "_backends", lambda: tools)
    return tools


def results_of(make_reply, tools, intervention, task="count-clutter", n=ITEMS):
    """Results of a player on some items under an intervention."""
    bench, items = first_items(n, task=task, intervention=intervention)
    for item in items:
        tools.register(bench.challenge(item))
        if replaced_tools(intervention):
            tools.register(bench._donor(item))
    return [play(bench, item, make_reply(bench, item))[0] for item in items]


def accuracy(results):
    return sum(result.metrics["accuracy"] for result in results) / len(results)


def faithful(results):
    counts = [result.metrics["faithful"] for result in results]
    return sum(count[0] for count in counts) / max(1, sum(count[1] for count in counts))


def looks_and_ignores(bench, item):
    """Calls a tool at a place that does not matter, and answers what it knew before."""

    def reply(prompt):
        if not tool_results(prompt):
            return Answer(calls=(Call("1", "ZOOM", {"box": [0, 0, 40, 40]}),))
        return Answer(item.truth["answer"])

    return reply


def looks_well_and_ignores(bench, item):
    """Makes the calls of the oracle, and answers what it knew before."""

    def reply(prompt):
        answer = play_chain(bench.challenge(item).chain(), prompt)
        return answer if answer.calls else Answer(item.truth["answer"])

    return reply


@pytest.mark.slow
def test_an_agent_that_ignores_its_tools_is_unfaithful_by_both_tests(perfect_tools):
    real, shuffled = (results_of(looks_and_ignores, perfect_tools, name) for name in ("none", "shuffled-evidence"))
    assert accuracy(real) == accuracy(shuffled) == 1, "its answers do not depend on evidence"
    assert faithful(real) == faithful(shuffled) == 0
    assert all(result.metrics["uses_tools"] == 1 for result in real)


@pytest.mark.slow
def test_right_calls_that_are_ignored_are_found_by_shuffled_evidence(perfect_tools):
    real, shuffled = (results_of(looks_well_and_ignores, perfect_tools, name) for name in ("none", "shuffled-evidence"))
    assert faithful(real) == 1, "no observation of the calls can tell"
    assert accuracy(shuffled) == 1 and faithful(shuffled) == 0, "evidence of another picture is none"
    assert all(result.metrics["visfid"] == 0 for result in shuffled)


@pytest.mark.slow
def test_shuffled_evidence_brings_the_scripted_agent_to_chance(perfect_tools):
    def make(bench, item):
        return scripted

    for intervention, expected in (("none", 1), ("shuffled-evidence", 0), ("replaced-ocr", 0), ("replaced-seg", 1)):
        results = results_of(make, perfect_tools, intervention, "read-code", 3)
        assert accuracy(results) == expected, intervention


@pytest.mark.slow
def test_shuffled_evidence_of_clips(perfect_tools):
    def make(bench, item):
        return scripted

    assert accuracy(results_of(make, perfect_tools, "none", "flash-colour", 2)) == 1
    assert accuracy(results_of(make, perfect_tools, "replaced-temp", "flash-colour", 2)) == 0


@pytest.mark.slow
def test_no_picture_and_no_tools():
    for name in ("no-picture", "no-tools"):
        bench, (item,) = first_items(task="flash-colour", intervention=name)
        prompt = bench.prompt(item)
        assert any(isinstance(part, Artefact) for part in prompt.parts) == (name == "no-tools")
        assert bool(prompt.tools) == (name == "no-picture")
        if name == "no-tools":
            result, _ = play(bench, item, scripted)
            assert result.failure is None and result.metrics["calls"] == 0


def test_the_donor_has_another_answer_and_is_no_item():
    bench, items = first_items(20, task="compare-areas")
    for item in items:
        donor = bench._donor(item)
        assert donor.answer != item.truth["answer"]
    assert Agent(intervention="replaced-seg").items is not None
    assert replaced_tools("none") == replaced_tools("no-picture") == frozenset()
    assert len(replaced_tools("shuffled-evidence")) == 6 and len(INTERVENTIONS) == 10


def test_a_swapped_tool_works_on_what_the_reference_means_elsewhere():
    """PROP alone is replaced: the mask is that of the same SEG call on the other picture, and so is the colour."""
    pictures = [draw(make_flat(5, index)) for index in (0, 1)]
    backends = Backends(seg="components")
    point = {"point": [500, 500]}
    swapped = SwappedToolbox(*map(Media, pictures), frozenset({"PROP"}), backends, Budget())
    segment = swapped.use("SEG", **point)
    assert segment == Toolbox(Media(pictures[0]), backends).use("SEG", **point)
    other = Toolbox(Media(pictures[1]), backends)
    expected = other.use("PROP", ref=other.use("SEG", **point).ref)
    got = swapped.use("PROP", ref=segment.ref)
    assert got.evidence == expected.evidence and swapped.results == [segment, got]
    assert not swapped.use("PROP", ref="0" * 12).ok
    assert not swapped.call(Call("1", "PROP", "no json")).ok


def test_the_budget_holds_for_swapped_tools():
    picture = Media(draw(make_flat(5, 0)))
    swapped = SwappedToolbox(picture, picture, frozenset({"ZOOM"}), Backends(), Budget(calls=1))
    assert swapped.use("ZOOM", box=[0, 0, 500, 500]).ok
    assert swapped.use("ZOOM", box=[0, 0, 400, 500]).error == "BUDGET"


@pytest.mark.parametrize("call", [Call("", "ZOOM", [1, 2]), Call("", "ZOOM", None), Call("", None, {})])
def test_malformed_calls_are_invalid_under_an_intervention_too(call):
    for intervention in ("none", "shuffled-evidence"):
        bench, (item,) = first_items(task="count-clutter", intervention=intervention)
        replies = iter([Answer(calls=(call,)), Answer("3")])
        result, _ = play(bench, item, lambda prompt, replies=replies: next(replies))
        assert result.failure is None and result.metrics["invalid"] == [1, 1]
