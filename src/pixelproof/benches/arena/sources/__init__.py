"""Sources of images with their truth: generated worlds, published data sets in their official layouts, any folder."""

from ._coco import official_colours
from ._open import SOURCES, TASKS, open_source

__all__ = ["SOURCES", "TASKS", "official_colours", "open_source"]
