"""`nets/ssd-sam2`: a detector finds objects by name, SAM 2 segments them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Prompt
from pixelproof.pixels import encode_labels
from pixelproof.store import find_asset

from ._detector import Detector, match_label
from ._net import SegmentationInputs
from ._sam2 import Sam2


class DetectAndSegment:
    """SSD-MobileNetV3 boxes, each segmented by SAM 2; pixels outside all masks get the first label.

    Raises:
        PixelProofError: The weights or the libraries are missing.
    """

    def __init__(self) -> None:
        self._detector, self._sam = Detector(), Sam2()

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """A label map."""
        inputs = SegmentationInputs.of(prompt)
        return Answer(images=(encode_labels(self.segment(inputs.photo, inputs.palette.labels), inputs.palette),))

    def segment(self, photo: npt.NDArray[np.uint8], labels: Sequence[str]) -> npt.NDArray[np.uint8]:
        """Index of a label for every pixel; where masks overlap, the detection with the higher score wins."""
        segmented = np.zeros(photo.shape[:2], np.uint8)
        matches = [(detection, match_label(detection.name, labels)) for detection in self._detector.detect(photo)]
        wanted = [(detection.box, place) for detection, place in matches if place is not None]
        if wanted:
            masks = self._sam.masks(self._sam.embed(photo), [box for box, _ in wanted])
            for mask, (_, place) in reversed(list(zip(masks, wanted, strict=True))):
                segmented[mask.pixels] = place
        return segmented

    def card(self) -> Mapping[str, Any]:
        """The weights, and the libraries that run them."""
        weights = {net.asset: find_asset(net.asset).sha256 for net in (self._detector, self._sam)}
        return {"weights": weights, "runtime": [self._detector.runtime, self._sam.runtime]}
