"""Problems of a carried-out edit, computed from the poses before and after alone; nothing is shared with `apply`.

Quaternions, frames and projections are computed here. Physics lets the scene settle again from its own poses.
"""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._settle import settle
from pixelproof.world.solid.shapes import shape_of

SIDE = {"left": -1, "right": 1}
DEEP = {"closer": -1, "front": -1, "away": 1, "behind": 1, "forward": 1, "back": -1}
DRIFT, TILT = 0.002, 1.0


def product(p, q):
    (a, b, c, d), (e, f, g, h) = p, q
    return np.array([
        a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e,
    ])  # fmt: skip


def rotate(q, v):
    w, x, y, z = q
    return product(product(q, (0.0, *v)), (w, -x, -y, -z))[1:]


def angle(p, q):
    """Angle in degrees between two rotations."""
    w, *axis = product(np.multiply(p, (1, -1, -1, -1)), q)
    return math.degrees(2 * math.atan2(float(np.linalg.norm(axis)), abs(w)))


def middle(thing):
    return np.add(thing.position, rotate(thing.rotation, (0.0, 0.0, thing.size[2] / 2)))


def frame(camera):
    """The viewer's right and away along the ground."""
    ahead = rotate(camera.rotation, (0.0, 0.0, 1.0)) * (1, 1, 0)
    ahead /= np.linalg.norm(ahead)
    return np.array([ahead[1], -ahead[0], 0.0]), ahead


def heading(thing):
    """Direction along the ground that a thing faces, and its own left."""
    ahead = rotate(thing.rotation, thing.front) * (1, 1, 0)
    ahead /= np.linalg.norm(ahead)
    return ahead, np.array([-ahead[1], ahead[0], 0.0])


def way_of(before, edit):
    """Unit vector of a move or a place, in the frame of the edit."""
    if edit.frame == "object":
        ahead, left = heading(before.thing(edit.anchor or edit.target))
        return {"forward": ahead, "front": ahead, "back": -ahead, "behind": -ahead, "left": left, "right": -left}[
            edit.way
        ]
    right, ahead = frame(before.camera)
    up = {"up": 1, "down": -1}.get(edit.way, 0) * np.array([0.0, 0.0, 1.0])
    return SIDE.get(edit.way, 0) * right + DEEP.get(edit.way, 0) * ahead + up


def carried(scene, id):
    """A thing and everything whose chain of supports leads to it."""
    by, group = {thing.id: thing for thing in scene.things}, set()
    for thing in scene.things:
        chain = [thing.id]
        while by[chain[-1]].support:
            chain.append(by[chain[-1]].support)
        if id in chain:
            group.add(thing.id)
    return group


def vertices(thing):
    """Vertices of the visible surface of a thing."""
    own = np.concatenate([part.vertices for part in shape_of(thing).parts]) * thing.scale
    return own @ np.array([rotate(thing.rotation, axis) for axis in np.eye(3)]) + thing.position


def seen(scene, thing):
    """Share of the image box of a thing that is in a square image."""
    camera = scene.camera
    local = (vertices(thing) - camera.position) @ np.array([rotate(camera.rotation, axis) for axis in np.eye(3)]).T
    if local[:, 2].min() <= 0:
        return 0.0
    image = camera.focal * local[:, :2] / local[:, 2:] + 0.5
    low, high = image.min(axis=0), image.max(axis=0)
    return float(np.prod((np.clip(high, 0, 1) - np.clip(low, 0, 1)) / (high - low)))


