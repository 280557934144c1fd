"""Comparison of a parsed instruction with its edit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pixelproof.world.edits import Edit
from pixelproof.world.language import words_of
from pixelproof.world.language.view import Entity, Sentence, View
from pixelproof.world.solid import Thing, box_corners

from ._fits import number_of, resolve
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
    yield from _new_thing(view, edit.thing, said)
    inserts = edit.action == "insert"
    things: dict[str, Entity] = {}
    for part, id in (("target", "" if inserts else edit.target), ("anchor", edit.anchor)):
        if (part in said) != bool(id):
            yield f"it has no {part}, or should have none"
        elif id:
            entity, why = resolve(view, said[part])
            if entity is None or entity.id != id:
                yield why or f"it means {entity.id if entity else ''}, not {id}"
                return
            things[part] = entity
    yield from _frame(edit, said, things)
    if "camera" in action and any("camera" in entity.noun for entity in view.entities):
        yield "two cameras may be meant"
    if action == edit.action and said.get("way", "") == edit.way:
        yield from implausibilities(view, edit, things.get("target"), things.get("anchor"))


def _new_thing(view: View, thing: Thing | None, said: Mapping[str, Any]) -> Finding:
    """Differences between the new thing of a text and that of its edit."""
    if (thing is None) != ("new" not in said):
        yield "it adds a thing, or should add one"
    if thing is None or "new" not in said:
        return
    meaning, words = said["new"], words_of(thing)
    if (meaning.noun, meaning.colour, meaning.material) != (words.noun, words.colour, words.material):
        yield f"it adds a {meaning.colour} {meaning.material} {meaning.noun}, not a {words}"
    yield from off(said["height"], float(np.ptp(box_corners(thing)[:, 2])), "height")
    if number_of(view, meaning) != 0:
        yield f"there is, perhaps, another {meaning.noun} like it"


def _frame(edit: Edit, said: Mapping[str, Any], things: Mapping[str, Entity]) -> Finding:
    """Problems of the frame of reference of a way: it must be said where a thing has a front."""
    owner = things.get("target" if edit.action == "move" else "anchor")
    if said.get("frame", "viewer") != edit.frame:
        yield f"it is told from the point of view of the {said.get('frame', 'viewer')}, not of the {edit.frame}"
    if "owner" in said and (owner is None or said["owner"] != owner.noun):
        yield f"it is told from the point of view of a {said['owner']}"
    sides = {"move": ("left", "right"), "place": ("left", "right", "front", "behind")}
    sides["insert"] = sides["place"]
    if owner and owner.front and edit.way in sides.get(edit.action, ()) and "frame" not in said:
        yield f"it could be told from the point of view of {owner.id} or of the viewer"


_FRAMES: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {}),
    (", from the viewer ' s point of view", {"frame": "viewer"}),
    (", from its own point of view", {"frame": "object"}),
    (", from that {one} ' s own point of view", {"frame": "object"}),
)
"""Ends of a clause that say whose point of view is meant, and what they say."""
_SAID: dict[str, tuple[str, ...]] = {
    "move": (
        "move|shift {the} {length} {move} FRAME .",
        "slide {the} {move} by {length} FRAME .",
        "move {the} {move} by exactly {length} FRAME .",
    ),
    "place": (
        "place {the} {length} {beside} {the} FRAME , measured between their centres .",
        "put {the} {beside} {the} FRAME , with their centres {length} apart .",
        "move {the} so that it is {beside} {the} FRAME , {length} from centre to centre .",
    ),
    "insert": (
        "add {counted} , {length} tall , {length} {beside} {the} FRAME , measured between their centres .",
        "insert {counted} that is {length} tall {beside} {the} FRAME , with their centres {length} apart .",
        "add {counted} of {length} in height , so that it is {beside} {the} FRAME , {length} from centre to centre .",
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
    "zoom camera": (
        "zoom {zoom} by a factor of {number} .",
        "zoom the camera {zoom} by a factor of {number} , without moving it .",
    ),
}


def _handler(action: str, pattern: str, frame: Mapping[str, str]) -> Handler:
    """Handler of a pattern whose slots are target, anchor, amount and way, in any order."""
    slots = re.findall(r"{(\w+)}", pattern)

    def handler(view: View, sentence: Sentence, values: list[Any]) -> Finding:
        said: dict[str, Any] = dict(frame)
        for slot, value in zip(slots, values, strict=True):
            if slot == "the":
                said["anchor" if "target" in said or action == "insert" else "target"] = value
            elif slot == "counted":
                said["new"] = value[1]
            elif slot == "one":
                said["owner"] = value.noun
            elif slot == "length" and action == "insert" and "height" not in said:
                said["height"] = value
            elif slot in ("length", "number"):
                said["amount"] = value / 100 if "%" in pattern else value
            else:
                said["way"] = "" if value in ("on", "in") and slot == "spot" else value.replace("_", " ")
                if slot == "spot" and value in ("on", "in") and not fits_noun("on", value, values[-1].noun):
                    yield f"nothing is {value} a {values[-1].noun}"
        yield from edit_problems(view, sentence, action, said)

    return handler


EDITS: dict[str, Handler] = {
    pattern.replace("FRAME", end): _handler(action, pattern.replace("FRAME", end), frame)
    for action, patterns in _SAID.items()
    for pattern in patterns
    for end, frame in (_FRAMES if "FRAME" in pattern else _FRAMES[:1])
}
