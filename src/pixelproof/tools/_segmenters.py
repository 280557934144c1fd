"""SEG by colour and by OpenCV: components, grabCut, watershed, and the default that chooses between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Box, bounding_box
from pixelproof.store import import_extra

from ._backends import Mask, Pixels, Segment

_THRESHOLDS = (5, 6, 7.5, 9, 11, 13.5, 16.5, 20, 24.5, 30, 37)
"""Distances in CIELAB up to which a pixel has the colour of the seed."""
_STABLE = 1.04
"""Growth of the area from one threshold to the next up to which a component is stable."""
_LARGEST = 0.6
"""Share of the frame that only a background covers."""
_SURE = 0.9
"""Fit from which no other seed is tried."""
_PAD = 0.25
"""Space around a box that is searched, as a share of its sides."""


@dataclass(frozen=True)
class _Component:
    mask: Mask
    colour: npt.NDArray[np.float32]
    steps: int
    """Thresholds over which it is stable."""


class ComponentSegmenter:
    """Adaptive colour component: thresholds grow until the area jumps, then the edge moves to half of the contrast.

    Exact for objects of one colour, with soft edges; blind to texture, shading and shadows.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "components"

    def __init__(self) -> None:
        self._cv2 = import_extra("cv2", "tools", "SEG")
        self.version = f"1 opencv {self._cv2.__version__}"

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """The stable component at the point; with a box alone, the one that fits the box best."""
        window = window_of(box, picture.shape, _PAD) if box else (0, 0, picture.shape[1], picture.shape[0])
        left, top, right, bottom = window
        lab = to_lab(self._cv2, picture[top:bottom, left:right])
        inside = None if box is None else (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
        seeds = [(point[0] - left, point[1] - top)] if point else _seeds(inside)
        height, width = lab.shape[:2]
        best: tuple[float, _Component] | None = None
        for x, y in seeds:
            if 0 <= x < width and 0 <= y < height and (best is None or not best[1].mask[y, x]):
                component = self._component(lab, x, y, inside)
                if component is not None:
                    fit = _fit(component.mask, inside) * (0.5 + 0.5 * min(component.steps, 5) / 5)
                    if best is None or fit > best[0]:
                        best = fit, component
            if best is not None and best[0] >= _SURE:
                break
        if best is None:
            return None
        mask = np.zeros(picture.shape[:2], bool)
        mask[top:bottom, left:right] = best[1].mask
        return Segment(mask, best[0])

    def _component(self, lab: npt.NDArray[np.float32], x: int, y: int, box: Box | None) -> _Component | None:
        """The most stable component of a seed; its edge is where half of the contrast to its surroundings is."""
        near = lab[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].reshape(-1, 3)
        colour = np.median(near, axis=0)
        distance = np.sqrt(((lab - colour) ** 2).sum(axis=2))
        distance[y, x] = 0.0
        masks = [self._around(distance <= threshold, x, y) for threshold in _THRESHOLDS]
        areas = [int(mask.sum()) for mask in masks]
        start, steps = _longest_plateau(areas, _LARGEST * distance.size if box is None else np.inf)
        mask = masks[start]
        if mask.all():
            return None
        colour = np.median(lab[mask], axis=0)
        ring = self._cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
        ring &= ~self._cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
        if ring.any():
            contrast = np.sqrt(((lab[ring] - colour) ** 2).sum(axis=1))
            distance = np.sqrt(((lab - colour) ** 2).sum(axis=2))
            half = max(float(np.percentile(contrast, 25)) / 2, _THRESHOLDS[0])
            distance[y, x] = 0.0
            exact = self._around(distance <= half, x, y)
            if 0.7 < exact.sum() / mask.sum() < 1.5:
                mask = exact
        return _Component(mask, colour, steps)

    def _around(self, allowed: Mask, x: int, y: int) -> Mask:
        _, labels = self._cv2.connectedComponents(allowed.astype(np.uint8), connectivity=8, ltype=self._cv2.CV_32S)
        return np.asarray(labels == labels[y, x])


def to_lab(cv2: Any, rgb: Pixels) -> npt.NDArray[np.float32]:
    """CIELAB, L from 0 to 100."""
    return np.asarray(cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2Lab))


def window_of(box: Box, shape: tuple[int, ...], pad: float) -> Box:
    """A box grown by a share of its sides, and by 4 pixels at least, within the frame."""
    across, down = max(round(pad * (box[2] - box[0])), 4), max(round(pad * (box[3] - box[1])), 4)
    return max(box[0] - across, 0), max(box[1] - down, 0), min(box[2] + across, shape[1]), min(box[3] + down, shape[0])


def _seeds(box: Box | None) -> list[tuple[int, int]]:
    """Points in a box, the centre first."""
    assert box is not None
    shares = (0.5, 0.3, 0.7, 0.15, 0.85)
    places = sorted(((u, v) for u in shares for v in shares), key=lambda p: abs(p[0] - 0.5) + abs(p[1] - 0.5))
    return [
        (min(int(box[0] + u * (box[2] - box[0])), box[2] - 1), min(int(box[1] + v * (box[3] - box[1])), box[3] - 1))
        for u, v in places
    ]


def _longest_plateau(areas: Sequence[int], most: float) -> tuple[int, int]:
    """Where the longest run of stable areas begins, and its length; areas above the limit count only if all are."""
    usable = [place for place, area in enumerate(areas) if area <= most] or [0]
    best, length, start = (usable[0], 1), 1, usable[0]
    for before, place in zip(usable, usable[1:], strict=False):
        length, start = (length + 1, start) if areas[place] <= _STABLE * areas[before] + 2 else (1, place)
        if length >= best[1] and areas[start] > 4:
            best = start, length
    return best


def _fit(mask: Mask, box: Box | None) -> float:
    """Agreement of the bounding box of a mask with a box; 1 without a box."""
    around = bounding_box(mask)
    return 1.0 if box is None or around is None else box_agreement(around, box)


def box_agreement(around: Box, box: Box) -> float:
    """IoU of a bounding box with the box of a call, whose sides are rounded outwards by up to a pixel.

    >>> box_agreement((10, 10, 18, 18), (9, 9, 19, 19)), box_agreement((10, 10, 18, 18), (10, 10, 28, 18))
    (1.0, 0.5)
    """
    left, top, right, bottom = (min(max(given, own - 1), own + 1) for own, given in zip(around, box, strict=True))
    return box_iou((left, top, right, bottom), box)


def box_iou(one: Sequence[float], other: Sequence[float]) -> float:
    """Intersection over union of two boxes.

    >>> box_iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    both = width * height
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return both / (sum(areas) - both) if both else 0.0


_CROP_PAD = 0.35
_LONGEST_SIDE = 512
"""Longest side of the window that grabCut works on; larger ones are scaled down."""
_ROUNDS = 5
_TRUSTED = 0.95
"""Fit of a component from which the default needs no grabCut."""


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
        window = window_of(box, picture.shape, _CROP_PAD)
        left, top, right, bottom = window
        crop = picture[top:bottom, left:right]
        scale = min(1.0, _LONGEST_SIDE / max(crop.shape[:2]))
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
        left, top, right, bottom = window_of(box, picture.shape, _CROP_PAD)
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
        if component is not None and component.fit >= _TRUSTED:
            return component
        cut = self._grabcut.segment(picture, point, box, frame)
        return cut if cut is not None and (component is None or cut.fit > component.fit) else component
