"""The confusion matrix of label maps."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID, Labels, kernels, void_of

Counts = npt.NDArray[np.int64]

_MOST_AT_ONCE = 2**31
"""The compiled loop counts in 32 bits."""
MOST_IN_MATRIX = 4_096
"""Largest number of classes of a confusion matrix."""
_CHUNK = 1 << 18
"""Pixels per chunk: numpy converts what it counts to 8-byte integers, here two megabytes at a time."""


def confusion(prediction: Labels, reference: Labels, classes: int) -> Counts:
    """Confusion matrix: pixels by reference label (row) and predicted label (column), shape (classes, classes + 1).

    Pixels whose reference is void are not counted. A prediction that is none of the classes, void among them, counts in
    the last column: it is wrong, and belongs to no class. For very many classes there is `confusion_cells`.

    >>> reference = np.array([0, 0, 1, 1, VOID], np.uint8)
    >>> confusion(np.array([0, VOID, 1, 0, 1], np.uint8), reference, 2).tolist()
    [[1, 0, 1], [1, 1, 0]]
    """
    check_labels(prediction, reference, classes)
    if reference.dtype != np.uint8:
        return _wide_confusion(prediction, reference, classes)
    return _known(pair_counts(prediction, reference), reference, classes)


def confusions(one: Labels, other: Labels, reference: Labels, classes: int) -> tuple[Counts, Counts]:
    """The confusion matrices of two predictions for one reference; quick where the predictions differ in few pixels.

    >>> reference = np.array([0, 0, 1, VOID], np.uint8)
    >>> one, other = np.array([0, 1, 1, 0], np.uint8), np.array([0, 0, 1, 1], np.uint8)
    >>> [matrix.tolist() for matrix in confusions(one, other, reference, 2)]
    [[[1, 1, 0], [0, 1, 0]], [[2, 0, 0], [0, 1, 0]]]
    """
    loops = kernels("pixelproof.metrics._confusion_kernel")
    if loops is None or reference.dtype != np.uint8 or reference.size >= _MOST_AT_ONCE:
        return confusion(one, reference, classes), confusion(other, reference, classes)
    for prediction in (one, other):
        check_labels(prediction, reference, classes)
    table = pair_counts(one, reference)
    first = _known(table, reference, classes)
    if other is one:
        return first, first
    loops.move_counts(_flat(one), _flat(other), _flat(reference), table)
    return first, _known(table, reference, classes)


def _known(table: Counts, reference: Labels, classes: int) -> Counts:
    """The confusion matrix of a joint histogram of bytes."""
    rows, void = table[:classes], int(table[VOID].sum())
    if int(rows.sum()) + void != reference.size:
        _refuse_unknown(reference, classes)
    return np.concatenate([rows[:, :classes], rows[:, classes:].sum(axis=1, keepdims=True)], axis=1)


class ConfusionCells(NamedTuple):
    """The cells of a confusion matrix that are not 0."""

    rows: Counts
    """Labels of the reference."""
    columns: Counts
    """Predicted labels; the number of classes where the prediction is none of them."""
    pixels: Counts

    @classmethod
    def of(cls, matrix: Counts) -> ConfusionCells:
        """The cells of a confusion matrix."""
        rows, columns = np.nonzero(matrix)
        return cls(rows, columns, matrix[rows, columns])


def confusion_cells(prediction: Labels, reference: Labels, classes: int) -> ConfusionCells:
    """As `confusion`, without the cells that are 0: for any number of classes.

    >>> reference = np.array([0, 0, 9, 300, 65535], np.uint16)
    >>> [cells.tolist() for cells in confusion_cells(np.array([0, 9, 9, 65535, 2], np.uint16), reference, 301)]
    [[0, 0, 9, 300], [0, 9, 9, 301], [1, 1, 1, 1]]
    """
    check_labels(prediction, reference, classes)
    if reference.dtype == np.uint8:
        return ConfusionCells.of(confusion(prediction, reference, classes))
    codes, pixels = np.unique(_pair_codes(prediction, reference, classes), return_counts=True)
    return ConfusionCells(*np.divmod(codes, classes + 1), pixels)


def label_counts(prediction: Labels, reference: Labels, classes: int) -> tuple[Counts, Counts, Counts]:
    """Pixels of each class in both maps, in the prediction, and in the reference; whatever the other map has there."""
    if reference.dtype == np.uint8:
        table = pair_counts(prediction, reference)
        return table.diagonal()[:classes].copy(), table.sum(axis=0)[:classes], table.sum(axis=1)[:classes]
    p, r = prediction.ravel(), reference.ravel()
    hits, predicted, actual = (np.bincount(part, minlength=classes)[:classes] for part in (r[p == r], p, r))
    return hits, predicted, actual


def _wide_confusion(prediction: Labels, reference: Labels, classes: int) -> Counts:
    """The confusion matrix of 16-bit label maps."""
    if classes > MOST_IN_MATRIX:
        raise PixelProofError(
            f"A confusion matrix of {classes:,} classes is too large: use `confusion_cells`, or at most "
            f"{MOST_IN_MATRIX:,} classes."
        )
    codes = _pair_codes(prediction, reference, classes)
    return np.bincount(codes, minlength=classes * (classes + 1)).reshape(classes, classes + 1)


def _pair_codes(prediction: Labels, reference: Labels, classes: int) -> Counts:
    """Row × (classes + 1) + column of the confusion matrix, for each pixel that counts."""
    known = reference != void_of(reference)
    p, r = prediction[known].astype(np.int64), reference[known].astype(np.int64)
    if r.size and int(r.max()) >= classes:
        _refuse_unknown(reference, classes)
    return np.asarray(r * (classes + 1) + np.minimum(p, classes))


def _refuse_unknown(reference: Labels, classes: int) -> NoReturn:
    unknown = int(reference[(reference >= classes) & (reference != void_of(reference))].max())
    raise PixelProofError(
        f"The reference has the label {unknown}, but there are {classes} "
        f"classes (0 to {classes - 1}): check that it is meant for these labels."
    )


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
    kinds = {prediction.dtype, reference.dtype}
    if not (kinds == {np.dtype(np.uint8)} or kinds == {np.dtype(np.uint16)}):
        raise PixelProofError(
            f"Label maps are both uint8 or both uint16 arrays, not {prediction.dtype} and {reference.dtype}."
        )
    if not 1 <= classes <= void_of(reference):
        raise PixelProofError(
            f"There can be 1 to {void_of(reference)} classes in maps of {reference.dtype}, not {classes}."
        )


def _flat(labels: Labels) -> Labels:
    flat = np.ascontiguousarray(labels).reshape(-1)
    # Whole words are read, which must be aligned; slices of larger arrays may not be.
    return flat if flat.ctypes.data % 8 == 0 else flat.copy()


def _size(labels: Labels) -> str:
    return " × ".join(str(side) for side in labels.shape[::-1]) or "a single value"
