"""Detectors of things in photographs, for `--perception detector`.

A detector is a plug-in: a class or function without arguments under the entry-point group `pixelproof.detectors`. Its
networks are its own affair; nothing here imports one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.benches.spatial.published import Detection
from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import load_plugin, plugins

GROUP = "pixelproof.detectors"
_SAME = 0.1
"""Metres within which two detections of different photographs are one thing."""
Pixels = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]


class Detector(Protocol):
    """Gives 3-D boxes of things in photographs."""

    def detect(self, photo: Pixels, name: str, intrinsics: Matrix | None) -> Sequence[Detection]:
        """Things of a name in a photograph, the surest first.

        Args:
            photo: (h, w, 3) sRGB.
            name: Such as `mug`.
            intrinsics: (3, 3) of the camera; None if they are not known.

        Returns:
            Boxes in metres and the camera's frame: x right, y down, z forward.
        """


@cache
def open_detector(name: str) -> Detector:
    """The detector of a name; the same name gives the same one.

    Raises:
        PixelProofError: There is no such detector, or it cannot be loaded.
    """
    known = plugins(GROUP)
    if name not in known:
        if not known:
            raise PixelProofError(
                f"No detector is installed: install a package with an entry point in {GROUP}, and pass --detector NAME."
            )
        raise unknown_name("detector", name, known)
    detector: Detector = load_plugin(known[name], "detector")()
    if not callable(getattr(detector, "detect", None)):
        raise PixelProofError(f"The detector {name!r} has no method detect(photo, name, intrinsics).")
    return detector


def follow(
    before: Sequence[Detection], after: Sequence[Detection], box: tuple[float, ...]
) -> tuple[Detection | None, bool]:
    """The detection in a photograph after an edit of the thing that had a box before.

    What is where another thing was before is that thing. The error of the detector at the place before is taken off.

    Args:
        before: Detections in the photograph before, the surest first.
        after: The same in the photograph after.
        box: Of the thing before, in metres and the camera's frame.

    Returns:
        The detection, None if the thing is gone; and whether the thing was detected before, without which nothing is
        known of it.
    """
    place = np.array(box[:3])
    ranked = sorted(before, key=lambda one: float(np.linalg.norm(one.centre - place)))
    if not ranked or float(np.linalg.norm(ranked[0].centre - place)) > max(_SAME, 0.1 * float(np.linalg.norm(place))):
        return None, False
    own, others = ranked[0], ranked[1:]
    moved = [one for one in after if all(np.linalg.norm(one.centre - other.centre) > _SAME for other in others)]
    if not moved:
        return None, True
    shift = place - own.centre
    grown = np.array(box[3:6]) / np.maximum(own.size, 1e-6)
    x, y, z = (moved[0].centre + shift).tolist()
    width, height, length = (moved[0].size * grown).tolist()
    return Detection((x, y, z, width, height, length, *moved[0].box[6:]), moved[0].rotation), True
