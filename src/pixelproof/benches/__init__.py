"""Benchmarks, found by entry point: installing a package that declares one is all it takes to add it.

A bench is a frozen dataclass that derives from `Bench`, declared in the entry point group `pixelproof.benches`.
"""

from pixelproof.benches._discovery import GROUP, available, get_bench

__all__ = ["GROUP", "available", "get_bench"]
