"""Layers of our networks in numpy. Images are batches of shape (n, height, width, channels)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


_ALONE = 2**18  # multiplications up to which OpenBLAS stays on one thread


def multiply(rows: Array, weight: Array) -> Array:
    """Matrix product in chunks that BLAS does not distribute over threads.

    Our products are so small that on a busy machine waiting for threads takes ten times as long as the work.

    >>> multiply(np.ones((3, 2), np.float32), np.ones((2, 1), np.float32)).tolist()
    [[2.0], [2.0], [2.0]]
    """
    step = max(1, _ALONE // weight.size)
    whole = len(rows) // step * step
    pieces = rows[:whole].reshape(-1, step, rows.shape[1]) @ weight
    return np.concatenate([pieces.reshape(whole, weight.shape[1]), rows[whole:] @ weight])


def convolve(pictures: Array, weight: Array, bias: Array) -> Array:
    """Convolution with kernels of shape (k, k, channels in, channels out), k odd, and zero padding.

    >>> ones = np.ones((1, 2, 2, 1), np.float32)
    >>> convolve(ones, np.ones((3, 3, 1, 1), np.float32), np.zeros(1, np.float32))[0, :, :, 0].tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    """
    (n, height, width, inputs), size = pictures.shape, len(weight)
    around = (size // 2, size // 2)
    padded = np.pad(pictures, ((0, 0), around, around, (0, 0)))
    total = np.tile(bias, (n * height * width, 1))
    for down, across in np.ndindex(size, size):
        under = padded[:, down : down + height, across : across + width]  # the input under this element of the kernel
        total += multiply(under.reshape(-1, inputs), weight[down, across])
    return total.reshape(n, height, width, -1)


def halve(pictures: Array) -> Array:
    """2 × 2 max pooling; sides must be even.

    >>> halve(np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)).tolist()
    [[[[3.0]]]]
    """
    n, height, width, channels = pictures.shape
    return np.asarray(pictures.reshape(n, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4)))


def rectify(values: Array) -> Array:
    """Rectified linear unit.

    >>> rectify(np.array([-1, 2], np.float32)).tolist()
    [0.0, 2.0]
    """
    return np.maximum(values, np.float32(0))


def softmax(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Softmax along the last axis.

    >>> softmax(np.array([0.0, 0.0, -1000.0])).tolist()
    [0.5, 0.5, 0.0]
    """
    powers = np.exp(np.asarray(logits, dtype=np.float64) - np.max(logits, axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
