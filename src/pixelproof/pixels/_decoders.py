"""Decoders from painted images to label maps: nearest colour, and rules that are robust to blur and JPEG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ._cells import Space
from ._decoding import colour_distance, is_within, nearest
from ._edges import settle_edges
from ._palette import Labels, Palette, void_of
from ._used_values import used_values

Pixels = npt.NDArray[np.uint8]
_EXACT = 4


@dataclass(frozen=True)
class Decoded:
    """A decoded label map."""

    labels: Labels
    """Palette indices, in the palette's data type; all void if no pixel of the image could be accepted."""
    filled: float
    """Share of pixels whose label comes from their neighbours."""
    nearest: Labels = field(repr=False)
    """What nearest-colour decoding gives."""
    palette: Palette = field(repr=False)

    @cached_property
    def dropped(self) -> tuple[str, ...]:
        """Labels that nearest-colour decoding finds somewhere, and this decoder nowhere."""
        if self.labels is self.nearest:
            return ()
        lost = {*used_values(self.nearest).tolist()} - {*used_values(self.labels).tolist()}
        return tuple(self.palette.labels[index] for index in sorted(lost))


@dataclass(frozen=True)
class Decoder:
    """Nearest colour, with rules against labels that only blur and compression produce.

    >>> palette = Palette(("sea", "weed", "sand"), ((0, 0, 200), (100, 100, 100), (200, 200, 0)))
    >>> row = [(0, 0, 200)] * 8 + [(100, 100, 100)] + [(200, 200, 0)] * 8
    >>> picture = np.array([row] * 16, dtype=np.uint8) + np.uint8(5)
    >>> Decoder().decode(picture, palette).dropped
    ()
    >>> DECODERS["robust"].decode(picture, palette).dropped
    ('weed',)
    """

    space: Space = "srgb"
    """Colour space in which distance is measured."""
    tolerance: float | None = None
    """Pixels further than this from every palette colour take the label of the nearest pixel within it."""
    smallest: float = 0.0
    """Connected regions below this share of the image are filled from their neighbours."""
    steepest: int | None = None
    """Apply the edge rule (see `_edges`); changes of a channel up to this count as flat."""

    def decode(self, rgb: Pixels, palette: Palette, nearest_labels: Labels | None = None) -> Decoded:
        """The label map of a painted image.

        Args:
            rgb: The image.
            palette: The colours that were asked for.
            nearest_labels: What `nearest(rgb, palette)` returns, if it is known; decoders that measure distance in
                another space ignore it.
        """
        known_first = nearest_labels if self.space == "srgb" else None
        first = nearest(rgb, palette, self.space) if known_first is None else known_first
        refused = None
        if self.tolerance is not None:
            refused = colour_distance(rgb, first, palette, self.space) > self.tolerance
        labels, filled = first, 0
        # The edge rule changes nothing in an image in the palette's own colours: this only saves its time.
        if self.steepest is not None and not is_within(rgb, first, palette, _EXACT):
            labels, filled = settle_edges(rgb, labels, palette, self.steepest)
        if self.smallest > 0:
            known = labels if refused is None else np.where(refused, void_of(labels), labels)
            small = _small(known, self.smallest * labels.size)
            refused = small if refused is None else refused | small
        if refused is not None and (count := int(refused.sum())):
            labels, filled = _filled(labels, refused), filled + count
        return Decoded(labels, filled / labels.size, first, palette)


def _small(labels: Labels, smallest: float) -> npt.NDArray[np.bool_]:
    """Mask of connected regions with fewer than `smallest` pixels."""
    from scipy import ndimage  # takes a while to import, and only two decoders need it

    small = np.zeros(labels.shape, dtype=bool)
    for index, box in enumerate(ndimage.find_objects(labels.astype(np.int32) + 1, max_label=void_of(labels))):
        if box is not None:
            regions, _ = ndimage.label(labels[box] == index)
            size = np.bincount(regions.ravel())
            size[0] = labels.size
            small[box] |= size[regions] < smallest
    return small


def _filled(labels: Labels, refused: npt.NDArray[np.bool_]) -> Labels:
    from scipy import ndimage

    if refused.all():
        return np.full_like(labels, void_of(labels))
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
"""Name → decoder; `robust` is the one of the robust protocol."""
