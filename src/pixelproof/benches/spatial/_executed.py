"""The scenes that controls show (the edit as asked, another one, or none), and the control `perfect-2d`.

It is the best that moving pixels can do, with the truth at hand. Named things appear in the right place and size of the
image, with the right things before them, and what they uncover is what is really there. They are not turned, their
perspective and shading do not change, and neither do shadows. A change of the camera is the homography of the level on
which things stand, so the things themselves tilt wrongly.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.ndimage import binary_dilation, gaussian_filter

from pixelproof.benches.spatial.pictures import named_things
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.benches.spatial.scores import turn_error
from pixelproof.stats import generator
from pixelproof.store import digest
from pixelproof.world.edits import Edit, apply, load_of, pivot, without
from pixelproof.world.language import propose_outcome, view_of
from pixelproof.world.pairs import Pair
from pixelproof.world.solid import COLOURS, Camera, Scene, Thing, rotation_matrix, yaw
from pixelproof.world.solid.render import render

_ALMOST = 1 - 1e-9
"""Share that carries out the whole edit, but without a check of rules."""
_NUDGE, _NUDGE_DEG = 0.03, 1.5
"""Metres and degrees by which the camera is nudged."""
_OVER = 0.04
"""Metres by which an edit that does too much moves another thing."""


def copied(pair: Pair) -> Scene:
    """The scene before the edit."""
    return pair.before


def emptied(pair: Pair) -> Scene:
    """Surroundings without any thing."""
    return replace(pair.before, things=tuple(thing for thing in pair.before.things if thing.fixed))


def guessed(pair: Pair) -> Scene:
    """A plausible edit of any kind that does not depend on the instruction."""
    rng = _rng(pair, "guess")
    outcome = propose_outcome(pair.before, view_of(pair.before), rng)
    return pair.before if outcome is None or outcome.after is None else outcome.after


def edited(pair: Pair) -> Scene:
    """The edit as asked for; an impossible one leaves the scene as it is."""
    return pair.after


def reversed_edit(pair: Pair) -> Scene | None:
    """The edit in the opposite direction; None for edits without one, and for turns that end near each other."""
    if any(edit.action == "turn" and _ends_nearer(pair.before.thing(edit.target), edit.amount) for edit in pair.steps):
        return None
    return _carried_out(pair, lambda edit: edit, -1.0)


def _ends_nearer(thing: Thing, degrees: float) -> bool:
    """Whether a turn in the opposite direction looks more like the right one than no turn, as with 180°.

    Between a turn and its opposite lies twice the angle, modulo the symmetry of the thing.
    """
    start, end, other = (rotation_matrix(yaw(angle)) for angle in (0.0, degrees, -degrees))
    return turn_error(end, other, thing.symmetry) < turn_error(end, start, thing.symmetry) - 0.1


def other_object(pair: Pair) -> Scene | None:
    """The edit of another thing than the named one; None for edits of the camera."""
    other = _bystander(pair)
    if other is None:
        return None
    return _carried_out(pair, lambda edit: replace(edit, target=other.id) if edit.target else None, _ALMOST)


def overdone(pair: Pair) -> Scene | None:
    """The edit as asked for; besides, another thing is moved, and recoloured if its category has several colours."""
    other = _bystander(pair)
    if other is None or not pair.possible or all(thing.id != other.id for thing in pair.after.things):
        return None
    x, y, z = other.position
    colour = _most_different(other.colour) if other.colour else ""
    return pair.after.with_thing(replace(other, position=(x + _OVER, y, z), colour=colour))


def nudged(pair: Pair) -> Scene:
    """The scene before the edit from a camera that is nudged; across the direction of an edit of the camera."""
    ways = {edit.way for edit in pair.steps if "camera" in edit.action}
    way = "up" if ways & {"left", "right"} else "left"
    moved = apply(pair.before, Edit("move camera", way=way, amount=_NUDGE), _ALMOST).after
    assert moved is not None, "shares are not refused"
    turned = apply(moved, Edit("turn camera", way=way, amount=_NUDGE_DEG), _ALMOST).after
    assert turned is not None, "shares are not refused"
    return turned


_EXECUTED: Mapping[str, Callable[[Pair], Scene | None]] = {
    "floor-copy": copied,
    "floor-blank": emptied,
    "floor-prior": guessed,
    "ceiling-truth": edited,
    "ceiling-channel": edited,
    "wrong-direction": reversed_edit,
    "wrong-object": other_object,
    "over-edit": overdone,
    "camera-nudge": nudged,
}
"""Control → the scene that it shows; None if it does not apply to a pair."""
NAMES = frozenset(_EXECUTED)
_memory: OrderedDict[str, Scene | None] = OrderedDict()
_KEPT = 32


def executed(pair: Pair, control: str) -> Scene | None:
    """The scene that a control shows; None if the control does not apply to the pair. The last ones are kept."""
    key = digest([pair, control])
    if key not in _memory:
        _memory[key] = _EXECUTED[control](pair)
        while len(_memory) > _KEPT:
            _memory.popitem(last=False)
    return _memory[key]


def _rng(pair: Pair, purpose: str) -> np.random.Generator:
    return generator(int(digest(pair.before)[:8], 16), f"spatial/{purpose}")


def _carried_out(pair: Pair, change: Callable[[Edit], Edit | None], share: float) -> Scene | None:
    """The scene after shares of changed edits, one after the other; None if one of them cannot be carried out."""
    scene = pair.before
    if not pair.possible:
        return None
    for edit in pair.steps:
        other = change(edit)
        if other is None:
            return None
        if edit.action in ("remove", "insert"):
            if share < 0 or edit.action == "insert":
                return None
            scene = _without(scene, other.target)
            continue
        outcome = apply(scene, other, share)
        if outcome.after is None:
            return None
        scene = outcome.after
    return scene


def _without(scene: Scene, id: str) -> Scene:
    things = (replace(one, support=None) if one.support == id else one for one in scene.things)
    return replace(scene, things=tuple(things)).without(id)


def _bystander(pair: Pair) -> Thing | None:
    """A thing that is not named and carries nothing, most like the named one: same category, then nearest."""
    named = {id for edit in pair.steps for id in (edit.target, edit.anchor)}
    named |= named_things(pair.before, pair.after)
    carriers = {thing.support for thing in pair.before.things}
    free = [one for one in pair.before.movable if one.id not in named and one.id not in carriers]
    if not free:
        return None
    target = next((one for one in pair.before.things if one.id in {edit.target for edit in pair.steps}), free[0])
    return min(
        free, key=lambda one: (one.category != target.category, float(np.linalg.norm(pivot(one) - pivot(target))))
    )


def _most_different(colour: str) -> str:
    """The colour word whose colour is farthest from that of another."""
    own = np.array(COLOURS.get(colour, (128, 128, 128)), np.float64)
    return max(COLOURS, key=lambda name: float(np.linalg.norm(np.array(COLOURS[name], np.float64) - own)))


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