def problems(outcome, share=1.0):
    """Everything that is wrong with an outcome: another transform than the edit's, or a scene that does not stand."""
    before, after, edit = outcome.before, outcome.after, outcome.edit
    named = set() if "camera" in edit.action else carried(before, edit.target)
    if edit.action == "swap":
        named |= carried(before, edit.anchor)
    yield from _bystanders(before, after, named, edit)
    yield from _camera(before.camera, after.camera, edit, share)
    if edit.action == "insert" and share == 1:
        yield from _inserted(before, after, edit)
    elif edit.target and edit.action not in ("remove", "insert"):
        yield from _target(before, after, edit, share)
        yield from _rigid(before, after, carried(before, edit.target), edit)
    if share == 1:
        yield from _standing(after)
        for thing in after.movable:
            was = seen(before, before.thing(thing.id)) if thing.id in {one.id for one in before.things} else 1.0
            if seen(after, thing) < 0.75 and seen(after, thing) < was - 1e-9:
                yield f"{thing.id} leaves the picture: {seen(after, thing):.2f}"


def _bystanders(before, after, named, edit):
    old, new = ({thing.id: thing for thing in scene.things} for scene in (before, after))
    gone = old.keys() - new.keys()
    added = {edit.target} if edit.action == "insert" and new.keys() - old.keys() else set()
    if gone != ({edit.target} if edit.action == "remove" else set()) or new.keys() - old.keys() != added:
        yield f"{gone} is gone, {new.keys() - old.keys()} is new"
    for id in new.keys() & old.keys() - named:
        if new[id] != old[id]:
            yield f"{id} changed, and is not named"
    if (before.lights, before.environment) != (after.lights, after.environment):
        yield "the light changed"


def _camera(one, other, edit, share):
    right, ahead = frame(one)
    want, turn = np.array(one.position), 0.0
    if edit.action == "move camera":
        up = {"up": 1, "down": -1}.get(edit.way, 0)
        step = SIDE.get(edit.way, 0) * right + DEEP.get(edit.way, 0) * ahead + up * np.array([0.0, 0.0, 1.0])
        want = want + share * edit.amount * step
    elif edit.action == "turn camera":
        turn = abs(share) * edit.amount
        gaze, now = (rotate(camera.rotation, (0.0, 0.0, 1.0)) for camera in (one, other))
        across = {"left": -right, "right": right, "up": (0, 0, 1.0), "down": (0, 0, -1.0)}[edit.way]
        if share and np.dot(now - gaze, across) * share <= 0:
            yield f"the camera does not turn {edit.way}"
        if abs(rotate(other.rotation, (1.0, 0.0, 0.0))[2] - rotate(one.rotation, (1.0, 0.0, 0.0))[2]) > 1e-9:
            yield "the camera rolls"
    if not np.allclose(other.position, want, atol=1e-9) or abs(angle(one.rotation, other.rotation) - turn) > 1e-4:
        yield f"the camera is at {other.position}, not {want}, or turned by another angle than {turn}"
    zoom = edit.amount ** (share if edit.way == "in" else -share) if edit.action == "zoom camera" else 1.0
    if abs(other.focal / one.focal - zoom) > 1e-9:
        yield f"the focal length changed by {other.focal / one.focal}, not {zoom}"


def _inserted(before, after, edit):
    new, anchor = after.thing(edit.target), before.thing(edit.anchor)
    apart = (middle(new) - middle(anchor))[:2]
    if not np.allclose(apart, (edit.amount * way_of(before, edit))[:2], atol=1e-9):
        yield f"inserted at {apart} from {edit.anchor}"
    same = ("category", "colour", "material", "form", "scale", "size", "text")
    if any(getattr(new, name) != getattr(edit.thing, name) for name in same):
        yield "another thing was inserted"
    if angle(new.rotation, edit.thing.rotation) > 1e-4:
        yield "the new thing is turned"


