"""Channel detection: from a file and its pixels to the channel they went through (soft edges, JPEG)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from ._channel import POSTERISATIONS, SOFT, ImageChannel, posterise
from ._compiled import kernels
from ._headers import media_type_of
from ._jpeg_fit import LUMA, blocks_with_edges, fit_jpeg
from ._palette import Palette
from ._softness import softness

Floats = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint8]

_LINES = 32
"""Rows, and columns, whose transitions are examined."""
_CONTRASTS = (48, 24, 12)
"""Least step between neighbouring pixels, in levels of the channel where it is largest, that counts as an edge; the
next where too few are as large."""
_TRANSITIONS = 16
"""Fewer transitions than this do not tell whether edges are hard."""
_HARD = 0.85
"""Least median share of a transition that its largest step makes up where edges are hard and chroma is not subsampled:
1 in a lossless file, 0.93 or more after JPEG at quality 90, 0.5 after a Gaussian of 0.7 px."""
_HARD_LUMA = {98: 0.75, 95: 0.75, 90: 0.72, 85: 0.67, 75: 0.6}
"""The same for luma, which JPEG does not subsample, by quality; 0.53 below. Least share of hard and largest of soft
masks (0.7 px) of 2 to 19 colours: 0.95 and 0.56 at quality 95, 0.68 and 0.50 at 75, 0.56 and 0.49 at 60."""
_LUMA_CONTRASTS = (32, 16, 8)
"""Least step of luma that counts as an edge; the next where too few are as large."""
_BLURS = {0.35: 0.95, 0.4: 0.88, 0.45: 0.8, 0.5: 0.71, 0.6: 0.58, SOFT: 0.49, 0.85: 0.41, 1.0: 0.36, 1.4: 0.29}
"""Standard deviation of a Gaussian blur in pixels → median share of a transition that its largest step makes up,
measured on masks with curved outlines (within 0.02)."""
_UNTOUCHED = 0.25
"""Least share of transitions in exactly one step in a lossless image with hard edges; blurred ones have none."""
_BLOCKS = 512
"""Blocks of 8 × 8 pixels with an edge that are examined for traces of JPEG."""
_ALIKE = 16.0
"""Blocks whose lowest frequencies are the same to this many levels count once: along a straight edge all are alike."""
_BINS, _BIN = 512, 0.5
"""Number and width of the bins of coefficients."""
_SMALL_STEP = 3
"""Smaller quantisation steps tell nothing: rounding to 8 bits moves coefficients by about 0.3."""
_TRACE, _CLEAR = 3.5, 0.1
"""Least mean cosine of the phases of coefficients on the grid of a JPEG, in standard deviations and as it is. Of 896
masks after qualities 50 to 98, the least were 4.2 and 0.18; of 801 lossless ones with blur and noise, none above
0.1 had more than 3.3."""
_RINGING = 8
"""Smaller differences of neighbours, in levels, are no edges between two labels."""
_LEAST_RINGING = 0.1
"""Least share of these among all differences in blocks with an edge; none in lossless masks with hard edges."""
_SAMPLED = 128
"""Rows and columns, at least, whose colours are compared with posterised ones."""
_QUALITIES = range(40, 100)
"""Qualities whose traces are recognised."""
_NEARBY = range(-8, 5)
"""Distances of the quality from the one whose traces are clearest: clipped levels move that upwards."""
_TABLE = (
    "16 11 10 16 24 40 51 61 12 12 14 19 26 58 60 55 14 13 16 24 40 57 69 56 14 17 22 29 51 87 80 62 "
    "18 22 37 56 68 109 103 77 24 35 55 64 81 104 113 92 49 64 78 87 103 121 120 101 72 92 95 98 112 100 103 99"
)
_STANDARD = np.array(_TABLE.split(), np.float64)
"""Luma quantisation table of the JPEG standard (Annex K.1), which encoders scale by quality."""


def detect_channel(data: bytes, rgb: Pixels, fitted: Pixels | None = None) -> ImageChannel | None:
    """The channel that an image went through, or None if the image does not tell.

    Args:
        data: The file. Quality and subsampling of a JPEG are read from its header.
        rgb: Its pixels in their original size. In lossless files an earlier JPEG compression at quality 40 to 99 leaves
            traces on its 8 × 8 grid.
        fitted: The pixels in the size that is scored, if it is another; their edges tell how soft the image is.
    """
    coding = _file_coding(data)
    scored = rgb if fitted is None else fitted
    if coding is not None:
        return _jpeg_channel(rgb, scored, coding[:1], coding[1:])
    lines = _lines(scored)
    for contrast in _CONTRASTS:
        steps = _relative_steps(lines, contrast)
        if len(steps) >= _TRANSITIONS:
            break
    else:
        return None
    untouched = float(np.mean(steps == 1.0))
    if quality := _find_quality(rgb):  # a JPEG, stored without loss
        near = [quality, *(quality + step for step in _NEARBY if quality + step in _QUALITIES)]
        return _jpeg_channel(rgb, scored, near, ("4:2:0", "4:4:4", "4:2:2"))
    if untouched >= _UNTOUCHED:
        return ImageChannel(0.0, None)
    soft = softness(scored, _places(lines, scored.shape, _CONTRASTS[1]))
    return ImageChannel(_blur_of(float(np.median(steps))) if soft is None else soft[0], None)


def find_posterisation(rgb: Pixels, palette: Palette) -> str:
    """How the colours of a mask were rounded: the finest way that makes all of its colours of some of the palette.

    Empty if no way does, or if all are the palette's own.
    """
    shown = _pack(rgb[:: max(1, len(rgb) // _SAMPLED), :: max(1, rgb.shape[1] // _SAMPLED)])
    if np.isin(shown, _pack(palette.array)).all():
        return ""
    ways = (how for how in POSTERISATIONS if np.isin(shown, _pack(posterise(palette.array, how))).all())
    return next(ways, "")


def _pack(colours: Pixels) -> npt.NDArray[np.int64]:
    """The distinct colours, each as a number."""
    return np.unique(colours.reshape(-1, 3) @ np.array([65536, 256, 1]))


def _jpeg_channel(rgb: Pixels, scored: Pixels, qualities: Sequence[int], subsamplings: Sequence[str]) -> ImageChannel:
    """The channel of a JPEG; of several qualities and subsamplings, the first is the most likely."""
    fit = fit_jpeg(rgb, qualities, subsamplings)
    if fit is None:
        sigma = 0.0 if _is_hard_luma(scored, qualities[0]) else SOFT
        return ImageChannel(sigma, qualities[0], subsamplings[0])
    return replace(fit, sigma=round(20 * fit.sigma * len(scored) / len(rgb)) / 20)


def _is_hard_luma(rgb: Pixels, quality: int) -> bool:
    """Whether the edges of a JPEG were hard; not if the image has too few edges to tell."""
    luma = np.rint(rgb @ LUMA).astype(np.uint8)
    lines = _lines(luma[..., None])
    for contrast in _LUMA_CONTRASTS:
        steps = _relative_steps(lines, contrast)
        if len(steps) >= _TRANSITIONS:
            return float(np.median(steps)) >= _HARD_LUMA.get(quality, 0.53)
    return False


def _blur_of(step: float) -> float:
    """The nearest of a few Gaussian blurs, from the share of a transition that its largest step makes up."""
    return min(_BLURS, key=lambda sigma: abs(_BLURS[sigma] - step))


def _lines(image: Pixels) -> tuple[Pixels, Pixels]:
    """The rows and the columns of an image that are examined, evenly spaced; shape (lines, length, channels)."""
    (down, first_row), (across, first_column) = ((_stride(side), _stride(side) // 2) for side in image.shape[:2])
    rows = np.ascontiguousarray(image[first_row::down])
    loops = kernels("pixelproof.pixels._channel_kernel")
    if loops is not None:
        return rows, loops.columns_of(image, first_column, across)
    return rows, np.ascontiguousarray(image[:, first_column::across].swapaxes(0, 1))


def _stride(length: int) -> int:
    return -(-length // _LINES)


def _places(lines: tuple[Pixels, Pixels], shape: tuple[int, ...], contrast: int) -> npt.NDArray[np.intp]:
    """Rows and columns of the pixels in these lines whose step to the next pixel is large enough."""
    loops = kernels("pixelproof.pixels._channel_kernel")
    place = _step_places if loops is None else loops.step_places
    strides = [_stride(side) for side in shape[:2]]
    return np.concatenate(
        [place(lines[axis], contrast, strides[axis] // 2, strides[axis], bool(axis)) for axis in range(2)]
    )


def _step_places(lines: Pixels, contrast: int, first: int, stride: int, columns: bool) -> npt.NDArray[np.intp]:
    """As `step_places` of the compiled loops."""
    red, green, blue = np.moveaxis(np.abs(np.diff(lines.astype(np.int16), axis=1)) >= contrast, 2, 0)
    number, place = np.nonzero(red | green | blue)
    line = first + stride * number
    return np.stack([place, line] if columns else [line, place], axis=1)


def _relative_steps(lines: tuple[Pixels, Pixels], contrast: int = _CONTRASTS[0]) -> Floats:
    """Of transitions in some rows and columns, the largest step between two pixels relative to the transition."""
    loops = kernels("pixelproof.pixels._channel_kernel")
    shares = _shares if loops is None else loops.transition_shares
    return np.concatenate([shares(part, contrast) for part in lines])


def _shares(pixels: Pixels, contrast: int) -> Floats:
    """As `transition_shares` of the compiled loops."""
    lines = np.ascontiguousarray(np.moveaxis(pixels, 2, 0))  # planes: faster than pixels
    before, after = lines[..., :-1], lines[..., 1:]
    steps = (np.maximum(before, after) - np.minimum(before, after)).max(axis=0)
    inner = np.pad(steps, ((0, 0), (1, 1)))
    peaks = (steps >= contrast) & (steps >= inner[:, :-2]) & (steps >= inner[:, 2:])
    line, place = np.nonzero(peaks)
    around = np.clip(place[:, None] + np.arange(-2, 4), 0, lines.shape[2] - 1)
    heights = np.ptp(lines[:, line[:, None], around], axis=2).max(axis=0)
    return np.asarray(steps[line, place] / heights)


def _file_coding(data: bytes) -> tuple[int, str] | None:
    """Quality and chroma subsampling of a lossy file; None for a lossless one."""
    kind = media_type_of(data)
    if kind == "image/png":  # saves Pillow's time
        return None
    try:
        with Image.open(io.BytesIO(data)) as image:
            tables = getattr(image, "quantization", None)
            if tables:
                layers = [tuple(layer[1:3]) for layer in getattr(image, "layer", ())]
                return _quality(np.array(tables[min(tables)], np.float64)), _subsampling(layers)
    except (OSError, ValueError):  # it was decoded, so this file has no header of a kind that is known here
        return None
    lossy_webp = kind == "image/webp" and b"VP8L" not in data
    return (90, "4:2:0") if lossy_webp else None


def _subsampling(factors: list[tuple[int, int]]) -> str:
    """Chroma subsampling, from the horizontal and vertical sampling factors of the components."""
    if len(set(factors)) <= 1:
        return "4:4:4"
    return "4:2:2" if max(h for h, _ in factors) == 2 and len({v for _, v in factors}) == 1 else "4:2:0"


def _quality(table: Floats) -> int:
    """The quality of the standard luma table that is nearest to a table in its mean."""
    return 1 + int(np.argmin(np.abs(np.log(_TABLES.mean(axis=1) / max(table.mean(), 1.0)))))


def _scaled(quality: int) -> Floats:
    """The standard luma table at a quality, as libjpeg scales it."""
    percent = 5000 / quality if quality < 50 else 200 - 2 * quality
    return np.clip(np.floor((_STANDARD * percent + 50) / 100), 1, 255)


def _find_quality(rgb: Pixels) -> int | None:
    """The quality of an earlier JPEG compression, by the DCT coefficients of blocks with an edge; None without traces.

    Coefficients of a JPEG are multiples of its quantisation steps. The mean cosine of their phases is 1 on the right
    grid, and 0 where there is none. Coefficients that would be quantised to zero tell nothing.
    """
    rows, columns = blocks_with_edges(rgb, 8, _BLOCKS)
    inside = np.arange(8)
    luma = rgb[8 * rows[:, None, None] + inside[:, None], 8 * columns[:, None, None] + inside] @ LUMA
    changes = np.abs(np.diff(luma, axis=2))
    if np.sum((changes > 0) & (changes < _RINGING)) <= _LEAST_RINGING * np.sum(changes > 0):
        return None
    coefficients = np.abs(_DCT @ luma @ _DCT.T).reshape(-1, 64)
    alike = np.rint(coefficients[:, [1, 8, 9]] / _ALIKE) @ np.array([1.0, 1e3, 1e6], np.float32)
    distinct = coefficients[np.unique(alike, return_index=True)[1], 1:]
    bins = np.rint(distinct / _BIN).astype(np.intp).clip(max=_BINS - 1) + _BINS * np.arange(63)
    histogram = np.bincount(bins.ravel(), minlength=63 * _BINS).reshape(63, _BINS).astype(np.float32)
    histogram[:, -1] = 0
    beyond = histogram[:, ::-1].cumsum(axis=1)[:, ::-1]
    beyond[:, 0] = 0  # stands for steps that tell nothing
    place = np.arange(63)
    sums = (_COSINES @ histogram.T)[_STEPS, place].sum(axis=1)
    counts = beyond[place, _STEPS].sum(axis=1)  # with bins of half a level, half a step has the number of the step
    means = sums / np.maximum(counts, 1)
    deviations = means * np.sqrt(2 * counts)
    best = int(np.argmax(deviations))
    return _QUALITIES[best] if deviations[best] >= _TRACE and means[best] >= _CLEAR else None


def _phases(tables: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """Cosine of the phase by quantisation step and bin of the coefficient; 0 for those that quantise to zero."""
    steps, levels = np.arange(int(tables.max()) + 1)[:, None], _BIN * np.arange(_BINS)
    cosines = np.where(levels >= steps / 2, np.cos(2 * np.pi * levels / np.maximum(steps, 1)), 0.0)
    cosines[:_SMALL_STEP] = 0.0
    return cosines.astype(np.float32)


def _dct_matrix() -> npt.NDArray[np.float32]:
    """The orthonormal DCT-II of 8 points as a matrix."""
    frequency, place = np.arange(8)[:, None], np.arange(8)
    matrix = np.cos(np.pi * (2 * place + 1) * frequency / 16) / 2
    matrix[0] /= np.sqrt(2)
    return matrix.astype(np.float32)


_DCT = _dct_matrix()
_TABLES = np.array([_scaled(quality) for quality in range(1, 100)])
_STEPS = _TABLES[_QUALITIES[0] - 1 : _QUALITIES[-1], 1:].astype(np.intp)
_STEPS[_STEPS < _SMALL_STEP] = 0
_COSINES = _phases(_STEPS)
