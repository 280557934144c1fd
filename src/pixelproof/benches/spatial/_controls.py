"""Controls: answers that show a known scene, and one that only moves pixels.

The trace of such an answer says which control gave it. The scorer does not believe that: it makes the control's picture
again and compares the pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.contract import Answer, Artefact, Control, Failure, Fault, Item
from pixelproof.pixels import ImageChannel, encode_png, read_image

if TYPE_CHECKING:
    from pixelproof.world.pairs import Pair

Pixels = npt.NDArray[np.uint8]
CHANNEL = ImageChannel(0.0, 90)
"""What even a perfect editor's photograph goes through: JPEG, quality 90."""
NOT_APPLICABLE = "not-applicable"
GREY = 128
_IN_2D = "perfect-2d"
"""The control whose image is no render of a scene."""
CONTROLS = {
    "floor-copy": "The photograph, unchanged.",
    "floor-blank": "A grey image.",
    "floor-prior": "A plausible edit of the scene that does not depend on the instruction.",
    "ceiling-truth": "The edit as asked for, rendered.",
    "ceiling-channel": f"The same as JPEG, quality {CHANNEL.quality}.",
    "wrong-direction": "The edit in the opposite direction.",
    "wrong-object": "The edit of another thing.",
    "over-edit": "The edit as asked for; another thing is moved and recoloured, too.",
    "camera-nudge": "The camera is nudged instead.",
    "perfect-2d": "The edit as well as moving pixels can do it: right place and size, no turn, no new light.",
}
"""Control → what it shows."""


def control_picture(pair: Pair, name: str, renderer: SceneRenderer) -> Pixels | None:
    """The picture that a control shows; None if the control does not apply to the pair."""
    from pixelproof.benches.spatial._executed import executed

    if name == "floor-blank":
        return np.full((renderer.size, renderer.size, 3), GREY, np.uint8)
    if name == _IN_2D:
        from pixelproof.benches.spatial._executed import edit_in_2d

        return edit_in_2d(pair, renderer)
    scene = executed(pair, name)
    if scene is None:
        return None
    rgb = renderer.render(scene, keep=scene is pair.before or scene is pair.after).rgb
    return read_image(CHANNEL.send(rgb)) if name == "ceiling-channel" else rgb


def make_controls(answer_of: Callable[[Item, str], Answer]) -> Mapping[str, Control]:
    """The controls.

    Args:
        answer_of: From an item and the name of a control to its answer.
    """

    def control_of(name: str) -> Control:
        def control(item: Item, rng: np.random.Generator) -> Answer:
            return answer_of(item, name)

        control.__doc__ = CONTROLS[name]
        return control

    return {name: control_of(name) for name in CONTROLS}


def scene_answer(pair: Pair, name: str, renderer: SceneRenderer) -> Answer:
    """The answer of a control to a pair, with the scene that it shows in the trace."""
    picture = control_picture(pair, name, renderer)
    if picture is None:
        detail = f"{name} does not apply to this edit ({pair.operation})."
        return Answer(failure=Failure(Fault.INSTRUMENT, NOT_APPLICABLE, detail))
    return Answer(images=(_encoded(name, picture, pair, renderer),), trace=(control_trace(name, pair),))


def _encoded(name: str, picture: Pixels, pair: Pair, renderer: SceneRenderer) -> Artefact:
    if name != "ceiling-channel":
        return encode_png(picture)
    return CHANNEL.send(renderer.render(pair.after, keep=True).rgb)


def control_trace(name: str, pair: Pair) -> dict[str, str]:
    """The entry of the trace that says which control answered, with the scene that it shows, if it is one."""
    from pixelproof.benches.spatial._executed import NAMES, executed

    scene = executed(pair, name) if name in NAMES else None
    return {"control": name, "scene": "" if scene is None else scene.to_json()}
