"""Which scene does an answer show?

`render-and-compare` reads it from the pixels of any answer, with an error that is measured; `silhouette` does so from
outlines alone, in a fraction of the time. `oracle` knows it of controls alone: it makes the picture of the control
again, which only has one scene, and compares every pixel. What an answer says of itself is never believed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pixelproof.benches.spatial._controls import control_picture
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.contract import Answer, Failure, Fault

if TYPE_CHECKING:
    from pixelproof.benches.spatial.perception import Reading
    from pixelproof.world.pairs import Pair
    from pixelproof.world.solid import Scene

Pixels = npt.NDArray[np.uint8]
NOT_PERCEIVED = "not-perceived"
_ONLY_CONTROLS = (
    "The perception 'oracle' knows the scene in the images of controls alone, and this is not one of them: run "
    "control/… instead. The answer is stored and can be scored again with another perception."
)


@dataclass(frozen=True)
class Perceived:
    """The scene in an answer."""

    scene: Scene
    how: str
    """What it was read from."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What else was noticed: things that are there twice, have other colours, or were changed as well."""
    confidence: float | None = None
    """How clearly the scene explains the answer, from 0 to 1; None if that is not known."""


@dataclass(frozen=True)
class Unclear:
    """A scene that cannot be told from an answer."""

    reasons: tuple[str, ...]


Perception = Callable[["Pair", Answer, Pixels, SceneRenderer], "Perceived | Unclear | Failure"]
"""From the pair, the answer, its picture and the renderer to the scene in it; or that it cannot be told; or a failure
of the instrument."""


def proven_control(
    answer: Answer, picture: Pixels, picture_of: Callable[[str], Pixels | None], names: Collection[str]
) -> str | Failure:
    """The control that gave an answer, if the image is pixel by pixel that of the control that the trace names.

    Args:
        answer: The answer with its trace.
        picture: Its image.
        picture_of: Makes the image of a control again; None if the control does not apply.
        names: The controls that there are.
    """
    claims = (entry.get("control") for entry in answer.trace if isinstance(entry, Mapping))
    name = next((claim for claim in claims if isinstance(claim, str) and claim in names), None)
    if name is None:
        return Failure(Fault.INSTRUMENT, NOT_PERCEIVED, _ONLY_CONTROLS)
    expected = picture_of(name)
    if expected is None or not np.array_equal(expected, picture):
        detail = f"The trace says control/{name}, but the image is not that of this control. {_ONLY_CONTROLS}"
        return Failure(Fault.INSTRUMENT, NOT_PERCEIVED, detail)
    return name


def oracle(pair: Pair, answer: Answer, picture: Pixels, renderer: SceneRenderer) -> Perceived | Failure:
    """The scene of a control, if the image is that of the control that the trace names."""
    from pixelproof.benches.spatial._executed import NAMES, executed

    name = proven_control(answer, picture, lambda name: control_picture(pair, name, renderer), NAMES)
    if isinstance(name, Failure):
        return name
    scene = executed(pair, name)
    assert scene is not None, "the control has an image"
    return Perceived(scene, f"control/{name}")


def render_and_compare(
    pair: Pair, answer: Answer, picture: Pixels, renderer: SceneRenderer
) -> Perceived | Unclear | Failure:
    """The scene that renders agree with, or that it is in doubt."""
    from pixelproof.benches.spatial.perception import read_scene

    return _perceived(read_scene(pair.before, _photograph(pair, renderer), picture, pair.steps), "renders")


def silhouette(pair: Pair, answer: Answer, picture: Pixels, renderer: SceneRenderer) -> Perceived | Unclear | Failure:
    """The scene that outlines agree with, or that it is in doubt."""
    from pixelproof.benches.spatial.perception import read_outlines

    return _perceived(read_outlines(pair.before, _photograph(pair, renderer), picture, pair.steps), "outlines")


def _photograph(pair: Pair, renderer: SceneRenderer) -> Pixels:
    return renderer.render(pair.before, keep=True).rgb


def _perceived(reading: Reading, what: str) -> Perceived | Unclear:
    if reading.doubts:
        return Unclear(reading.doubts)
    listed = {"there twice": reading.duplicated, "repainted": reading.repainted, "changed as well": reading.changed}
    notes = {name: ", ".join(ids) for name, ids in listed.items() if ids}
    return Perceived(reading.scene, f"{what} that were compared with the answer", notes, reading.confidence)


PERCEPTIONS: Mapping[str, Perception] = {
    "render-and-compare": render_and_compare,
    "silhouette": silhouette,
    "oracle": oracle,
}
"""Name → perception."""
