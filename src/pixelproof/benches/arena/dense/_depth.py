"""Depth as colour, and back.

A depth d in metres is first bent to f = 1 − (1 + d/10)⁻², which spends most of [0, 1) on what is near, and f is then
the place on a path through the RGB cube. Each whole step of 1 in one channel is a code of its own, so the way back is
exact to half a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pixelproof.contract import unknown_name

Pixels = npt.NDArray[np.uint8]
Reals = npt.NDArray[np.float32]

_BEND = 10.0
_ROWS_AT_ONCE = 64
OFF_CODE = 48.0
"""Colours farther than this from every colour of a code are off the code."""


@dataclass(frozen=True)
class Decoded:
    """Decoded values, with the distance of each colour from the code."""

    values: Reals
    distance: Reals
    """Euclidean distance, in sRGB levels, to the nearest colour of the code."""

    @property
    def off_code(self) -> float:
        """Share of pixels whose colour is off the code."""
        return float(np.mean(self.distance > OFF_CODE))


@dataclass(frozen=True)
class DepthCode:
    """A path through the RGB cube, from 0 metres at its first corner to infinity at its last."""

    name: str
    corners: tuple[tuple[int, int, int], ...]

    @cached_property
    def path(self) -> Pixels:
        """All colours of the code in order of depth, shape (codes, 3)."""
        legs = [np.linspace(a, b, 256)[:-1] for a, b in zip(self.corners, self.corners[1:], strict=False)]
        return np.concatenate([*legs, [self.corners[-1]]]).round().astype(np.uint8)

    @property
    def farthest(self) -> float:
        """Depth in metres that the last colour is decoded to: it stands for everything beyond the code's resolution."""
        return float(self._depths[-1])

    @cached_property
    def _depths(self) -> Reals:
        steps = np.arange(len(self.path)) / (len(self.path) - 1)
        steps[-1] = 1 - 0.49 / (len(self.path) - 1)  # not half a step, which could be rounded to the colour before
        return _metres(steps).astype(np.float32)

    def encode(self, depth: npt.NDArray[np.floating]) -> Pixels:
        """Encode a depth map in metres; unknown (not finite) depth is painted as infinity."""
        place = 1 - (1 + np.maximum(np.where(np.isfinite(depth), depth, np.inf), 0) / _BEND) ** -2.0
        return self.path[np.rint(place * (len(self.path) - 1)).astype(np.intp)]

    def decode(self, rgb: Pixels) -> Decoded:
        """Decode each pixel to the depth of the nearest colour of the path; ties go to the smaller depth."""
        check_picture(rgb)
        depth = np.empty(rgb.shape[:2], np.float32)
        distance = np.empty(rgb.shape[:2], np.float32)
        for top in range(0, len(rgb), _ROWS_AT_ONCE):  # fits the CPU cache, and bounds memory
            rows = slice(top, top + _ROWS_AT_ONCE)
            code, squared = self._nearest(np.moveaxis(rgb[rows], 2, 0).astype(np.float32))
            depth[rows], distance[rows] = self._depths[code], np.sqrt(squared)
        return Decoded(depth, distance)

    def _nearest(self, channels: Reals) -> tuple[npt.NDArray[np.intp], Reals]:
        """Position on the path of the nearest colour, and the squared distance from it."""
        best = np.full(channels.shape[1:], np.inf, np.float32)
        code = np.zeros(channels.shape[1:], np.float32)
        for leg, (a, b) in enumerate(zip(self.corners, self.corners[1:], strict=False)):
            step = [(end - start) / 255 for start, end in zip(a, b, strict=True)]
            away = [channel - np.float32(start) for channel, start in zip(channels, a, strict=True)]
            length = sum(size * size for size in step)
            moving = [vector * np.float32(size / length) for vector, size in zip(away, step, strict=True) if size]
            # Halves are rounded down, because ties go to the smaller depth.
            along = np.clip(np.ceil(sum(moving) - np.float32(0.5)), 0, 255)
            apart = [
                vector - along * np.float32(size) if size else vector for vector, size in zip(away, step, strict=True)
            ]
            squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]
            code = np.where(squared < best, along + np.float32(255 * leg), code)
            best = np.minimum(best, squared)
        return code.astype(np.intp), best


def _metres(place: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return _BEND * ((1 - place.astype(np.float64)) ** -0.5 - 1)


DEPTH_CODES: Mapping[str, DepthCode] = {
    code.name: code
    for code in (
        DepthCode(
            "cube",
            (
                (0, 0, 0),
                (0, 0, 255),
                (0, 255, 255),
                (0, 255, 0),
                (255, 255, 0),
                (255, 0, 0),
                (255, 0, 255),
                (255, 255, 255),
            ),
        ),
        DepthCode("grey", ((0, 0, 0), (255, 255, 255))),
    )
}
"""`cube`: 1,786 colours along edges of the cube. `grey`: 256 greys, coarser even after JPEG, but easier to paint."""


def encode_depth(depth: npt.NDArray[np.floating], code: str = "cube") -> Pixels:
    """Encode a depth map in metres as an RGB image.

    >>> encode_depth(np.array([[0.0, 1.0, np.inf]])).tolist()
    [[[0, 0, 0], [0, 55, 255], [255, 255, 255]]]
    """
    return depth_code(code).encode(depth)


def decode_depth(rgb: Pixels, code: str = "cube") -> Decoded:
    """Decode an RGB image to depth in metres, with the distance of each colour from the code.

    >>> decoded = decode_depth(np.array([[[0, 55, 255], [90, 90, 90]]], np.uint8))
    >>> decoded.values.astype(float).round(2).tolist(), decoded.off_code
    ([[1.0, 0.26]], 0.5)
    """
    return depth_code(code).decode(rgb)


def depth_code(name: str) -> DepthCode:
    """The code of that name."""
    try:
        return DEPTH_CODES[name]
    except KeyError:
        raise unknown_name("depth code", name, DEPTH_CODES) from None


def check_picture(rgb: Pixels) -> None:
    """Refuse arrays that are no RGB image."""
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise ValueError(f"Images are uint8, (height, width, 3), not {rgb.dtype} {rgb.shape}.")
