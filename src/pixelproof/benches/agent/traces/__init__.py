"""Traces made by executing tools on challenges: shortest right chains, recoveries from useless calls, and traps."""

from ._make import AFTER, NEAR, THOUGHTS, KnownViews, Made, make_traces, mistakes

__all__ = ["AFTER", "NEAR", "THOUGHTS", "KnownViews", "Made", "make_traces", "mistakes"]
