"""Procedural scenes with exact ground truth, generated from a seed on a CPU, with wheels alone."""

from ._limits import counted

__all__ = ["counted"]
