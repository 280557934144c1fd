"""Scenes put together by hand and by chance, without physics, and edits of them."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from pixelproof.world.edits import OWN_WAYS
from pixelproof.world.language import WAYS, Edit, View, propose, view_of
from pixelproof.world.language._plausibility import implausibility
from pixelproof.world.solid import Camera, Light, Scene, Thing, yaw
from pixelproof.world.solid.shapes import CATEGORIES

SMALL = [name for name, kind in CATEGORIES.items() if kind.family not in ("furniture", "structure")]
TABLE = Thing("table", "tabletop", "#b98a5c", "wooden", (2.0, 1.4, 0.04), (0.0, 0.0, 0.7), fixed=True)
FLOOR = Thing("floor", "floor", "#a9aaa6", "stone", (5.0, 4.0, 0.1), (0.0, 0.0, -0.1), fixed=True)
CAMERA = Camera.looking_at((0.0, 0.0, 0.75), (0.0, -1.3, 1.6))


def thing(id, category="mug", colour="red", material="ceramic", at=(0.0, 0.0), size=(0.1, 0.1, 0.1), **more):
    return Thing(id, category, colour, material, size, (*at, 0.74), **{"support": "table", **more})


def scene(*things, camera=CAMERA):
    return Scene("tabletop", 0, 0, (FLOOR, TABLE, *things), camera, (Light((0, 0, 2), 0.2, (1, 1, 1)),))


def view(*things, camera=CAMERA):
    return view_of(scene(*things, camera=camera))


@lru_cache(maxsize=16)
def solid_scene(kind, index):
    """A scene of the world, made once for all tests that look at a few."""
    from pixelproof.world.solid.layouts import make_scene

    return make_scene(kind, 4242, index)


def random_scene(seed, nouns=None):
    """Things of few kinds and colours, so that many are alike, at places of all distances; some on trays and plates."""
    return _random_scene(seed, tuple(nouns or ()))


@lru_cache(maxsize=1024)
def _random_scene(seed, nouns):
    rng = np.random.default_rng([seed, 5])
    nouns = nouns or [*rng.choice(SMALL, int(rng.integers(2, 8)), replace=False), *rng.choice(["tray", "plate"], 1)]
    things = []
    for number in range(int(rng.integers(3, 13))):
        kind = CATEGORIES[str(rng.choice(nouns))]
        size = np.round(rng.uniform(0.02, 0.3, 3), 3).tolist()
        hosts = [other for other in things if other.category in ("tray", "plate", "cardboard box")]
        host = hosts[int(rng.integers(len(hosts)))] if hosts and rng.random() < 0.3 else TABLE
        spread = 0.05 if host is not TABLE else 0.5
        x, y = (np.array(host.position[:2]) + rng.uniform(-spread, spread, 2)).tolist()
        things.append(
            Thing(
                f"thing-{number}",
                kind.name,
                str(rng.choice(kind.colours[:6])) if kind.colours else "",
                str(rng.choice(kind.materials)),
                tuple(size),
                (x, y, host.position[2] + host.size[2]),
                yaw(float(rng.uniform(0, 360))),
                front=(0.0, -1.0, 0.0) if kind.front else None,
                symmetry=str(rng.choice(["C1", "C2", "C4", "Cinf", "SO3"])),
                support=host.id,
            )
        )
    azimuth = math.radians(rng.uniform(-180, 180))
    eye = (1.3 * math.sin(azimuth), -1.3 * math.cos(azimuth), float(rng.uniform(1.2, 2.0)))
    return scene(*things, camera=Camera.looking_at((0.0, 0.0, 0.75), eye))


@lru_cache(maxsize=1024)
def tiered_scene(seed):
    """Few mugs, hats and trays at two heights, near and far, of clearly different materials."""
    rng = np.random.default_rng([seed, 8])
    things = []
    for number in range(int(rng.integers(4, 8))):
        noun = str(rng.choice(["mug", "mug", "mug", "hat", "tray"]))
        trays = [other for other in things if other.category == "tray"]
        on = trays[int(rng.integers(len(trays)))] if trays and noun == "mug" and rng.random() < 0.5 else None
        x, y = rng.uniform(-0.9, 0.9, 2).tolist() if on is None else on.position[:2]
        z = 0.74 + 0.4 * int(rng.integers(2)) if on is None else on.position[2] + on.size[2]
        size = (0.3, 0.2, 0.02) if noun == "tray" else (0.06, 0.06, 0.08)
        made = str(rng.choice(["wooden", "metal", "plastic"])), str(rng.choice(["red", "green", "black", "yellow"]))
        things.append(
            Thing(f"thing-{number}", noun, made[1], made[0], size, (x, y, z), support=on.id if on else "table")
        )
    return scene(*things, camera=Camera.looking_at((0.0, 0.0, 0.9), (0.0, -2.0, 1.6)))


def random_view(seed, nouns=None):
    """The view of a random scene, in which some things are covered in part."""
    return _random_view(seed, tuple(nouns or ()))


@lru_cache(maxsize=1024)
def _random_view(seed, nouns):
    made = random_scene(seed, nouns)
    return view_of(made, random_shares(seed, nouns))


def random_shares(seed, nouns=None):
    """Thing id → visible share, as `random_view` has it."""
    rng = np.random.default_rng([seed, 6])
    return {
        thing.id: float(rng.choice([1.0, 0.7, 0.2, 0.0], p=[0.8, 0.14, 0.03, 0.03]))
        for thing in random_scene(seed, nouns).movable
    }


def mirrored(seen: View) -> View:
    """As a mirror shows it: left and right exchanged."""
    return replace(
        seen,
        entities=tuple(
            replace(
                e,
                centre=(-e.centre[0], *e.centre[1:]),
                pixel=(1 - e.pixel[0], e.pixel[1]),
                reach=(e.reach[1], e.reach[0], *e.reach[2:]),
                outline=tuple((-x, y) for x, y in e.outline),
                front=e.front and (-e.front[0], e.front[1]),
            )
            for e in seen.entities
        ),
    )


def random_edit(seen: View, rng) -> Edit | None:
    """An edit that makes sense: one that is proposed, or any with any digits, if it does."""
    edit = propose(seen, rng) if rng.random() < 0.5 else _any_edit(seen, rng)
    return edit if edit and not implausibility(seen, edit) else None


def _any_edit(seen: View, rng) -> Edit | None:
    action = str(rng.choice([action for action in WAYS if action != "insert"]))
    way = str(rng.choice(WAYS[action]))
    if action == "zoom camera":
        return Edit(action, way=way, amount=float(rng.uniform(1.1, 2)))
    if "camera" in action:
        return Edit(action, way=way, amount=float(rng.uniform(0.02, 1.5) if "move" in action else rng.uniform(2, 60)))
    chosen = rng.permutation([entity.id for entity in seen.things])[:2].tolist()
    if len(chosen) < 2:
        return None
    target = chosen[0]
    if action in ("move", "place") and rng.random() < 0.3:
        way = str(rng.choice(OWN_WAYS[action]))
        anchor = chosen[1] if action == "place" else ""
        return Edit(action, target, way, float(rng.uniform(0.05, 0.6)), anchor, "object")
    if action in ("put", "swap", "place"):
        ground = seen[target].support
        anchor = ground if action == "put" and ground and rng.random() < 0.5 else chosen[1]
        return Edit(action, target, way, float(rng.uniform(0.05, 1.2)) if action == "place" else 0.0, anchor)
    if action == "remove":
        return Edit(action, target)
    if action == "turn":
        return Edit(action, target, way, float(rng.choice([45.0, 90.0, 180.0, float(rng.uniform(15, 170))])))
    return Edit(action, target, way, float(rng.choice([0.5, 0.75, 1.5, 2.0, float(rng.uniform(0.4, 0.99))])))
