"""What an editing net receives of a prompt, and where things stand, from their masks and a calibrated camera."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Artefact, PixelProofError, Prompt
from pixelproof.pixels import bounding_box, read_image

from ._net import require_data

if TYPE_CHECKING:
    from pixelproof.world.edits import Edit
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


ANNOTATIONS = "annotations"
"""Name of the annotations in the prompt's data."""
_OFF = (
    "This net needs the annotations of the photograph (camera, parsed instruction, masks of the named things) in the "
    "prompt's data: run with --annotations things."
)


@dataclass(frozen=True)
class AnnotatedThing:
    """A thing that the instruction names, as annotated in the photograph."""

    mask: npt.NDArray[np.bool_]
    """(h, w) visible pixels of the thing, with what stands on it."""
    box_xyxy: tuple[int, int, int, int]
    """Bounding box of the mask in pixels; left and top inclusive, right and bottom exclusive."""
    base_m: float
    """Height of its lowest point in the world, in metres."""
    top_m: float
    """Height of its highest point."""
    fixed: bool
    """Whether it is furniture, such as a table."""


@dataclass(frozen=True)
class EditInputs:
    """The inputs of an editing net. Positions in 3-D, other things, shapes, light and the target are not among them."""

    photo: npt.NDArray[np.uint8]
    camera: Camera | None
    """The calibrated camera; None if the edit is not annotated."""
    steps: tuple[Edit, ...]
    """The parsed instruction."""
    things: Mapping[str, AnnotatedThing]
    """Id → thing that a step names."""

    @classmethod
    def of(cls, prompt: Prompt) -> EditInputs:
        """Read `photo` and `annotations` of the prompt's data.

        Raises:
            PixelProofError: One of them is missing or malformed.
        """
        if ANNOTATIONS not in prompt.data:
            raise PixelProofError(_OFF)
        photo, given = require_data(prompt, "photo"), prompt.data[ANNOTATIONS]
        try:
            rgb = read_image(photo)
            return cls(rgb, None, (), {}) if given is None else cls._parsed(rgb, given)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PixelProofError(f"The annotations in the prompt's data are malformed: {error!r}.") from error

    @classmethod
    def _parsed(cls, photo: npt.NDArray[np.uint8], given: Mapping[str, Any]) -> EditInputs:
        from pixelproof.world.edits import Edit
        from pixelproof.world.solid import Camera

        steps = tuple(Edit(**step) for step in given["steps"])
        return cls(photo, Camera(**given["camera"]), steps, {id: _thing(one) for id, one in given["things"].items()})


def _thing(given: Mapping[str, Any]) -> AnnotatedThing:
    mask: Artefact = given["mask"]
    left, top, right, bottom = given["box_xyxy"]
    pixels = np.asarray(read_image(mask)[..., 0] >= 128)
    return AnnotatedThing(pixels, (left, top, right, bottom), given["base_m"], given["top_m"], bool(given["fixed"]))
