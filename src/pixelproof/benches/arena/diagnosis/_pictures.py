"""Pictures of what is right and wrong, for galleries: small, and indexed where few colours will do."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact
from pixelproof.pixels import VOID, Palette, encode_indexed_png

Pixels = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]

LARGEST = 512
MISSED, TAKEN, CONFUSED = (64, 156, 255), (255, 176, 0), (230, 30, 60)
"""Nothing was painted here; something was painted where nothing is; one thing was taken for another."""


def error_map(
    prediction: Labels, reference: Labels, palette: Palette, background: int | None = 0, largest: int = LARGEST
) -> Artefact:
    """Where an answer is wrong, and how.

    What is right keeps its colour, dimmed. Blue: a thing is missed (the answer has background, or no label). Amber: a
    thing is painted where the truth has background. Red: one thing is taken for another. Hatched grey: not counted.

    Args:
        prediction: Labels of the answer.
        reference: Labels of the truth, of the same size.
        palette: Colours of the labels.
        background: The label that means "nothing", if there is one.
        largest: The longer side of the picture is at most this.
    """
    if prediction.shape != reference.shape:
        raise ValueError(f"The maps differ in size: {prediction.shape} and {reference.shape}.")
    answer, truth = _small(prediction, largest), _small(reference, largest)
    nothing = VOID if background is None else background
    empty = (answer == nothing) | (answer >= len(palette))
    kinds = np.select([truth == nothing, empty], [np.uint8(1), np.uint8(0)], np.uint8(2))
    colours = [
        *[_dimmed(colour) for colour in palette.colours[:250]],
        MISSED,
        TAKEN,
        CONFUSED,
        (70, 70, 70),
        (120, 120, 120),
    ]
    first = len(colours) - 5
    diagonal = np.arange(truth.shape[0])[:, None] + np.arange(truth.shape[1])
    hatched = (diagonal // 4 % 2).astype(np.uint8)
    grid = np.where(answer == truth, np.minimum(truth, first - 1), first + kinds)
    grid = np.where(truth == VOID, first + 3 + hatched, grid)
    return encode_indexed_png(grid.astype(np.uint8), colours)


def overlay(photo: Pixels, labels: Labels, palette: Palette, opacity: float = 0.55, largest: int = LARGEST) -> Artefact:
    """The photo with labels laid over it in their colours and with the borders between them drawn, as JPEG."""
    small = _small(labels, largest)
    size = (small.shape[1], small.shape[0])
    ground = np.asarray(Image.fromarray(photo).resize(size, Image.Resampling.BOX), dtype=np.float32)
    mixed = np.where((small == VOID)[..., None], ground, opacity * palette.paint(small) + (1 - opacity) * ground)
    edge = np.zeros(small.shape, bool)
    edge[:, 1:] |= small[:, 1:] != small[:, :-1]
    edge[1:] |= small[1:] != small[:-1]
    mixed[edge] = 255
    buffer = io.BytesIO()
    Image.fromarray(np.rint(mixed).astype(np.uint8)).save(buffer, "JPEG", quality=88, subsampling=0)
    return Artefact(buffer.getvalue(), "image/jpeg")


def label_picture(labels: Labels, palette: Palette, largest: int = LARGEST) -> Artefact:
    """A label map in the palette's colours, void in grey, as a small indexed picture."""
    small = np.minimum(_small(labels, largest), len(palette))
    return encode_indexed_png(small, [*palette.colours, (128, 128, 128)])


def _small(labels: Labels, largest: int) -> Labels:
    """Every so many labels, so that the longer side is not too long: no label is mixed with another."""
    height, width = labels.shape
    shrink = min(1.0, largest / max(height, width))
    rows = (np.arange(max(1, round(height * shrink))) + 0.5) / shrink
    cols = (np.arange(max(1, round(width * shrink))) + 0.5) / shrink
    return labels[np.ix_(rows.astype(int).clip(0, height - 1), cols.astype(int).clip(0, width - 1))]


def _dimmed(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    """A third of the colour on dark grey: told apart from the colours of errors, which are bright."""
    return tuple(30 + value // 4 for value in colour)  # type: ignore[return-value]
