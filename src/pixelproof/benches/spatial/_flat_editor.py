"""The best that moving pixels can do, with the truth at hand: control `perfect-2d`.

Named things appear in the right place and size of the image, with the right things before them, and what they uncover
is what is really there. They are not turned, their perspective and shading do not change, and neither do shadows. A
change of the camera is the homography of the level on which things stand, so the things themselves tilt wrongly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.ndimage import binary_dilation, gaussian_filter

from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.world.edits import load_of, pivot, without
from pixelproof.world.pairs import Pair
from pixelproof.world.solid import Camera, Scene, Thing, rotation_matrix
from pixelproof.world.solid.render import render

Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_SOFT = 0.7
"""Standard deviation in pixels of the soft edge of a cut-out."""
_RIM = 2
"""Width in pixels of the rim around a thing whose colours are mixed with its own."""


def edit_in_2d(pair: Pair, renderer: SceneRenderer) -> Pixels:
    """The photograph with the edit done as well as moving pixels can."""
    before = pair.before
    after = replace(pair.after, camera=before.camera)
    picture = np.array(renderer.render(before, keep=True).rgb)
    named = [id for id in pair.named if _find(before, id) != _find(after, id)]
    if named:
        picture = _moved(picture, before, after, named, renderer)
    if pair.after.camera != before.camera:
        picture = _seen_from(picture, pair, renderer)
    return picture


def _moved(picture: Pixels, before: Scene, after: Scene, named: list[str], renderer: SceneRenderer) -> Pixels:
    empty = before
    for id in named:
        empty = without(empty, id) if _find(empty, id) else empty
    start, plate, end = (renderer.render(scene) for scene in (before, empty, after))
    masks = {id: _shows(before, start.ids, id) for id in named}
    uncovered = binary_dilation(np.any(list(masks.values()), axis=0), iterations=_RIM)
    edited = np.where(uncovered[..., None], plate.rgb, picture)
    for id in sorted(named, key=lambda id: -_depth(after, id)):  # the nearest last
        one, other = _find(before, id), _find(after, id)
        if other is None:
            continue
        visible = _shows(after, end.ids, id)
        if one is None:
            edited = _blend(edited, end.rgb, gaussian_filter(visible.astype(np.float64), _SOFT))
            continue
        hidden = (_alone(after, id, renderer.size) & ~visible) | _nearer(after, end.ids, id)
        rgb, alpha = _pasted(picture, masks[id], one, other, before.camera)
        edited = _blend(edited, rgb, np.where(hidden, 0.0, alpha))
    return edited


def _find(scene: Scene, id: str) -> Thing | None:
    return next((thing for thing in scene.things if thing.id == id), None)


def _depth(scene: Scene, id: str) -> float:
    thing = _find(scene, id)
    return float(scene.camera.project([thing.centre], 1, 1)[0, 2]) if thing else 0.0


def _shows(scene: Scene, ids: npt.NDArray[np.uint16], id: str) -> Mask:
    """Visible pixels of a thing and of what stands on it."""
    group = {id, *load_of(scene, id)}
    return np.isin(ids, [number for number, thing in enumerate(scene.things, 1) if thing.id in group])


def _nearer(scene: Scene, ids: npt.NDArray[np.uint16], id: str) -> Mask:
    """Pixels of other things that can be moved and are nearer to the camera than a thing."""
    own, limit = {id, *load_of(scene, id)}, _depth(scene, id)
    others = [thing for thing in scene.movable if thing.id not in own and _depth(scene, thing.id) < limit]
    return np.isin(ids, [number for number, thing in enumerate(scene.things, 1) if thing in others])


def _alone(scene: Scene, id: str, size: int) -> Mask:
    """Pixels that a thing and what stands on it would cover if nothing were before them."""
    group = {id, *load_of(scene, id)}
    only = replace(scene, things=tuple(replace(one, support=None) for one in scene.things if one.id in group))
    return np.asarray(render(only, size, quality="draft", layers=("ids",)).ids > 0)


def _pasted(picture: Pixels, mask: Mask, one: Thing, other: Thing, camera: Camera) -> tuple[Pixels, Floats]:
    """A thing's pixels in the place and size of another pose, and how much they cover."""
    size = len(picture)
    (x0, y0, near), (x1, y1, far) = camera.project([one.centre, other.centre], size, size)
    factor = other.scale / one.scale * near / far
    inverse = (1 / factor, 0.0, x0 - x1 / factor, 0.0, 1 / factor, y0 - y1 / factor)
    soft = gaussian_filter(mask.astype(np.float32), _SOFT)
    rgb, alpha = (
        Image.fromarray(array).transform((size, size), Image.Transform.AFFINE, inverse, how)
        for array, how in ((picture, Image.Resampling.BICUBIC), (soft, Image.Resampling.BILINEAR))
    )
    return np.asarray(rgb), np.clip(np.asarray(alpha, np.float64), 0, 1)


def _blend(below: Pixels, above: Pixels, alpha: Floats) -> Pixels:
    share = alpha[..., None]
    return np.asarray(np.rint(below * (1 - share) + above * share), np.uint8)


def _seen_from(picture: Pixels, pair: Pair, renderer: SceneRenderer) -> Pixels:
    """The picture from the camera after the edit, as if everything lay in one plane; the rest is as it really is."""
    size = renderer.size
    old, new = pair.before.camera, pair.after.camera
    level = float(np.median([pivot(thing)[2] for thing in pair.before.movable] or [0.0]))
    turn = _homography(new, old, level, size)
    flat = (turn / turn[2, 2]).ravel()[:8].tolist()
    warped, shown = (
        np.asarray(Image.fromarray(array).transform((size, size), Image.Transform.PERSPECTIVE, flat, how))
        for array, how in (
            (picture, Image.Resampling.BICUBIC),
            (np.full((size, size), 255, np.uint8), Image.Resampling.NEAREST),
        )
    )
    return np.where(shown[..., None] > 0, warped, renderer.render(pair.after, keep=True).rgb)


def _homography(start: Camera, end: Camera, level: float, size: int) -> Floats:
    """Matrix from image points of one camera to those of another, of points at a height."""

    def from_plane(camera: Camera) -> Floats:
        turn = rotation_matrix(camera.rotation).T
        origin = turn @ (np.array([0.0, 0.0, level]) - camera.position)
        return np.asarray(camera.intrinsics(size, size) @ np.column_stack([turn[:, 0], turn[:, 1], origin]))

    return np.asarray(from_plane(end) @ np.linalg.inv(from_plane(start)))
