"""Channel detection: from a file and its pixels to the channel they went through (soft edges, JPEG)."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from ._channel import SOFT, ImageChannel
from ._compiled import kernels
from ._headers import media_type_of
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
_EXACT = 0.5
"""Largest median error, in levels, of edges that are restored and blurred again, in a lossless image; JPEG 95 leaves
0.6 and more."""
_UNTOUCHED = 0.25
"""Least share of transitions in exactly one step in a lossless image with hard edges; blurred ones have none."""
_STRIPS = 8
"""Rows of 8 × 8 blocks that are examined for traces of JPEG."""
_ACTIVE = 16
"""Least range of luma in a block that is examined: flat blocks tell nothing."""
_NEAR_ZERO = 1.0
"""DCT coefficients below this were quantised to zero: rounding to 8 bits moves them by about 0.3."""
_TRACE = 0.09
"""Surplus of near-zero coefficients on the 8 × 8 grid over the grid shifted by half a block, from which on an image was
a JPEG: at most 0.04 in lossless images, 0.12 and more at quality 95."""
_QUALITIES = (98, 95, 90, 85, 75, 60, 50, 30, 15)
_LUMA = (
    "16 11 10 16 24 40 51 61 12 12 14 19 26 58 60 55 14 13 16 24 40 57 69 56 14 17 22 29 51 87 80 62 "
    "18 22 37 56 68 109 103 77 24 35 55 64 81 104 113 92 49 64 78 87 103 121 120 101 72 92 95 98 112 100 103 99"
)
_STANDARD = np.array(_LUMA.split(), np.float64)
"""Luma quantisation table of the JPEG standard (Annex K.1), which encoders scale by quality."""


def detect_channel(data: bytes, rgb: Pixels, fitted: Pixels | None = None) -> ImageChannel | None:
    """The channel that an image went through, or None if the image does not tell.

    Args:
        data: The file. Quality and subsampling of a JPEG are read from its header.
        rgb: Its pixels in their original size. In lossless files the 8 × 8 grid of an earlier JPEG compression leaves
            traces, from quality 95 downwards.
        fitted: The pixels in the size that is scored, if it is another; their edges tell how soft the image is.
    """
    coding = _file_coding(data)
    scored = rgb if fitted is None else fitted
    if coding is not None:
        hard = _is_hard_luma(scored, coding[0])
        return ImageChannel(0.0 if hard else SOFT, *coding)
    lines = _lines(scored)
    for contrast in _CONTRASTS:
        steps = _relative_steps(lines, contrast)
        if len(steps) >= _TRANSITIONS:
            break
    else:
        return None
    untouched = float(np.mean(steps == 1.0))
    soft = None if untouched >= _UNTOUCHED else softness(scored, _places(lines, scored.shape, _CONTRASTS[1]))
    if soft is not None and soft[1] <= _EXACT:  # JPEG leaves larger errors
        return ImageChannel(soft[0], None)
    if untouched < 0.9 and _jpeg_trace(rgb) > _TRACE:  # a JPEG of unknown quality, stored without loss
        whole = np.median(steps) >= _HARD
        quality = 95 if whole else 90
        return ImageChannel(0.0 if _is_hard_luma(scored, quality) else SOFT, quality, "4:4:4" if whole else "4:2:0")
    if untouched >= _UNTOUCHED:
        return ImageChannel(0.0, None)
    return ImageChannel(_blur_of(float(np.median(steps))) if soft is None else soft[0], None)


def _is_hard_luma(rgb: Pixels, quality: int) -> bool:
    """Whether the edges of a JPEG were hard; not if the image has too few edges to tell."""
    luma = np.rint(rgb @ np.array([0.299, 0.587, 0.114], np.float32)).astype(np.uint8)
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
    means = {quality: _scaled(quality).mean() for quality in _QUALITIES}
    return min(means, key=lambda quality: abs(np.log(means[quality] / max(table.mean(), 1.0))))


def _scaled(quality: int) -> Floats:
    """The standard luma table at a quality, as libjpeg scales it."""
    percent = 5000 / quality if quality < 50 else 200 - 2 * quality
    return np.clip(np.floor((_STANDARD * percent + 50) / 100), 1, 255)


def _jpeg_trace(rgb: Pixels) -> float:
    """Surplus of near-zero DCT coefficients on the 8 × 8 grid of the image over the grid shifted by 4 pixels."""
    rows, columns = (side - 8 for side in rgb.shape[:2])
    if rows < 8 or columns < 8:
        return 0.0
    loops = kernels("pixelproof.pixels._channel_kernel")
    count = _count_near_zero if loops is None else loops.count_near_zero
    tops = np.unique(np.linspace(0, rows // 8 - 1, _STRIPS).astype(np.int64)) * 8
    counts = count(np.ascontiguousarray(rgb), tops, columns // 8, _DCT, float(_ACTIVE), _NEAR_ZERO)
    shares = [near / (63 * blocks) if blocks else 0.0 for near, blocks in counts.tolist()]
    return float(shares[0] - shares[1])


def _count_near_zero(
    rgb: Pixels, tops: npt.NDArray[np.int64], blocks: int, matrix: Floats, active: float, limit: float
) -> npt.NDArray[np.int64]:
    """As `count_near_zero` of the compiled loops; sums are made in the same order."""
    red, green, blue = np.moveaxis(np.stack([rgb[top : top + 16, : 8 * blocks + 8] for top in tops]), 3, 0)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    counts = np.zeros((2, 2), np.int64)
    for grid, offset in enumerate((0, 4)):
        rows = luma[:, offset : offset + 8, offset : offset + 8 * blocks]
        cut = rows.reshape(len(tops), 8, blocks, 8).swapaxes(1, 2).reshape(-1, 8, 8)
        cut = cut[np.ptp(cut, axis=(1, 2)) > active]
        half, whole = np.zeros_like(cut), np.zeros_like(cut)
        for y in range(8):
            half += matrix[:, y, None] * cut[:, y, None, :]
        for x in range(8):
            whole += half[:, :, x, None] * matrix[:, x]
        counts[grid] = (np.abs(whole).reshape(-1, 64)[:, 1:] < limit).sum(), len(cut)
    return counts


def _dct_matrix() -> Floats:
    """The orthonormal DCT-II of 8 points as a matrix."""
    frequency, place = np.arange(8)[:, None], np.arange(8)
    matrix = np.cos(np.pi * (2 * place + 1) * frequency / 16) / 2
    matrix[0] /= np.sqrt(2)
    return matrix


_DCT = _dct_matrix()
