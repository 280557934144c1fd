"""Facts that a detector and OCR can check in an image: objects, counts, colours and texts.

Both make errors of their own, which the ceiling shows: it is what they find in the true images.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from pixelproof.benches.evalmi._facts import TEXT, Fact
from pixelproof.benches.evalmi._scenes import Pixels
from pixelproof.contract import PixelProofError
from pixelproof.nets import Detection, Detector, TextReader, match_label
from pixelproof.pixels import Palette, nearest, oklab
from pixelproof.world.flat import rgb as rgb_of
from pixelproof.world.language import Claim

CHECKS = ("detector", "ocr")
_LEAST = 0.4
"""Least score of a detection."""
_SAME_OBJECT = 0.5
"""Overlap from which two boxes of one class are the same object."""
_COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "white", "grey", "black")
"""Colours that are told apart; others of the world count as the nearest of these."""


def installed_checks() -> tuple[str, ...]:
    """The checks whose weights and libraries are installed."""
    return tuple(name for name in CHECKS if _is_installed(name))


def require_check(name: str) -> None:
    """Load the network of a check.

    Raises:
        PixelProofError: Its weights or a library are missing; the message has the command that gets them.
    """
    _detector() if name == "detector" else _reader()


def _is_installed(name: str) -> bool:
    try:
        require_check(name)
    except PixelProofError:
        return False
    return True


@lru_cache(maxsize=1)
def _detector() -> Detector:
    return Detector()


@lru_cache(maxsize=1)
def _reader() -> TextReader:
    return TextReader()


def check_facts(rgb: Pixels, facts: Sequence[Fact], checks: Sequence[str]) -> tuple[dict[str, float], dict[str, str]]:
    """Metrics of the facts that can be checked, and notes: what was detected and read.

    Raises:
        PixelProofError: Weights or libraries are missing.
    """
    held: dict[str, list[float]] = {}
    notes: dict[str, str] = {}
    if "detector" in checks:
        detections = _detector().detect(np.ascontiguousarray(rgb), _LEAST)
        for fact in facts:
            if fact.claim is not None and fact.kind in ("object", "count", "colour"):
                verdicts = _in_detections(fact, detections, rgb)
                held.setdefault(f"{fact.kind}s", []).extend(verdicts)
        if any(held.values()):
            notes["detected"] = ", ".join(detection.name for detection in detections) or "nothing"
    texts = [fact.text for fact in facts if fact.kind == TEXT] if "ocr" in checks else []
    metrics = {f"checked.{name}": float(np.mean(values)) for name, values in held.items() if values}
    exact: list[float] = []
    if texts:
        lines = [line.text for line in _reader().read(np.ascontiguousarray(rgb))]
        notes["read"] = " / ".join(lines) or "nothing"
        similar = [text_similarity(text, lines) for text in texts]
        metrics["checked.text"] = float(np.mean(similar))
        exact = [float(value == 1.0) for value in similar]
    every = [value for values in held.values() for value in values] + exact
    return metrics | ({"checked.facts": float(np.mean(every))} if every else {}), notes


def _in_detections(fact: Fact, detections: Sequence[Detection], rgb: Pixels) -> list[float]:
    """Whether the things of a fact are detected, have its number, or its colour; empty if none is a class of COCO."""
    assert fact.claim is not None
    claims = [claim for claim in (fact.claim, *fact.claim.others) if is_detectable(claim)]
    if fact.kind == "object":
        return [float(bool(_of(claim, detections))) for claim in claims]
    if fact.kind == "count":
        return [float(len(_of(claim, detections)) == claim.count) for claim in claims[:1]]
    return [
        float(any(box_colour(rgb, detection) == _basic(claim.colour) for detection in _of(claim, detections)))
        for claim in claims[:1]
    ]


def is_detectable(claim: Claim) -> bool:
    """Whether the detector knows the noun of a claim."""
    return any(match_label(name, [claim.noun]) is not None for name in _detector().names if name)


def _of(claim: Claim, detections: Sequence[Detection]) -> list[Detection]:
    """Detections of a claim's noun, the best of those that overlap."""
    kept: list[Detection] = []
    for detection in detections:  # highest score first
        fits = match_label(detection.name, [claim.noun]) is not None
        if fits and all(_overlap(detection, other) <= _SAME_OBJECT for other in kept):
            kept.append(detection)
    return kept


def _overlap(first: Detection, other: Detection) -> float:
    """Intersection over union of two boxes."""
    a, b = first.box, other.box
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return shared / (areas - shared)


def _basic(colour: str) -> str:
    """The nearest of the colours that are told apart; British spelling."""
    colour = "grey" if colour == "gray" else colour
    if colour in _COLOURS:
        return colour
    places = oklab([rgb_of(name) for name in (colour, *_COLOURS)])
    return _COLOURS[int(np.linalg.norm(places[1:] - places[0], axis=1).argmin())]


def box_colour(rgb: Pixels, detection: Detection) -> str:
    """The most frequent colour in the middle of a detection's box."""
    left, top, right, bottom = detection.box
    x0, x1 = (round(left + (right - left) * share) for share in (0.3, 0.7))
    y0, y1 = (round(top + (bottom - top) * share) for share in (0.3, 0.7))
    middle = rgb[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)].reshape(-1, 3)
    if not len(middle):
        return ""
    palette = Palette(_COLOURS, tuple(rgb_of(name) for name in _COLOURS))
    places = np.asarray(nearest(middle[None], palette, "oklab")).ravel()
    return _COLOURS[int(np.bincount(places, minlength=len(_COLOURS)).argmax())]


def text_similarity(wanted: str, lines: Sequence[str]) -> float:
    """1 − edit distance / length, of a text to the most similar line or to all lines together; case and marks ignored.

    >>> text_similarity("SHARK", ["a shork", "Shark!"]), text_similarity("SHARK", []), text_similarity("KEY", ["KEYS"])
    (1.0, 0.0, 0.75)
    """
    target = _plain(wanted)
    candidates = {_plain(text) for text in (*lines, " ".join(lines))} - {""}
    if not target or not candidates:
        return 0.0
    return max(1 - _distance(target, text) / max(len(target), len(text)) for text in candidates)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _distance(source: str, other: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(source, start=1):
        last, row[0] = row[0], i
        for j, found in enumerate(other, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (letter != found))
    return row[-1]
