"""Logistic mappings of scores to ratings, as used before Pearson's correlation in quality assessment."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from ._clusters import FloatArray, as_values


def logistic_map(x: npt.ArrayLike, y: npt.ArrayLike, parameters: Literal[4, 5] = 4) -> FloatArray | None:
    """Scores mapped to ratings by the least-squares logistic curve; None if there is none.

    With 4 parameters: y = (b1 - b2) / (1 + exp(-(x - b3) / |b4|)) + b2, which is monotonic. With 5:
    y = b1 (1/2 - 1 / (1 + exp(b2 (x - b3)))) + b4 x + b5, which need not be.

    >>> x = np.linspace(0, 10, 50)
    >>> bool(np.allclose(logistic_map(x, 1 / (1 + np.exp(-(x - 4)))), 1 / (1 + np.exp(-(x - 4))), atol=1e-6))
    True
    """
    from scipy.optimize import OptimizeWarning, curve_fit  # takes a while to import

    scores, ratings = as_values(x), as_values(y)
    if len(scores) <= parameters or np.ptp(scores) == 0 or np.ptp(ratings) == 0:
        return None
    # Both curves are closed under changes of scale and origin, and converge better on standardised values.
    u, v = ((values - values.mean()) / values.std() for values in (scores, ratings))
    curve = _four if parameters == 4 else _five
    slope = float((u * v).mean())
    sign = 1.0 if slope >= 0 else -1.0
    top, bottom = (v.max(), v.min()) if sign > 0 else (v.min(), v.max())
    start = (top, bottom, 0.0, 0.5) if parameters == 4 else (float(np.ptp(v)), sign, 0.0, slope / 10, 0.0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)
            fitted, _ = curve_fit(curve, u, v, start, maxfev=5000)
    except RuntimeError:
        return None
    mapped: FloatArray = curve(u, *fitted) * ratings.std() + ratings.mean()
    return mapped if np.isfinite(mapped).all() else None


def _four(x: FloatArray, b1: float, b2: float, b3: float, b4: float) -> FloatArray:
    curve: FloatArray = (b1 - b2) * expit((x - b3) / max(abs(b4), 1e-9)) + b2
    return curve


def _five(x: FloatArray, b1: float, b2: float, b3: float, b4: float, b5: float) -> FloatArray:
    curve: FloatArray = b1 * (0.5 - expit(-b2 * (x - b3))) + b4 * x + b5
    return curve
