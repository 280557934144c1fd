"""Python callables as models: stable names, and fingerprints that follow the source."""

from __future__ import annotations

import functools
import importlib
import json
import subprocess
import sys

import pytest

from pixelproof.contract import Answer, Call, Item, PixelProofError, Prompt
from pixelproof.models import Decoding, name_of, open_model
from pixelproof.models._callable import source_hash

ITEM = Item("a/b/c/0", {}, truth="SECRET")
PROMPT = Prompt(("Draw", "the sun"))


def echo(prompt, seed=0):
    return prompt.text


class Painter:
    def __init__(self, style: str) -> None:
        self.style = style

    def __call__(self, prompt):
        return self.style

    def paint(self, prompt):
        return f"painted {self.style}"

    @classmethod
    def made(cls, prompt):
        return "made"

    @staticmethod
    def plain(prompt):
        return "plain"


painter = Painter("thick")


def closure(word):
    def speak(prompt):
        return word

    return speak


def ask(model) -> str:
    opened = open_model(model, None)
    assert opened.name == name_of(model) and not opened.answers_items
    return opened.answer(PROMPT, ITEM, 0, 0).text


@pytest.mark.parametrize(
    ("function", "qualname", "reply"),
    [
        (echo, "echo", "Draw\nthe sun"),
        (Painter.plain, "Painter.plain", "plain"),
        (Painter.made, "Painter.made", "made"),
    ],
)
def test_what_a_module_holds_is_named_by_its_place(function, qualname, reply):
    assert name_of(function) == f"fn/{__name__}:{qualname}" and ask(function) == reply
    by_name = open_model(name_of(function), None)
    assert by_name.answer(PROMPT, ITEM, 0, 0).text == reply
    assert by_name.card() == open_model(function, None).card()  # either way it is the same run


@pytest.mark.parametrize(
    ("function", "qualname", "reply"),
    [
        (lambda prompt: "lambda", "<lambda>", "lambda"),
        (closure("word"), "closure.<locals>.speak", "word"),
        (painter, "Painter", "thick"),
        (painter.paint, "Painter.paint", "painted thick"),
        (functools.partial(echo, seed=3), "echo", "Draw\nthe sun"),
    ],
    ids=["lambda", "closure", "instance", "method", "partial"],
)
def test_everything_else_is_named_by_its_source(function, qualname, reply):
    name, _, digest = name_of(function).rpartition("@")
    assert name == f"fn/{qualname}" and len(digest) == 12 and ask(function) == reply
    card = open_model(function, None).card()
    assert card["sha256"] == source_hash(function) and card["sha256"].startswith(digest)
    assert json.loads(json.dumps(card)) == card


def test_fingerprints_follow_source_and_captured_values():
    first, second = (lambda prompt: "a"), (lambda prompt: "b")  # on one line
    alike = [closure("a"), closure("a")]
    others = [
        closure("b"),
        first,
        second,
        Painter("thin"),
        Painter("thick"),
        Painter("thin").paint,
        functools.partial(echo, seed=1),
        functools.partial(echo, seed=2),
        closure(echo),
        closure(first),
        closure(["a", 1]),
        closure({"a": 1}),
    ]
    assert source_hash(alike[0]) == source_hash(alike[1])
    assert len({source_hash(function) for function in [*alike, *others]}) == len(others) + 1


@pytest.mark.slow
def test_names_are_the_same_in_another_process(tmp_path):
    (tmp_path / "their_model.py").write_text(
        "import functools\n"
        "def make(word):\n    def speak(prompt): return word\n    return speak\n"
        "speak, shout = make('hi'), lambda prompt: 'HI'\n"
        "def real(prompt): return 1\n"
        "if __name__ == '__main__':\n"
        "    from pixelproof.models import name_of\n"
        "    print([name_of(f) for f in (speak, shout, real)])\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "their_model.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    (printed,) = runs
    assert "fn/real@" in printed  # a script's own functions cannot be imported again by name


def test_code_without_a_source_file_works():
    space: dict = {"__name__": "nowhere"}
    exec("def made(prompt): return 'made'\nother = lambda prompt: 'other'", space)
    assert ask(space["made"]) == "made" and ask(space["other"]) == "other"
    assert source_hash(space["made"]) != source_hash(space["other"])


def test_a_function_that_was_replaced_is_not_named_by_its_old_place(tmp_path, monkeypatch):
    (tmp_path / "shifting.py").write_text("def f(prompt): return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("shifting")
    old = module.f
    assert name_of(old) == "fn/shifting:f"
    module.f = lambda prompt: 2
    assert name_of(old).startswith("fn/f@")
    sys.modules.pop("shifting")


def test_callables_may_call_tools():
    answer = open_model(lambda prompt: Answer(calls=(Call("", "zoom", {}),)), None).answer(PROMPT, ITEM, 0, 0)
    assert answer.calls == (Call("call-0", "zoom", {}),)


async def later(prompt):
    return ""


@pytest.mark.parametrize(
    ("function", "complaint"),
    [(later, "async"), (lambda: "", "must take the prompt"), (lambda prompt, other: "", "must take the prompt")],
)
def test_functions_of_another_shape_are_refused(function, complaint):
    with pytest.raises(PixelProofError, match=complaint):
        open_model(function, None)


def test_settings_for_decoding_have_no_effect_on_a_function():
    with pytest.raises(PixelProofError, match="token by token"):
        open_model(echo, None, Decoding(max_tokens=9))


def test_a_lambda_keeps_its_name_when_its_statement_changes():
    first, second = [lambda prompt: "hi"][0], (lambda prompt: "hi")
    assert name_of(first).rpartition("@")[2] == name_of(second).rpartition("@")[2]
    assert name_of(lambda prompt: "ho").rpartition("@")[2] != name_of(first).rpartition("@")[2]
