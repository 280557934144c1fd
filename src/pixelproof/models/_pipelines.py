"""A diffusers pipeline on this machine, and those around the same weights that do other tasks."""

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
    """What is to be done, in the words of diffusers' `AutoPipelineFor…`."""

    TEXT = "Text2Image"
    IMAGE = "Image2Image"
    INPAINT = "Inpainting"


_SHOWN: dict[Task, set[str]] = {Task.TEXT: set(), Task.IMAGE: {"image"}, Task.INPAINT: {"image", "mask_image"}}
"""Arguments besides the text."""


@dataclass(frozen=True)
class Drawing:
    """One picture to be drawn: from text, by changing a picture, or by filling what a mask shows white."""

    text: str
    seed: int
    picture: Image.Image | None = None
    mask: Image.Image | None = None

    @property
    def task(self) -> Task:
        """What sort of pipeline it takes."""
        if self.picture is None:
            return Task.TEXT
        return Task.IMAGE if self.mask is None else Task.INPAINT

    @property
    def kind(self) -> Hashable:
        """Drawings of an equal kind can be drawn together."""
        return self.task, self.picture and self.picture.size


class Pipelines:
    """A saved pipeline, loaded once, for all tasks that its weights can do. Nothing is downloaded.

    Raises:
        PixelProofError: torch or diffusers is not installed, or the directory cannot be loaded.
    """

    def __init__(self, directory: Path, device: str | None, dtype: str | None) -> None:
        if not (directory / "model_index.json").is_file():
            raise PixelProofError(f"{directory} holds no diffusers pipeline: give a directory with a model_index.json.")
        self._torch, self._diffusers, transformers = load_runtime()
        self.device = device or self._best_device()
        self.dtype = dtype or ("float32" if self.device == "cpu" else "float16")
        for library in (self._diffusers, transformers):
            library.utils.logging.disable_progress_bar()
        try:
            self.main = self._diffusers.DiffusionPipeline.from_pretrained(
                str(directory), dtype=getattr(self._torch, self.dtype), local_files_only=True
            ).to(self.device)
        except Exception as error:  # hundreds of classes raise nearly everything
            raise PixelProofError(f"diffusers cannot load {directory} ({in_short(error)}).") from error
        self._by_task: dict[Task, Any] = {}

    @property
    def runtime(self) -> str:
        """What computes."""
        return f"diffusers {self._diffusers.__version__}, torch {self._torch.__version__}"

    def draw(self, drawings: Sequence[Drawing], settings: Mapping[str, Any]) -> list[Image.Image | None]:
        """Draw some of one kind in one batch; None for what the pipeline's safety checker took away.

        Args:
            drawings: All of one kind.
            settings: Further arguments of the pipeline.

        Raises:
            PixelProofError: The pipeline cannot do that task, or does not know a setting.
        """
        pipeline = self._for(drawings[0].task)
        known = inspect.signature(pipeline.__call__).parameters
        arguments = {**self._arguments(drawings), **settings}
        picture = drawings[0].picture
        if picture is not None and {"width", "height"} <= known.keys() and "width" not in settings:
            # Left alone, many pipelines stretch the picture to their favourite size. All take multiples of 16.
            arguments |= {"width": max(16, picture.width // 16 * 16), "height": max(16, picture.height // 16 * 16)}
        unknown = sorted(arguments.keys() - known.keys())
        if unknown:
            raise PixelProofError(f"{type(pipeline).__name__} takes no {', '.join(unknown)}: leave out that parameter.")
        output = pipeline(**arguments)
        taken = getattr(output, "nsfw_content_detected", None) or [False] * len(drawings)
        return [None if hidden else image for image, hidden in zip(output.images, taken, strict=True)]

    def _arguments(self, drawings: Sequence[Drawing]) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "prompt": [drawing.text for drawing in drawings],
            # One each, so that a picture does not depend on its neighbours; on the CPU, so that it hardly depends on
            # the device.
            "generator": [self._torch.Generator("cpu").manual_seed(drawing.seed) for drawing in drawings],
        }
        if drawings[0].picture is not None:
            arguments["image"] = [drawing.picture for drawing in drawings]
        if drawings[0].mask is not None:
            arguments["mask_image"] = [drawing.mask for drawing in drawings]
        return arguments

    def _for(self, task: Task) -> Any:
        if task not in self._by_task:
            pipeline = self._fitting(task)
            pipeline.set_progress_bar_config(disable=True)
            self._by_task[task] = pipeline
        return self._by_task[task]

    def _fitting(self, task: Task) -> Any:
        """The pipeline itself if it takes just what the task shows, or else another one around its weights."""
        known = inspect.signature(self.main.__call__).parameters
        if known.keys() & {"image", "mask_image"} == _SHOWN[task]:
            return self.main
        try:
            return getattr(self._diffusers, f"AutoPipelineFor{task}").from_pipe(self.main)
        except Exception as error:  # as above
            if task != Task.TEXT and _SHOWN[task] <= known.keys():
                return self.main
            shown = {Task.TEXT: "text alone", Task.IMAGE: "text and a picture", Task.INPAINT: "a picture and a mask"}
            raise PixelProofError(
                f"{type(self.main).__name__} cannot draw from {shown[task]}: choose another model or bench."
            ) from error

    def _best_device(self) -> str:
        if self._torch.cuda.is_available():
            return "cuda"
        return "mps" if self._torch.backends.mps.is_available() else "cpu"


def load_runtime() -> tuple[Any, Any, Any]:
    """The modules torch, diffusers and transformers, which take seconds to import.

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


def in_short(error: BaseException) -> str:
    """An exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
