"""Controls that segment by colour, position or boxes, and take the labels from the truth."""

from ._controls import region_controls
from ._naming import label_by_truth
from ._superpixels import superpixels

__all__ = ["label_by_truth", "region_controls", "superpixels"]
