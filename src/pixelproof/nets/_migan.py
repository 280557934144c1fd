"""MI-GAN: fills the holes of an image."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.store import trusted_asset

from ._runtimes import onnx_session, runtime

_FIRST_FILL_RADIUS_PX = 3


class Migan:
    """The asset `migan` on the CPU: an ONNX pipeline for images of any size; may be used from several threads.

    Raises:
        PixelProofError: The asset, onnxruntime or OpenCV is missing; the message has the command that gets it.
    """

    asset = "migan"

    def __init__(self) -> None:
        self._cv2 = runtime("cv2")
        onnx = runtime("onnxruntime")
        self._session = onnx_session(onnx, str(trusted_asset(self.asset)))
        self.runtime = f"onnxruntime {onnx.__version__}"

    def fill(self, photo: npt.NDArray[np.uint8], hole: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
        """Return the image with new pixels in the hole; they depend on the pixels outside of it only."""
        if not hole.any():
            return photo.copy()
        # The pipeline blends its output with the input along the edge of the hole. Without the first fill, the edge of
        # what is to be removed would remain.
        first = self._cv2.inpaint(photo, hole.astype(np.uint8), _FIRST_FILL_RADIUS_PX, self._cv2.INPAINT_TELEA)
        keep = np.where(hole, np.uint8(0), np.uint8(255))
        (filled,) = self._session.run(None, {"image": first.transpose(2, 0, 1)[None], "mask": keep[None, None]})
        return np.where(hole[..., None], filled[0].transpose(1, 2, 0), photo)