def _target(before, after, edit, share):
    old, new = before.thing(edit.target), after.thing(edit.target)
    shift, factor = middle(new) - middle(old), new.scale / old.scale
    hollow = edit.action == "put" and not before.thing(edit.anchor).fixed
    turned, grown = angle(old.rotation, new.rotation), np.divide(new.size, old.size)
    want = edit.amount**share if edit.action == "scale" else 1.0
    if not np.allclose([factor, *grown], want, rtol=1e-9):
        yield f"scaled by {factor} and {grown}, not {want}"
    degrees = abs(share) * edit.amount if edit.action == "turn" else 0.0
    if abs(turned - min(degrees % 360, 360 - degrees % 360)) > (12.0 if hollow else 1e-4):  # it may lean in a bowl
        yield f"turned by {turned}, not {degrees}"
    if edit.action == "turn" and 1 < turned < 179:
        sense = product(new.rotation, np.multiply(old.rotation, (1, -1, -1, -1)))
        if (sense[3] * sense[0] * share > 0) != (edit.way == "anticlockwise"):
            yield f"turned the other way than {edit.way}"
    level = way_of(before, edit) if edit.action in ("move", "place") else np.zeros(3)
    if edit.action == "move" and not np.allclose(shift, share * edit.amount * level, atol=1e-9):
        yield f"moved by {shift}, not {share * edit.amount} along {level}"
    if edit.action in ("turn", "scale") and np.abs(shift[:2]).max() > 1e-9:
        yield f"its centre moved by {shift[:2]}"
    if edit.action == "place" and share == 1:
        apart = middle(new) - middle(before.thing(edit.anchor))
        if not np.allclose(apart[:2], (edit.amount * level)[:2], atol=1e-9):
            yield f"placed at {apart[:2]} from the anchor"
    if edit.action == "swap" and share == 1:
        for one, other in ((edit.target, edit.anchor), (edit.anchor, edit.target)):
            if not np.allclose(middle(after.thing(one))[:2], middle(before.thing(other))[:2], atol=1e-9):
                yield f"{one} is not where {other} was"
            if after.thing(one).support != before.thing(other).support:
                yield f"{one} does not stand where {other} stood"
    if edit.action == "put" and share == 1:
        yield from _spot(before, new, edit)


def _spot(before, new, edit):
    anchor = before.thing(edit.anchor)
    if new.support != edit.anchor:
        yield f"it stands on {new.support}, not on {edit.anchor}"
    w, x, y, z = anchor.rotation
    local = rotate((w, -x, -y, -z), np.subtract(middle(new), anchor.position))
    if np.any(np.abs(local[:2]) > np.divide(anchor.size[:2], 2)):
        yield f"its centre is beside {edit.anchor}"
    right, ahead = frame(before.camera)
    offset = middle(new) - middle(anchor)
    sides = {"left": -right, "right": right, "front": -ahead, "back": ahead}
    for part in edit.way.split():
        if part in sides and offset @ sides[part] <= 0:
            yield f"it is not at the {edit.way} of {edit.anchor}"
    if edit.way == "middle" and np.any(np.abs(local[:2]) > np.multiply(anchor.size[:2], 0.2)):
        yield f"it is not in the middle of {edit.anchor}"


def _rigid(before, after, group, edit):
    """A thing and what it carries keep their distances, unless they are scaled."""
    ids = sorted(group)
    if edit.action == "scale":
        if len(ids) > 1:
            yield "a thing that carries another was scaled"
        return
    old, new = (np.array([middle(scene.thing(id)) for id in ids]) for scene in (before, after))
    gaps = [np.linalg.norm(at[:, None] - at[None], axis=-1) for at in (old, new)]
    if len(ids) > 1 and not np.allclose(gaps[0], gaps[1], atol=1e-9):
        yield "a thing and what it carries did not go together"


def _standing(after):
    rested = settle(after.things)
    if rested is None:
        yield "it does not come to rest"
        return
    for thing, other in zip(after.things, rested, strict=True):
        drift = math.dist(thing.position, other.position)
        if drift > DRIFT or angle(thing.rotation, other.rotation) > TILT:
            yield f"{thing.id} drifts by {1000 * drift:.1f} mm, {angle(thing.rotation, other.rotation):.1f}°"
        if thing.support != other.support:
            yield f"{thing.id} stands on {other.support}, not on {thing.support}"
