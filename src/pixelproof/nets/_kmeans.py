"""`nets/kmeans`: regions by k-means over colour and position, with labels assigned without recognising anything."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Prompt
from pixelproof.pixels import encode_labels, oklab

from ._net import SegmentationInputs

Regions = npt.NDArray[np.intp]

_POSITION_WEIGHT = 0.2
"""Feature distance across the image, relative to the distance from black to white."""
_FITTED_PIXELS = 16384
"""Randomly drawn pixels that centres are fitted to; all others are assigned to their nearest centre."""
_ITERATIONS = 30


class KMeansNet:
    """One region per label; the region along the border gets the first label, the others get random ones.

    A baseline near the floor: it finds outlines and knows no names.
    """

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """A label map."""
        inputs = SegmentationInputs.of(prompt)
        count = len(inputs.palette)
        labels = label_by_border(kmeans_regions(inputs.photo, count, rng), count, rng)
        return Answer(images=(encode_labels(labels, inputs.palette),))

    def card(self) -> Mapping[str, Any]:
        """Empty: the package version says it all."""
        return {}


def kmeans_regions(photo: npt.NDArray[np.uint8], count: int, rng: np.random.Generator) -> Regions:
    """Cluster the pixels of an image by colour (OKLab) and position; return the cluster of every pixel.

    Args:
        photo: RGB.
        count: Number of clusters; images with fewer pixels have fewer.
        rng: Draws the pixels that the centres are fitted to, and the initial centres (k-means++).

    >>> photo = np.zeros((2, 4, 3), np.uint8)
    >>> photo[:, 2:] = 255
    >>> regions = kmeans_regions(photo, 2, np.random.default_rng(0))
    >>> [len(np.unique(half)) for half in (regions[:, :2], regions[:, 2:], regions)]
    [1, 1, 2]
    """
    from scipy.cluster.vq import kmeans2, vq

    features = _features(photo)
    fitted = features[rng.permutation(len(features))[:_FITTED_PIXELS]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an empty cluster is no problem here
        # `seed` and not `rng`, which older versions of scipy do not know.
        centres, _ = kmeans2(fitted, min(count, len(fitted)), iter=_ITERATIONS, minit="++", seed=rng)
    clusters, _ = vq(features, centres)
    return np.asarray(clusters, np.intp).reshape(photo.shape[:2])


def label_by_border(regions: Regions, labels: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Assign labels to regions without recognising anything.

    The region with most pixels on the image border gets label 0, the background of most palettes; the others get
    random labels, each used once while there are enough.

    Args:
        regions: Region of every pixel.
        labels: Number of labels.
        rng: Draws the labels.

    >>> ring = np.array([[4, 4, 4], [4, 2, 4], [4, 4, 4]])
    >>> label_by_border(ring, 2, np.random.default_rng(0)).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    """
    border = np.concatenate([regions[0], regions[-1], regions[1:-1, 0], regions[1:-1, -1]])
    count = int(regions.max()) + 1
    others = np.arange(count) != np.bincount(border, minlength=count).argmax()
    assigned = np.zeros(count, np.uint8)
    if labels > 1:
        deck = np.concatenate([rng.permutation(np.arange(1, labels)) for _ in range(count // (labels - 1) + 1)])
        assigned[others] = deck[: count - 1]
    return assigned[regions]


def _features(photo: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """OKLab colour and position of every pixel, shape (pixels, 5)."""
    height, width = photo.shape[:2]
    y, x = np.mgrid[:height, :width] * (_POSITION_WEIGHT / max(height, width))
    return np.dstack([oklab(photo), y, x]).reshape(-1, 5)
