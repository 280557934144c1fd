"""SEG by SAM 2 tiny, on the CPU through onnxruntime."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from functools import cached_property

from pixelproof.nets import Embedding, Sam2
from pixelproof.pixels import Box
from pixelproof.store import find_asset, import_extra

from ._backends import Pixels, Segment

_KEPT = 4
"""Image embeddings that are kept: each takes 17 MB, and seconds to compute."""


class Sam2Segmenter:
    """SAM 2 tiny (asset `sam2-tiny`), loaded at the first call; the embeddings of the last pictures are kept.

    Raises:
        PixelProofError: onnxruntime is missing.
    """

    name = "sam2-tiny"

    def __init__(self) -> None:
        onnx = import_extra("onnxruntime", "tools", "SEG by SAM 2")
        self.version = f"1 {find_asset(Sam2.asset).sha256[:12]} onnxruntime {onnx.__version__}"
        self._embeddings: OrderedDict[str, Embedding] = OrderedDict()

    @cached_property
    def _net(self) -> Sam2:
        return Sam2()

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """The mask with the highest predicted IoU."""
        inside = [] if point is None else [(point[0] + 0.5, point[1] + 0.5)]
        mask = self._net.mask(self._embed(picture), box, inside)
        return Segment(mask.pixels, round(min(max(mask.score, 0.0), 1.0), 2))

    def _embed(self, picture: Pixels) -> Embedding:
        key = hashlib.sha256(picture.tobytes()).hexdigest() + str(picture.shape)
        if key not in self._embeddings:
            self._embeddings[key] = self._net.embed(picture)
        self._embeddings.move_to_end(key)
        while len(self._embeddings) > _KEPT:
            self._embeddings.popitem(last=False)
        return self._embeddings[key]
