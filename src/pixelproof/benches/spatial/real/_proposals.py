"""Rule-based proposals of edits: moves, turns and removals whose text and boxes say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pixelproof.benches.spatial.real._boxes import Floats, LiftedBox, RealEdit, intersect, project
from pixelproof.benches.spatial.real._frames import Frame

MOVES_CM = (10, 20, 30, 50, 70, 90, 110)
TURNS = (30, 45, 60, 90, 120, 150, 180)
LARGEST = 0.4
"""Volume in cubic metres of the largest thing that is moved or turned."""
DIRECTIONS = {"left": 0.2, "right": 0.2, "closer": 0.2, "away": 0.2, "up": 0.1, "down": 0.1}
"""Direction of a move → how often it is drawn."""
_WORDS = {
    "left": "to the left", "right": "to the right", "closer": "towards the camera", "away": "away from the camera",
    "up": "up", "down": "down",
}  # fmt: skip
_BESIDE = {"left": "to the left of", "right": "to the right of", "closer": "in front of", "away": "behind"}
SUPERLATIVES = {
    "leftmost": (0, -1), "rightmost": (0, 1), "nearest": (1, -1), "farthest": (1, 1), "highest": (2, 1),
    "lowest": (2, -1),
}  # fmt: skip
"""Superlative → axis (right, away, up) and sign."""
MARGIN = 0.05
"""Least lead of a superlative in metres."""
LONG = 1.15
"""Least ratio of width and length of a thing that is turned: of others, a turn may not show."""
HIDDEN = 0.6
"""Share of a box in the photograph from which it counts as hidden by a nearer one."""
_TRIES, _ROUNDS = 20, 2
_EDGE = 0.02
"""Least distance of a box's centre from the edge of the photograph, as a share of its sides."""


def view_axes(frame: Frame) -> Floats:
    """Columns: the viewer's right, away along the ground, and up, in the camera's frame."""
    up = -np.asarray(frame.down) / np.linalg.norm(frame.down)
    away = np.array([0.0, 0.0, 1.0]) - up[2] * up
    if np.linalg.norm(away) < 1e-3:  # looking straight down: the upper edge of the photograph is away
        away = np.array([0.0, -1.0, 0.0]) - (-up[1]) * up
    away /= np.linalg.norm(away)
    right = np.cross(away, up)
    return np.column_stack([right, away, up])


def propose_edits(frame: Frame, boxes: Sequence[LiftedBox], rng: np.random.Generator, count: int) -> list[RealEdit]:
    """Up to so many different edits of a frame, whose boxes stay in the photograph and free of others.

    Args:
        frame: The photograph.
        boxes: What the lifter found.
        rng: Random generator.
        count: Number of proposals.
    """
    found: dict[str, RealEdit] = {}
    makers: list[Callable[..., RealEdit | None]] = [_move, _place, _turn, _remove]
    for number in range(_ROUNDS * count if boxes else 0):  # operations take turns: some fit more often than others
        if len(found) == count:
            break
        for _ in range(_TRIES):
            edit = makers[number % len(makers)](frame, boxes, rng)
            if edit is not None and edit.text not in found and _fits(frame, boxes, edit):
                found[edit.text] = edit
                break
    return list(found.values())


def name_of(frame: Frame, boxes: Sequence[LiftedBox], box: LiftedBox) -> str | None:
    """A name that fits one box alone: its label, with a superlative where several have the label; None if none does.

    A camera in the photograph has none: *the camera* is the one that took it.
    """
    if "camera" in box.label:
        return None
    alike = [other for other in boxes if other.label == box.label]
    if len(alike) == 1:
        return f"the {box.label}"
    axes = view_axes(frame)
    places = np.array([np.asarray(other.centre) @ axes for other in alike])
    own = places[alike.index(box)]
    for word, (axis, sign) in SUPERLATIVES.items():
        others = [place[axis] for other, place in zip(alike, places, strict=True) if other is not box]
        if all(sign * (own[axis] - other) >= MARGIN for other in others):
            return f"the {word} {box.label}"
    return None


def _drawn(boxes: Sequence[LiftedBox], rng: np.random.Generator) -> LiftedBox | None:
    small = [box for box in boxes if box.volume <= LARGEST]
    return small[int(rng.integers(len(small)))] if small else None


def _way(frame: Frame, direction: str) -> Floats:
    right, away, up = view_axes(frame).T
    ways: dict[str, Floats] = {"left": -right, "right": right, "closer": -away, "away": away, "up": up, "down": -up}
    return ways[direction]


