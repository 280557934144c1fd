"""Files of solid scenes, and checks of stored ones: rules, and consistency of the layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pixelproof.world.sets import PRECISION, Arrays, Finding, Problem

from ._scene import Scene
from ._truth import projected_corners

if TYPE_CHECKING:
    from .render import Layers

_NAMES = ("rgb", "depth", "normals", "ids", "amodal", "visible")


def layers_of(arrays: Mapping[str, npt.NDArray[Any]]) -> Layers:
    """Stored arrays as `Layers`; layers that were not stored are empty."""
    from .render import Layers

    empty: Arrays = {name: np.zeros(0, PRECISION[name]) for name in _NAMES}
    layers = empty | dict(arrays)
    return Layers(**{name: layers[name] for name in _NAMES} | {"normals": layers["normals"].astype(np.float32)})


def read_scene(path: Path) -> Scene:
    """Read the JSON file of a scene.

    Raises:
        PixelProofError: It cannot be read, or is not a scene; the message says where it is wrong.
    """
    return Scene.load(path)


def write_scene(path: Path, scene: Scene) -> None:
    """Write a scene to a JSON file that `read_scene` reads back to an equal one."""
    scene.save(path)


_SLACK = 0.01
"""Tolerance in pixels between a mask and its projected box: vertices are single precision."""
_UNIT = 2e-3
"""Tolerance of the length of a stored normal: float16 has eleven bits."""


def check_scene(scene: Scene, name: str = "", occlusion: float = 1.0) -> list[Problem]:
    """Check the rules of a scene, for an occlusion level."""
    return [Problem(name, *wrong) for wrong in broken_rules(scene, occlusion)]


def broken_rules(scene: Scene, occlusion: float) -> Iterator[Finding]:
    """Findings for the rules that a scene violates."""
    from ._rules import violations

    return ((found.rule, found.thing, found.message) for found in violations(scene, occlusion))


def check_layers(scene: Scene, arrays: Arrays, size: tuple[int, int]) -> Iterator[Finding]:
    """Check layers by themselves and against each other.

    Args:
        scene: The scene.
        arrays: Stored layers, all or some.
        size: Expected height and width.
    """
    count = len(scene.things)
    shapes = {"rgb": (*size, 3), "depth": size, "normals": (*size, 3), "ids": size, "amodal": (count, *size)}
    wrong = [name for name, array in arrays.items() if array.shape != shapes.get(name, (count,))]
    for name in wrong:
        yield "size", "", f"{name} has shape {arrays[name].shape} instead of {shapes.get(name, (count,))}"
    if wrong:
        return
    ids = arrays.get("ids")
    if ids is not None:
        if ids.max(initial=0) > count:
            yield "ids", "", f"id {ids.max()} occurs, but there are {count} things"
        yield from _check_surfaces(ids > 0, arrays)
    if "amodal" in arrays:
        yield from _check_masks(scene, arrays)


def _check_surfaces(something: npt.NDArray[np.bool_], arrays: Arrays) -> Iterator[Finding]:
    if "depth" in arrays:
        depth = arrays["depth"]
        if not (np.isfinite(depth[something]).all() and (depth[something] > 0).all()):
            yield "depth", "", "there is a thing without a finite depth"
        if not np.isposinf(depth[~something]).all():
            yield "depth", "", "there is a finite depth where there is no thing"
    if "normals" in arrays:
        length = np.linalg.norm(arrays["normals"].astype(np.float32), axis=-1)
        if not (np.abs(length[something] - 1) < _UNIT).all() or length[~something].any():
            yield "normals", "", "some normals are not of length one on things and zero elsewhere"


def _check_masks(scene: Scene, arrays: Arrays) -> Iterator[Finding]:
    ids, visible = arrays.get("ids"), arrays.get("visible")
    for number, (thing, mask) in enumerate(zip(scene.things, arrays["amodal"], strict=True), 1):
        if thing.fixed:
            if mask.any():
                yield "amodal", thing.id, "a fixed thing has an amodal mask"
            continue
        if ids is not None:
            seen = ids == number
            if (seen & ~mask).any():
                yield "amodal", thing.id, f"{(seen & ~mask).sum()} visible pixels are outside its amodal mask"
            share = seen.sum() / max(mask.sum(), 1)
            if visible is not None and abs(visible[number - 1] - share) > 1e-6:
                yield "visible", thing.id, f"{visible[number - 1]:.4f} is stored, but {share:.4f} is visible"
        outside = _outside_box(mask, projected_corners(thing, scene.camera, *mask.shape[::-1]))
        if outside:
            yield "box", thing.id, f"{outside} pixels of its mask are outside its projected box"


def _outside_box(mask: npt.NDArray[np.bool_], corners: npt.NDArray[np.float64] | None) -> int:
    """Number of mask pixels outside the convex hull of projected corners; 0 if a corner is behind the camera."""
    from scipy.spatial import ConvexHull

    if corners is None or not mask.any():
        return 0
    points = np.argwhere(mask)[:, ::-1] + 0.5
    planes = ConvexHull(corners[:, :2], qhull_options="QJ").equations  # QJ also handles a flat box seen edge-on
    return int((points @ planes[:, :2].T + planes[:, 2] > _SLACK).any(axis=1).sum())
