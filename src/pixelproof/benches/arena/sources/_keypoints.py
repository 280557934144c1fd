"""Keypoints of a scene: the centres of the objects that can be named and marked without doubt."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.benches.sources import SceneFacts
from pixelproof.metrics import Keypoint

_VISIBLE = 0.5
"""Smallest visible share of an object."""
_SMALLEST = 0.02
"""Smallest size of an object, as a share of the image's diagonal."""
_APART = 0.03
"""Smallest distance of two points, as a share of the image's diagonal."""


def markable(ids: npt.NDArray[np.integer[Any]], facts: SceneFacts) -> dict[str, Keypoint]:
    """Noun → centre of the bounding box of the visible part, for objects that are the only ones of their noun.

    At least half of the object is visible, its size is 2 % of the diagonal or more, and no other marked point is
    within 3 %: of two, the larger object is kept.

    Args:
        ids: Object of each pixel, from 1; 0 for none.
        facts: Nouns and visible shares of the objects.
    """
    diagonal = math.hypot(*ids.shape)
    count = Counter(facts.nouns)
    found = []
    boxes = ndimage.find_objects(ids.astype(np.int32), len(facts.nouns))
    for noun, visible, box in zip(facts.nouns, facts.visible, boxes, strict=True):
        if box is None or not noun or count[noun] > 1 or visible < _VISIBLE:
            continue
        rows, columns = box
        size = math.sqrt((rows.stop - rows.start) * (columns.stop - columns.start))
        if size >= _SMALLEST * diagonal:
            x, y = (columns.start + columns.stop - 1) / 2, (rows.start + rows.stop - 1) / 2
            found.append((noun, Keypoint(0, x, y, size)))
    chosen: dict[str, Keypoint] = {}
    for noun, point in sorted(found, key=lambda pair: (-pair[1].size, pair[0])):
        if all(math.dist((point.x, point.y), (other.x, other.y)) >= _APART * diagonal for other in chosen.values()):
            chosen[noun] = point
    return chosen
