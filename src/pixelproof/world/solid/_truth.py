"""Truth of solid scenes: table rows, and a contact sheet of all layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from PIL import Image, ImageDraw

from pixelproof.pixels import bounding_box
from pixelproof.world.sets import BOX, ITEM, PART, box_cell
from pixelproof.world.sheets import Pixels, hue, outline, picture_sheet, ramp, write_labels

from ._poses import Floats
from ._scene import Camera, Scene, Thing

if TYPE_CHECKING:
    from .render import Layers

_MOST_THINGS = 2**16  # ids are uint16, so no scene has more
VECTOR = pa.list_(pa.float64())

SCENES = pa.schema(
    [
        *ITEM,
        ("split", pa.string()),
        ("intrinsics", VECTOR),
        ("camera_position", VECTOR),
        ("camera_rotation", VECTOR),
    ]
)
THINGS = pa.schema(
    [
        *PART,
        ("category", pa.string()),
        ("colour", pa.string()),
        ("material", pa.string()),
        ("text", pa.string()),
        ("fixed", pa.bool_()),
        ("support", pa.string()),
        ("symmetry", pa.string()),
        ("scale", pa.float64()),
        ("size", VECTOR),
        ("position", VECTOR),
        ("rotation", VECTOR),
        ("corners", VECTOR),
        ("corners_px", VECTOR),
        ("pixels", pa.int32()),
        ("amodal_pixels", pa.int32()),
        ("visible", pa.float64()),
        ("box", BOX),
        ("amodal_box", BOX),
    ]
)


def box_corners(thing: Thing) -> Floats:
    """The eight corners of a thing's oriented bounding box in the world, (8, 3).

    Corner k is at the high end of x if k has bit 1, of y if it has bit 2, of z if it has bit 4.

    >>> cube = Thing("a", "block", "red", "wooden", (2.0, 2.0, 2.0), (0.0, 0.0, 5.0))
    >>> box_corners(cube)[[0, 7]].tolist()
    [[-1.0, -1.0, 5.0], [1.0, 1.0, 7.0]]
    """
    ends = np.array([[(k >> axis) & 1 for axis in range(3)] for k in range(8)]) - (0.5, 0.5, 0.0)
    own = ends * np.divide(thing.size, thing.scale)
    return own @ thing.matrix[:3, :3].T + thing.matrix[:3, 3]


def projected_corners(thing: Thing, camera: Camera, width: int, height: int) -> Floats | None:
    """Image coordinates and depth of these corners, (8, 3); None if some are behind the camera."""
    seen = camera.project(box_corners(thing), width, height)
    return seen if (seen[:, 2] > 0).all() else None


def scene_row(scene: Scene, width: int, height: int) -> dict[str, Any]:
    """The row of a scene, without its id and file information."""
    return {
        "order": scene.index,
        "kind": scene.kind,
        "seed": scene.seed,
        "index": scene.index,
        "things": len(scene.movable),
        "width": width,
        "height": height,
        **camera_cells(scene.camera, width, height),
    }


def camera_cells(camera: Camera, width: int, height: int) -> dict[str, list[float]]:
    """The columns of a camera."""
    return {
        "intrinsics": camera.intrinsics(width, height).ravel().tolist(),
        "camera_position": list(camera.position),
        "camera_rotation": list(camera.rotation),
    }


def thing_rows(
    id: str, scene: Scene, ids: npt.NDArray[np.uint16], amodal: npt.NDArray[np.bool_], place: int | None = None
) -> list[dict[str, Any]]:
    """The rows of all things of a scene, including fixed ones, which have no amodal mask.

    `place` sorts the scene among others; its index unless given.
    """
    (height, width), first = ids.shape, (scene.index if place is None else place) * _MOST_THINGS
    return [
        {"order": first + number, "scene": id, "index": scene.index, "number": number}
        | _properties(thing, scene.camera, width, height)
        | _visibility(ids == number, None if thing.fixed else amodal[number - 1])
        for number, thing in enumerate(scene.things, 1)
    ]


def _properties(thing: Thing, camera: Camera, width: int, height: int) -> dict[str, Any]:
    seen = projected_corners(thing, camera, width, height)
    return {
        "thing": thing.id,
        "category": thing.category,
        "colour": thing.colour,
        "material": thing.material,
        "text": thing.text,
        "fixed": thing.fixed,
        "support": thing.support,
        "symmetry": thing.symmetry,
        "scale": thing.scale,
        "size": list(thing.size),
        "position": list(thing.position),
        "rotation": list(thing.rotation),
        "corners": box_corners(thing).ravel().tolist(),
        "corners_px": None if seen is None else seen.ravel().tolist(),
    }


def _visibility(mask: npt.NDArray[np.bool_], amodal_mask: npt.NDArray[np.bool_] | None) -> dict[str, Any]:
    pixels = int(np.count_nonzero(mask))
    whole = None if amodal_mask is None else int(np.count_nonzero(amodal_mask))
    return {
        "pixels": pixels,
        "amodal_pixels": whole,
        "visible": pixels / whole if whole else None,
        "box": box_cell(bounding_box(mask)),
        "amodal_box": None if amodal_mask is None else box_cell(bounding_box(amodal_mask)),
    }


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
