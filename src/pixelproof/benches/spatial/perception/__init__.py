"""Reading an edit back from the pixels of an answer."""

from ._calibration import ReadingErrors, calibration, describe_calibration
from ._camera import Aligned, align
from ._outlines import read_outlines
from ._reading import Reading, read_scene

__all__ = [
    "Aligned",
    "Reading",
    "ReadingErrors",
    "align",
    "calibration",
    "describe_calibration",
    "read_outlines",
    "read_scene",
]
