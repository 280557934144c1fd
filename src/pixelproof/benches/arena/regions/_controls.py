"""Controls that know the labels but not the outlines: how far do colour, position and boxes go?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pixelproof.benches.arena._case import Case, Frame, FrameSource, Labels, Pixels
from pixelproof.contract import Answer, Control, Failure, Fault, Item, PixelProofError
from pixelproof.nets import kmeans_regions
from pixelproof.pixels import encode_labels

from ._boxes import cut_out
from ._naming import label_by_truth
from ._superpixels import superpixels

Opened = Callable[[Item], tuple[Case, Frame, FrameSource]]
Labelled = Callable[[Pixels, Labels, np.random.Generator], Labels]

CENTRES = 32
SUPERPIXELS = 400


def region_controls(opened: Opened) -> Mapping[str, Control]:
    """Controls for tasks whose truth is labels; they answer with label maps.

    Args:
        opened: Loads the case of an item.
    """

    def by_kmeans(photo: Pixels, truth: Labels, rng: np.random.Generator) -> Labels:
        """32 regions by k-means over colour and position, each with its most frequent label in the truth."""
        return label_by_truth(kmeans_regions(photo, CENTRES, rng), truth)

    def by_superpixels(photo: Pixels, truth: Labels, rng: np.random.Generator) -> Labels:
        """About 400 superpixels, each with its most frequent label in the truth."""
        return label_by_truth(superpixels(photo, SUPERPIXELS), truth)

    def by_boxes(photo: Pixels, truth: Labels, rng: np.random.Generator) -> Labels:
        """Masks of SAM 2 tiny, given the box and the label of every component of the truth."""
        return cut_out(photo, truth)

    controls = {"kmeans": by_kmeans, "superpixels": by_superpixels, "sam2-boxes": by_boxes}
    return {name: _control(opened, labelled) for name, labelled in controls.items()}


def _control(opened: Opened, labelled: Labelled) -> Control:
    def control(item: Item, rng: np.random.Generator) -> Answer:
        try:
            case, frame, _ = opened(item)
        except PixelProofError as error:  # a reference that cannot be read
            return Answer(failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))
        if frame.photo is None:
            return Answer(failure=Failure(Fault.INSTRUMENT, "no-photo", "There is no photograph to divide."))
        assert frame.labels is not None, "offered for labels alone"
        return Answer(images=(encode_labels(labelled(frame.photo, frame.labels, rng), case.palette),))

    control.__doc__ = labelled.__doc__
    return control
