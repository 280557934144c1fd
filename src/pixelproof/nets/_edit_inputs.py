"""What an editing net receives of a prompt: the photograph, the parsed instruction, the camera and masks of things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Artefact, PixelProofError, Prompt
from pixelproof.pixels import read_image

from ._net import require_data

if TYPE_CHECKING:
    from pixelproof.world.edits import Edit
    from pixelproof.world.solid import Camera

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
