"""What a bench returns by mistake gets a message with the bench and the field."""

from dataclasses import fields, replace

import numpy as np
import pytest

from pixelproof.benches import available, get_bench
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, Player, Prompt, Result, Source, Tool, Turn
from pixelproof.harness._checks import (
    PixelProofError,
    checked_answer,
    checked_controls,
    checked_item,
    checked_items,
    checked_prompt,
    checked_result,
)
from pixelproof.harness._conversation import converse
from support import Guess

BENCH = Guess()
ITEM = Item("guess/digits/1/00003", {"hint": 1}, 3, cluster="c3", tags={"parity": "odd"})
PROMPT = Prompt(("Look:", Artefact(b"png")), max_tokens=8, tools=(Tool("zoom", "enlarge", {}),))
RESULT = Result(
    ITEM.id, {"close": 0.5, "hit": 1, "pooled": [3, 4]}, notes={"guess": "3"}, evidence={"overlay": Artefact(b"png")}
)


def refused(function, *arguments, saying=()):
    with pytest.raises(PixelProofError) as caught:
        function(*arguments)
    message = str(caught.value)
    assert message.startswith("Bench 'guess': ")
    for word in saying:
        assert word in message, message
    return message


def test_what_is_right_comes_back_unchanged():
    assert checked_item(BENCH, ITEM) is ITEM
    assert checked_prompt(BENCH, PROMPT) is PROMPT
    assert checked_result(BENCH, RESULT) is RESULT
    assert list(checked_items(BENCH, [ITEM])) == [ITEM]
    answer = Answer("3", images=(Artefact(b"png"),), failure=Failure(Fault.MODEL, "refusal"))
    assert checked_answer(BENCH, "control 'wrong'", answer) is answer
    controls = {**BENCH.controls(), "player": Player(lambda item, prompt, rng: Answer())}
    assert checked_controls(BENCH, controls) is controls


@pytest.mark.parametrize(
    "value", [np.float32(0.5), np.float64(0.5), np.int64(1), np.bool_(True), True, float("nan")], ids=repr
)
def test_every_kind_of_number_is_a_number(value):
    checked_result(BENCH, replace(RESULT, metrics={"hit": value}))


@pytest.mark.parametrize("value", [np.array([3, 4]), (3, 4), [np.float32(3), np.int64(4)], [True, False]], ids=repr)
def test_every_kind_of_counts_is_counts(value):
    checked_result(BENCH, replace(RESULT, metrics={"pooled": value}))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("metrics", {"hit": "1"}, ["Result.metrics['hit']", "str", "a number"]),
        ("metrics", {"hit": None}, ["Result.metrics['hit']", "leave the metric out"]),
        ("metrics", {"hit": np.ones(1)}, ["Result.metrics['hit']", "ndarray"]),
        ("metrics", {"hti": 1.0}, ["Result.metrics['hti']", "did you mean 'hit'"]),
        ("metrics", {"pooled": 0.75}, ["Result.metrics['pooled']", "sequence of counts"]),
        ("metrics", {"pooled": "34"}, ["Result.metrics['pooled']"]),
        ("metrics", {"pooled": ["3", "4"]}, ["Result.metrics['pooled']"]),
        ("metrics", {"pooled": [[3], [4]]}, ["Result.metrics['pooled']"]),
        ("metrics", {"pooled": np.ones((2, 2))}, ["Result.metrics['pooled']"]),
        ("metrics", [0.5], ["Result.metrics", "list"]),
        ("item", 3, ["Result.item", "int"]),
        ("failure", "refusal", ["Result.failure", "Failure"]),
        ("failure", Failure("model", "refusal"), ["Result.failure.fault", "Fault"]),
        ("failure", Failure(Fault.MODEL, "refusal", ValueError("x")), ["Result.failure.detail", "ValueError"]),
        ("notes", {"guess": 3}, ["Result.notes['guess']", "int"]),
        ("notes", "three", ["Result.notes", "mapping"]),
        ("evidence", [Artefact(b"")], ["Result.evidence", "mapping"]),
        ("evidence", {"overlay": np.zeros((2, 2, 3), np.uint8)}, ["Result.evidence['overlay']", "encode_png"]),
        ("evidence", {"overlay": b"png"}, ["Result.evidence['overlay']", "bytes"]),
        ("evidence", {"overlay": Artefact("png")}, ["Result.evidence['overlay'].data", "str"]),
        ("evidence", {"overlay": Artefact(b"", None)}, ["Result.evidence['overlay'].media_type"]),
    ],
    ids=repr,
)
def test_a_wrong_result_is_named(field, value, words):
    message = refused(checked_result, BENCH, replace(RESULT, **{field: value}), saying=["score()", *words])
    assert len(message) < 400


