"""MI-GAN: fills the holes of an image."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.store import trusted_asset

from ._runtimes import onnx_session, runtime


class Migan:
    """The asset `migan` on the CPU: an ONNX pipeline for images of any size; may be used from several threads.

    Raises:
        PixelProofError: The asset or onnxruntime is missing; the message has the command that gets it.
    """

    asset = "migan"

    def __init__(self) -> None:
        onnx = runtime("onnxruntime")
        self._session = onnx_session(onnx, str(trusted_asset(self.asset)))
        self.runtime = f"onnxruntime {onnx.__version__}"

    def fill(self, photo: npt.NDArray[np.uint8], hole: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
        """The image with other pixels in the hole; everything else stays as it is."""
        if not hole.any():
            return photo.copy()
        keep = np.where(hole, np.uint8(0), np.uint8(255))
        (filled,) = self._session.run(None, {"image": photo.transpose(2, 0, 1)[None], "mask": keep[None, None]})
        return np.where(hole[..., None], filled[0].transpose(1, 2, 0), photo)
