"""Decoders: rules that turn a painted picture into labels, from the nearest colour to what survives blur and JPEG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ._cells import Space
from ._decoding import nearest_distance
from ._edges import settle_edges
from ._palette import VOID, Palette

Pixels = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]
_EXACT: Mapping[Space, float] = MappingProxyType({"srgb": 4.0, "oklab": 1.0})


@dataclass(frozen=True)
class Decoded:
    """A label map made from a painted picture, and what was done for it."""

    labels: Labels
    """Indices into the palette; VOID where no pixel of the whole picture could be accepted."""
    distance: npt.NDArray[np.float32]
    """How far each pixel is from its nearest palette colour."""
    filled: float
    """Share of pixels whose label comes from around them."""
    dropped: tuple[str, ...]
    """Labels that the nearest colour finds somewhere, and this decoder nowhere."""


@dataclass(frozen=True)
class Decoder:
    """The nearest colour, and rules against labels that only blur and compression made.

    >>> palette = Palette(("sea", "weed", "sand"), ((0, 0, 200), (100, 100, 100), (200, 200, 0)))
    >>> row = [(0, 0, 200)] * 8 + [(100, 100, 100)] + [(200, 200, 0)] * 8
    >>> picture = np.array([row] * 16, dtype=np.uint8) + np.uint8(5)
    >>> Decoder().decode(picture, palette).dropped
    ()
    >>> DECODERS["robust"].decode(picture, palette).dropped
    ('weed',)
    """

    space: Space = "srgb"
    """Where distance from the palette's colours is measured."""
    tolerance: float | None = None
    """Pixels further than this from every palette colour take the label of the nearest pixel that is not."""
    smallest: float = 0.0
    """Connected regions below this share of the picture are filled from around them."""
    steepest: int | None = None
    """Apply the rule for edges (see `_edges`), with this change of a channel as always flat."""

    def decode(self, rgb: Pixels, palette: Palette) -> Decoded:
        """The labels of a painted picture."""
        first, distance = nearest_distance(rgb, palette, self.space)
        labels, filled = first, 0
        # A picture in nothing but the palette's colours has no blends: each of its pixels counts, however thin.
        if self.steepest is not None and distance.max() > _EXACT[self.space]:
            labels, filled = settle_edges(rgb, labels, palette, self.steepest)
        refused = np.zeros(labels.shape, dtype=bool) if self.tolerance is None else distance > self.tolerance
        if self.smallest > 0:
            refused |= _small(np.where(refused, VOID, labels), self.smallest * labels.size)
        if count := int(refused.sum()):
            labels, filled = _filled(labels, refused), filled + count
        lost = () if labels is first else np.flatnonzero(_present(first) & ~_present(labels))
        return Decoded(labels, distance, filled / labels.size, tuple(palette.labels[index] for index in lost))


def _present(labels: Labels) -> npt.NDArray[np.bool_]:
    return np.bincount(labels.ravel(), minlength=256) > 0


def _small(labels: Labels, smallest: float) -> npt.NDArray[np.bool_]:
    """Pixels of connected regions with fewer pixels than that."""
    small = np.zeros(labels.shape, dtype=bool)
    for index, box in enumerate(ndimage.find_objects(labels.astype(np.int32) + 1, max_label=VOID)):
        if box is not None:
            regions, _ = ndimage.label(labels[box] == index)
            size = np.bincount(regions.ravel())
            size[0] = labels.size
            small[box] |= size[regions] < smallest
    return small


def _filled(labels: Labels, refused: npt.NDArray[np.bool_]) -> Labels:
    if refused.all():
        return np.full_like(labels, VOID)
    rows, columns = ndimage.distance_transform_edt(refused, return_distances=False, return_indices=True)
    return np.asarray(labels[rows, columns])


DECODERS: Mapping[str, Decoder] = MappingProxyType(
    {
        "nearest": Decoder(),
        "tolerance": Decoder(tolerance=20.0),
        "regions": Decoder(smallest=0.0002),
        "robust": Decoder(steepest=16),
        "nearest-oklab": Decoder("oklab"),
        "robust-oklab": Decoder("oklab", steepest=16),
    }
)
"""By name; `robust` is what the robust protocol uses."""
