"""SSD-MobileNetV3 (bounding boxes of the 80 COCO classes), SAM 2 tiny (masks), and both as `nets/ssd-sam2`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Answer, Prompt
from pixelproof.pixels import encode_labels
from pixelproof.store import find_asset, trusted_asset

from ._net import SegmentationInputs, onnx_session, runtime

Box = tuple[float, float, float, float]

_SSD_SIDE = 320
_GREY = 127.5
_SAME = (
    ("airplane", "aeroplane", "plane", "toy plane"),
    ("bicycle", "bike"),
    ("boat", "toy boat"),
    ("car", "toy car"),
    ("cell phone", "mobile phone", "phone", "telephone"),
    ("clock", "alarm clock"),
    ("couch", "sofa", "armchair"),
    ("cup", "mug"),
    ("dining table", "table", "desk", "side table"),
    ("donut", "doughnut"),
    ("hair drier", "hair dryer"),
    ("motorcycle", "motorbike"),
    ("person", "man", "woman"),
    ("pizza", "pizza slice"),
    ("potted plant", "plant"),
    ("refrigerator", "fridge"),
    ("sandwich", "hamburger"),
    ("scissors", "pair of scissors"),
    ("sports ball", "ball"),
    ("suitcase", "luggage"),
    ("train", "toy train"),
    ("truck", "lorry"),
    ("tv", "television"),
)
"""A COCO class with its synonyms and look-alikes; a toy car is a car to a detector of cars."""
_OTHERWISE = {name: others for name, *others in _SAME}


@dataclass(frozen=True)
class Detection:
    """A detected object."""

    name: str
    """COCO class."""
    score: float
    box: Box
    """Bounding box in pixels: left, top, right, bottom."""


class Detector:
    """The detector of the asset `kenzy-ssd`, on the CPU.

    Raises:
        PixelProofError: The asset or OpenCV is missing; the message has the command that gets it.
    """

    asset = "kenzy-ssd"

    def __init__(self) -> None:
        cv2, folder = runtime("cv2"), trusted_asset(self.asset)
        self._cv2 = cv2
        (graph,), (description,) = folder.glob("*.pb"), folder.glob("*.pbtxt")
        self._net = cv2.dnn.readNetFromTensorflow(str(graph), str(description))
        self._lock = Lock()  # an OpenCV network stores its input
        self.names = tuple((folder / "labels.txt").read_text("utf-8").split("\n"))
        self.runtime = f"opencv {cv2.__version__}"

    def detect(self, photo: npt.NDArray[np.uint8], least: float = 0.3) -> list[Detection]:
        """Detect objects, highest score first.

        Args:
            photo: RGB.
            least: Smallest score.
        """
        height, width = photo.shape[:2]
        blob = self._cv2.dnn.blobFromImage(photo, 1 / _GREY, (_SSD_SIDE, _SSD_SIDE), (_GREY,) * 3)
        with self._lock:
            self._net.setInput(blob)
            found = self._net.forward().reshape(-1, 7)
        places = np.clip(found[:, 3:], 0, 1) * (width, height, width, height)
        detections = [
            Detection(self.names[int(row[1]) - 1], float(row[2]), (box[0], box[1], box[2], box[3]))
            for row, box in zip(found, places.tolist(), strict=True)
            if row[2] >= least and box[2] > box[0] and box[3] > box[1]
        ]
        return sorted(detections, key=lambda detection: -detection.score)


def match_label(name: str, labels: Sequence[str]) -> int | None:
    """Index of the label for a COCO class: the same word, or else a synonym; None if there is none.

    >>> match_label("cup", ["background", "mug"]), match_label("cup", ["mug", "cup"]), match_label("dog", ["cat"])
    (1, 1, None)
    """
    known = {label.casefold(): place for place, label in reversed(list(enumerate(labels)))}
    return next((known[word] for word in (name, *_OTHERWISE.get(name, ())) if word in known), None)


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
