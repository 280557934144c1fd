"""The drawing recogniser: classifies drawings into known subjects, or abstains."""

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

from ._canvas import CHANNELS, Pixels, encode, fit
from ._layers import Array, convolve, halve, multiply, rectify, softmax

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
