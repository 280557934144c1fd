"""Figures made into drawings as a model might hand them in: some cells to the side, few colours, some ground."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from pixelproof.pixels import oklab
from training.drawing.foreign import Figure, Rgba
from training.drawing.forms import is_plain
from training.drawing.ours import SMALLEST

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_CONTRAST = 0.25  # in OKLab, between a figure's rim and its ground
_VISIBLE = 0.15  # the same, for a figure to be shown on a given ground
_PLAIN = np.array([[255, 255, 255], [20, 24, 60], [169, 222, 252], [60, 130, 70]], dtype=np.uint8)


def compose(figure: Figure, rng: Rng) -> Pixels:
    """A drawing of a figure: its size, place, side, ground and colours vary."""
    size = int(rng.integers(SMALLEST, 33))
    rgba = trimmed(figure.rgba)
    scale = max(min(10.0, size), size * rng.uniform(0.6, 1.0)) / max(rgba.shape[:2])
    height, width = (int(np.clip(round(side * scale * rng.uniform(0.9, 1.1)), 1, size)) for side in rgba.shape[:2])
    rgba = resized(rgba, height, width, sharp=bool(rng.random() < 0.3))
    rgba = rgba[:, ::-1] if rng.random() < 0.5 else rgba
    art = np.zeros((size, size, 4), dtype=np.uint8)
    top, left = (int(rng.integers(size - length + 1)) for length in (height, width))
    art[top : top + height, left : left + width] = rgba
    mask = covered(art, figure)
    if figure.ink:
        colours, mask = _inked(mask, rng)
    else:
        colours = reduced(art[..., :3], mask, int(rng.integers(3, 10)))
    return np.where(mask[..., None], colours, _ground(colours, mask, rng)).astype(np.uint8)


def as_given(figure: Figure) -> Pixels:
    """A figure as its source gives it, on the plain ground that it stands out from best.

    Pixel art keeps its cells. Larger pictures and sketches are brought to 22 of 24 cells and ten colours.
    """
    colours, mask = _cells(figure)
    distances = [_distance_to_rim(colours, mask, shade) for shade in _PLAIN]
    return np.where(mask[..., None], colours, _PLAIN[int(np.argmax(distances))]).astype(np.uint8)


def on_ground(figure: Figure, ground: Pixels) -> Pixels | None:
    """A figure as its source gives it on a background of 24 × 24 cells; None if it does not stand out from it."""
    colours, mask = _cells(figure)
    shades = np.unique(ground.reshape(-1, 3), axis=0)
    if min(_distance_to_rim(colours, mask, shade) for shade in shades) < _VISIBLE:
        return None
    rows, columns = (np.arange(length) * len(ground) // length for length in mask.shape)
    return np.where(mask[..., None], colours, ground[rows][:, columns]).astype(np.uint8)


def _cells(figure: Figure) -> tuple[Pixels, Mask]:
    """The cells of a figure and which of them it covers."""
    rgba = figure.rgba
    if max(rgba.shape) > 32 or figure.source == "quick-draw":
        rgba = trimmed(rgba)
        height, width = (max(1, round(22 * side / max(rgba.shape[:2]))) for side in rgba.shape[:2])
        rgba = resized(rgba, height, width, sharp=False)
        over = [((24 - side) // 2, 24 - side - (24 - side) // 2) for side in (height, width)]
        rgba = np.pad(rgba, (*over, (0, 0)))
    mask = covered(rgba, figure)
    return rgba[..., :3] if figure.ink else reduced(rgba[..., :3], mask, 9), mask


def simplified(pixels: Pixels, rng: Rng) -> Pixels:
    """A drawing in two colours: its silhouette, unless that is a plain form; or the lines between its colours.

    What has two colours already is left as it is: its lines would say no more than its silhouette.
    """
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colours, counts = np.unique(border, axis=0, return_counts=True)
    figure = (pixels != colours[np.argmax(counts)]).any(axis=-1)
    if rng.random() < 0.5 or is_plain(figure):
        if len(np.unique(pixels[figure], axis=0)) < 2:
            return pixels
        figure = np.zeros_like(figure)
        for axis in (0, 1):
            figure |= (np.roll(pixels, 1, axis) != pixels).any(axis=-1)
        figure[0], figure[:, 0] = False, False  # where the picture was wrapped around
    ink, ground = two_colours(rng)
    return np.asarray(np.where(figure[..., None], ink, ground), dtype=np.uint8)


def recoloured(pixels: Pixels, rng: Rng) -> Pixels:
    """A drawing with a colour of chance for each of its own; neighbours may lose each other."""
    _, indices = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    palette = rng.integers(0, 256, (int(indices.max()) + 1, 3), dtype=np.uint8)
    return np.asarray(palette[indices].reshape(pixels.shape))


def two_colours(rng: Rng) -> npt.NDArray[np.int64]:
    """Two distinguishable colours; often black and white."""
    if rng.random() < 0.3:
        return np.array([[0, 0, 0], [255, 255, 255]])[:: 1 if rng.random() < 0.7 else -1]
    while True:
        pair = rng.integers(0, 256, (2, 3))
        if np.linalg.norm(np.diff(oklab(pair), axis=0)) >= _CONTRAST:
            return pair


def trimmed(rgba: Rgba) -> Rgba:
    """A picture without the rows and columns at its edges that are as good as transparent."""
    rows, columns = (np.flatnonzero((rgba[..., 3] > 40).any(axis=axis)) for axis in (1, 0))
    return rgba[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else rgba


def covered(rgba: Rgba, figure: Figure) -> Mask:
    """The cells that a figure takes; a thin line takes a cell that it covers by a quarter."""
    return np.asarray(rgba[..., 3] > (70 if figure.ink else 127))


def resized(rgba: Rgba, height: int, width: int, sharp: bool) -> Rgba:
    """A picture in another size; colours are weighed by opacity, so that what is hidden does not shine through."""
    if sharp:
        return np.asarray(Image.fromarray(rgba).resize((width, height), Image.Resampling.NEAREST))
    weighed = Image.fromarray(rgba).convert("RGBa").resize((width, height), Image.Resampling.BOX)
    return np.asarray(weighed.convert("RGBA"))


def reduced(colours: Pixels, mask: Mask, most: int) -> Pixels:
    """The figure's colours brought down to a few."""
    if not mask.any():
        return colours
    strip = Image.fromarray(colours[mask][None]).quantize(most, Image.Quantize.MEDIANCUT)
    flat = colours.copy()
    flat[mask] = np.asarray(strip.convert("RGB"))[0]
    return flat


