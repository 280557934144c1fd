"""Things of a photograph as boxes in space: an object detector and a metric depth network of transformers.

In the root of a checkout, `--lifter training.lifting:TransformersLifter:DETECTOR,DEPTH` of `pixelproof spatial real`
loads two saved directories; nothing is downloaded. The depth network must give metres. A box is as wide and high as
its detection at the depth of the thing, as long as the depth varies inside, and upright.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.spatial.real import Frame, LiftedBox, as_matrix
from pixelproof.contract import PixelProofError

THRESHOLD = 0.47
"""Least score of a detection."""
INNER = 0.6
"""Share of a detection's sides whose depths count: what is behind a thing shows at its edges."""
SHARES = (0.1, 0.5, 0.9)
"""Quantiles of the depths inside: front, middle and back of the visible surface."""
LEAST_LENGTH = 0.02
"""Least length of a box in metres."""

Floats = npt.NDArray[np.float64]


class TransformersLifter:
    """Detects things, estimates depth, and lifts the detections.

    Args:
        directories: Directories of the detector and of the depth network, separated by a comma.

    Raises:
        PixelProofError: torch or transformers is not installed, or a directory cannot be loaded.
    """

    def __init__(self, directories: str) -> None:
        names = [name.strip() for name in directories.split(",")]
        if len(names) != 2 or not all(names):
            raise PixelProofError(
                "This lifter needs two directories: --lifter training.lifting:TransformersLifter:DETECTOR,DEPTH."
            )
        try:
            self._torch, transformers = map(importlib.import_module, ("torch", "transformers"))
        except ImportError as error:
            raise PixelProofError(
                f"This lifter needs more libraries ({error}): run pip install 'pixelproof[diffusers]'."
            ) from error
        detector, depth = map(Path, names)
        self._detector = _load(transformers.AutoModelForObjectDetection, detector)
        self._detector_inputs = _load(transformers.AutoImageProcessor, detector)
        self._depth = _load(transformers.AutoModelForDepthEstimation, depth)
        self._depth_inputs = _load(transformers.AutoImageProcessor, depth)

    def lift(self, frame: Frame) -> list[LiftedBox]:
        """Boxes of the things that the detector finds; of the labels of the frame alone, if it has any."""
        depth = self._depths(frame.rgb)
        boxes = []
        for label, score, box in self._detections(frame.rgb):
            if not frame.labels or label in frame.labels:
                lifted = lift_box(label, score, box, depth, frame.intrinsics, frame.down)
                if lifted is not None:
                    boxes.append(lifted)
        return boxes

    def _detections(self, rgb: npt.NDArray[np.uint8]) -> list[tuple[str, float, Floats]]:
        """Label, score and box in pixels (left, top, right, bottom) of every detection."""
        inputs = self._detector_inputs(images=rgb, return_tensors="pt")
        with self._torch.no_grad():
            outputs = self._detector(**inputs)
        found = self._detector_inputs.post_process_object_detection(
            outputs, threshold=THRESHOLD, target_sizes=[rgb.shape[:2]]
        )[0]
        names = self._detector.config.id2label
        rows = zip(found["labels"].tolist(), found["scores"].tolist(), found["boxes"].numpy(), strict=True)
        return [(str(names[label]), float(score), np.asarray(box, dtype=float)) for label, score, box in rows]

    def _depths(self, rgb: npt.NDArray[np.uint8]) -> Floats:
        """Depth of every pixel in metres."""
        inputs = self._depth_inputs(images=rgb, return_tensors="pt")
        with self._torch.no_grad():
            predicted = self._depth(**inputs).predicted_depth
        resized = self._torch.nn.functional.interpolate(
            predicted.reshape(1, 1, *predicted.shape[-2:]), size=rgb.shape[:2], mode="bilinear", align_corners=False
        )
        return np.asarray(resized[0, 0].numpy(), dtype=float)


def _load(kind: Any, directory: Path) -> Any:
    if not directory.is_dir():
        raise PixelProofError(f"{directory} is not a directory: save a network there with save_pretrained.")
    try:
        loaded = kind.from_pretrained(str(directory), local_files_only=True)
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise PixelProofError(
            f"{directory} cannot be loaded as {kind.__name__} ({' '.join(str(error).split())[:200]})."
        ) from error
    return loaded.eval() if hasattr(loaded, "eval") else loaded


def lift_box(
    label: str, score: float, box: Floats, depth: Floats, intrinsics: Floats, down: tuple[float, float, float]
) -> LiftedBox | None:
    """A detection as an upright box in the camera's frame; None if it is empty or its depth is unknown.

    Args:
        label: Name of the thing.
        score: Confidence of the detector.
        box: Left, top, right and bottom in pixels.
        depth: Depth of every pixel in metres.
        intrinsics: Camera matrix in pixels.
        down: Direction of gravity in the camera's frame.
    """
    height, width = depth.shape
    left, right = np.clip(box[[0, 2]], 0, width)
    top, bottom = np.clip(box[[1, 3]], 0, height)
    if right - left < 2 or bottom - top < 2:
        return None
    x, y = (left + right) / 2, (top + bottom) / 2
    inner = depth[
        int(y - INNER / 2 * (bottom - top)) : int(np.ceil(y + INNER / 2 * (bottom - top))),
        int(x - INNER / 2 * (right - left)) : int(np.ceil(x + INNER / 2 * (right - left))),
    ]
    known = inner[np.isfinite(inner) & (inner > 0)]
    if not len(known):
        return None
    front, middle, back = np.quantile(known, SHARES)
    size_x, size_y = (right - left) / intrinsics[0, 0] * middle, (bottom - top) / intrinsics[1, 1] * middle
    length = max(LEAST_LENGTH, float(back - front))
    away = float(front) + length / 2
    centre = away * np.array([(x - intrinsics[0, 2]) / intrinsics[0, 0], (y - intrinsics[1, 2]) / intrinsics[1, 1], 1])
    axes = upright_axes(down)
    cx, cy, cz = (float(value) for value in centre)
    return LiftedBox(label, (cx, cy, cz), (float(size_x), float(size_y), length), as_matrix(axes), score)


def upright_axes(down: tuple[float, float, float]) -> Floats:
    """Columns: level and to the right, down, and level and away, in the camera's frame."""
    vertical = np.asarray(down, dtype=float) / np.linalg.norm(down)
    right = np.array([1.0, 0.0, 0.0]) - vertical[0] * vertical
    right /= np.linalg.norm(right)
    return np.column_stack([right, vertical, np.cross(right, vertical)])