def test_other_things_than_results_are_named():
    refused(checked_result, BENCH, None, saying=("score() returned NoneType", "expected Result"))
    refused(checked_result, BENCH, {"close": 1.0}, saying=("dict",))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("parts", "Guess a digit.", ["Prompt.parts", "with a comma"]),
        ("parts", ("text", b"png"), ["Prompt.parts[1]", "bytes"]),
        ("parts", (Artefact(np.zeros(3)),), ["Prompt.parts[0].data", "ndarray"]),
        ("wants", "picture", ["Prompt.wants", "'text' or 'image'"]),
        ("system", None, ["Prompt.system"]),
        ("max_tokens", 0, ["Prompt.max_tokens", "positive"]),
        ("max_tokens", "many", ["Prompt.max_tokens"]),
        ("schema", "{}", ["Prompt.schema"]),
        ("grammar", {}, ["Prompt.grammar"]),
        ("data", None, ["Prompt.data"]),
        ("tools", ("zoom",), ["Prompt.tools[0]", "Tool"]),
        ("tools", Tool("zoom", "", {}), ["Prompt.tools", "tuple"]),
        ("history", ("hello",), ["Prompt.history[0]", "Turn"]),
        ("history", (Turn("user", ("a", 3)),), ["Prompt.history[0].parts[1]", "int"]),
    ],
    ids=repr,
)
def test_a_wrong_prompt_is_named(field, value, words):
    refused(checked_prompt, BENCH, replace(PROMPT, **{field: value}), saying=["prompt()", *words])


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("id", 3, ["Item.id", "int"]),
        ("id", "", ["Item.id", "non-empty"]),
        ("inputs", None, ["Item.inputs", ITEM.id]),
        ("cluster", 7, ["Item.cluster", ITEM.id]),
        ("tags", {"size": 3}, ["Item.tags", "['size']", ITEM.id]),
        ("tags", ["odd"], ["Item.tags", "mapping"]),
    ],
    ids=repr,
)
def test_a_wrong_item_is_named(field, value, words):
    item = replace(ITEM, **{field: value})
    refused(checked_item, BENCH, item, saying=["items()", *words])
    refused(list, checked_items(BENCH, [ITEM, item]), saying=["items()", *words])


def test_functions_that_forgot_to_return_are_named():
    refused(checked_items, BENCH, None, saying=("items() returned NoneType",))
    refused(checked_prompt, BENCH, None, saying=("prompt() returned NoneType",))
    refused(checked_controls, BENCH, None, saying=("controls() returned NoneType",))
    refused(checked_controls, BENCH, {"floor-x": Answer("5")}, saying=("controls()", "['floor-x']", "function"))
    refused(checked_answer, BENCH, "control 'wrong'", "5", saying=("control 'wrong' returned str",))
    refused(checked_answer, BENCH, "recorded()", Answer(None), saying=("Answer.text",))
    refused(checked_answer, BENCH, "recorded()", Answer(images=(b"",)), saying=("Answer.images[0]",))
    refused(checked_answer, BENCH, "recorded()", Answer(usage=3), saying=("Answer.usage",))


SMALL = {"size": 64, "quality": "draft"}
WITHOUT_ASSETS = {"agent": {"task": "largest-colour,compare-areas"}}


def answer_of(bench, control, item):
    """The answer of a control, or of its episode."""
    rng = np.random.default_rng(0)
    if isinstance(control, Player):
        return converse(bench, item, lambda prompt: control.reply(item, prompt, rng)).answer
    return control(item, rng)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(available()))
def test_the_installed_benches_pass(name):
    known = {option.name for option in fields(get_bench(name))}
    small = {option: value for option, value in SMALL.items() if option in known}
    bench = get_bench(name, **small, **WITHOUT_ASSETS.get(name, {}))
    controls = checked_controls(bench, bench.controls())
    source = Source("published" if "published" in bench.sources else bench.default_source())
    for item in checked_items(bench, bench.items(source, 0, 2)):
        checked_prompt(bench, bench.prompt(item))
        for control in list(controls)[:3]:
            answer = checked_answer(bench, control, answer_of(bench, controls[control], item))
            checked_result(bench, bench.score(item, answer, {}))
