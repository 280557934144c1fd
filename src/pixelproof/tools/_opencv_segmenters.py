"""SEG by OpenCV: grabCut, watershed, and the default that chooses between components and grabCut."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.pixels import Box, bounding_box
from pixelproof.store import import_extra

from ._backends import Mask, Pixels, Segment
from ._components import ComponentSegmenter, box_agreement, window_of

_PAD = 0.35
_LARGEST = 512
"""Longest side of the window that grabCut works on; larger ones are scaled down."""
_ROUNDS = 5
_TRUSTED = 0.95
"""Confidence of a component from which the default needs no grabCut."""


class GrabCutSegmenter:
    """grabCut in a window around the box; from a point alone, the box of the colour component there.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "grabcut"

    def __init__(self) -> None:
        self._cv2 = import_extra("cv2", "tools", "SEG")
        self._components = ComponentSegmenter()
        self.version = f"1 opencv {self._cv2.__version__}"

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """Cut the object in the box out of its surroundings."""
        if box is None:
            component = self._components.segment(picture, point, None, frame)
            box = None if component is None else bounding_box(component.mask)
            if box is None:
                return None
        window = window_of(box, picture.shape, _PAD)
        left, top, right, bottom = window
        crop = picture[top:bottom, left:right]
        scale = min(1.0, _LARGEST / max(crop.shape[:2]))
        size = max(8, round(crop.shape[1] * scale)), max(8, round(crop.shape[0] * scale))
        small = self._cv2.resize(crop, size, interpolation=self._cv2.INTER_AREA)
        factors = size[0] / crop.shape[1], size[1] / crop.shape[0]
        marks = _marks(small.shape, box, (left, top), factors, point)
        self._cv2.setRNGSeed(0)  # grabCut draws its first colour clusters at random
        empty = np.zeros((1, 65)), np.zeros((1, 65))
        self._cv2.grabCut(small[..., ::-1].copy(), marks, None, *empty, _ROUNDS, self._cv2.GC_INIT_WITH_MASK)
        found = ((marks == self._cv2.GC_FGD) | (marks == self._cv2.GC_PR_FGD)).astype(np.uint8)
        found = self._cv2.resize(found, crop.shape[1::-1], interpolation=self._cv2.INTER_NEAREST)
        mask = np.zeros(picture.shape[:2], bool)
        mask[top:bottom, left:right] = _main_part(self._cv2, found)
        around = bounding_box(mask)
        return None if around is None else Segment(mask, box_agreement(around, box))


def _marks(
    shape: tuple[int, ...],
    box: Box,
    corner: tuple[int, int],
    factors: tuple[float, float],
    point: tuple[int, int] | None,
) -> Any:
    """Marks of grabCut: background outside of the box, probably foreground inside, foreground at the point."""
    marks = np.zeros(shape[:2], np.uint8)  # GC_BGD
    x0, y0, x1, y1 = (round((value - corner[place % 2]) * factors[place % 2]) for place, value in enumerate(box))
    marks[y0:y1, x0:x1] = 3  # GC_PR_FGD
    x, y = (x0 + x1) // 2, (y0 + y1) // 2
    if point is not None:
        x, y = (int((point[place] - corner[place]) * factors[place]) for place in range(2))
        marks[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = 1  # GC_FGD
    if marks.all():  # a box as large as the frame: its border is background
        marks[0], marks[-1], marks[:, 0], marks[:, -1] = 0, 0, 0, 0
    return marks


def _main_part(cv2: Any, found: Any) -> Mask:
    """The largest component, and others of a tenth of its area or more."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(found, connectivity=8)
    areas = stats[1:count, cv2.CC_STAT_AREA]
    if not len(areas):
        return np.zeros(found.shape, bool)
    return np.isin(labels, np.flatnonzero(areas >= 0.1 * areas.max()) + 1)


class WatershedSegmenter:
    """Watershed of the colour gradient, flooded from the point and from outside of the box.

    Where one of them is not given, that of the colour component is used.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "watershed"

    def __init__(self) -> None:
        self._cv2 = import_extra("cv2", "tools", "SEG")
        self._components = ComponentSegmenter()
        self.version = f"1 opencv {self._cv2.__version__}"

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """Flood the window around the box."""
        if box is None or point is None:
            component = self._components.segment(picture, point, box, frame)
            if component is None or (around := bounding_box(component.mask)) is None:
                return None
            box, point = box or around, point or self._innermost(component.mask)
        left, top, right, bottom = window_of(box, picture.shape, _PAD)
        crop = np.ascontiguousarray(picture[top:bottom, left:right, ::-1])
        marks = np.full(crop.shape[:2], 2, np.int32)
        x0, y0, x1, y1 = box[0] - left, box[1] - top, box[2] - left, box[3] - top
        marks[y0:y1, x0:x1] = 0
        if not (marks == 2).any():
            marks[0], marks[-1], marks[:, 0], marks[:, -1] = 2, 2, 2, 2
        x, y = point[0] - left, point[1] - top
        marks[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = 1
        self._cv2.watershed(crop, marks)
        mask = np.zeros(picture.shape[:2], bool)
        mask[top:bottom, left:right] = self._cv2.dilate((marks == 1).astype(np.uint8), np.ones((2, 2), np.uint8)) > 0
        around = bounding_box(mask)
        return None if around is None else Segment(mask, box_agreement(around, box))

    def _innermost(self, mask: Mask) -> tuple[int, int]:
        """Column and row of the pixel of a mask that is farthest from its edge."""
        distance = self._cv2.distanceTransform(np.pad(mask, 1).astype(np.uint8), self._cv2.DIST_L2, 3)
        _, _, _, (x, y) = self._cv2.minMaxLoc(distance)
        return int(x) - 1, int(y) - 1


class OpenCvSegmenter:
    """The colour component where it is stable and fits the box, grabCut elsewhere.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "opencv"

    def __init__(self) -> None:
        self._components, self._grabcut = ComponentSegmenter(), GrabCutSegmenter()
        self.version = f"1 {self._components.version}"

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """Segment by whichever of the two is more certain."""
        component = self._components.segment(picture, point, box, frame)
        if component is not None and component.conf >= _TRUSTED:
            return component
        cut = self._grabcut.segment(picture, point, box, frame)
        return cut if cut is not None and (component is None or cut.conf > component.conf) else component
