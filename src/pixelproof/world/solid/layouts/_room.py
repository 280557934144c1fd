"""Room scenes: furniture on the floor, small things on the furniture and beside it."""

from __future__ import annotations

import numpy as np

from pixelproof.stats import generator
from pixelproof.world.solid._poses import yaw
from pixelproof.world.solid._rules import IN_VIEW, in_view, least_visible
from pixelproof.world.solid._sampling import HELD_CATEGORIES, Taste, choose
from pixelproof.world.solid._scene import Camera, Environment, Scene, Thing
from pixelproof.world.solid._settle import corners

from ._company import SETTINGS, TOPS, Setting, suits
from ._furnishing import clear_of, daylight, fit_bathroom, fit_kitchen, furniture_spots, walls_with_openings
from ._placing import Arrangement, Ground, Sketch, area, frame_points, grounds, outline, sample_pose, turns
from ._request import SPARES, SceneRequest
from ._surroundings import RUGS, fixture, low_contrast_colours, pick, sample_lighting

LAYOUTS = ("walls", "facing", "island")
_SMALL = (0.11, 0.5)
"""Range of the longest side of a small thing, in metres."""
_STOUT = 0.06
"""Minimum of its middle side, in metres."""
_SHOWN = 0.0012
"""Minimum share of the first view that a thing covers."""
_HELD_NAMES = 4
"""Minimum number of held-out categories of small things in a room of the split that tests them."""
_FEWEST = 6
"""Minimum number of things of a room, unless a number is asked for."""
_CROPPED = (0.7, 0.78, 0.86, 0.94, 1.0)
"""Shares of the extent of furniture that are framed; the first that satisfies the rules is used."""
_FITTED = {"kitchen": fit_kitchen, "bathroom": fit_bathroom}


def draw(rng: np.random.Generator, request: SceneRequest) -> tuple[Scene, int] | None:
    """An unsettled room scene and the required number of things; None if they do not fit."""
    layout, name = request.layout(rng, LAYOUTS), _setting(request)
    setting = SETTINGS[name]
    floor, wall = pick(rng, setting.floors), pick(rng, setting.walls)
    furniture, small, count = _chosen(rng, request, setting, request.taste(low_contrast_colours(floor, wall)))
    if len(furniture) + len(small) < count:
        return None
    width, depth = _extent(rng, furniture, setting, request.clutter)
    side = float(rng.choice([-1.0, 1.0]))
    azimuth, elevation = -side * float(rng.uniform(28, 52)), float(rng.uniform(16, 25)) + 8 * (1 - request.occlusion)
    focal = round(float(rng.uniform(1.1, 1.4)), 3)
    ground = Ground("floor", (0.0, 0.0, 0.0), np.array([1.0, 0.0]), width, depth)
    box = np.array([(*ground.at(u, v)[:2], z) for u in (-0.9, 0.9) for v in (-0.9, 0.9) for z in (0.0, 1.2)])
    sketch = Sketch(frame_points(box, azimuth, elevation, focal), _SHOWN)
    around, openings = walls_with_openings(rng, width, depth, floor, wall, side, kitchen=name == "kitchen")
    arrangement = Arrangement(around, sketch, least_visible(request.occlusion) + 0.04)
    if name in _FITTED:
        _FITTED[name](rng, arrangement, ground, side, openings)
    apart = 0.03 + 0.08 * (1 - request.clutter)
    for thing in furniture:
        spots = furniture_spots(rng, thing, arrangement.movable, ground, layout, side, azimuth, apart)
        arrangement.put(thing, ground, clear_of(openings, thing, spots), apart, 0.02)
    if len(arrangement.movable) < 0.6 * len(furniture):
        return None
    floors = [*(_rug(rng, arrangement, ground) if setting.rug else []), ground]
    for thing in small:
        if len(arrangement.movable) < count + SPARES:
            _put_small(rng, arrangement, sample_pose(rng, thing), floors, azimuth)
    if request.things is None:  # as many as find a place, with one to spare
        count = max(_FEWEST, min(count, len(arrangement.movable) - 1))
    if len(arrangement.movable) < count:
        return None
    lamp = (azimuth, azimuth + 50) if side < 0 else (azimuth - 50, azimuth)  # away from the wall at the side
    lights, environment = daylight(rng, openings, sample_lighting(rng, (0.0, 0.0, 0.4), lamp, (42, 58), 3.0))
    camera = _near_camera(arrangement.movable, azimuth, elevation, focal, float(rng.uniform(0.025, 0.05)))
    return request.scene(arrangement.things, camera, lights, environment, layout, name), count


def _setting(request: SceneRequest) -> str:
    """A random kind of room, the same in all attempts; with enough held-out categories if the split tests them."""
    names = [
        name
        for name, setting in SETTINGS.items()
        if request.split != "test-category" or len(HELD_CATEGORIES.intersection(setting.small)) >= _HELD_NAMES
    ]
    return str(generator(request.seed, f"solid/setting/{request.split}", request.index).choice(names))


