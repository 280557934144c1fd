"""Rendered clips: truth of every frame and tracks of things, and their files, among them an animated WebP."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Box, bounding_box
from pixelproof.store import replacing, write_json
from pixelproof.world._limits import require_number, require_whole
from pixelproof.world.sets import encode_files, encode_webp, stored_arrays
from pixelproof.world.sheets import contact_sheet
from pixelproof.world.solid.render import LAYERS, Layers, Quality, render

from ._clip import SolidClip


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


Pixels = npt.NDArray[np.uint8]


def write_webp(path: Path, pictures: Sequence[Pixels], fps: float = 12.0, *, quality: int = 85) -> None:
    """Write images of one size as an animated WebP that loops.

    Args:
        path: Output file.
        pictures: (h, w, 3) each.
        fps: Frame rate for playback.
        quality: From 0 to 100; 100 is lossless.

    Raises:
        PixelProofError: There is no image, sizes differ, or the file cannot be written.
    """
    if not pictures or len({picture.shape for picture in pictures}) > 1:
        raise PixelProofError("An animation needs at least one image, and all of one size.")
    require_number("frame rate of a clip", fps, 0.1, 240)
    require_whole("percent of quality", quality, 0, 100)
    lossless = quality == 100
    # Without these two options, equal consecutive frames would become one frame of twice the duration.
    separate = {"allow_mixed": False, "kmax": 1 if lossless else 9}
    with replacing(path) as temporary:
        temporary.write_bytes(encode_webp(pictures, fps, quality=quality, lossless=lossless, method=4, **separate))


def write_clip(folder: Path, clip: SolidClip, frames: Sequence[Layers]) -> None:
    """Write a clip: clip.json, clip.webp, tracks.json, and for each frame 000003.json, .png and .npz.

    Raises:
        PixelProofError: There are more or fewer layers than frames, or the folder cannot be written.
    """
    if len(frames) != clip.frames:
        raise PixelProofError(f"The clip has {clip.frames} frames, but {len(frames)} were rendered: render all.")
    for number, (scene, layers) in enumerate(zip(clip.scenes(), frames, strict=True)):
        names = [name for name in ("rgb", "depth", "normals", "ids", "amodal", "visible") if getattr(layers, name).size]
        for suffix, data in encode_files(scene.to_json(), stored_arrays(layers, names)).items():
            with replacing(folder / f"{number:06}{suffix}", sync=False) as temporary:
                temporary.write_bytes(data)
    write_webp(folder / "clip.webp", [layers.rgb for layers in frames], clip.fps)
    write_json(folder / "tracks.json", tracks(clip, frames))
    clip.save(folder / "clip.json")  # last, so that a folder with this file is complete


def read_clip(path: Path) -> SolidClip:
    """Read clip.json, or the folder that has it.

    Raises:
        PixelProofError: It cannot be read, or is no clip.
    """
    return SolidClip.load(path / "clip.json" if path.is_dir() else path)


def clip_sheet(frames: Sequence[Layers], count: int = 8) -> Pixels:
    """A contact sheet of evenly spaced frames."""
    return contact_sheet([layers.rgb for layers in frames], count)
