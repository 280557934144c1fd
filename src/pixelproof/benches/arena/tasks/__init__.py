"""The tasks: what is painted, how an answer is measured, and which images explain the measurement."""

from ._dense import Depth, Normals
from ._semantic import Referring, Semantic
from ._submission import Measurement, Submission

Task = Semantic | Depth | Normals

__all__ = ["Depth", "Measurement", "Normals", "Referring", "Semantic", "Submission", "Task"]
