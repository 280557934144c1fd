"""What is behind a score: faults of painting, answers in the wrong place, and pictures of the errors."""

from ._audit import TOLERANCE, Audit, audit
from ._drift import Drift
from ._moves import Move
from ._pictures import error_map, label_picture, overlay
from ._registration import Registration, Verdict, diagnose

__all__ = [
    "TOLERANCE",
    "Audit",
    "Drift",
    "Move",
    "Registration",
    "Verdict",
    "audit",
    "diagnose",
    "error_map",
    "label_picture",
    "overlay",
]
