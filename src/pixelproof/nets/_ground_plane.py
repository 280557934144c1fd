"""Where things stand, from their masks and a calibrated camera: no depth, no shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import bounding_box

if TYPE_CHECKING:
    from pixelproof.world.solid import Camera

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
NEAREST_M, FARTHEST_M = 0.05, 50.0
"""Range of depths at which a point of a level plane is believed."""


@dataclass(frozen=True)
class GroundView:
    """A calibrated camera and the size of its image."""

    camera: Camera
    width: int
    height: int

    def project(self, point: Floats) -> tuple[Floats, float]:
        """Image point in pixels, and depth in metres, of a point of the world."""
        x, y, depth = self.camera.project([point], self.width, self.height)[0]
        return np.array([x, y]), float(depth)

    def on_plane(self, pixels: npt.ArrayLike, height_m: float) -> Floats:
        """Points of a level plane, (n, 3), at image points (n, 2); NaN where there is none at a plausible depth.

        Args:
            pixels: Image points, x and y.
            height_m: Height of the plane.
        """
        rays = self.camera.rays(pixels, self.width, self.height)
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = (height_m - self.camera.position[2]) / rays[:, 2]
        depth = np.where((depth > NEAREST_M) & (depth < FARTHEST_M), depth, np.nan)
        return np.asarray(rays * depth[:, None] + np.asarray(self.camera.position))

    def centre_of(self, mask: Mask, base_m: float) -> Floats | None:
        """Estimate of the point below the centre of a thing, at the height of its base; None if there is none.

        The middle of the lower edge of the mask is taken for the nearest point of its base, and the thing for as deep
        as it is wide.
        """
        box = bounding_box(mask)
        if box is None:
            return None
        left, _, right, bottom = box
        contact = self.on_plane([((left + right) / 2, bottom)], base_m)[0]
        if np.isnan(contact).any():
            return None
        _, depth = self.project(contact)
        width_m = (right - left) * depth / (self.camera.focal * min(self.width, self.height))
        return np.asarray(contact + self.camera.level_axes()[1] * width_m / 2)

    def middle_of_surface(self, mask: Mask, height_m: float) -> tuple[Floats, Floats] | None:
        """Middle and half extent, right and away, of the visible part of a level surface; None if it is not visible.

        Args:
            mask: Pixels of the furniture.
            height_m: Height of its surface.
        """
        rows, columns = np.nonzero(mask)
        points = self.on_plane(np.column_stack([columns + 0.5, rows + 0.5])[:: max(1, len(rows) // 2000)], height_m)
        points = points[~np.isnan(points).any(axis=1)]
        if not len(points):
            return None
        axes = self.camera.level_axes()[:2]
        along = points @ axes.T
        low, high = np.quantile(along, 0.02, axis=0), np.quantile(along, 0.98, axis=0)
        middle = (low + high) / 2 @ axes
        middle[2] = height_m
        return np.asarray(middle), np.asarray((high - low) / 2)
