"""PP-OCRv6: finds lines of text in an image and reads them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.store import trusted_asset

from ._net import runtime

Pixels = npt.NDArray[np.uint8]

_SHORTEST, _LONGEST, _STRIDE = 736, 2000, 32
"""Sides of the image that text is searched in, in pixels; both are multiples of the stride."""
_PIXEL, _BOX = 0.3, 0.5
"""Least probability of text of a pixel, and mean over a box."""
_UNCLIP = 1.6
"""The network marks the core of a line: its box grows by area / perimeter times this."""
_LINE = 48
"""Height of the lines that are read, in pixels."""
_WIDEST = 4096
"""Width of the lines that are read, in pixels; longer ones are compressed."""
_MOST = 200
"""Lines per image."""


@dataclass(frozen=True)
class TextLine:
    """A line of text in an image."""

    text: str
    score: float
    """Mean probability of its characters."""
    corners: tuple[tuple[float, float], ...]
    """In pixels, clockwise from the top left of the text."""


class TextReader:
    """Detector and recogniser of the asset `rapidocr-models`, on the CPU.

    Raises:
        PixelProofError: The asset, onnxruntime or OpenCV is missing; the message has the command that gets it.
    """

    asset = "rapidocr-models"

    def __init__(self) -> None:
        self._cv2, onnx = runtime("cv2"), runtime("onnxruntime")
        folder = trusted_asset(self.asset)
        self._detector = _session(onnx, folder, "*det*.onnx")
        self._recogniser = _session(onnx, folder, "*rec*.onnx")
        characters = self._recogniser.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._characters = ["", *characters, " "]
        """The first is the blank of connectionist temporal classification."""
        self.runtime = f"onnxruntime {onnx.__version__}"

    def read(self, photo: Pixels, alphabet: str = "") -> list[TextLine]:
        """Lines of text from top to bottom; those without a character are left out.

        Args:
            photo: RGB.
            alphabet: The characters that occur; empty: all that the network knows.
        """
        lines = [self._read_line(photo, corners, alphabet) for corners in self._find(photo)]
        return sorted((line for line in lines if line.text.strip()), key=lambda line: line.corners[0][::-1])

    def recognise(self, line: Pixels, alphabet: str = "") -> tuple[str, float]:
        """Text and mean probability of a crop that shows one line and little else; nothing is searched.

        Args:
            line: RGB.
            alphabet: The characters that occur; empty: all that the network knows.
        """
        wide = max(_LINE, round(_LINE * line.shape[1] / line.shape[0]))
        resized = self._cv2.resize(np.ascontiguousarray(line), (min(wide, _WIDEST), _LINE))
        (name,) = (one.name for one in self._recogniser.get_inputs())
        (found,) = self._recogniser.run(None, {name: _normalised(resized)[None]})
        return decode_ctc(restrict(found[0], self._characters, alphabet), self._characters)

    def _find(self, photo: Pixels) -> list[npt.NDArray[np.float32]]:
        """Corners of the boxes around lines of text."""
        height, width = photo.shape[:2]
        scale = min(max(1.0, _SHORTEST / min(height, width)), _LONGEST / max(height, width))
        size = [max(_STRIDE, round(scale * side / _STRIDE) * _STRIDE) for side in (width, height)]
        resized = self._cv2.resize(photo, size)
        (name,) = (one.name for one in self._detector.get_inputs())
        (found,) = self._detector.run(None, {name: _normalised(resized)[None]})
        probability = found[0, 0]
        mask = (probability > _PIXEL).astype(np.uint8)
        contours, _ = self._cv2.findContours(mask, self._cv2.RETR_LIST, self._cv2.CHAIN_APPROX_SIMPLE)
        boxes = [self._box(contour, probability) for contour in contours[:_MOST]]
        back = np.array([width / size[0], height / size[1]], np.float32)
        return [box * back for box in boxes if box is not None]

    def _box(self, contour: Any, probability: npt.NDArray[np.float32]) -> npt.NDArray[np.float32] | None:
        """Corners of the rectangle around a contour, grown to the whole line; None if it is hardly text."""
        middle, (w, h), angle = self._cv2.minAreaRect(contour)
        if min(w, h) < 3:
            return None
        inside = np.zeros(probability.shape, np.uint8)
        self._cv2.fillPoly(inside, [contour], 1)
        if float(probability[inside > 0].mean()) < _BOX:
            return None
        grow = 2 * _UNCLIP * w * h / (2 * (w + h))
        corners = self._cv2.boxPoints((middle, (w + grow, h + grow), angle))
        return _clockwise(np.asarray(corners, np.float32))

    def _read_line(self, photo: Pixels, corners: npt.NDArray[np.float32], alphabet: str) -> TextLine:
        width = max(8, round(float(np.linalg.norm(corners[1] - corners[0]))))
        height = max(8, round(float(np.linalg.norm(corners[3] - corners[0]))))
        target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        turn = self._cv2.getPerspectiveTransform(corners, target)
        line = self._cv2.warpPerspective(photo, turn, (width, height), borderMode=self._cv2.BORDER_REPLICATE)
        if height > 1.5 * width:  # written from top to bottom
            line = np.rot90(line)
        text, score = self.recognise(line, alphabet)
        return TextLine(text, score, tuple((float(x), float(y)) for x, y in corners))


def _session(onnx: Any, folder: Path, pattern: str) -> Any:
    (file,) = folder.rglob(pattern)
    return onnx.InferenceSession(str(file), providers=["CPUExecutionProvider"])


def _normalised(rgb: Pixels) -> npt.NDArray[np.float32]:
    """Channels first, blue before red as in training, from -1 to 1."""
    return np.ascontiguousarray((rgb[..., ::-1].astype(np.float32) / 127.5 - 1).transpose(2, 0, 1))


def _clockwise(corners: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Corners from the top left on, clockwise."""
    by_x = corners[np.argsort(corners[:, 0])]
    left, right = by_x[:2], by_x[2:]
    top_left, bottom_left = left[np.argsort(left[:, 1])]
    top_right, bottom_right = right[np.argsort(right[:, 1])]
    return np.stack([top_left, top_right, bottom_right, bottom_left])


