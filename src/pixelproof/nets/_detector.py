"""SSD-MobileNetV3: bounding boxes of the 80 COCO classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt

from pixelproof.store import trusted_asset

from ._runtimes import runtime

Box = tuple[float, float, float, float]

_SIDE = 320
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
        blob = self._cv2.dnn.blobFromImage(photo, 1 / _GREY, (_SIDE, _SIDE), (_GREY,) * 3)
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
