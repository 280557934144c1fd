"""Arena: segmentation, depth and normals by painting, measured between a floor and a ceiling."""

from ._bench import Arena
from ._case import Case, Frame, FrameSource

__all__ = ["Arena", "Case", "Frame", "FrameSource"]
