"""SAM 2 with the boxes of the truth: an upper bound for detect-then-segment answers."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from pixelproof.benches.arena._case import Labels, Pixels
from pixelproof.nets import Box, Sam2
from pixelproof.pixels import void_of

_SMALLEST = 0.0001
"""Smallest share of the image of a component of the truth that gets a box."""


class Boxed(NamedTuple):
    """A connected component of the truth, with its bounding box."""

    label: int
    area: int
    box: Box


def boxes(truth: Labels) -> list[Boxed]:
    """Bounding boxes of the connected components of every label but the first, largest component first.

    >>> truth = np.array([[0, 2, 2, 0, 1], [0, 2, 0, 0, 0]], np.uint8)
    >>> [(piece.label, piece.area, piece.box) for piece in boxes(truth)]
    [(2, 3, (1.0, 0.0, 3.0, 2.0)), (1, 1, (4.0, 0.0, 5.0, 1.0))]
    """
    found = []
    for label in np.unique(truth):
        if label in (0, void_of(truth)):
            continue
        pieces, _ = ndimage.label(truth == label)
        areas = np.bincount(pieces.ravel())
        for number, (rows, columns) in enumerate(ndimage.find_objects(pieces), start=1):
            box = (float(columns.start), float(rows.start), float(columns.stop), float(rows.stop))
            found.append(Boxed(int(label), int(areas[number]), box))
    return sorted((piece for piece in found if piece.area >= _SMALLEST * truth.size), key=lambda piece: -piece.area)


def cut_out(photo: Pixels, truth: Labels) -> Labels:
    """Label map of SAM 2's masks for the boxes; smaller components are painted over larger ones.

    Raises:
        PixelProofError: SAM 2 or onnxruntime is missing.
    """
    labels, pieces, sam = np.zeros(truth.shape, truth.dtype), boxes(truth), _sam()
    if pieces:
        masks = sam.masks(sam.embed(photo), [piece.box for piece in pieces])
        for piece, mask in zip(pieces, masks, strict=True):
            labels[mask.pixels] = piece.label
    return labels


@cache
def _sam() -> Sam2:
    return Sam2()