def _extent(rng: np.random.Generator, furniture: list[Thing], setting: Setting, clutter: float) -> tuple[float, float]:
    """Width and depth of a room in metres, by its furniture."""
    taken = sum(area(outline(thing)) for thing in furniture) + (0.9 if setting.fittings else 0.0)
    room = np.sqrt(taken / (0.42 + 0.14 * clutter)) * rng.uniform(0.95, 1.15, 2)
    width, depth = room.clip(2.3 if setting.fittings else 1.8, 3.6).round(2).tolist()
    return width, depth


def _near_camera(things: list[Thing], azimuth: float, elevation: float, focal: float, margin: float) -> Camera:
    """The nearest camera that shows small things as a whole, and as much of the furniture as the rules ask for."""
    camera = None
    for share in _CROPPED:
        points = np.concatenate([_framed(thing, share) for thing in things])
        camera = frame_points(points, azimuth, elevation, focal, margin, low=0.25)
        view = Scene("room", 0, 0, (), camera, (), Environment())
        if all(in_view(view, thing) >= IN_VIEW + 0.02 for thing in things):
            return camera
    assert camera is not None
    return camera


def _framed(thing: Thing, share: float) -> np.ndarray:
    """Points of a thing to be shown: all of a small thing, the middle of a large one."""
    points = np.concatenate(corners(thing))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.asarray(middle + (points - middle) * (share if max(thing.size) > _SMALL[1] else 1.0))


def _rug(rng: np.random.Generator, arrangement: Arrangement, ground: Ground) -> list[Ground]:
    """Lay a rug in a free area; returns its grounds."""
    look = (str(rng.choice(RUGS)), str(rng.choice(["fabric", "striped", "checked"])))
    for size in (1.0, 0.9, 0.8, 0.7):
        form = {"width": 1.7 * size, "depth": 1.15 * size}
        for _ in range(6):
            place = ground.at(*rng.uniform(-0.5, 0.5, 2))
            rug = fixture("rug", "rug", form, look, place, yaw(float(rng.choice([0.0, 90.0]))), "floor")
            if arrangement.lay(rug, ground, 0.04):
                return grounds(rug)
    return []


def _chosen(
    rng: np.random.Generator, request: SceneRequest, setting: Setting, taste: Taste
) -> tuple[list[Thing], list[Thing], int]:
    """Furniture, the lead and then largest first; small things, with spares; the required number of both together."""
    large = int(rng.integers(2, 4)) if request.things is None else int(np.clip(round(0.3 * request.things), 1, 5))
    count = large + int(rng.integers(5, 12)) if request.things is None else request.things
    lead = choose(rng, setting.leads, 1, taste, _movable_piece)
    # Small things need a table or the like: seats carry few of them.
    tops = (
        []
        if set(setting.leads) & TOPS
        else choose(rng, sorted(TOPS.intersection(setting.furniture)), 1, taste, _movable_piece)
    )
    rest = large - len(lead) - len(tops)
    others = tops + choose(rng, setting.furniture, max(rest, 0), taste, _movable_piece, [*lead, *tops], alike=3)
    small = choose(rng, setting.small, count - large + 2 * SPARES, taste, _small)
    return [*lead, *sorted(others, key=lambda thing: -area(outline(thing)))], small, count


def _movable_piece(thing: Thing) -> bool:
    return thing.size[0] < 1.9


def _small(thing: Thing) -> bool:
    return _SMALL[0] <= max(thing.size) <= _SMALL[1] and sorted(thing.size)[1] >= _STOUT


def _put_small(
    rng: np.random.Generator, arrangement: Arrangement, thing: Thing, floors: list[Ground], azimuth: float
) -> None:
    """Place a small thing where it belongs: on furniture, or on the floor."""
    category = {one.id: one.category for one in arrangement.things}
    hosts = [ground for other in arrangement.things if other.category not in ("floor", "rug") for ground in grounds(other)]  # fmt: skip # noqa: E501
    order = [
        hosts[index]
        for index in rng.permutation(len(hosts))
        if suits(category[hosts[index].owner], thing.category) and _shows(hosts[index], thing, arrangement.camera)
    ]
    lower = floors if suits("floor", thing.category) else []
    if lower and rng.random() < 0.5:
        order = [*lower, *order]
    turn = turns(rng, thing, azimuth, 180.0)
    for ground in [*order, *lower]:
        spots = ((ground.at(*rng.uniform(-0.9, 0.9, 2)), next(turn)) for _ in range(8))
        if arrangement.put(thing, ground, spots, 0.015, 0.015):
            return


def _shows(ground: Ground, thing: Thing, camera: Camera) -> bool:
    """Whether a thing is visible on a ground: not above eye level, and not a low thing deep in a shelf."""
    below = camera.position[2] - ground.centre[2]
    return below > 0.1 and (ground.clearance > 0.8 or thing.size[2] > 0.1)
