"""Audit of how an answer is painted: faults that cost score without being faults of recognition."""

from ._audit import TOLERANCE, Audit, audit
from ._drift import Drift

__all__ = ["TOLERANCE", "Audit", "Drift", "audit"]
