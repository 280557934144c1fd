"""Contamination tests: whether a model knows the published colours by heart."""

from ._item import KINDS, ItemEvidence
from ._verdict import ALPHA, MARGIN, Contamination, ContaminationTest, judge_contamination

__all__ = ["ALPHA", "KINDS", "MARGIN", "Contamination", "ContaminationTest", "ItemEvidence", "judge_contamination"]
