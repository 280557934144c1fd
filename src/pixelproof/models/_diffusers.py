"""`diffusers/DIR`: a local pipeline in the format of Hugging Face's diffusers."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image

from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.pixels import ImageError, read_image
from pixelproof.stats import derive_seed

from ._artefacts import full_text, images_and_mask
from ._batcher import Batcher
from ._conversation import require_image_prompt
from ._function import as_answer
from ._parameters import Parameter, one_of, split_parameters
from ._pipelines import Drawing, Pipelines, one_line

BATCH = 4
"""Default batch size."""
_PARAMETERS = {
    "steps": Parameter(r"[1-9]\d{0,4}", "a whole number from 1 to 99999"),
    "guidance": Parameter(r"\d{1,6}(\.\d+)?", "a number, 0 or more, such as 7.5"),
    "strength": Parameter(r"0?\.\d*[1-9]\d*|1(\.0+)?", "a number above 0 and up to 1, such as 0.8"),
    "negative": Parameter(".+", "a text, such as blurry"),
    "size": Parameter(r"[1-9]\d{0,4}x[1-9]\d{0,4}", "WIDTHxHEIGHT, such as 1024x1024"),
    "batch": Parameter(r"[1-9]\d{0,3}", "a whole number from 1 to 9999"),
    "device": Parameter(r"cpu|mps|cuda(:\d+)?", "one of cpu, cuda, cuda:1, …, mps"),
    "dtype": one_of("float32", "float16", "bfloat16"),
}


class DiffusersModel:
    """Generates images in batches of concurrent requests; each image has its own seed."""

    answers_items = False
    spreads = False

    def __init__(self, name: str, spelling: str) -> None:
        self.name = name
        directory, self._given = split_parameters(name, spelling, _PARAMETERS)
        self._path = Path(directory).expanduser()
        self._pipelines = Pipelines(self._path, self._given.get("device"), self._given.get("dtype"))
        self._pipeline_name = type(self._pipelines.main).__name__
        self._proven = False
        self.connections = int(self._given.get("batch", BATCH))
        self._batcher: Batcher[Drawing, Answer] = Batcher(self._draw, lambda drawing: drawing.kind, self.connections)

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Generate an image; a failure before the first image counts as a wrong configuration."""
        require_image_prompt(self.name, prompt, item)
        drawing = _drawing(prompt, item, derive_seed(seed, f"diffusers/{item.id}", sample))
        try:
            answer = self._batcher(drawing)
        except PixelProofError:
            raise
        except Exception as error:  # pipelines raise exceptions of nearly every type
            if not self._proven:
                raise PixelProofError(f"{self.name} failed ({one_line(error)}): check its parameters.") from error
            return Answer(failure=Failure(Fault.INFRASTRUCTURE, "runtime-error", one_line(error)))
        self._proven = True
        return answer

    def card(self) -> Mapping[str, Any]:
        """The weights, the runtime and all settings that affect an image."""
        return {
            "kind": "diffusers",
            "directory": self._path.name,
            "sha256": self._sha256,
            "pipeline": self._pipeline_name,
            "runtime": self._pipelines.runtime,
            "device": self._pipelines.device,
            "dtype": self._pipelines.dtype,
            "parameters": dict(self._given),
        }

    def close(self) -> None:
        """Finish the submitted requests and unload the weights; further calls have no effect."""
        self._batcher.close()
        vars(self).pop("_pipelines", None)

    def _draw(self, drawings: Sequence[Drawing]) -> list[Answer]:
        began = time.perf_counter()
        images = self._pipelines.draw(drawings, self._settings(len(drawings)))
        usage = Usage(images=1, cost=0.0, seconds=(time.perf_counter() - began) / len(drawings))
        removed = Answer(failure=Failure(Fault.MODEL, "refusal", "the safety checker removed the image"))
        return [replace(removed if image is None else as_answer(image), usage=usage) for image in images]

    def _settings(self, n: int) -> dict[str, Any]:
        """The parameters of the name as arguments of a pipeline for n images."""
        settings: dict[str, Any] = {}
        for name, value in self._given.items():
            match name:
                case "steps":
                    settings["num_inference_steps"] = int(value)
                case "guidance":
                    settings["guidance_scale"] = float(value)
                case "strength":
                    settings["strength"] = float(value)
                case "negative":
                    settings["negative_prompt"] = [value] * n
                case "size":
                    settings["width"], settings["height"] = map(int, value.split("x"))
        return settings

    @cached_property
    def _sha256(self) -> str:
        """Hash of all files with their names."""
        total = hashlib.sha256()
        for path in sorted(path for path in self._path.rglob("*") if path.is_file()):
            with path.open("rb") as file:
                total.update(f"{path.relative_to(self._path).as_posix()}\0".encode())
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()


def _drawing(prompt: Prompt, item: Item, seed: int) -> Drawing:
    images, mask = images_and_mask(prompt)
    if len(images) > 1:
        raise PixelProofError(
            f"diffusers models accept one image only, but {item.id} has {len(images)}: choose another bench or model."
        )
    if not images:
        return Drawing(full_text(prompt), seed)
    return Drawing(full_text(prompt), seed, _read(images[0]), None if mask is None else _read(mask).convert("L"))


def _read(artefact: Artefact) -> Image.Image:
    try:
        return Image.fromarray(read_image(artefact))
    except ImageError as error:
        raise PixelProofError(f"An image of the prompt cannot be read: {error}") from error
