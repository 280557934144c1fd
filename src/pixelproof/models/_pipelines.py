"""A local diffusers pipeline, and pipelines for other tasks that share its weights."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PIL import Image

from pixelproof.contract import PixelProofError


class Task(StrEnum):
    """A task, named as in diffusers' `AutoPipelineFor…`."""

    TEXT = "Text2Image"
    IMAGE = "Image2Image"
    INPAINT = "Inpainting"


_IMAGE_ARGUMENTS: dict[Task, set[str]] = {
    Task.TEXT: set(),
    Task.IMAGE: {"image"},
    Task.INPAINT: {"image", "mask_image"},
}
"""Image arguments of each task."""


@dataclass(frozen=True)
class Drawing:
    """An image to generate: from text, from an image, or by inpainting where a mask is white."""

    text: str
    seed: int
    image: Image.Image | None = None
    mask: Image.Image | None = None

    @property
    def task(self) -> Task:
        """The task that fits the inputs."""
        if self.image is None:
            return Task.TEXT
        return Task.IMAGE if self.mask is None else Task.INPAINT

    @property
    def kind(self) -> Hashable:
        """Drawings of equal kind can share a batch."""
        return self.task, self.image and self.image.size


class Pipelines:
    """A saved pipeline, loaded once, for all tasks that its weights support. Nothing is downloaded.

    Raises:
        PixelProofError: torch or diffusers is not installed, or the directory cannot be loaded.
    """

    def __init__(self, directory: Path, device: str | None, dtype: str | None) -> None:
        if not (directory / "model_index.json").is_file():
            raise PixelProofError(f"{directory} is not a diffusers pipeline: give a directory with a model_index.json.")
        self._torch, self._diffusers, transformers = load_runtime()
        self.device = device or self._best_device()
        self.dtype = dtype or ("float32" if self.device == "cpu" else "float16")
        for library in (self._diffusers, transformers):
            library.utils.logging.disable_progress_bar()
        try:
            self.main = self._diffusers.DiffusionPipeline.from_pretrained(
                str(directory), dtype=getattr(self._torch, self.dtype), local_files_only=True
            ).to(self.device)
        except Exception as error:  # pipelines raise exceptions of nearly every type
            raise PixelProofError(
                f"diffusers cannot load {directory} ({one_line(error)}): check the files and the installed versions."
            ) from error
        self._by_task: dict[Task, Any] = {}

    @property
    def runtime(self) -> str:
        """The libraries and their versions."""
        return f"diffusers {self._diffusers.__version__}, torch {self._torch.__version__}"

    def draw(self, drawings: Sequence[Drawing], settings: Mapping[str, Any]) -> list[Image.Image | None]:
        """Generate a batch of images; None where the pipeline's safety checker removed one.

        Args:
            drawings: Drawings of one kind.
            settings: Further arguments of the pipeline.

        Raises:
            PixelProofError: The pipeline does not support the task or a setting.
        """
        pipeline = self._pipeline_for(drawings[0].task)
        known = inspect.signature(pipeline.__call__).parameters
        arguments = {**self._arguments(drawings), **settings}
        image = drawings[0].image
        if image is not None and {"width", "height"} <= known.keys() and "width" not in settings:
            # By default, many pipelines stretch the image to a size of their own. All accept multiples of 16.
            arguments |= {"width": max(16, image.width // 16 * 16), "height": max(16, image.height // 16 * 16)}
        unknown = sorted(arguments.keys() - known.keys())
        if unknown:
            raise PixelProofError(
                f"{type(pipeline).__name__} has no argument {', '.join(unknown)}: leave out that parameter."
            )
        output = pipeline(**arguments)
        removed = getattr(output, "nsfw_content_detected", None) or [False] * len(drawings)
        return [None if gone else image for image, gone in zip(output.images, removed, strict=True)]

    def _arguments(self, drawings: Sequence[Drawing]) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "prompt": [drawing.text for drawing in drawings],
            # One per image, so that it does not depend on the rest of the batch; on the CPU, so that it hardly
            # depends on the device.
            "generator": [self._torch.Generator("cpu").manual_seed(drawing.seed) for drawing in drawings],
        }
        if drawings[0].image is not None:
            arguments["image"] = [drawing.image for drawing in drawings]
        if drawings[0].mask is not None:
            arguments["mask_image"] = [drawing.mask for drawing in drawings]
        return arguments

    def _pipeline_for(self, task: Task) -> Any:
        if task not in self._by_task:
            pipeline = self._create(task)
            pipeline.set_progress_bar_config(disable=True)
            self._by_task[task] = pipeline
        return self._by_task[task]

    def _create(self, task: Task) -> Any:
        """The pipeline itself if its image arguments fit the task, otherwise another pipeline with its weights."""
        known = inspect.signature(self.main.__call__).parameters
        if known.keys() & {"image", "mask_image"} == _IMAGE_ARGUMENTS[task]:
            return self.main
        try:
            return getattr(self._diffusers, f"AutoPipelineFor{task}").from_pipe(self.main)
        except Exception as error:  # as above
            if task != Task.TEXT and _IMAGE_ARGUMENTS[task] <= known.keys():
                return self.main
            inputs = {Task.TEXT: "text alone", Task.IMAGE: "text and an image", Task.INPAINT: "an image and a mask"}
            raise PixelProofError(
                f"{type(self.main).__name__} cannot generate from {inputs[task]}: choose another model or bench."
            ) from error

    def _best_device(self) -> str:
        if self._torch.cuda.is_available():
            return "cuda"
        return "mps" if self._torch.backends.mps.is_available() else "cpu"


def load_runtime() -> tuple[Any, Any, Any]:
    """Import torch, diffusers and transformers, which takes seconds.

    Raises:
        PixelProofError: One of them is not installed.
    """
    try:
        torch, diffusers, transformers = map(importlib.import_module, ("torch", "diffusers", "transformers"))
    except ImportError as error:
        raise PixelProofError(
            f"diffusers/ needs more libraries ({error}): run pip install 'pixelproof[diffusers]'."
        ) from error
    return torch, diffusers, transformers


def one_line(error: BaseException) -> str:
    """Type and message of an exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
