"""Back ends that know the truth and add noise to it, for tests and for questions of what better tools would bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import ndimage

from pixelproof.pixels import Box, bounding_box
from pixelproof.stats import generator
from pixelproof.store import digest

from ._backends import Line, Mask, Pixels, Position, Segment
from ._segmenters import box_iou

Masks = Callable[[int], Sequence[Mask]]
"""Frame → masks of its objects; the same object has the same place in each."""
Texts = Callable[[int], Sequence[tuple[str, Box]]]
"""Frame → texts with their bounding boxes in pixels."""


class Oracle:
    """SEG, OCR and TRK from the truth; each answer is worse with more noise.

    Args:
        masks: True masks by frame.
        texts: True texts by frame.
        noise: From 0 (perfect) to 1: share of lost characters, lost frames of tracks, and eroded or added edge.
        seed: Seed of the noise.
        about: What identifies the truth, such as an item's id; part of the version.
    """

    name = "oracle"

    def __init__(
        self, masks: Masks, texts: Texts | None = None, noise: float = 0.0, seed: int = 0, about: str = ""
    ) -> None:
        self._masks, self._texts, self.noise, self.seed = masks, texts or (lambda frame: ()), noise, seed
        self.version = f"1 noise {noise:g} seed {seed} {about}".strip()

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """The object at the point, or the one whose bounding box fits best."""
        masks = self._masks(frame)
        place = _chosen(masks, point, box)
        if place is None:
            return None
        mask, rng = masks[place], self._rng("SEG", frame, point, box)
        if self.noise:
            steps = round(self.noise * 8 * float(rng.random()))
            mask = (
                (ndimage.binary_erosion if rng.random() < 0.5 else ndimage.binary_dilation)(mask, iterations=steps)
                if steps
                else mask
            )
        return Segment(np.asarray(mask, bool), 1.0 - self.noise)

    def read(self, crop: Pixels, box: Box, frame: int) -> Sequence[Line]:
        """The texts whose centre is in the box; some characters are lost."""
        rng, lines = self._rng("OCR", frame, None, box), []
        for text, (left, top, right, bottom) in self._texts(frame):
            x, y = (left + right) / 2, (top + bottom) / 2
            if box[0] <= x < box[2] and box[1] <= y < box[3]:
                kept = "".join(character for character in text if rng.random() >= self.noise)
                sides = (left - box[0], top - box[1], right - box[0], bottom - box[1])
                lines.append(Line(kept, sides, 1.0 - self.noise))
        return lines

    def track(
        self, pictures: Sequence[Pixels], box: Box, mask: Mask | None, frames: Sequence[int]
    ) -> Sequence[Position]:
        """The object that fits the box, in each frame; some frames are lost."""
        place = _chosen(self._masks(frames[0]), None, box)
        rng, positions = self._rng("TRK", frames[0], None, box), []
        last: tuple[float, float, float, float] = box
        for frame in frames:
            around = None if place is None else bounding_box(self._masks(frame)[place])
            lost = around is None or rng.random() < self.noise
            last = last if around is None else around
            positions.append(Position(last, not lost, 0.0 if lost else 1.0 - self.noise))
        return positions

    def _rng(self, tool: str, frame: int, point: tuple[int, int] | None, box: Box | None) -> np.random.Generator:
        return generator(self.seed, f"tools/oracle/{digest([tool, point, box])}", frame)


def _chosen(masks: Sequence[Mask], point: tuple[int, int] | None, box: Box | None) -> int | None:
    """Place of the mask that a prompt means; None if there is none."""
    if point is not None:
        hit = [place for place, mask in enumerate(masks) if mask[point[1], point[0]]]
        return min(hit, key=lambda place: int(masks[place].sum())) if hit else None
    assert box is not None
    fits = [box_iou(around, box) if (around := bounding_box(mask)) else 0.0 for mask in masks]
    best = max(range(len(fits)), key=fits.__getitem__, default=None)
    return best if best is not None and fits[best] > 0 else None
