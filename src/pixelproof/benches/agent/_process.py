"""What the calls of an episode tell about how an answer came about, measured against the truth of the scene.

Definitions: docs/benches/agent-reference.md. Each is a pure function of the steps and the challenge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent import _process as process
from pixelproof.benches.agent.tasks import Challenge, to_grid
from pixelproof.metrics import (
    boundary_f,
    character_errors,
    contour_counts,
    edit_distance,
    hota_counts,
    mot_counts,
    span_iou,
    word_errors,
)
from pixelproof.tools import Step, ToolResult, decode_mask

_BOUNDARY = 3
"""Pixels within which contours agree."""
Counts = dict[str, list[float]]


def tool_quality(steps: Sequence[Step], challenge: Challenge) -> Counts:
    """Sums and numbers of the measures of all successful calls, as pooled metrics carry them.

    SEG: mask IoU and boundary F1 (3 pixels) against the sprite that it covers best. OCR: errors and characters, errors
    and words, of the plate in the box. TRK: HOTA and MOTA of the one object that it starts on. TEMP: IoU of its span
    with that of the change that is asked about.
    """
    sums: Counts = {}
    for step in steps:
        if step.result.ok and not step.result.repeat:
            for name, (value, weight) in _MEASURES.get(step.result.tool, _nothing)(step.result, challenge).items():
                total = sums.setdefault(name, [0.0, 0.0])
                sums[name] = [total[0] + value, total[1] + weight]
    return sums


def _nothing(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    return {}


def _segment_quality(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    known = challenge.truth(int(result.evidence["frame"]))
    mask = decode_mask(result.evidence["mask"])
    covered = np.bincount(known.labels[mask], minlength=len(known.scene.sprites) + 1)[1:]
    if not covered.any():
        return {"seg.iou": (0.0, 1.0), "seg.boundary": (0.0, 1.0)}
    true = known.visible_mask(known.scene.sprites[int(covered.argmax())].id)
    iou = float((mask & true).sum() / (mask | true).sum())
    return {"seg.iou": (iou, 1.0), "seg.boundary": (boundary_f1(mask, true), 1.0)}


def boundary_f1(mask: npt.NDArray[np.bool_], true: npt.NDArray[np.bool_]) -> float:
    """Boundary F1 of two masks; 0 where one has no contour."""
    counts = contour_counts(mask.astype(np.uint8), true.astype(np.uint8), 2, _BOUNDARY)
    value = float(boundary_f(counts))
    return 0.0 if np.isnan(value) else value


def _reading_quality(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    frame, box = int(result.args["frame"]), process.as_box(result.args["box"])
    plates = [one for one in challenge.scene(frame).sprites if one.shape == "plate" and one.text]
    there = [plate.text for plate in plates if process.plate_share(challenge, frame, plate.id, box) >= 0.5]
    if len(there) != 1:
        return {}
    text = str(result.evidence.get("text", "")).upper()
    return {
        "ocr.cer": character_errors("".join(text.split()), there[0]),
        "ocr.wer": word_errors("".join(text.split()), there[0]),
    }


def _track_quality(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    frames, boxes = result.evidence["frames"], result.evidence["boxes"]
    first = process.as_box(boxes[0])
    sprites = challenge.parts(frames[0])
    sprite = max(sprites, key=lambda one: process.sprite_iou(challenge, frames[0], one.id, first)).id
    targets = [process.target_box(challenge, frame, sprite) for frame in frames]
    truth = [{} if target is None else {1: target} for target in targets]
    shown = [{1: box} if seen else {} for box, seen in zip(boxes, result.evidence["visible"], strict=True)]
    hota, mota = float(hota_counts(shown, truth).hota()), float(mot_counts(shown, truth).mota())
    return {"trk.hota": (hota, 1.0), "trk.mota": (mota, 1.0)}


def _strip_quality(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    asked = process.events(challenge)
    return {"temp.iou": (max(process.strip_iou(result, event) for event in asked), 1.0)} if asked else {}


_MEASURES = {"SEG": _segment_quality, "OCR": _reading_quality, "TRK": _track_quality, "TEMP": _strip_quality}


Box = tuple[float, float, float, float]
_USES = 0.3
"""Intersection over union of footprints from which a call builds on an earlier one."""
_HOP, _LOCAL = 0.1, 0.8
_COVERED = 0.5
"""Share of a target's box that evidence must contain to be about it; IoU with it, for results about one thing."""
_SHOWS_TEXT, _SHOWS_THING = frozenset({"OCR", "ZOOM", "TEMP"}), frozenset({"ZOOM", "TEMP"})
"""Tools whose results show what is in a place: a text, or the look of a thing."""
_IS_ABOUT = frozenset({"SEG", "PROP", "TRK"})
"""Tools whose results are about one thing."""
_LARGEST_CROP = 0.5
"""Share of the frame above which a crop is less than focused."""