def _move(frame: Frame, boxes: Sequence[LiftedBox], rng: np.random.Generator) -> RealEdit | None:
    """Move the mug 20 cm to the left."""
    box = _drawn(boxes, rng)
    name = name_of(frame, boxes, box) if box else None
    if box is None or name is None:
        return None
    direction = str(rng.choice(list(DIRECTIONS), p=list(DIRECTIONS.values())))
    cm = int(rng.choice(MOVES_CM))
    after = box.moved(cm / 100 * _way(frame, direction))
    seen = ", as seen from the camera" if direction in ("left", "right") else ""
    text = f"Move {name} {cm} cm {_WORDS[direction]}{seen}."
    return RealEdit("move", text, name.removeprefix("the "), box, after)


def _place(frame: Frame, boxes: Sequence[LiftedBox], rng: np.random.Generator) -> RealEdit | None:
    """Place the mug 30 cm to the right of the bowl."""
    box = _drawn(boxes, rng)
    others = [other for other in boxes if other is not box]
    if box is None or not others:
        return None
    reference = others[int(rng.integers(len(others)))]
    names = [name_of(frame, boxes, one) for one in (box, reference)]
    if names[0] is None or names[1] is None:
        return None
    direction = str(rng.choice(list(_BESIDE)))
    cm = int(rng.choice(MOVES_CM))
    foot = _foot(reference) + cm / 100 * _way(frame, direction)
    after = box.moved(foot - _foot(box))  # both stand on one level
    text = (
        f"Place {names[0]} {cm} cm {_BESIDE[direction]} {names[1]}, measured between their centres and as seen from "
        "the camera."
    )
    return RealEdit("placement", text, names[0].removeprefix("the "), box, after, reference)


def _foot(box: LiftedBox) -> Floats:
    return np.asarray(box.centre) + box.down * box.size[1] / 2


def _turn(frame: Frame, boxes: Sequence[LiftedBox], rng: np.random.Generator) -> RealEdit | None:
    """Rotate the mug 90 degrees clockwise."""
    box = _drawn(boxes, rng)
    name = name_of(frame, boxes, box) if box else None
    if box is None or name is None or max(box.size[0], box.size[2]) < LONG * min(box.size[0], box.size[2]):
        return None
    degrees, sense = int(rng.choice(TURNS)), ("clockwise", "anticlockwise")[int(rng.integers(2))]
    after = box.turned(degrees if sense == "anticlockwise" else -degrees)
    text = f"Rotate {name} {degrees} degrees {sense}, as seen from above."
    return RealEdit("rotation", text, name.removeprefix("the "), box, after)


def _remove(frame: Frame, boxes: Sequence[LiftedBox], rng: np.random.Generator) -> RealEdit | None:
    """Remove the leftmost mug: only where several things have the label."""
    several = [box for box in boxes if sum(other.label == box.label for other in boxes) > 1]
    if not several:
        return None
    box = several[int(rng.integers(len(several)))]
    name = name_of(frame, boxes, box)
    return RealEdit("removal", f"Remove {name}.", name.removeprefix("the "), box, None) if name else None


def _fits(frame: Frame, boxes: Sequence[LiftedBox], edit: RealEdit) -> bool:
    """Whether a box stays in the photograph, in front of the camera, and free of other boxes."""
    if edit.after is None:
        return True
    shown = project(np.array([edit.after.centre, *edit.after.corners()]), frame.intrinsics)
    height, width = frame.rgb.shape[:2]
    x, y = shown[0, 0] / width, shown[0, 1] / height
    inside = _EDGE <= x <= 1 - _EDGE and _EDGE <= y <= 1 - _EDGE
    if shown[:, 2].min() <= 0.05 or not inside:
        return False
    # A box that contains, or is contained in, another before (a mug on a tray, a drawer) may do so after.
    others = [box for box in boxes if box is not edit.before and not intersect(box, edit.before)]
    return not any(intersect(edit.after, other) for other in others) and not _hidden(frame, boxes, edit)


def _hidden(frame: Frame, boxes: Sequence[LiftedBox], edit: RealEdit) -> bool:
    """Whether a nearer box covers most of the place of a thing in the photograph."""
    assert edit.after is not None
    left, top, right, bottom = _shown_box(edit.after, frame)
    for other in boxes:
        if other is not edit.before and other.centre[2] < edit.after.centre[2] and min(other.corners()[:, 2]) > 0:
            a, b, c, d = _shown_box(other, frame)
            covered = max(0.0, min(right, c) - max(left, a)) * max(0.0, min(bottom, d) - max(top, b))
            if covered > HIDDEN * (right - left) * (bottom - top):
                return True
    return False


def _shown_box(box: LiftedBox, frame: Frame) -> tuple[float, float, float, float]:
    """Bounding box of the corners of a box in the photograph: left, top, right, bottom."""
    shown = project(box.corners(), frame.intrinsics)[:, :2]
    (left, top), (right, bottom) = shown.min(axis=0).tolist(), shown.max(axis=0).tolist()
    return left, top, right, bottom
