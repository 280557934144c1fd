"""The labels of a data set by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.evalmi.data import Annotations

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def labels_of(data: Annotations) -> dict[str, FloatArray]:
    """Mean opinion scores, and the yes/no answers as `qa`."""
    return {**data.targets, **({} if data.qa is None else {"qa": data.qa})}
