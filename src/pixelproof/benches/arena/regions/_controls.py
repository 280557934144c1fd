"""Regions with the names that the truth gives them: how far do colour and place go, if somebody names them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pixelproof.benches.arena._case import Case, Frame, FrameSource, Pixels
from pixelproof.contract import Answer, Control, Failure, Fault, Item, PixelProofError
from pixelproof.pixels import encode_labels

from ._kmeans import Regions, kmeans
from ._naming import named_by_truth
from ._superpixels import superpixels

Opened = Callable[[Item], tuple[Case, Frame, FrameSource]]
Divided = Callable[[Pixels, np.random.Generator], Regions]

_CENTRES = 32
_SUPERPIXELS = 400


def region_controls(opened: Opened) -> Mapping[str, Control]:
    """Controls for tasks whose truth is labels; they answer with label maps.

    Args:
        opened: Loads the case of an item.
    """
    return {
        "kmeans": _control(
            opened,
            lambda photo, rng: kmeans(photo, _CENTRES, rng),
            f"{_CENTRES} regions by k-means over colour and place, each with the label that most of it has in truth.",
        ),
        "superpixels": _control(
            opened,
            lambda photo, rng: superpixels(photo, _SUPERPIXELS),
            f"About {_SUPERPIXELS} superpixels, each with the label that most of it has in truth.",
        ),
    }


def _control(opened: Opened, divided: Divided, about: str) -> Control:
    def control(item: Item, rng: np.random.Generator) -> Answer:
        try:
            case, frame, _ = opened(item)
        except PixelProofError as error:  # a reference that cannot be read
            return Answer(failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))
        if frame.photo is None:
            return Answer(failure=Failure(Fault.INSTRUMENT, "no-photo", "There is no photograph to divide."))
        assert frame.labels is not None, "offered for labels alone"
        labels = named_by_truth(divided(frame.photo, rng), frame.labels)
        return Answer(images=(encode_labels(labels, case.palette),))

    control.__doc__ = about
    return control
