"""The metrics of the bench.

Only those that ask for the subject are calibrated: noise reaches the maximum of all others, or neither end is better.
"""

from __future__ import annotations

from pixelproof.benches.pixelart._ladder import RUNGS
from pixelproof.contract import Metric

_RUNG_ABOUT = {
    "parses": "is a JSON object",
    "keys": "has the keys palette and grid",
    "palette": "has a legal palette",
    "rectangular": "has rows of equal length",
    "size": "has the size asked for",
    "indices": "has a colour for every index",
    "renders": "can be drawn",
}
_MISSES = {
    "rows_off": ("rows too many or too few; all of them, where there are none", None),
    "width_off": ("cells too many or too few, mean over the rows", None),
    "illegal_share": ("share of cells without a colour; 1, where there are no cells", (0.0, 1.0)),
}
_PALETTE = {
    "unused_colours": "palette entries that no cell uses",
    "repeated_colours": "palette entries that repeat another",
}
_DESCRIPTIONS = {
    "palette_validity": "share of cells whose index is legal",
    "colour_efficiency": "share of the palette that is used",
    "edge_density": "share of neighbouring cells that differ",
    "fill_balance": "1 when figure and background are equal in area, 0 when either is missing",
    "entropy": "entropy of the colours, 1 when all are used equally",
    "horizontal_symmetry": "share of cells that match when left and right are swapped",
    "vertical_symmetry": "share of cells that match when top and bottom are swapped",
}
_PUBLISHED = {
    "coded.json_validity": "as coded: the whole reply is JSON",
    "coded.render_success": "as coded: a square of lists of integers",
    "coded.pixel_art_quality": "as coded: distinct values / 10",
    "coded.overall": "as coded: mean of the three",
    "described.json_validity": "as described: JSON, and every colour present",
    "described.render_success": "as described: continuity and alignment",
    "described.pixel_art_quality": "as described: legal indices and palette in use",
}


_SHARE = (0.0, 1.0)


def _score(name: str, about: str, judged: bool = False) -> Metric:
    return Metric(name, about, range=_SHARE, judged=judged)


def _metric(name: str, about: str, better: bool | None, limits: tuple[float, float] | None = _SHARE) -> Metric:
    return Metric(name, about, calibrated=False, higher_is_better=better, range=limits)


METRICS = (
    _score("exact.solved", "the drawing meets every condition of its subject (exactly checkable subjects only)"),
    _score("exact.conditions", "share of the conditions met; 0 where it is not that kind of drawing at all"),
    _score("recognised", "the drawing recogniser is sure that it shows the subject (subjects in its vocabulary only)"),
    _score("composed.solved", "the drawing meets every condition of its composed subject"),
    _score("composed.conditions", "share of the conditions met; 0 where no thing that was asked for is recognised"),
    _metric("composed.things", "share of the things asked for that are recognised, wherever they are", True),
    _metric("recogniser.abstained", "the drawing recogniser is not sure of any class", None),
    *(_metric(f"lenient.{rung}", f"the object in the reply {_RUNG_ABOUT[rung]}", True) for rung in RUNGS),
    *(_metric(f"strict.{rung}", f"the whole reply {_RUNG_ABOUT[rung]}, exactly as asked", True) for rung in RUNGS),
    *(_metric(name, about, False, limits) for name, (about, limits) in _MISSES.items()),
    *(_metric(name, about, None, None) for name, about in _PALETTE.items()),  # legal, so neither end is better
    _metric("ended", "the reply ended by itself", True),
    *(_metric(f"describe.{name}", about, None) for name, about in _DESCRIPTIONS.items()),
    *(_metric(f"published.{name}", about, True) for name, about in _PUBLISHED.items()),
    _metric("published.coded.descriptive_quality", "as coded: the article's weighted sum; prefers noise", None, None),
    _score("judge.recognised", "a judge picks the subject out of eight; guessing gives 1/8", judged=True),
    _score("judge.checklist", "share of the subject's checklist that a judge finds true", judged=True),
)
