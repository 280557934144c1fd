"""SAM 2 tiny: masks for bounding boxes and points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.store import trusted_asset

from ._detector import Box
from ._runtimes import onnx_session, runtime

Point = tuple[float, float]

_SIDE = 1024
_MEAN, _SPREAD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
"""Mean and standard deviation of the training images, per channel."""
_OUTSIDE, _INSIDE, _TOP_LEFT, _BOTTOM_RIGHT = range(4)
"""Labels of prompt points; the last two mark the corners of a box."""


@dataclass(frozen=True)
class Embedding:
    """Image embedding, for any number of prompts."""

    shape: tuple[int, int]
    features: dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Mask:
    """Mask of one object."""

    pixels: npt.NDArray[np.bool_]
    score: float
    """Predicted IoU, about 0 to 1."""


class Sam2:
    """Encoder and decoder of the asset `sam2-tiny`, on the CPU; may be used from several threads.

    Raises:
        PixelProofError: The asset or onnxruntime is missing; the message has the command that gets it.
    """

    asset = "sam2-tiny"

    def __init__(self) -> None:
        onnx, folder = runtime("onnxruntime"), trusted_asset(self.asset)
        (encoder,), (decoder,) = folder.glob("*encoder*.ort"), folder.glob("*decoder*.onnx")
        self._encoder, self._decoder = onnx_session(onnx, str(encoder)), onnx_session(onnx, str(decoder))
        self._outputs = [output.name for output in self._encoder.get_outputs()]
        self.runtime = f"onnxruntime {onnx.__version__}"

    def embed(self, photo: npt.NDArray[np.uint8]) -> Embedding:
        """Run the image encoder, which takes most of the time."""
        resized = Image.fromarray(photo).resize((_SIDE, _SIDE), Image.Resampling.BILINEAR)
        values = (np.asarray(resized) / 255 - _MEAN) / _SPREAD
        features = self._encoder.run(None, {"image": values.transpose(2, 0, 1)[None].astype(np.float32)})
        return Embedding(photo.shape[:2], dict(zip(self._outputs, features, strict=True)))

    def masks(self, embedding: Embedding, boxes: Sequence[Box]) -> list[Mask]:
        """For every box the mask with the highest predicted IoU of three."""
        return [self.mask(embedding, box) for box in boxes]

    def mask(
        self,
        embedding: Embedding,
        box: Box | None = None,
        inside: Sequence[Point] = (),
        outside: Sequence[Point] = (),
    ) -> Mask:
        """The mask with the highest predicted IoU of three, for a box, points, or both.

        Args:
            embedding: From `embed`.
            box: Bounding box in pixels.
            inside: Points of the object, x and y in pixels.
            outside: Points that do not belong to it.

        Raises:
            ValueError: There is neither a box nor a point.
        """
        corners = [] if box is None else [box[:2], box[2:]]
        labels = [_TOP_LEFT, _BOTTOM_RIGHT][: len(corners)] + [_INSIDE] * len(inside) + [_OUTSIDE] * len(outside)
        if not labels:
            raise ValueError("A mask needs a box or a point.")
        height, width = embedding.shape
        points = np.array([*corners, *inside, *outside], np.float64)[None] / (width, height) * _SIDE
        given = {
            **embedding.features,
            "point_coords": points.astype(np.float32),
            "point_labels": np.array([labels], np.float32),
            "mask_input": np.zeros((1, 1, 256, 256), np.float32),
            "has_mask_input": np.zeros(1, np.float32),
        }
        masks, scores = self._decoder.run(["masks", "iou_predictions"], given)
        best = int(scores[0].argmax())
        logits = Image.fromarray(masks[0, best]).resize((width, height), Image.Resampling.BILINEAR)
        return Mask(np.asarray(logits) > 0, float(scores[0, best]))
