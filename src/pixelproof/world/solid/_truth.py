"""Table rows of solid scenes and their things."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.pixels import bounding_box
from pixelproof.world.sets import BOX, ITEM, PART, box_cell

from ._poses import Floats
from ._scene import Camera, Scene, Thing

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
