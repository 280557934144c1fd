"""Shelf scenes: things on the boards of a shelf unit."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid._rules import least_visible
from pixelproof.world.solid._sampling import choose
from pixelproof.world.solid._scene import Scene, Thing
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid.shapes import CATEGORIES

from ._placing import Arrangement, Ground, Sketch, frame_points, grounds, outline, sample_pose, turned
from ._request import SPARES, SceneRequest
from ._surroundings import (
    FLOORS,
    SHELVES,
    WALLS,
    fixture,
    low_contrast_colours,
    pick,
    room_corner,
    sample_lighting,
    side_azimuths,
)

LAYOUTS = ("spread", "gathered", "centred")
_FAMILIES = ("furniture", "structure")
LOWEST = 0.06
"""Minimum height of a thing in metres."""
_DEPTH = 3.0


def draw(rng: np.random.Generator, request: SceneRequest) -> tuple[Scene, int] | None:
    """An unsettled shelf scene and the required number of things; None if they do not fit."""
    layout = request.layout(rng, LAYOUTS)
    look, wall = pick(rng, SHELVES), pick(rng, WALLS)
    surroundings = _surroundings(rng, look, wall)
    boards = grounds(surroundings[-1])
    names = [name for name, category in CATEGORIES.items() if category.family not in _FAMILIES]
    count = request.things or int(rng.integers(8, 17))
    tallest = min(board.clearance for board in boards) - 0.03

    def fits(thing: Thing) -> bool:
        flat = thing.size[2] < LOWEST and thing.category != "book"
        return not flat and thing.size[2] <= tallest and max(thing.size[:2]) <= boards[0].depth - 0.03

    taste = request.taste(low_contrast_colours(look))
    # Books have few held-out colours and are not a held-out category: test splits have fewer books.
    most = 0.2 if request.split in ("test-category", "test-colour") else 0.5
    books = choose(rng, ["book"], int(count * rng.uniform(0.1, most)), taste, fits, alike=6)
    others = choose(rng, names, count - len(books) + SPARES, taste, fits, books)
    chosen = [*books, *others]
    filled = _shared_out(
        rng, [_stance(rng, thing, boards[0].depth) for thing in chosen], boards, request.clutter, count + SPARES
    )
    azimuth = float(rng.uniform(-22, 22))
    elevation, focal = float(rng.uniform(3, 10)), round(float(rng.uniform(1.2, 1.6)), 3)
    view = frame_points(np.concatenate(corners(surroundings[-1])), azimuth, elevation, focal, 0.03)
    arrangement = Arrangement(surroundings, Sketch(view), least_visible(request.occlusion) + 0.04)
    for board, things in zip(boards, filled, strict=True):
        _fill(rng, arrangement, board, things, layout, request.clutter)
    if len(arrangement.movable) < count:
        return None
    points = np.concatenate([piece for thing in arrangement.movable for piece in corners(thing)])
    camera = frame_points(points, azimuth, elevation, focal, float(rng.uniform(0.03, 0.07)))
    lights, environment = sample_lighting(
        rng, (0.0, _DEPTH / 2 - 0.3, 0.6), side_azimuths(rng, azimuth, 12, 40), (28, 48), 2.2
    )
    return request.scene(arrangement.things, camera, lights, environment, layout), count


def _surroundings(rng: np.random.Generator, look: tuple[str, str], wall: tuple[str, str]) -> list[Thing]:
    around = room_corner(5.0, _DEPTH, 2.6, pick(rng, FLOORS), wall, -1.0)
    shelves = int(rng.integers(2, 4))
    form = {
        "width": float(rng.uniform(0.72, 0.95)),
        "depth": float(rng.uniform(0.3, 0.36)),
        "height": shelves * float(rng.uniform(0.29, 0.34)) + 0.05,
        "shelves": float(shelves),
    }
    unit = fixture("shelf-unit", "shelf unit", form, look, (0.0, _DEPTH / 2 - form["depth"] / 2 - 0.02, 0.0))
    return [*around, unit]


def _stance(rng: np.random.Generator, thing: Thing, depth: float) -> Thing:
    """Pose of a thing: books mostly stand straight; other things roughly face the front if the board is deep enough."""
    straight = sample_pose(rng, thing, standing=0.8)
    spread = 0.6 if thing.category == "book" else 25.0
    slanted = turned(straight, float(rng.uniform(-spread, spread)))
    return slanted if np.ptp(outline(slanted)[:, 1]) < depth - 0.02 else straight


def _width(thing: Thing) -> float:
    return float(np.ptp(outline(thing)[:, 0]))


def _shared_out(
    rng: np.random.Generator, things: list[Thing], boards: list[Ground], clutter: float, count: int
) -> list[list[Thing]]:
    """Distribute at most `count` things over the boards, as far as they fit."""
    filled: list[list[Thing]] = [[] for _ in boards]
    free = [(board.width - 0.04) * (0.85 + 0.15 * clutter) for board in boards]
    last = None
    for thing in things:
        width = _width(thing) + 0.006 + 0.02 * (1 - clutter)
        able = [index for index, room in enumerate(free) if room >= width]
        if not able or sum(map(len, filled)) == count:
            continue
        if thing.category != "book" or last not in able:  # books keep together
            # The emptier of two random boards, so that none stays empty.
            last = max(rng.choice(able, 2).tolist(), key=lambda index: free[index])
        filled[last].append(thing)
        free[last] -= width
    return filled


def _fill(
    rng: np.random.Generator,
    arrangement: Arrangement,
    board: Ground,
    things: list[Thing],
    layout: str,
    clutter: float,
) -> None:
    """Place things side by side on a board: spread, gathered at one end, or centred."""
    if not things:
        return
    if rng.random() < 0.5:  # books come first; without this they would always be on the left
        things = things[::-1]
    widths = [_width(thing) for thing in things]
    rest = board.width - 0.04 - sum(widths)
    between = rest / (len(things) + 1) if layout == "spread" else min(0.008 + 0.05 * (1 - clutter), rest / len(things))
    used = sum(widths) + between * (len(things) - 1)
    start = -used / 2
    if layout == "gathered":
        start = float(rng.choice([-1.0, 1.0])) * (board.width - 0.04 - used) / 2 - used / 2
    for thing, width in zip(things, widths, strict=True):
        half = float(np.ptp(outline(thing)[:, 1])) / 2
        slack = max(board.depth / 2 - half - 0.012, 0.0)
        spots = (
            (
                board.at(
                    2 * (start + width / 2 + float(rng.uniform(-0.1, 0.1)) * between) / board.width,
                    2 * float(rng.uniform(-slack, 0.3 * slack)) / board.depth,
                ),
                0.0,
            )
            for _ in range(12)
        )
        arrangement.put(thing, board, spots, 0.002, 0.006)
        start += width + between
