"""Checks of Chinese questions: patterns with slots, and the checks that English questions share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from pixelproof.world.language.chinese_words import ZH_COLOURS, ZH_MORE, ZH_MOST, ZH_RELATIONS
from pixelproof.world.language.view import Sentence, View

from . import _questions as checks
from ._answers import centimetres
from ._chinese_expressions import expressions
from ._reading import Handler

_PLACES = {f"的{words}": (name, "") for name, words in ZH_RELATIONS.items() if name != "on"}
_PLACES |= {"上": ("on", "on"), "里": ("on", "in")}
_PATTERNS: dict[str, dict[str, tuple[Handler, str]]] = {
    "yes-no": {
        "画面中有{counted}吗？": (checks.is_there, "counted"),
        "画面中{a}的数量正好是{number}吗？": (checks.are_there, "number a"),
        "{x}是{colour}的吗？": (checks.is_coloured, "x colour"),
        "{x}在{y}{place}吗？": (checks.is_related, "x place y"),
        "{x}比{y}{more}吗？": (checks.is_more, "x more y"),
        "{x}{ground}有东西吗？": (checks.is_any, "ground x"),
        "{x}在{y}和{z}之间吗？": (checks.is_between, "x y z"),
        "{x}比{y}离{z}更近吗？": (checks.is_nearer, "x z y"),
        "从{owner}自身的角度看，{x}在它的{own}吗？": (checks.is_own, "owner x own"),
        "如果把{x}{along}移动{length}，它会比{y}{more}吗？": (checks.if_more, "x length along more y"),
    },
    "choice": {
        "{x}是什么颜色的？": (checks.what_colour, "x"),
        "{x}是什么材质的？": (checks.what_material, "x"),
        "{x}放在什么上面？": (checks.what_support, "x"),
        "下列物体中，哪个{most}？": (checks.which_of_these, "most"),
        "下列物体中，哪个{more}？": (checks.which_of_two, "more"),
        "画面中{a}的数量是多少？": (checks.how_many, "a"),
        "有多少个物体比{x}{more}？": (checks.how_many_further, "more x"),
        "{x}离{y}大约有多远？": (checks.how_far, "x y"),
    },
    "open": {
        "{x}是什么颜色的？": (checks.what_colour, "x"),
        "{x}是什么材质的？": (checks.what_material, "x"),
        "{x}和{y}，哪个{more}？": (checks.which, "more x y"),
        "{x}和{other}，哪个在{y}和{z}之间？": (checks.which_between, "y z x other"),
        "{x}和{other}，哪个在{y}{ground}？": (checks.which_on, "ground y x other"),
        "{x}和{y}，哪个离{z}更近？": (checks.which_near, "z x y"),
        "从{owner}自身的角度看，{x}在它的左边还是右边？": (checks.which_own, "owner x"),
    },
    "number": {
        "{x}的中心和{y}的中心相距多少厘米？": (checks.how_far_apart, "x y"),
        "画面中{a}的数量是多少？": (checks.how_many_exactly, "a"),
        "如果把{x}{along}移动{length}，它的中心和{y}的中心会相距多少厘米？": (checks.if_how_far, "x length along y"),
    },
}
"""Kind → text with slots → check, and the order in which it takes the slots."""
_WORDS: dict[str, dict[str, Any]] = {
    "colour": {chinese: english for english, chinese in ZH_COLOURS.items()},
    "more": {chinese: english for english, chinese in ZH_MORE.items()},
    "most": {chinese: english for english, chinese in ZH_MOST.items()},
    "own": {"左边": "left", "右边": "right"},
    "ground": {"上": "on", "里": "in"},
    "place": _PLACES,
    "along": {"向左": "left", "向右": "right", "朝观察者方向": "closer", "朝远离观察者的方向": "away"},
}


def question_problems(view: View, sentence: Sentence) -> list[str]:
    """Problems of every reading of a Chinese question."""
    problems: list[str] = []
    readings = 0
    for pattern, (check, order) in _PATTERNS[sentence.kind].items():
        for values in _values(pattern, sentence.text):
            readings += 1
            problems += check(view, sentence, [values[slot] for slot in order.split()])
    return problems if readings else [f"it cannot be read: {sentence.text}"]


def _values(pattern: str, text: str) -> Iterator[dict[str, Any]]:
    """Values of the slots, once for each way in which the text matches."""
    pieces = re.split(r"{(\w+)}", pattern)
    slots = pieces[1::2]
    for parts in _splits(tuple(pieces[::2]), text):
        options = [list(_slot(slot, part)) for slot, part in zip(slots, parts, strict=True)]
        for values in product(*options):
            yield dict(zip(slots, values, strict=True))


def _splits(fixed: tuple[str, ...], text: str) -> Iterator[list[str]]:
    """All ways to cut a text into slots between fixed pieces."""
    if not text.startswith(fixed[0]):
        return
    text = text.removeprefix(fixed[0])
    if len(fixed) == 1:
        if not text:
            yield []
        return
    for end in range(1, len(text) + 1):
        if text.startswith(fixed[1], end):
            for rest in _splits(fixed[1:], text[end:]):
                yield [text[:end], *rest]


def _slot(slot: str, text: str) -> Iterator[Any]:
    """All values of the text of a slot."""
    if slot in _WORDS:
        if text in _WORDS[slot]:
            yield _WORDS[slot][text]
    elif slot == "length":
        if (length := centimetres(text, "zh")) is not None:
            yield length / 100
    elif slot == "number":
        if text.isdecimal():
            yield text
    else:
        for said in expressions(text):
            if slot not in ("a", "counted") or not (said.most or said.anchor):
                yield (1, said) if slot == "counted" else said
