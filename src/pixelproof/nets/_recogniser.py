"""The drawing recogniser: classifies drawings into known subjects, or abstains.

Its input is an image resampled to 24 × 24 cells, as colours and distance from the background. Its layers are in numpy;
images are batches of shape (n, height, width, channels).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import oklab

Array = npt.NDArray[np.float32]


_ALONE = 2**18  # multiplications up to which OpenBLAS stays on one thread


def multiply(rows: Array, weight: Array) -> Array:
    """Matrix product in chunks that BLAS does not distribute over threads.

    Our products are so small that on a busy machine waiting for threads takes ten times as long as the work.

    >>> multiply(np.ones((3, 2), np.float32), np.ones((2, 1), np.float32)).tolist()
    [[2.0], [2.0], [2.0]]
    """
    step = max(1, _ALONE // weight.size)
    whole = len(rows) // step * step
    pieces = rows[:whole].reshape(-1, step, rows.shape[1]) @ weight
    return np.concatenate([pieces.reshape(whole, weight.shape[1]), rows[whole:] @ weight])


def convolve(pictures: Array, weight: Array, bias: Array) -> Array:
    """Convolution with kernels of shape (k, k, channels in, channels out), k odd, and zero padding.

    >>> ones = np.ones((1, 2, 2, 1), np.float32)
    >>> convolve(ones, np.ones((3, 3, 1, 1), np.float32), np.zeros(1, np.float32))[0, :, :, 0].tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    """
    (n, height, width, inputs), size = pictures.shape, len(weight)
    around = (size // 2, size // 2)
    padded = np.pad(pictures, ((0, 0), around, around, (0, 0)))
    total = np.tile(bias, (n * height * width, 1))
    for down, across in np.ndindex(size, size):
        under = padded[:, down : down + height, across : across + width]  # the input under this element of the kernel
        total += multiply(under.reshape(-1, inputs), weight[down, across])
    return total.reshape(n, height, width, -1)


def halve(pictures: Array) -> Array:
    """2 × 2 max pooling; sides must be even.

    >>> halve(np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)).tolist()
    [[[[3.0]]]]
    """
    n, height, width, channels = pictures.shape
    return np.asarray(pictures.reshape(n, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4)))


def rectify(values: Array) -> Array:
    """Rectified linear unit.

    >>> rectify(np.array([-1, 2], np.float32)).tolist()
    [0.0, 2.0]
    """
    return np.maximum(values, np.float32(0))


def softmax(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Softmax along the last axis.

    >>> softmax(np.array([0.0, 0.0, -1000.0])).tolist()
    [0.5, 0.5, 0.0]
    """
    powers = np.exp(np.asarray(logits, dtype=np.float64) - np.max(logits, axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


SIDE = 24
CHANNELS = 4
_ROWS = 256  # converted to floating point per chunk, to bound the memory of large images

Pixels = npt.NDArray[np.uint8]


def fit(pixels: Pixels) -> tuple[Pixels, Pixels]:
    """Resample an image to the canvas by area averaging; return it with its background colour.

    The ground is the most frequent colour of the border; of several, the one met first.

    >>> cells, ground = fit(np.array([[[9, 9, 9], [9, 9, 9]], [[9, 9, 9], [200, 0, 0]]], np.uint8))
    >>> cells.shape, cells[0, 0].tolist(), cells[-1, -1].tolist(), ground.tolist()
    ((24, 24, 3), [9, 9, 9], [200, 0, 0], [9, 9, 9])
    """
    if not hasattr(pixels, "ndim"):
        kind = type(pixels).__name__
        raise TypeError(f"A picture is an array, not {kind}: give np.asarray(image.convert('RGB')) of a Pillow image.")
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        raise ValueError(f"A picture is uint8 of shape (height, width, 3), not {pixels.dtype} {pixels.shape}.")
    down, across = (_shares(length) for length in pixels.shape[:2])
    cells = np.zeros((SIDE, SIDE, 3))
    for start in range(0, len(pixels), _ROWS):
        some = slice(start, start + _ROWS)
        cells += np.einsum("yh,hwc,xw->yxc", down[:, some], pixels[some].astype(np.float64), across, optimize=True)
    return np.rint(cells).astype(np.uint8), _ground(pixels)


def encode(colours: npt.NDArray[np.float64], grounds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Network input of drawings and their backgrounds in OKLab: colour, and distance from the background.

    The distance tells figure and ground apart whatever their colours, so a white heart on black looks like a red one on
    white. The scales bring all four channels to about the same range.

    Args:
        colours: Of shape (n, height, width, 3).
        grounds: Of shape (n, 3).
    """
    distance = np.linalg.norm(colours - grounds[:, None, None], axis=-1, keepdims=True)
    centred = colours - np.array([0.5, 0.0, 0.0])
    return np.concatenate([centred * [2, 5, 5], distance * 2], axis=-1).astype(np.float32)


def _shares(length: int) -> npt.NDArray[np.float64]:
    """Area weights: row i has the share of each of `length` pixels in cell i of the canvas; rows sum to 1."""
    edges = np.arange(SIDE + 1) * length / SIDE
    pixel = np.arange(length)
    overlap = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    return np.asarray(np.clip(overlap, 0, None) * SIDE / length)


def _ground(pixels: Pixels) -> Pixels:
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colours, first, counts = np.unique(border, axis=0, return_index=True, return_counts=True)
    return np.asarray(colours[np.lexsort((first, -counts))[0]])


WEIGHTS = Path(__file__).with_name("weights") / "drawing-recogniser.npz"
HALVED_BEFORE = (2, 4)  # two convolutions each at 24 × 24, 12 × 12 and 6 × 6


@dataclass(frozen=True)
class Recognition:
    """Prediction for one drawing."""

    names: tuple[str, ...]
    probabilities: tuple[float, ...]
    """Probability of each class; with `nothing` they sum to 1."""
    nothing: float
    """Probability that the drawing shows none of the classes."""
    threshold: float
    """Probability below which it abstains."""

    @property
    def best(self) -> str:
        """The most probable class, even if it abstains."""
        return self.names[int(np.argmax(self.probabilities))]

    @property
    def abstains(self) -> bool:
        """Whether no class is probable enough."""
        top = max(self.probabilities)
        return not (top >= self.threshold and top > self.nothing)  # also true for nan

    def probability(self, name: str) -> float:
        """Probability of one class.

        Raises:
            KeyError: The recogniser does not know it.
        """
        if name not in self.names:
            raise KeyError(f"The recogniser does not know {name!r}.")
        return self.probabilities[self.names.index(name)]


@dataclass(frozen=True)
class Recogniser:
    """A trained network with its calibration."""

    names: tuple[str, ...]
    layers: Sequence[tuple[Array, Array]]
    """Weights and biases: the convolutions, then the linear layer; its last output is "nothing"."""
    temperature: float
    """Temperature of the softmax, which calibrates the probabilities."""
    threshold: float
    card: Mapping[str, Any]
    """Training details."""

    def logits(self, cells: Pixels, grounds: Pixels) -> npt.NDArray[np.float64]:
        """Logits of drawings on the canvas, averaged over a drawing and its mirror image."""
        seen = encode(oklab(cells), oklab(grounds))
        both = self._run(np.concatenate([seen, seen[:, :, ::-1]]))
        return np.asarray(both.reshape(2, len(seen), -1).mean(axis=0, dtype=np.float64))

    def recognise(self, pictures: Sequence[Pixels]) -> list[Recognition]:
        """Classify drawings, given as rendered images: uint8 RGB, one pixel per cell, any size."""
        return [self._look(picture) for picture in pictures]

    def _look(self, picture: Pixels) -> Recognition:
        """One drawing at a time: larger batches do not fit into the CPU cache and take longer."""
        cells, ground = fit(picture)
        *probabilities, nothing = softmax(self.logits(cells[None], ground[None])[0] / self.temperature).tolist()
        return Recognition(self.names, tuple(probabilities), nothing, self.threshold)

    def _run(self, pictures: Array) -> Array:
        *convolutions, (weight, bias) = self.layers
        for index, (kernel, offset) in enumerate(convolutions):
            if index in HALVED_BEFORE:
                pictures = halve(pictures)
            pictures = rectify(convolve(pictures, kernel, offset))
        pooled = np.concatenate([pictures.mean(axis=(1, 2)), pictures.max(axis=(1, 2))], axis=1)
        return multiply(pooled, weight) + bias


def recognise(pixels: Pixels) -> Recognition:
    """Classify a drawing with the network of the package.

    Args:
        pixels: The rendered drawing: uint8 RGB of any size, one pixel per cell.

    >>> blank = recognise(np.full((24, 24, 3), 255, np.uint8))
    >>> blank.abstains
    True
    """
    return recogniser().recognise([pixels])[0]


@cache
def recogniser() -> Recogniser:
    """The network of the package; loaded once."""
    return load_recogniser(WEIGHTS)


def load_recogniser(path: Path) -> Recogniser:
    """Read a network that the trainer wrote.

    Raises:
        PixelProofError: There is no such file, or it is not a recogniser.
    """
    try:
        with np.load(path) as stored:
            card = json.loads(str(stored["card"]))
            numbers = range(sum(name.startswith("weight") for name in stored))
            layers = [(_single(stored[f"weight{n}"]), _single(stored[f"bias{n}"])) for n in numbers]
            _check(card, layers)
            return Recogniser(tuple(card["names"]), layers, card["temperature"], card["threshold"], card)
    except (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile) as error:
        raise PixelProofError(
            f"{path} is not a drawing recogniser ({error}): install the package again, or train one in a checkout with "
            "python -m training.drawing train."
        ) from error


def _check(card: Mapping[str, Any], layers: Sequence[tuple[Array, Array]]) -> None:
    """Check that a file holds a valid network.

    Raises:
        ValueError: Something does not fit; or TypeError and KeyError, where the card is none at all.
    """
    numbers = [card["temperature"], card["threshold"]]
    if not all(isinstance(number, (int, float)) and 0 < number < np.inf for number in numbers):
        raise ValueError("its calibration is not two positive numbers")
    if not card["names"] or not all(isinstance(name, str) for name in card["names"]):
        raise ValueError("its names are not text")
    *convolutions, (weight, bias) = layers
    widths = [CHANNELS, *(len(offset) for _, offset in convolutions)]
    fitting = all(
        kernel.shape == (3, 3, before, after)
        for (kernel, _), before, after in zip(convolutions, widths, widths[1:], strict=False)
    )
    if not fitting or weight.shape != (2 * widths[-1], len(bias)) or len(bias) != len(card["names"]) + 1:
        raise ValueError("its layers and names do not fit together")
    if not all(np.isfinite(part).all() for layer in layers for part in layer):
        raise ValueError("its weights are not all finite")


def _single(values: npt.NDArray[np.float16]) -> Array:
    """Weights are stored in half precision and computed in single."""
    return values.astype(np.float32)
