"""Taking a clip: pictures, the truth of every frame, and what becomes of each thing over time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pixelproof.pixels import Box, bounding_box
from pixelproof.world.solid.render import LAYERS, Layers, Quality, render

from ._clip import SolidClip

"""Left, top, right and bottom in pixels, the last two excluded."""


@dataclass(frozen=True)
class Seen:
    """One thing in one frame."""

    frame: int
    box: Box | None
    """Around what is seen of it; None where nothing is."""
    amodal_box: Box | None
    """Around all of it that is in the picture, hidden or not."""
    pixels: int
    visible: float
    """Share of its pixels in which it is seen."""


def render_clip(
    clip: SolidClip,
    width: int = 512,
    height: int | None = None,
    quality: Quality = "draft",
    *,
    layers: Collection[str] = LAYERS,
) -> Iterator[Layers]:
    """The frames of a clip one by one, as `render` takes them; ids mean the same thing in all of them."""
    for scene in clip.scenes():
        yield render(scene, width, height, quality, layers=layers)


def tracks(clip: SolidClip, frames: Sequence[Layers]) -> dict[str, tuple[Seen, ...]]:
    """For each thing that can move, what is seen of it in each frame, from layers with ids, amodal and visible."""
    return {
        thing.id: tuple(_seen(number, layers, place) for number, layers in enumerate(frames))
        for place, thing in enumerate(clip.scene.things)
        if not thing.fixed
    }


def _seen(frame: int, layers: Layers, place: int) -> Seen:
    mask = layers.ids == place + 1
    boxes = bounding_box(mask), bounding_box(layers.amodal[place])
    return Seen(frame, *boxes, int(mask.sum()), float(layers.visible[place]))
