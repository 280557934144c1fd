"""Regions of alike pixels, by colour and place alone, and who gives them names."""

from ._controls import region_controls
from ._naming import label_by_truth
from ._superpixels import superpixels

__all__ = ["label_by_truth", "region_controls", "superpixels"]
