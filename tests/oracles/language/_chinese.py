"""Checks of Chinese instructions and questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from pixelproof.world.language.view import Sentence, View
from pixelproof.world.language.words import CONTAINERS

from ._chinese_expressions import expressions
from ._chinese_questions import question_problems
from ._instructions import edit_problems

_ALONG = {
    "向左": "left", "向右": "right", "朝观察者方向": "closer", "朝远离观察者的方向": "away", "向上": "up",
    "向下": "down", "向前": "forward", "向后": "back",
}  # fmt: skip
_PAN = {"向左": "left", "向右": "right", "向前": "forward", "向后": "back", "向上": "up", "向下": "down"}
_BESIDE = {"左边": "left", "右边": "right", "前面": "front", "后面": "behind"}
_SPOT = {
    "上": "",
    "里": "",
    "的正中间": "middle",
    "的左端": "left",
    "的右端": "right",
    "的前沿": "front",
    "的后沿": "back",
    "的左前角": "front left",
    "的右前角": "front right",
    "的左后角": "back left",
    "的右后角": "back right",
}
_ZOOM = {"拉近": "in", "拉远": "out"}
_SENSE = {"顺时针": "clockwise", "逆时针": "anticlockwise"}
_LENGTH = r"(?P<length>\d+(?:\.\d+)?(?:厘米|米))"
_NUMBER = r"(?P<number>\d+(?:\.\d+)?)"


def _one_of(words: dict[str, str]) -> str:
    return f"(?P<way>{'|'.join(words)})"


_T, _A = "(?P<target>.+?)", "(?P<anchor>.+?)"
_F = "(?:(?P<viewer>从观察者的角度看，)|从该(?P<owner>[^，]+?)自身的角度看，)?"
_H = r"(?P<height>\d+(?:\.\d+)?(?:厘米|米))"
_PATTERNS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("move", _ALONG, f"{_F}把{_T}{_one_of(_ALONG)}移动{_LENGTH}。"),
    ("move", _ALONG, f"{_F}请将{_T}{_one_of(_ALONG)}平移{_LENGTH}。"),
    ("move", _ALONG, f"{_F}让{_T}{_one_of(_ALONG)}移动{_LENGTH}。"),
    ("place", _BESIDE, f"{_F}把{_T}放到{_A}的{_one_of(_BESIDE)}，两者中心相距{_LENGTH}。"),
    ("place", _BESIDE, f"{_F}请将{_T}移到{_A}的{_one_of(_BESIDE)}，使两者的中心距离为{_LENGTH}。"),
    ("put", _SPOT, f"把{_T}放到{_A}{_one_of(_SPOT)}。"),
    ("put", _SPOT, f"请将{_T}移到{_A}{_one_of(_SPOT)}。"),
    ("turn", _SENSE, f"从上方看，把{_T}{_one_of(_SENSE)}旋转{_NUMBER}度。"),
    ("turn", _SENSE, f"请将{_T}{_one_of(_SENSE)}旋转{_NUMBER}度（从上方看）。"),
    ("scale", {}, f"把{_T}缩放到原来的{_NUMBER}倍。"),
    ("scale", {}, f"请将{_T}的长、宽、高都变为原来的{_NUMBER}(?P<percent>%)。"),
    ("remove", {}, f"移除{_T}。"),
    ("remove", {}, f"请把{_T}拿走。"),
    ("remove", {}, f"将{_T}从画面中删除。"),
    ("insert", _BESIDE, f"{_F}在{_A}的{_one_of(_BESIDE)}添加一个高{_H}的(?P<new>.+?)，两者中心相距{_LENGTH}。"),
    (
        "insert",
        _BESIDE,
        f"{_F}请在{_A}的{_one_of(_BESIDE)}放一个(?P<new>.+?)，高{_H}，使两者的中心距离为{_LENGTH}。",
    ),
    ("swap", {}, f"交换{_T}和{_A}的位置。"),
    ("swap", {}, f"请将{_T}与{_A}对调位置。"),
    ("move camera", _PAN, f"(?:将|请把)相机{_one_of(_PAN)}(?:移动|平移){_LENGTH}。"),
    ("turn camera", _PAN, f"(?:将|请把)相机{_one_of(_PAN)}(?:转动|旋转){_NUMBER}度。"),
    ("zoom camera", _ZOOM, f"将相机变焦{_one_of(_ZOOM)}，倍数为{_NUMBER}。"),
    ("zoom camera", _ZOOM, f"不移动相机，变焦{_one_of(_ZOOM)}{_NUMBER}倍。"),
)


def problems(view: View, sentence: Sentence) -> list[str]:
    """Problems of every reading of the text."""
    if sentence.kind in ("yes-no", "choice", "open", "number"):
        return question_problems(view, sentence)
    found: list[str] = []
    readings = 0
    for action, ways, pattern in _PATTERNS:
        match = re.fullmatch(pattern, sentence.text)
        for said in _meanings(match, ways) if match else ():
            readings += 1
            found += edit_problems(view, sentence, action, said)
    return found if readings else [f"it cannot be read: {sentence.text}"]


def _meanings(match: re.Match[str], ways: dict[str, str]) -> Iterator[dict[str, Any]]:
    """All readings of a pattern match."""
    parts = match.groupdict()
    said: dict[str, Any] = {"way": ways[parts["way"]]} if ways else {}
    for name, part in (("amount", "length"), ("height", "height")):
        if parts.get(part):
            value = float(parts[part].removesuffix("米").removesuffix("厘"))
            said[name] = value / 100 if parts[part].endswith("厘米") else value
    if parts.get("viewer") or parts.get("owner"):
        said["frame"] = "viewer" if parts.get("viewer") else "object"
    if parts.get("number"):
        said["amount"] = float(parts["number"]) / (100 if parts.get("percent") else 1)
    targets = list(expressions(parts["target"])) if parts.get("target") else [None]
    anchors = list(expressions(parts["anchor"])) if parts.get("anchor") else [None]
    news = list(expressions(parts["new"])) if parts.get("new") else [None]
    owners = list(expressions(parts["owner"])) if parts.get("owner") else [None]
    for target, anchor, new, owner in product(targets, anchors, news, owners):
        if parts.get("way") in ("上", "里") and (parts["way"] == "里") != (anchor and anchor.noun in CONTAINERS):
            continue
        named = {"target": target, "anchor": anchor, "new": new, "owner": owner.noun if owner else None}
        yield {**said, **{name: value for name, value in named.items() if value is not None}}
