"""What a net is, how one is found by name, how it reads a prompt, and the inference libraries of nets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Artefact, PixelProofError, Prompt, unknown_name
from pixelproof.pixels import Palette, read_image
from pixelproof.plugins import load_plugin, plugins

from ._weights import read_weights

GROUP = "pixelproof.nets"


class Net(Protocol):
    """A small model at inference. It sees the prompt and nothing else: never the item, the truth or the bench.

    A net that uses a GPU where there is one has the attribute `gpus`, such as 1 or 0.5: workers of a cluster with GPUs
    reserve that many.
    """

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """Answer one prompt.

        Args:
            prompt: What to answer; machine-readable inputs are in `prompt.data`.
            rng: The source of randomness; equal prompts and equal generators give equal answers.

        Raises:
            PixelProofError: The prompt lacks an input that the net needs.
        """

    def card(self) -> Mapping[str, Any]:
        """Fingerprint for the run card, fit for JSON: what must be equal for equal answers."""


def available_nets() -> list[str]:
    """Names of the nets that installed packages register under `pixelproof.nets`.

    >>> "kmeans" in available_nets()
    True
    """
    return list(plugins(GROUP))


def get_net(name: str) -> Net:
    """Create the net of that name, or the one in a file of weights: call the factory that its entry point refers to.

    Args:
        name: Such as `kmeans`, or the path of a file that a training run wrote, such as `runs/d1/net.npz`.

    Raises:
        PixelProofError: There is no such net, or its weights or libraries are missing.
    """
    known = plugins(GROUP)
    if name.endswith(".npz"):
        return _read_net(Path(name), known)
    if name not in known:
        raise unknown_name("net", name, known)
    net: Net = load_plugin(known[name], "net")()
    return net


def _read_net(path: Path, known: Mapping[str, EntryPoint]) -> Net:
    """The net whose weights are in a file; its card names the factory, which takes the path."""
    kind = read_weights(path)[1].get("net")
    if isinstance(kind, str) and kind in known:
        factory = load_plugin(known[kind], "net")
        if getattr(factory, "reads_files", False):
            net: Net = factory(path)
            return net
    raise PixelProofError(f"{path} holds no net of a kind that is installed: give a file that pixelproof train wrote.")


@dataclass(frozen=True)
class SegmentationInputs:
    """What a net for semantic segmentation needs of a prompt."""

    photo: npt.NDArray[np.uint8]
    palette: Palette

    @classmethod
    def of(cls, prompt: Prompt) -> SegmentationInputs:
        """Read `photo`, `labels` and `palette` of the prompt's data.

        Raises:
            PixelProofError: One of them is missing, or the prompt asks for another task.
        """
        require_task(prompt, "semantic")
        photo, labels, colours = (require_data(prompt, name) for name in ("photo", "labels", "palette"))
        if not isinstance(photo, Artefact) or not isinstance(labels, Sequence) or not isinstance(colours, Sequence):
            raise PixelProofError(
                "The prompt's data is malformed: 'photo' must be an Artefact, 'labels' a list of names, and 'palette' "
                "a list of [r, g, b]."
            )
        return cls(read_image(photo), Palette(tuple(labels), tuple(tuple(colour) for colour in colours)))


def require_data(prompt: Prompt, name: str) -> Any:
    """One entry of the prompt's data.

    Raises:
        PixelProofError: It is missing.
    """
    if name not in prompt.data:
        available = ", ".join(map(repr, prompt.data)) or "none"
        raise PixelProofError(
            f"This net needs {name!r} in the prompt's data, which has {available}: choose a bench and a task whose "
            "prompts provide it, or another model."
        )
    return prompt.data[name]


def require_task(prompt: Prompt, task: str) -> None:
    """Check the task that the prompt's data names.

    Raises:
        PixelProofError: It is another one, or none.
    """
    if (given := require_data(prompt, "task")) != task:
        raise PixelProofError(f"This net answers the task {task!r}, not {given!r}: choose --task {task}.")


def runtime(module: str) -> Any:
    """Import a library of the extra `nets`.

    Raises:
        PixelProofError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise PixelProofError(f"This network needs {module}: run pip install 'pixelproof[nets]'.") from error


def onnx_session(onnx: Any, path: str) -> Any:
    """Open a network for onnxruntime on the CPU."""
    options = onnx.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads must not spin
    options.log_severity_level = 3
    return onnx.InferenceSession(path, options, providers=["CPUExecutionProvider"])
