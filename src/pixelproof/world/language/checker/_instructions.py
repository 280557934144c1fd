"""Comparison of a parsed instruction with its edit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pixelproof.world.language._view import Entity, Sentence, View

from ._fits import resolve
from ._numbers import off
from ._parser import fits_noun
from ._plausibility import implausibilities
from ._reading import Finding, Handler


def edit_problems(view: View, sentence: Sentence, action: str, said: Mapping[str, Any]) -> Finding:
    """Differences between a reading of an instruction and its edit.

    Args:
        view: The scene before the edit.
        sentence: The instruction with its edit.
        action: Action that the text asks for.
        said: `target`, `anchor` (meanings), `way` and `amount`, as far as the text has them.
    """
    edit = sentence.edit
    if edit is None:
        yield "it has no edit"
        return
    if action != edit.action or said.get("way", "") != edit.way:
        yield f"it says {action} {said.get('way', '')}, not {edit.action} {edit.way}"
    yield from off(said.get("amount", 0.0), edit.amount, "amount")
    things: dict[str, Entity] = {}
    for part, id in (("target", edit.target), ("anchor", edit.anchor)):
        if (part in said) != bool(id):
            yield f"it has no {part}, or should have none"
        elif id:
            entity, why = resolve(view, said[part])
            if entity is None or entity.id != id:
                yield why or f"it means {entity.id if entity else ''}, not {id}"
                return
            things[part] = entity
    if "camera" in action and any("camera" in entity.noun for entity in view.entities):
        yield "two cameras may be meant"
    if action == edit.action and said.get("way", "") == edit.way:
        yield from implausibilities(view, edit, things.get("target"), things.get("anchor"))


_SAID: dict[str, tuple[str, ...]] = {
    "move": (
        "move|shift {the} {length} {move} .",
        "slide {the} {move} by {length} .",
        "move {the} {move} by exactly {length} .",
    ),
    "place": (
        "place {the} {length} {beside} {the} , measured between their centres .",
        "put {the} {beside} {the} , with their centres {length} apart .",
        "move {the} so that it is {beside} {the} , {length} from centre to centre .",
    ),
    "put": (
        "put|place {the} {spot} {the} .",
        "move {the} so that it is {spot} {the} .",
    ),
    "turn": (
        "rotate {the} {sense} by {number} degrees , as seen from above .",
        "turn {the} {number} degrees {sense} ( seen from above ) .",
        "seen from above , rotate {the} {number} degrees {sense} .",
    ),
    "scale": (
        "scale {the} by a factor of {number} .",
        "make {the} {number} times its current size in every dimension .",
        "resize {the} to {number} % of its current height , width and depth .",
    ),
    "remove": (
        "remove {the} .",
        "take away {the} .",
        "delete {the} from the scene .",
        "take {the} out of the picture .",
    ),
    "swap": (
        "swap {the} and {the} .",
        "exchange the positions of {the} and {the} .",
        "let {the} and {the} trade places .",
    ),
    "move camera": (
        "move the camera {length} {pan} .",
        "shift the camera {pan} by {length} .",
        "take the picture again with the camera {length} further {pan} .",
    ),
    "turn camera": (
        "turn the camera {number} degrees {pan} .",
        "rotate the camera {pan} by {number} degrees .",
    ),
}


def _handler(action: str, pattern: str) -> Handler:
    """Handler of a pattern whose slots are target, anchor, amount and way, in any order."""
    slots = re.findall(r"{(\w+)}", pattern)

    def handler(view: View, sentence: Sentence, values: list[Any]) -> Finding:
        said: dict[str, Any] = {}
        for slot, value in zip(slots, values, strict=True):
            if slot == "the":
                said["anchor" if "target" in said else "target"] = value
            elif slot in ("length", "number"):
                said["amount"] = value / 100 if "%" in pattern else value
            else:
                said["way"] = "" if value in ("on", "in") else value
                if value in ("on", "in") and not fits_noun("on", value, values[-1].noun):
                    yield f"nothing is {value} a {values[-1].noun}"
        yield from edit_problems(view, sentence, action, said)

    return handler


EDITS: dict[str, Handler] = {
    pattern: _handler(action, pattern) for action, patterns in _SAID.items() for pattern in patterns
}
