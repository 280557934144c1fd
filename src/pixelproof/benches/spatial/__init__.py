"""Spatially grounded editing: move this thing 20 cm to the left, and touch nothing else."""

from ._bench import Spatial

__all__ = ["Spatial"]
