"""SEG by SAM 2 tiny through onnxruntime, and by a SAM of the transformers library, from weights that the user has."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
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


_MODELS = {
    "sam": ("SamModel", "SamProcessor"),
    "sam2": ("Sam2Model", "Sam2Processor"),
    "sam2_video": ("Sam2Model", "Sam2Processor"),
    "sam3_tracker": ("Sam3TrackerModel", "Sam3TrackerProcessor"),
}
"""Type of the model in config.json → model and processor that take points and boxes."""


class TransformersSamSegmenter:
    """A SAM that `save_pretrained` wrote into a folder. Nothing is downloaded.

    Args:
        folder: Folder with `config.json`, weights and `preprocessor_config.json`.
        device: Device of torch.

    Raises:
        PixelProofError: torch or transformers is missing, or the folder has no such model.
    """

    name = "transformers-sam"

    def __init__(self, folder: Path | str, device: str = "cpu") -> None:
        self._torch = import_extra("torch", "diffusers", "SEG by transformers")
        self._library = import_extra("transformers", "diffusers", "SEG by transformers")
        self.folder, self.device = Path(folder), device
        weights = sorted(self.folder.glob("*.safetensors")) if self.folder.is_dir() else []
        if not weights or not (self.folder / "config.json").is_file():
            raise PixelProofError(f"{self.folder} has no config.json and *.safetensors: give the folder of a SAM.")
        whole = hashlib.sha256()
        for file in (self.folder / "config.json", *weights):
            with file.open("rb") as handle:
                whole.update(hashlib.file_digest(handle, "sha256").digest())
        versions = f"torch {self._torch.__version__} transformers {self._library.__version__}"
        self.version = f"1 {whole.hexdigest()[:12]} {versions} {device}"

    @cached_property
    def _net(self) -> tuple[Any, Any]:
        """Model and processor."""
        config = self._library.AutoConfig.from_pretrained(self.folder, local_files_only=True)
        if config.model_type not in _MODELS:
            raise PixelProofError(f"{self.folder} has a {config.model_type}: give a SAM ({', '.join(_MODELS)}).")
        model, processor = (getattr(self._library, name) for name in _MODELS[config.model_type])
        network = model.from_pretrained(self.folder, local_files_only=True).to(self.device).eval()
        return network, processor.from_pretrained(self.folder, local_files_only=True)

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """The whole object in a box; at a point, the mask with the highest predicted IoU."""
        model, processor = self._net
        prompt: dict[str, Any] = {}
        if point is not None:
            prompt |= {"input_points": [[[[point[0] + 0.5, point[1] + 0.5]]]], "input_labels": [[[1]]]}
        if box is not None:
            prompt["input_boxes"] = [[[float(side) for side in box]]]
        inputs = processor(images=picture, return_tensors="pt", **prompt).to(self.device)
        with self._torch.inference_mode():
            found = model(**inputs, multimask_output=box is None)
        sizes = [inputs[name].cpu() for name in ("original_sizes", "reshaped_input_sizes") if name in inputs]
        masks = processor.image_processor.post_process_masks(found.pred_masks.cpu(), *sizes)[0]
        scores = found.iou_scores.cpu().flatten()
        best = int(scores.argmax())
        mask = np.asarray(masks.reshape(-1, *picture.shape[:2])[best] > 0)
        return Segment(mask, round(min(max(float(scores[best]), 0.0), 1.0), 2))
