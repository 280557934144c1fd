"""Channel simulation: the anti-aliasing and JPEG compression that even a perfect painter's image goes through."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact

from ._writing import encode_png

_SUBSAMPLINGS = {"4:4:4": 0, "4:2:2": 1, "4:2:0": 2}
SOFT = 0.7
"""Standard deviation, in pixels, of the blur that stands for anti-aliased edges."""
_NAME = re.compile(r"(?:hard|soft(\d(?:\.\d+)?)?)(?:-((?:levels|bits)\d))?(?:-jpeg(\d\d?)-(444|422|420))?")
POSTERISATIONS = (
    *("bits4", "levels9", "levels8", "bits3", "levels7", "levels6"),
    *("levels5", "levels4", "bits2", "levels3", "levels2", "bits1"),
)
"""Evenly spaced levels of each component (6: web-safe colours), or its leading bits; the finest first."""


@dataclass(frozen=True)
class ImageChannel:
    """Gaussian blur, then fewer colours, then JPEG or a lossless file. The same pixels give the same bytes.

    >>> ImageChannel().send(np.zeros((8, 8, 3), np.uint8)).media_type
    'image/jpeg'
    >>> ImageChannel().name, ImageChannel.named("hard").send(np.zeros((8, 8, 3), np.uint8)).media_type
    ('soft-jpeg90-420', 'image/png')
    """

    sigma: float = SOFT
    """Standard deviation of the blur in pixels; 0 keeps edges hard."""
    quality: int | None = 90
    """JPEG quality, 1 to 99; None: lossless."""
    subsampling: str = "4:2:0"
    """Chroma subsampling: `4:4:4` (none), `4:2:2` or `4:2:0`."""
    posterised: str = ""
    """How colours are rounded: `levels6` (evenly spaced levels of each component), `bits2` (its leading bits)."""

    @property
    def name(self) -> str:
        """Edges (`hard`, `soft`, `soft0.4` for another blur), colours (`hard-levels6`), coding (`soft-jpeg90-420`)."""
        edges = "hard" if self.sigma <= 0 else "soft" if self.sigma == SOFT else f"soft{self.sigma:.12g}"
        edges = f"{edges}-{self.posterised}" if self.posterised else edges
        return edges if self.quality is None else f"{edges}-jpeg{self.quality}-{self.subsampling.replace(':', '')}"

    @classmethod
    def named(cls, name: str) -> ImageChannel | None:
        """The channel of a name; None if the name has another form."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        blur, posterised, quality, subsampling = match.groups()
        sigma = 0.0 if name.startswith("hard") else SOFT if blur is None else float(blur)
        coding = (None,) if quality is None else (int(quality), ":".join(subsampling))
        return replace(cls(sigma, *coding), posterised=posterised or "")

    def send(self, rgb: npt.NDArray[np.uint8]) -> Artefact:
        """The image after the channel, as a JPEG file, or as PNG if the channel is lossless.

        Args:
            rgb: Shape (height, width, 3).
        """
        painted = posterise(blur(rgb, self.sigma), self.posterised)
        if self.quality is None:
            return encode_png(painted)
        buffer = io.BytesIO()
        image = Image.fromarray(painted)
        image.save(buffer, "JPEG", quality=self.quality, subsampling=_SUBSAMPLINGS[self.subsampling])
        return Artefact(buffer.getvalue(), "image/jpeg")


def blur(rgb: npt.NDArray[np.uint8], sigma: float) -> npt.NDArray[np.uint8]:
    """Gaussian blur of an RGB image, with its border replicated; the input itself if sigma is 0.

    >>> blur(np.array([[[0, 0, 0], [255, 255, 255]]], np.uint8), 0.7)[0, :, 0].tolist()
    [55, 200]
    """
    from scipy.ndimage import correlate1d  # takes a while to import

    if sigma <= 0:
        return rgb
    weights = gaussian_weights(sigma)
    soft = rgb.astype(np.float32)
    for axis in (0, 1):
        soft = correlate1d(soft, weights, axis=axis, mode="nearest")
    # Sums in another order may differ in the last bit; adding a little keeps exact halves from tipping either way.
    return np.asarray((soft + np.float32(0.501)).astype(np.uint8))


def posterise(rgb: npt.NDArray[np.uint8], how: str) -> npt.NDArray[np.uint8]:
    """Round the components of colours, as `POSTERISATIONS` names it; an empty name: the colours themselves.

    >>> [posterise(np.array([100, 255], np.uint8), how).tolist() for how in ("levels6", "bits2")]
    [[102, 255], [64, 192]]
    """
    if not how:
        return rgb
    kind, count = how[:-1], int(how[-1])
    levels = np.arange(256)
    if kind == "bits":
        table = levels >> 8 - count << 8 - count
    else:
        table = np.rint(np.rint(levels * (count - 1) / 255) * 255 / (count - 1))
    return table.astype(np.uint8)[rgb]


def gaussian_weights(sigma: float) -> npt.NDArray[np.float64]:
    """Weights of `blur` along one axis, cut off at four standard deviations."""
    radius = int(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return np.asarray(weights / weights.sum())
