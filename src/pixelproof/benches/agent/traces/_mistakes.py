"""Mistakes that can be made at a call: at another place, in another frame, or too close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pixelproof.benches.agent.tasks import Challenge, Request, to_grid
from pixelproof.tools import GRID, ToolResult
from pixelproof.world.flat import ALPHABET

Rng = np.random.Generator


def mistakes(request: Request, challenge: Challenge, rng: Rng) -> Iterator[tuple[str, Request]]:
    """Wrong versions of a call, each with the name of the mistake; in random order."""
    tool, given = request
    made: list[tuple[str, Mapping[str, Any]]] = []
    if tool in ("OCR", "ZOOM"):
        made = [("shifted-box", _shifted(given, rng)), ("over-zoom", _narrow(given))]
        made += [("wrong-object", {"box": box}) for box in _other_plates(challenge, given)]
    if tool == "SEG":
        made = [("wrong-object", {"point": point}) for point in _other_things(challenge, given)]
        made.append(("background", {"point": _corner(given)}))
    if tool in ("OCR", "SEG", "ZOOM") and challenge.frames.ndim == 4:
        frames = [frame for frame in range(len(challenge.frames)) if frame != given.get("frame", 0)]
        made.append(("wrong-frame", {"frame": int(rng.choice(frames))}))
    for place in rng.permutation(len(made)):
        name, changes = made[int(place)]
        yield name, (tool, {**given, **changes})


def _shifted(given: Mapping[str, Any], rng: Rng) -> dict[str, Any]:
    """The box moved by its own width, to the side where there is more space."""
    left, top, right, bottom = given["box"]
    width = right - left
    move = -min(width, left) if left > GRID - right else min(width, GRID - right)
    return {"box": [left + move, top, right + move, bottom]}


def _narrow(given: Mapping[str, Any]) -> dict[str, Any]:
    """The middle third of the box."""
    left, top, right, bottom = given["box"]
    third = max(1, (right - left) // 3)
    return {"box": [left + third, top, max(right - third, left + third + 1), bottom]}


def _other_plates(challenge: Challenge, given: Mapping[str, Any]) -> list[list[int]]:
    """Boxes of plates with a text in the frame, other than the one that is read."""
    scene = challenge.flat_scene(int(given.get("frame", 0)))
    boxes = [to_grid([float(side) for side in one.rectangle], scene.width) for one in scene.sprites if one.text]
    return [box for box in boxes if abs(box[0] - given["box"][0]) + abs(box[1] - given["box"][1]) > 20]


def _other_things(challenge: Challenge, given: Mapping[str, Any]) -> list[list[int]]:
    """Centres of other things in the frame."""
    scene = challenge.flat_scene(int(given.get("frame", 0)))
    centres = [[round(GRID * one.x / scene.width), round(GRID * one.y / scene.width)] for one in scene.sprites
               if not one.upright and one.role == "thing"]  # fmt: skip
    inside = [centre for centre in centres if min(centre) >= 0 and max(centre) <= GRID]
    return [centre for centre in inside if max(abs(a - b) for a, b in zip(centre, given["point"], strict=True)) > 40]


def _corner(given: Mapping[str, Any]) -> list[int]:
    x, y = given["point"]
    return [3 if x > GRID / 2 else GRID - 3, 3 if y > GRID / 2 else GRID - 3]


def misleads(wrong: ToolResult, right: ToolResult) -> bool | None:
    """Whether a wrong result looks like an answer (a trap), or is of no use (None: it is as good as the right one)."""
    if not wrong.ok:
        return False
    if wrong.tool == "OCR":
        texts = ["".join(str(result.evidence["text"]).split()).upper() for result in (wrong, right)]
        if texts[0] == texts[1]:
            return None
        return len(texts[0]) == len(texts[1]) and set(texts[0]) <= set(ALPHABET)
    if wrong.tool == "SEG":
        same_frame = wrong.evidence["frame"] == right.evidence["frame"]
        return None if same_frame and wrong.evidence["box"] == right.evidence["box"] else True
    return wrong.evidence != right.evidence or None
