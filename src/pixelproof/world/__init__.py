"""Procedural scenes with exact ground truth, generated from a seed on a CPU, with wheels alone."""

from ._colours import COLOURS
from ._limits import counted

__all__ = ["COLOURS", "counted"]