def restrict(probabilities: npt.NDArray[np.float32], characters: list[str], alphabet: str) -> npt.NDArray[np.float32]:
    """Probabilities in which only the blank and the characters of an alphabet occur; an empty one has all characters.

    A letter of which the alphabet has the other case alone counts as that one: U and u, Z and z look alike.

    >>> restrict(np.array([[0.125, 0.25, 0.5, 0.125]], np.float32), ["", "U", "u", "V"], "U").tolist()
    [[0.125, 0.75, 0.0, 0.0]]
    """
    if not alphabet:
        return probabilities
    places = {character: place for place, character in enumerate(characters)}
    kept = np.zeros_like(probabilities)
    for character in ("", *(letter for letter in alphabet if letter in places)):
        kept[:, places[character]] = probabilities[:, places[character]]
        other = character.swapcase()
        if other != character and other in places and other not in alphabet:
            kept[:, places[character]] += probabilities[:, places[other]]
    return kept


def decode_ctc(probabilities: npt.NDArray[np.float32], characters: list[str]) -> tuple[str, float]:
    """Text of the likeliest path, repeated characters merged and blanks removed, and its mean probability.

    >>> decode_ctc(np.eye(3, dtype=np.float32)[[1, 1, 0, 1, 2]], ["", "a", "b"])
    ('aab', 1.0)
    """
    best = probabilities.argmax(axis=1)
    kept = [place for place in range(len(best)) if best[place] and (place == 0 or best[place] != best[place - 1])]
    text = "".join(characters[best[place]] for place in kept)
    return text, float(np.mean([probabilities[place, best[place]] for place in kept])) if kept else 0.0
