"""A contact sheet of all layers of a solid scene: RGB, depth, normals, ids, amodal outlines, 3-D boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from pixelproof.world.sheets import Pixels, hue, outline, picture_sheet, ramp, write_labels

from ._scene import Scene, Thing
from ._truth import projected_corners

if TYPE_CHECKING:
    from .render import Layers

_EDGES = [(a, a | bit) for bit in (1, 2, 4) for a in range(8) if not a & bit]


def truth_sheet(scene: Scene, layers: Layers) -> Pixels:
    """All layers of a scene: picture, depth, normals, ids with names, amodal outlines with shares seen, and boxes."""
    panels = {
        "Picture": layers.rgb,
        "Depth in metres": depth_picture(layers.depth),
        "Normals": normals_picture(layers.normals),
        "Things": ids_picture(scene, layers.ids),
        "Amodal outlines, share seen": amodal_picture(scene, layers),
        "3-D boxes, front in blue": boxes_picture(scene, layers),
    }
    return picture_sheet(list(panels.values()), list(panels), columns=3)


def depth_picture(depth: npt.NDArray[np.float32]) -> Pixels:
    """Depth in colours, with a scale; grey where there is nothing.

    Colours go by nearness (one over depth), as parallax does, so things stand out before a far wall.
    """
    there = np.isfinite(depth)
    ends = (float(depth[there].min()), float(depth[there].max())) if there.any() else (1.0, 2.0)
    nearest, farthest = 1 / ends[0], min(1 / ends[1], 1 / ends[0] - 1e-6)
    shown = ramp((nearest - 1 / np.where(there, depth, 1.0)) / (nearest - farthest))
    shown[~there] = 128
    picture = Image.fromarray(shown)
    _draw_scale(picture, nearest, farthest)
    return np.asarray(picture)


def _draw_scale(picture: Image.Image, nearest: float, farthest: float) -> None:
    """A bar of the colours on the right edge, with the metres at five places."""
    width, height = picture.size
    bar, top, bottom = max(4, width // 32), round(0.08 * height), round(0.92 * height)
    left = width - 2 * bar
    colours = np.repeat(ramp(np.linspace(0.0, 1.0, max(bottom - top, 1)))[:, None], bar, axis=1)
    picture.paste(Image.fromarray(colours), (left, top))
    ImageDraw.Draw(picture).rectangle((left - 1, top - 1, left + bar, bottom), outline="white")
    labels = [
        ((left - 2.2 * bar, top + mark * (bottom - top)), f"{1 / (nearest + mark * (farthest - nearest)):.2f}")
        for mark in np.linspace(0.0, 1.0, 5).tolist()
    ]
    write_labels(picture, labels, height / 30)


def normals_picture(normals: npt.NDArray[np.float32]) -> Pixels:
    """Normals as colours: the way that most programs show them, with y up and z to the viewer."""
    towards = normals * np.array([1.0, -1.0, -1.0], np.float32)
    shown: Pixels = np.clip((towards + 1.0) * 127.5, 0, 255).round().astype(np.uint8)
    shown[~normals.any(axis=-1)] = 128
    return shown


def ids_picture(scene: Scene, ids: npt.NDArray[np.uint16]) -> Pixels:
    """Each thing in a colour of its own with its name; fixed ones in greys."""
    colours = [(255, 255, 255)]
    for number, thing in enumerate(scene.things, 1):
        colours.append((96 + 24 * (number % 5),) * 3 if thing.fixed else hue(number))
    picture = Image.fromarray(np.array(colours, dtype=np.uint8)[np.minimum(ids, len(scene.things))])
    labels = [(_middle(ids == number), _name(thing)) for number, thing in _seen(scene, ids)]
    write_labels(picture, labels, ids.shape[0] / 30)
    return np.asarray(picture)


def amodal_picture(scene: Scene, layers: Layers) -> Pixels:
    """The faded picture, with the outline of what each thing would cover alone, and the share of it that is seen."""
    faded = (layers.rgb * 0.45 + 140).astype(np.uint8)
    thickness = max(1, layers.ids.shape[0] // 200)
    for number, thing in enumerate(scene.things, 1):
        if not thing.fixed:
            faded[outline(layers.amodal[number - 1], thickness)] = hue(number)
    picture = Image.fromarray(faded)
    labels = [
        (_middle(layers.amodal[number - 1]), f"{layers.visible[number - 1]:.0%}")
        for number, thing in enumerate(scene.things, 1)
        if not thing.fixed and layers.amodal[number - 1].any()
    ]
    write_labels(picture, labels, layers.ids.shape[0] / 26)
    return np.asarray(picture)


def boxes_picture(scene: Scene, layers: Layers) -> Pixels:
    """The picture with the box of each movable thing that is seen."""
    picture = Image.fromarray(layers.rgb)
    draw = ImageDraw.Draw(picture)
    width, height = picture.size
    line = max(1, height // 256)
    for number, thing in _seen(scene, layers.ids):
        corners = projected_corners(thing, scene.camera, width, height)
        if thing.fixed or corners is None:
            continue
        for a, b in _EDGES:
            front = thing.front is not None and not (a | b) & 2  # the side of low y
            colour = (40, 90, 255) if front else hue(number)
            draw.line([tuple(corners[a, :2]), tuple(corners[b, :2])], fill=colour, width=line + front)
    return np.asarray(picture)


def _seen(scene: Scene, ids: npt.NDArray[np.uint16]) -> list[tuple[int, Thing]]:
    counts = np.bincount(ids.ravel(), minlength=len(scene.things) + 1)
    return [(number, thing) for number, thing in enumerate(scene.things, 1) if counts[number]]


def _name(thing: Thing) -> str:
    return thing.category.replace("_", " ")


def _middle(mask: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The spot of a mask that is farthest from its edge: of a ring, the middle is not in it."""
    from scipy.ndimage import distance_transform_edt

    inside = distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]
    y, x = np.unravel_index(int(np.argmax(inside)), mask.shape)
    return float(x), float(y)