def _inked(mask: Mask, rng: Rng) -> tuple[Pixels, Mask]:
    """Lines in one colour; half of the time what they enclose is filled, as people do with a sketch."""
    ink, fill = two_colours(rng)
    colours = np.broadcast_to(ink, (*mask.shape, 3)).astype(np.uint8)
    if rng.random() < 0.5:
        return colours, mask
    filled = np.asarray(ndimage.binary_fill_holes(mask))
    areas, count = ndimage.label(filled & ~mask)
    for area in range(1, count + 1):
        fill = rng.integers(0, 256, 3) if rng.random() < 0.3 else fill
        colours[areas == area] = fill
    return colours, filled


def _ground(colours: Pixels, mask: Mask, rng: Rng) -> Pixels:
    """Something behind a figure that it stands out from: plain, or in two tones."""
    shades = np.vstack([rng.integers(0, 256, (6, 3)), [[255, 255, 255], [0, 0, 0]]]).astype(np.uint8)
    distances = np.array([_distance_to_rim(colours, mask, shade) for shade in shades])
    fitting = np.flatnonzero(distances >= _CONTRAST)
    chosen = shades[int(rng.choice(fitting))] if fitting.size else shades[int(np.argmax(distances))]
    ground = np.broadcast_to(chosen, colours.shape).copy()
    style = rng.random()
    if style < 0.15:
        other = shades[int(rng.choice(fitting))] if fitting.size else chosen
        ground[round(len(ground) * rng.uniform(0.3, 0.9)) :] = other
    elif style < 0.22:
        ground[rng.random(mask.shape) < rng.uniform(0.01, 0.05)] = rng.integers(0, 256, 3)
    return ground


def _distance_to_rim(colours: Pixels, mask: Mask, shade: Pixels) -> float:
    rim = mask & ~ndimage.binary_erosion(mask, border_value=0)
    if not rim.any():
        return 0.0
    return float(np.median(np.linalg.norm(oklab(colours[rim]) - oklab(shade), axis=-1)))
