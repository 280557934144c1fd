"""Reading an edit back from the pixels of an answer."""

from ._camera import Aligned, align
from ._comparison import displacement
from ._outlines import read_outlines
from ._pictures import as_singles, edge_correlation, working_size
from ._reading import SAME_EDGES, Reading, ReadingErrors, calibration, describe_calibration, read_scene

__all__ = [
    "SAME_EDGES",
    "Aligned",
    "Reading",
    "ReadingErrors",
    "align",
    "as_singles",
    "calibration",
    "describe_calibration",
    "displacement",
    "edge_correlation",
    "read_outlines",
    "read_scene",
    "working_size",
]
