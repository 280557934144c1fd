"""Reading an edit back from the pixels of an answer."""

from ._camera import Aligned, align
from ._reading import Reading, read_scene

__all__ = ["Aligned", "Reading", "align", "read_scene"]
