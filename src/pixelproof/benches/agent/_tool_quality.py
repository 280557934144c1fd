"""How good the results of single tools are, by the measures of their fields, against the truth of the scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent import _process as process
from pixelproof.benches.agent.tasks import Challenge
from pixelproof.metrics import (
    boundary_f,
    character_errors,
    contour_counts,
    hota_counts,
    mot_counts,
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


def _segment(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
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


def _reading(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
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


def _track(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    frames, boxes = result.evidence["frames"], result.evidence["boxes"]
    first = process.as_box(boxes[0])
    sprites = challenge.parts(frames[0])
    sprite = max(sprites, key=lambda one: process.sprite_iou(challenge, frames[0], one.id, first)).id
    targets = [process.target_box(challenge, frame, sprite) for frame in frames]
    truth = [{} if target is None else {1: target} for target in targets]
    shown = [{1: box} if seen else {} for box, seen in zip(boxes, result.evidence["visible"], strict=True)]
    hota, mota = float(hota_counts(shown, truth).hota()), float(mot_counts(shown, truth).mota())
    return {"trk.hota": (hota, 1.0), "trk.mota": (mota, 1.0)}


def _strip(result: ToolResult, challenge: Challenge) -> dict[str, tuple[float, float]]:
    asked = process.events(challenge)
    return {"temp.iou": (max(process.strip_iou(result, event) for event in asked), 1.0)} if asked else {}


_MEASURES = {"SEG": _segment, "OCR": _reading, "TRK": _track, "TEMP": _strip}