def footprints(step: Step) -> dict[int, Box]:
    """Frame → box, in thousandths, that a step is about; a strip of frames is about all of each. Empty for errors."""
    result = step.result
    if not result.ok:
        return {}
    if result.tool == "TRK":
        return {
            frame: as_box(box) for frame, box in zip(result.evidence["frames"], result.evidence["boxes"], strict=True)
        }
    if result.tool == "TEMP":
        return {frame: (0.0, 0.0, 1000.0, 1000.0) for frame in result.evidence["frames"]}
    box = result.evidence["box"] if "box" in result.evidence else result.args["box"]
    return {int(result.evidence.get("frame", result.args.get("frame", 0))): as_box(box)}


def as_box(box: Sequence[float]) -> Box:
    """Four numbers as a box."""
    left, top, right, bottom = (float(value) for value in box)
    return left, top, right, bottom


def box_area(box: Box) -> float:
    """Area of a box; 0 if it is empty."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap(a: Box, b: Box) -> float:
    """Area that two boxes share."""
    return box_area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))


def box_iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes.

    >>> box_iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    shared = overlap(a, b)
    union = box_area(a) + box_area(b) - shared
    return shared / union if union else 0.0


def steps_iou(a: Step, b: Step) -> float:
    """Largest overlap of two steps in a frame that both are about."""
    first, second = footprints(a), footprints(b)
    return max((box_iou(first[frame], second[frame]) for frame in first.keys() & second.keys()), default=0.0)


def refers(later: Step, earlier: Step) -> bool:
    """Whether a call names the result of an earlier one."""
    ref = str(later.result.args.get("ref", ""))
    return bool(ref) and bool(earlier.result.ref) and earlier.result.result_digest.startswith(ref)


def is_composite(steps: Sequence[Step]) -> bool:
    """Whether two successful calls of different tools build on each other: by reference, or by place."""
    good = [step for step in steps if step.result.ok and not step.result.repeat]
    return any(
        one.result.tool != other.result.tool and (refers(other, one) or steps_iou(one, other) > _USES)
        for place, one in enumerate(good)
        for other in good[place + 1 :]
    )


def hops(steps: Sequence[Step]) -> list[bool]:
    """For each pair of neighbouring successful steps: whether the second leaves place, reference and tool."""
    good = [step for step in steps if step.result.ok]
    return [
        steps_iou(a, b) < _HOP and not refers(b, a) and a.result.tool != b.result.tool
        for a, b in zip(good, good[1:], strict=False)
    ]


def stays(steps: Sequence[Step]) -> list[bool]:
    """For each pair of neighbouring successful steps: whether the second repeats the place without new evidence."""
    good = [step for step in steps if step.result.ok]
    return [
        steps_iou(a, b) > _LOCAL and (b.result.repeat or a.result.tool == b.result.tool)
        for a, b in zip(good, good[1:], strict=False)
    ]


def target_box(challenge: Challenge, frame: int, sprite: str) -> Box | None:
    """Box of a sprite in a frame, in thousandths; None if it is not visible."""
    box = challenge.truth(frame).seen[sprite].box
    return None if box is None else as_box(to_grid(box, challenge.scene(frame).width))


def covers(steps: Sequence[Step], challenge: Challenge) -> bool:
    """Whether the evidence of the steps shows every target, in a frame in which it looks as in its own.

    Crops and strips must contain half of its box or more; OCR counts for texts alone. Segments, their properties and
    tracks count for things, not for texts, if their box has an IoU of 0.5 or more with the target: that of the
    background contains everything, and shows nothing.
    """
    return all(_is_covered(steps, challenge, frame, sprite) for frame, sprite in challenge.targets)


def _is_covered(steps: Sequence[Step], challenge: Challenge, frame: int, sprite: str) -> bool:
    if target_box(challenge, frame, sprite) is None:
        return True
    return any(
        _shows(step, challenge, other, sprite) for step in steps for other in challenge.frames_like(frame, sprite)
    )


def _shows(step: Step, challenge: Challenge, frame: int, sprite: str) -> bool:
    place, target = footprints(step).get(frame), target_box(challenge, frame, sprite)
    if place is None or target is None:
        return False
    is_text = bool(challenge.scene(frame).sprite(sprite).text)
    if step.result.tool in (_SHOWS_TEXT if is_text else _SHOWS_THING):
        return overlap(place, target) >= _COVERED * box_area(target)
    return not is_text and step.result.tool in _IS_ABOUT and box_iou(place, target) >= _COVERED


def fidelity(step: Step, challenge: Challenge) -> float | None:
    """How well the evidence of a successful step shows what is there, from 0 to 1; None where that is not defined.

    ZOOM: coverage of a target, times how focused the crop is; undefined if the task has no targets. SEG: intersection
    over union with the mask of the sprite that it covers best. PROP: share of colour and area that are right. OCR: 1
    minus the character error rate on the plate that it is about; without a plate, 0 if it read a text, undefined if
    not. TRK: mean overlap with the sprite that it starts on, times the share of frames in which it is rightly called
    visible. TEMP: IoU of the span with that of the event that it shows best, 0 if none of the frames of an event is
    shown; undefined if nothing that is asked about happens after the first frame.
    """
    result = step.result
    if not result.ok:
        return None
    if result.tool == "ZOOM" and not challenge.targets:
        return None
    return _FIDELITY[result.tool](result, challenge)


def _zoom(result: ToolResult, challenge: Challenge) -> float:
    frame, box = result.args["frame"], as_box(result.args["box"])
    focus = min(1.0, _LARGEST_CROP / (box_area(box) / 1e6))
    shares = [0.0]
    for at, sprite in challenge.targets:
        target = target_box(challenge, frame, sprite) if frame in challenge.frames_like(at, sprite) else None
        if target is not None:
            shares.append(overlap(box, target) / box_area(target))
    return max(shares) * focus


def _segment(result: ToolResult, challenge: Challenge) -> float:
    labels = challenge.truth(int(result.args["frame"])).labels
    mask = decode_mask(result.evidence["mask"])
    best = 0.0
    for label in np.unique(labels[mask]).tolist():
        whole = labels == label
        best = max(best, float((mask & whole).sum() / (mask | whole).sum())) if label else best
    return best


def _properties(result: ToolResult, challenge: Challenge) -> float | None:
    frame = int(result.evidence.get("frame", result.args.get("frame", 0)))
    known = challenge.truth(frame)
    box = as_box(result.evidence["box"])
    sprite = max(challenge.parts(frame), key=lambda one: sprite_iou(challenge, frame, one.id, box))
    right = []
    if "colour_word" in result.evidence:
        right.append(result.evidence["colour_word"] == sprite.colour)
    if "area" in result.evidence:
        area = known.seen[sprite.id].pixels / known.labels.size
        right.append(abs(result.evidence["area"] / area - 1) < 0.05 if area else False)
    return sum(right) / len(right) if right else None


def sprite_iou(challenge: Challenge, frame: int, sprite: str, box: Box) -> float:
    """Intersection over union of a box with that of a sprite; 0 if it is not visible."""
    there = target_box(challenge, frame, sprite)
    return 0.0 if there is None else box_iou(there, box)


def _reading(result: ToolResult, challenge: Challenge) -> float | None:
    frame, box = int(result.args["frame"]), as_box(result.args["box"])
    plates = [one for one in challenge.scene(frame).sprites if one.shape == "plate" and one.text]
    there = [plate.text for plate in plates if plate_share(challenge, frame, plate.id, box) >= _COVERED]
    text = "".join(str(result.evidence.get("text", "")).split()).upper()
    if not there:
        return 0.0 if text else None
    return max(max(0.0, 1 - edit_distance(text, plate) / len(plate)) for plate in there)


def plate_share(challenge: Challenge, frame: int, plate: str, box: Box) -> float:
    """Share of a plate that is in a box."""
    target = target_box(challenge, frame, plate)
    return 0.0 if target is None else overlap(box, target) / box_area(target)


def _track(result: ToolResult, challenge: Challenge) -> float:
    frames, boxes = result.evidence["frames"], [as_box(box) for box in result.evidence["boxes"]]
    sprites = challenge.parts(frames[0])
    sprite = max(sprites, key=lambda one: sprite_iou(challenge, frames[0], one.id, boxes[0])).id
    overlaps, visible = [], []
    for frame, box, shown in zip(frames, boxes, result.evidence["visible"], strict=True):
        target = target_box(challenge, frame, sprite)
        visible.append(bool(shown) == (target is not None))
        if target is not None:
            overlaps.append(box_iou(target, box))
    return float(np.mean(overlaps) * np.mean(visible)) if overlaps else 0.0


def events(challenge: Challenge) -> list[Sequence[int]]:
    """Frames in which a target looks as it is asked for, of every target that does not do so in the first frame."""
    frames = [challenge.frames_like(frame, sprite) for frame, sprite in challenge.targets]
    return [event for event in frames if 0 not in event]


def strip_iou(result: ToolResult, event: Sequence[int]) -> float:
    """Intersection over union of the span of a strip with that of an event."""
    first, last = result.evidence["span"]
    return span_iou((first, last + 1), (min(event), max(event) + 1))


def _strip(result: ToolResult, challenge: Challenge) -> float | None:
    asked = events(challenge)
    shown = [event for event in asked if set(event) & set(result.evidence["frames"])]
    return max((strip_iou(result, event) for event in shown), default=0.0) if asked else None


_FIDELITY: dict[str, Callable[[ToolResult, Challenge], float | None]] = {
    "ZOOM": _zoom,
    "SEG": _segment,
    "PROP": _properties,
    "OCR": _reading,
    "TRK": _track,
    "TEMP": _strip,
}


def fidelities(steps: Sequence[Step], challenge: Challenge) -> Iterator[float]:
    """Fidelity of every step that has one; repeats do not count, so that a good call cannot outvote a bad one."""
    for step in steps:
        value = None if step.result.repeat else fidelity(step, challenge)
        if value is not None:
            yield value
