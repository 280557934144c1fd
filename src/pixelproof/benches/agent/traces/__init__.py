"""Traces made by executing tools on challenges: shortest right chains, recoveries from useless calls, and traps."""

from ._make import NEAR, KnownViews, Made, make_traces

__all__ = ["NEAR", "KnownViews", "Made", "make_traces"]
