"""The confusion matrix of label maps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID, kernels

Labels = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]

_MOST_AT_ONCE = 2**31
"""The compiled loop counts in 32 bits."""
_CHUNK = 1 << 18
"""Pixels per chunk: numpy converts what it counts to 8-byte integers, here two megabytes at a time."""


def confusion(prediction: Labels, reference: Labels, classes: int) -> Counts:
    """Confusion matrix: pixels by reference label (row) and predicted label (column), shape (classes, classes + 1).

    Pixels whose reference is VOID are not counted. A prediction that is none of the classes, VOID among them, counts in
    the last column: it is wrong, and belongs to no class.

    >>> reference = np.array([0, 0, 1, 1, VOID], np.uint8)
    >>> confusion(np.array([0, VOID, 1, 0, 1], np.uint8), reference, 2).tolist()
    [[1, 0, 1], [1, 1, 0]]
    """
    check_labels(prediction, reference, classes)
    table = pair_counts(prediction, reference)
    rows, void = table[:classes], int(table[VOID].sum())
    if int(rows.sum()) + void != reference.size:
        unknown = int(reference[(reference >= classes) & (reference != VOID)].max())
        raise PixelProofError(
            f"The reference has the label {unknown}, but there are {classes} "
            f"classes (0 to {classes - 1}): check that it is meant for these labels."
        )
    return np.concatenate([rows[:, :classes], rows[:, classes:].sum(axis=1, keepdims=True)], axis=1)


def pair_counts(prediction: Labels, reference: Labels) -> Counts:
    """Joint histogram of the bytes of the reference (row) and of the prediction (column), shape (256, 256)."""
    p, r = _flat(prediction), _flat(reference)
    loops = kernels("pixelproof.metrics._confusion_kernel")
    if loops is not None and p.size < _MOST_AT_ONCE:
        counts: Counts = loops.count_pairs(p, r)
        return counts
    table = np.zeros(65536, np.int64)
    for start in range(0, p.size, _CHUNK):
        piece = slice(start, start + _CHUNK)
        code = r[piece].astype(np.uint16)
        code <<= 8
        code |= p[piece]
        table += np.bincount(code, minlength=65536)
    return table.reshape(256, 256)


def check_labels(prediction: Labels, reference: Labels, classes: int) -> None:
    """Refuse maps that cannot be compared."""
    if prediction.shape != reference.shape:
        raise PixelProofError(
            f"The prediction is {_size(prediction)} and the reference {_size(reference)}: bring them to one size first."
        )
    if prediction.dtype != np.uint8 or reference.dtype != np.uint8:
        raise PixelProofError(f"Label maps are uint8 arrays, not {prediction.dtype} and {reference.dtype}.")
    if not 1 <= classes <= VOID:
        raise PixelProofError(f"There can be 1 to {VOID} classes, not {classes}.")


def _flat(labels: Labels) -> Labels:
    flat = np.ascontiguousarray(labels).reshape(-1)
    # Whole words are read, which must be aligned; slices of larger arrays may not be.
    return flat if flat.ctypes.data % 8 == 0 else flat.copy()


def _size(labels: Labels) -> str:
    return " × ".join(str(side) for side in labels.shape[::-1]) or "a single value"
