"""Images of label maps for galleries: label map, error map, overlay. Small, and indexed where few colours suffice."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact

from ._palette import Labels, Palette, void_of
from ._writing import encode_indexed_png, encode_png

Pixels = npt.NDArray[np.uint8]

_MAX_SIDE = 512
MISSED, INVENTED, CONFUSED = (64, 156, 255), (255, 176, 0), (230, 30, 60)
"""Colours of an error map: an object is missing; an object is painted on background; a wrong label."""


def error_map(
    prediction: Labels, reference: Labels, palette: Palette, background: int | None = 0, max_side: int = _MAX_SIDE
) -> Artefact:
    """Error map of a label map, as an indexed PNG.

    Correct pixels keep their colour, dimmed. Blue: missed (the answer has background, or no label). Amber: an object is
    painted where the truth has background. Red: one object's label on another. Hatched grey: void, not counted.

    Args:
        prediction: Labels of the answer.
        reference: Labels of the truth, of the same size.
        palette: Colours of the labels.
        background: Index of the background label; None if there is none.
        max_side: Upper limit of the image's longer side, in pixels.
    """
    if prediction.shape != reference.shape:
        raise ValueError(f"The maps differ in size: {prediction.shape} and {reference.shape}.")
    answer, truth = _subsampled(prediction, max_side), _subsampled(reference, max_side)
    void = void_of(truth)
    empty_label = void if background is None else background
    empty = (answer == empty_label) | (answer >= len(palette))
    kinds = np.select([truth == empty_label, empty], [1, 0], 2)
    first = len(palette)
    signals = np.array([MISSED, INVENTED, CONFUSED, (70, 70, 70), (120, 120, 120)], np.uint8)
    colours = np.concatenate([30 + palette.array // 4, signals])  # dimmed, to differ from the bright ones of errors
    diagonal = np.arange(truth.shape[0])[:, None] + np.arange(truth.shape[1])
    hatched = diagonal // 4 % 2
    grid = np.where(answer == truth, truth.astype(np.int64), first + kinds)
    return _encoded(np.where(truth == void, first + 3 + hatched, grid), colours)


def overlay_labels(
    photo: Pixels, labels: Labels, palette: Palette, opacity: float = 0.55, max_side: int = _MAX_SIDE
) -> Artefact:
    """The photo with the labels' colours blended over it and their outlines drawn in white, as JPEG."""
    small = _subsampled(labels, max_side)
    size = (small.shape[1], small.shape[0])
    ground = np.asarray(Image.fromarray(photo).resize(size, Image.Resampling.BOX), dtype=np.float32)
    mixed = np.where(
        (small == void_of(small))[..., None], ground, opacity * palette.paint(small) + (1 - opacity) * ground
    )
    edge = np.zeros(small.shape, bool)
    edge[:, 1:] |= small[:, 1:] != small[:, :-1]
    edge[1:] |= small[1:] != small[:-1]
    mixed[edge] = 255
    buffer = io.BytesIO()
    Image.fromarray(np.rint(mixed).astype(np.uint8)).save(buffer, "JPEG", quality=88, subsampling=0)
    return Artefact(buffer.getvalue(), "image/jpeg")


def render_labels(labels: Labels, palette: Palette, max_side: int = _MAX_SIDE) -> Artefact:
    """A label map in the palette's colours, with void in grey, as a PNG: indexed, unless it has over 256 colours."""
    small = np.minimum(_subsampled(labels, max_side).astype(np.int64), len(palette))
    return _encoded(small, np.concatenate([palette.array, np.full((1, 3), 128, np.uint8)]))


def _subsampled(labels: Labels, max_side: int) -> Labels:
    """Subsample a label map so that its longer side has at most `max_side` pixels; labels are never blended."""
    height, width = labels.shape
    shrink = min(1.0, max_side / max(height, width))
    rows = (np.arange(max(1, round(height * shrink))) + 0.5) / shrink
    cols = (np.arange(max(1, round(width * shrink))) + 0.5) / shrink
    return labels[np.ix_(rows.astype(int).clip(0, height - 1), cols.astype(int).clip(0, width - 1))]


def _encoded(grid: npt.NDArray[np.int64], colours: Pixels) -> Artefact:
    """Encode indices into any number of colours: indexed if at most 256 are in use."""
    if len(colours) > 256:
        used, grid_of_used = np.unique(grid, return_inverse=True)
        if len(used) > 256:
            return encode_png(colours[grid])
        grid, colours = grid_of_used.reshape(grid.shape), colours[used]
    return encode_indexed_png(grid, [(int(red), int(green), int(blue)) for red, green, blue in colours])
