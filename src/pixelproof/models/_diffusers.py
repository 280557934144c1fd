"""`diffusers/DIR`: a pipeline on this machine, saved in the format of Hugging Face's diffusers."""

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

from ._batcher import Batcher
from ._conversation import require_single_prompt
from ._function import as_answer
from ._parameters import Parameter, one_of, split_parameters
from ._pictures import full_text, pictures_of
from ._pipelines import Drawing, Pipelines, in_short

BATCH = 4
"""Pictures that are drawn at once, unless the name says otherwise."""
_PARAMETERS = {
    "steps": Parameter(r"[1-9]\d{0,4}", "a whole number from 1 to 99999"),
    "guidance": Parameter(r"\d{1,6}(\.\d+)?", "a number from 0 upwards, such as 7.5"),
    "strength": Parameter(r"0?\.\d*[1-9]\d*|1(\.0+)?", "a number above 0 and up to 1, such as 0.8"),
    "negative": Parameter(".+", "a text, such as blurry"),
    "size": Parameter(r"[1-9]\d{0,4}x[1-9]\d{0,4}", "WIDTHxHEIGHT, such as 1024x1024"),
    "batch": Parameter(r"[1-9]\d{0,3}", "a whole number from 1 to 9999"),
    "device": Parameter(r"cpu|mps|cuda(:\d+)?", "one of cpu, cuda, cuda:1, …, mps"),
    "dtype": one_of("float32", "float16", "bfloat16"),
}


class DiffusersModel:
    """Draws in one batch what several threads ask at about the same time; each picture has a seed of its own."""

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
        """Draw a picture; what goes wrong before anything ever went right is taken for a wrong set-up."""
        require_single_prompt(self.name, prompt, item)
        if prompt.wants != "image":
            raise PixelProofError(f"{self.name} draws, but {item.id} wants text: choose another model or bench.")
        drawing = _drawing(prompt, item, derive_seed(seed, f"diffusers/{item.id}", sample))
        try:
            answer = self._batcher(drawing)
        except PixelProofError:
            raise
        except Exception as error:  # hundreds of classes raise nearly everything
            if not self._proven:
                raise PixelProofError(f"{self.name} cannot draw ({in_short(error)}): check its parameters.") from error
            return Answer(failure=Failure(Fault.INFRASTRUCTURE, "runtime-error", in_short(error)))
        self._proven = True
        return answer

    def card(self) -> Mapping[str, Any]:
        """The weights, the runtime and everything that shapes a picture."""
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
        """Finish what is being drawn, and let go of the weights; once is enough, twice does no harm."""
        self._batcher.close()
        vars(self).pop("_pipelines", None)

    def _draw(self, drawings: Sequence[Drawing]) -> list[Answer]:
        began = time.perf_counter()
        images = self._pipelines.draw(drawings, self._settings(len(drawings)))
        usage = Usage(images=1, cost=0.0, seconds=(time.perf_counter() - began) / len(drawings))
        taken = Answer(failure=Failure(Fault.MODEL, "refusal", "the safety checker took the picture away"))
        return [replace(taken if image is None else as_answer(image), usage=usage) for image in images]

    def _settings(self, n: int) -> dict[str, Any]:
        """What the name says, as arguments of a pipeline for n pictures."""
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
        """Of all files, with their names."""
        total = hashlib.sha256()
        for path in sorted(path for path in self._path.rglob("*") if path.is_file()):
            with path.open("rb") as file:
                total.update(f"{path.relative_to(self._path).as_posix()}\0".encode())
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()


def _drawing(prompt: Prompt, item: Item, seed: int) -> Drawing:
    pictures, mask = pictures_of(prompt)
    if len(pictures) > 1:
        raise PixelProofError(f"diffusers models are shown one picture at most, but {item.id} has {len(pictures)}.")
    if not pictures:
        return Drawing(full_text(prompt), seed)
    return Drawing(full_text(prompt), seed, _opened(pictures[0]), None if mask is None else _opened(mask).convert("L"))


def _opened(artefact: Artefact) -> Image.Image:
    try:
        return Image.fromarray(read_image(artefact))
    except ImageError as error:
        raise PixelProofError(f"A picture of the prompt cannot be read: {error}") from error
