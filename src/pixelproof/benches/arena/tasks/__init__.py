"""The tasks: what is painted, how an answer is measured, and which images explain the measurement."""

from ._dense import Depth, Normals
from ._drawn import Edges, Keypoints, discs, find_discs
from ._semantic import Referring, Semantic
from ._submission import Measurement, Submission

Task = Semantic | Depth | Normals | Edges | Keypoints

__all__ = [
    "Depth",
    "Edges",
    "Keypoints",
    "Measurement",
    "Normals",
    "Referring",
    "Semantic",
    "Submission",
    "Task",
    "discs",
    "find_discs",
]
