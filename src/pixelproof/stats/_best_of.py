"""Expected score of the best of k attempts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

from ._clusters import as_values


def best_of_k(values: npt.ArrayLike, k: int) -> float:
    """Unbiased estimate of the expected maximum of k attempts, from n attempts.

    The mean of the maximum over all subsets of size k; for values of 0 and 1 it is pass@k.

    >>> best_of_k([0, 1, 0, 0], k=2)
    0.5
    >>> best_of_k([1.0, 2.0, 6.0], k=2)
    4.666...
    """
    x = as_values(values)
    n = len(x)
    if not 1 <= k <= n:
        raise PixelProofError(f"Best of {k} cannot be estimated from {n} attempts: choose k from 1 to {n}.")
    # The i-th smallest value is the maximum of C(i-1, k-1) of the C(n, k) subsets. From the largest down, each share
    # is a multiple of the previous one, which avoids large binomials.
    i = np.arange(n, k, -1, dtype=np.float64)
    shares = k / n * np.cumprod(np.concatenate([[1.0], (i - k) / (i - 1)]))
    return float(shares @ np.sort(x)[::-1][: len(shares)])
