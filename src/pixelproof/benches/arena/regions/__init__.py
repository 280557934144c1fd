"""Regions of alike pixels, by colour and place alone, and who gives them names."""

from ._controls import region_controls
from ._kmeans import kmeans
from ._naming import named_by_border, named_by_truth
from ._superpixels import superpixels

__all__ = ["kmeans", "named_by_border", "named_by_truth", "region_controls", "superpixels"]
