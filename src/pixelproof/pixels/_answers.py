"""From an answer to pixels in the reference's size: a painted image, or a label map."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Artefact, Failure, Fault

from ._channel import ImageChannel
from ._channel_detection import detect_channel, find_posterisation
from ._fitting import fit_size
from ._labels import LabelError, is_label_map, read_labels
from ._palette import Labels, Palette
from ._reading import ImageError, ImageLayers, read_image, read_layers

ANSWER_FORMS = ("auto", "painted", "labels")
"""How an answer's image is read: painted colours, a label map, or what the file itself says."""


@dataclass(frozen=True)
class AnswerImage:
    """The image of an answer: colours to be decoded, or labels that need no decoding."""

    rgb: npt.NDArray[np.uint8]
    """The image as a viewer shows it, in the reference's size; for a label map, the painted labels."""
    stored: npt.NDArray[np.uint8]
    """The pixel values of the file without colour profile, transparency and orientation; often the same array."""
    labels: Labels | None = None
    """Palette indices, for a label map."""
    resized: str = ""
    """How the image was brought to the reference's size; empty if it had that size."""
    colours: npt.NDArray[np.uint8] | None = None
    """The image without its transparency, in the reference's size; None if it is opaque."""
    alpha: npt.NDArray[np.uint8] | None = None
    """Opacity, 0 to 255, in the reference's size; None if it is opaque."""
    channel: ImageChannel | None = None
    """Channel that the file went through; None if the image does not tell. A label map loses nothing."""


def read_answer(
    answer: Answer,
    shape: tuple[int, int],
    *,
    palette: Palette | None = None,
    form: str = "auto",
    policy: str = "nearest",
) -> AnswerImage | Failure:
    """Decode the answer's last image to RGB in the reference's size, or return the failure.

    Args:
        answer: What the model returned.
        shape: Height and width of the reference.
        palette: The palette of label maps; None: answers are painted.
        form: `painted`, `labels`, or `auto`: painted unless the file itself says that it is a label map.
        policy: What to do about another size; see `fit_size`.
    """
    file = _last_image(answer)
    if isinstance(file, Failure):
        return file
    try:
        if palette is not None and (form == "labels" or (form == "auto" and is_label_map(file.data))):
            return _label_answer(read_labels(file, palette), palette, shape, policy)
        layers = read_layers(file)
    except LabelError as error:
        return Failure(Fault.MODEL, "bad-labels", str(error))
    except ImageError as error:
        return Failure(Fault.MODEL, error.name, str(error))
    return _painted_answer(file.data, layers, shape, policy, palette)


def answer_image(answer: Answer) -> npt.NDArray[np.uint8] | Failure:
    """Decode the answer's last image to RGB in its own size, or return the failure."""
    file = _last_image(answer)
    if isinstance(file, Failure):
        return file
    try:
        return read_image(file)
    except ImageError as error:
        return Failure(Fault.MODEL, error.name, str(error))


def _last_image(answer: Answer) -> Artefact | Failure:
    if answer.failure is not None:
        return answer.failure
    if not answer.images:
        text = f" The model's text: {answer.text[:200]!r}" if answer.text else ""
        return Failure(Fault.MODEL, "no-image", f"The answer has no image.{text}")
    return answer.images[-1]


def _painted_answer(
    data: bytes, layers: ImageLayers, shape: tuple[int, int], policy: str, palette: Palette | None
) -> AnswerImage | Failure:
    fitted = fit_size(layers.shown, shape, policy)
    if isinstance(fitted, Failure):
        return fitted
    rgb, resized = fitted

    def fit(layer: npt.NDArray[np.uint8] | None) -> npt.NDArray[np.uint8] | None:
        other = None if layer is None else fit_size(layer, shape, policy)
        return None if other is None or isinstance(other, Failure) else other[0]

    stored = rgb if layers.stored is layers.shown else fit(layers.stored)  # its orientation may differ
    channel = detect_channel(data, layers.shown, rgb if resized else None)
    if palette is not None and channel == ImageChannel(0.0, None):
        channel = replace(channel, posterised=find_posterisation(rgb, palette))
    colours, alpha = fit(layers.colours), fit(layers.alpha)
    return AnswerImage(rgb, rgb if stored is None else stored, None, resized, colours, alpha, channel)


def _label_answer(labels: Labels, palette: Palette, shape: tuple[int, int], policy: str) -> AnswerImage | Failure:
    fitted = fit_size(labels, shape, policy)
    if isinstance(fitted, Failure):
        return fitted
    labels, resized = fitted
    painted = palette.paint(labels)
    return AnswerImage(painted, painted, labels, resized, channel=ImageChannel(0.0, None))
