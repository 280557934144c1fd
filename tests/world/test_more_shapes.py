"""Tools, paper, the household, furniture, surroundings and signs: are they sound, and what they say they are?"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, cKDTree

from pixelproof.stats import generator
from pixelproof.world.solid import COLOURS, MATERIALS
from pixelproof.world.solid._category import Category, Label, Part, Shape
from pixelproof.world.solid._settle import settle
from pixelproof.world.solid._symmetry import SYMMETRIES, rotations
from pixelproof.world.solid.shapes import CATEGORIES, new_thing, shape
from sweeps import sweep

FAMILIES = ("tools", "paper", "household", "furniture", "structure", "signs")
OURS = {name: kind for name, kind in CATEGORIES.items() if kind.family in FAMILIES}
LISTED = [name for name in SYMMETRIES if name != "SO3"]
each = pytest.mark.parametrize("kind", OURS.values(), ids=OURS.keys())
some = sweep("kind", OURS.values(), OURS)


def form(kind: Category, index: int) -> dict[str, float]:
    return kind.sample(generator(1, f"test/{kind.name}", index))


def built(kind: Category, index: int = 0) -> Shape:
    return shape(kind.name, form(kind, index))


def mesh(part: Part) -> trimesh.Trimesh:
    return trimesh.Trimesh(part.vertices, part.faces, process=False)


def surface_points(part: Part, count: int, seed: int = 0) -> np.ndarray:
    return np.asarray(trimesh.sample.sample_surface(mesh(part), count, seed=seed)[0])


def depths(thing: Shape, origins: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """How far along a direction each part is first met, of shape (parts, rays); inf where it is not."""
    rows = []
    for part in thing.parts:
        tracer = trimesh.ray.ray_pyembree.RayMeshIntersector(mesh(part))
        rays = np.broadcast_to(direction, origins.shape)
        places, which, _ = tracer.intersects_location(origins, rays, multiple_hits=False)
        row = np.full(len(origins), np.inf)
        row[which] = (places - origins[which]) @ direction
        rows.append(row)
    return np.array(rows)


def test_there_are_many_kinds() -> None:
    assert {kind.family for kind in OURS.values()} == set(FAMILIES)
    assert len(OURS) >= 60


@pytest.mark.slow
@each
def test_words_and_paints_are_known(kind: Category) -> None:
    thing = built(kind)
    assert set(kind.colours) <= COLOURS.keys() and len(set(kind.colours)) == len(kind.colours)
    assert set(kind.materials) <= MATERIALS.keys()
    assert kind.symmetry_of(kind.sample(generator(0, "test", 0))) in SYMMETRIES
    assert bool(kind.texts) == bool(thing.labels)
    for part in thing.parts:
        assert part.paint.material in {"", *MATERIALS}
        assert part.paint.colour in {"", *COLOURS} or len(bytes.fromhex(part.paint.colour[1:])) == 3
    has_main = any(not part.paint.colour for part in thing.parts)
    assert has_main == bool(kind.colours), "a thing with a colour word shows it, and one without has its own colours"


@pytest.mark.slow
@each
@pytest.mark.parametrize("index", [0, 1])
def test_solid_and_standing_on_its_origin(kind: Category, index: int) -> None:
    thing = built(kind, index)
    for part in thing.parts:
        body = mesh(part)
        assert body.is_watertight and body.is_winding_consistent and body.volume > 0
    low, high = thing.bounds
    np.testing.assert_allclose([*(low[:2] + high[:2]), low[2]], 0.0, atol=1e-6)
    assert 12 <= sum(len(part.faces) for part in thing.parts) <= 6000


@pytest.mark.slow
@some
def test_same_numbers_give_the_same_bytes(kind: Category) -> None:
    first, second = built(kind), kind.build(form(kind, 0))
    for a, b in zip(first.parts, second.parts, strict=True):
        assert a.vertices.tobytes() == b.vertices.tobytes() and a.faces.tobytes() == b.faces.tobytes()
    assert [piece.tobytes() for piece in first.pieces] == [piece.tobytes() for piece in second.pieces]


@pytest.mark.slow
@some
def test_pieces_enclose_what_is_seen(kind: Category) -> None:
    thing = built(kind)
    seen = np.concatenate([surface_points(part, 400) for part in thing.parts])
    outside = np.full(len(seen), np.inf)
    for piece in thing.pieces:
        planes = ConvexHull(piece).equations
        outside = np.minimum(outside, (seen @ planes[:, :3].T + planes[:, 3]).max(axis=1))
    assert outside.max() <= 1e-3
    corners, (low, high) = np.concatenate(thing.pieces), thing.bounds
    assert (corners >= low - 1e-3).all() and (corners <= high + 1e-3).all()


@pytest.mark.slow
@some
@pytest.mark.parametrize("index", [0, 1])
def test_it_does_not_fall_over(kind: Category, index: int) -> None:
    thing = built(kind, index)
    hulls = [ConvexHull(piece) for piece in thing.pieces]
    middles = [trimesh.Trimesh(hull.points, hull.simplices).convex_hull.center_mass for hull in hulls]
    middle = np.average(middles, axis=0, weights=[hull.volume for hull in hulls])
    corners = np.concatenate(thing.pieces)
    foot = ConvexHull(corners[corners[:, 2] < 3e-4][:, :2])
    inside = -(foot.equations[:, :2] @ middle[:2] + foot.equations[:, 2]).max()
    assert inside > 0.01 * thing.bounds[1, 2], "the middle of its mass is over its foot, with something to spare"


@pytest.mark.slow
@some
@pytest.mark.parametrize("index", [0, 1, 2])
def test_gravity_leaves_it_where_it_is(kind: Category, index: int) -> None:
    if kind.family == "structure":
        pytest.skip("surroundings are fixed")
    look = {"colour": "", "material": kind.materials[0]}
    ground = new_thing("floor", "floor", {"width": 6.0, "depth": 4.0}, **look, position=(0.0, 0.0, -0.1), fixed=True)
    settled = settle((ground, new_thing("it", kind.name, form(kind, index), **look, position=(0.0, 0.0, 0.0))))
    assert settled is not None
    assert np.linalg.norm(settled[1].position) < 1e-3
    assert 2 * np.linalg.norm(settled[1].rotation[1:]) < np.radians(0.5)


@pytest.mark.slow
@each
def test_paints_do_not_fight(kind: Category) -> None:
    """Where two paints lie in one plane, which is seen would be chance."""
    thing, rng = built(kind), np.random.default_rng(0)
    size = float(np.linalg.norm(np.ptp(thing.bounds, axis=0)))
    for _ in range(6):
        direction = rng.normal(size=3) * [1, 1, 0.7]
        direction /= np.linalg.norm(direction)
        inside = rng.uniform(*thing.bounds, (400, 3))
        met = np.sort(depths(thing, inside - 2 * size * direction, direction), axis=0)
        if len(met) > 1:
            both = np.isfinite(met[1])
            assert np.sum(met[1, both] - met[0, both] < 5e-5) < 0.01 * len(inside)


@pytest.mark.slow
@each
def test_labels_lie_on_it(kind: Category) -> None:
    thing = built(kind)
    for label in thing.labels:
        normal, up = np.array(label.normal), np.array(label.up)
        np.testing.assert_allclose([normal @ normal, up @ up, normal @ up], [1, 1, 0], atol=1e-9)
        right = np.cross(up, normal)
        u, v = np.meshgrid([-0.48, 0.0, 0.48], [-0.45, 0.0, 0.45])
        spots = label.centre + u.reshape(-1, 1) * label.width * right + v.reshape(-1, 1) * label.height * up
        met = depths(thing, spots + 0.02 * normal, -normal).min(axis=0) - 0.02
        assert (np.abs(met) < 3e-3).all(), "nothing is before it, and it is not in the air"
        assert abs(met[4]) < 4e-4


@pytest.mark.slow
@each
def test_surfaces_are_exact_and_free(kind: Category) -> None:
    thing = built(kind)
    for surface in thing.surfaces:
        u, v = np.meshgrid(np.linspace(-0.499, 0.499, 9), np.linspace(-0.499, 0.499, 9))
        x, y, z = surface.centre
        height = min(surface.clearance, 1.0) - 1e-3
        spots = np.column_stack([x + u.ravel() * surface.width, y + v.ravel() * surface.depth, np.full(81, z)])
        met = depths(thing, spots + [0, 0, height], np.array([0.0, 0.0, -1.0])).min(axis=0)
        np.testing.assert_allclose(met, height, atol=4e-4)


@pytest.mark.slow
def test_furniture_offers_surfaces() -> None:
    without = {name for name, kind in OURS.items() if kind.family == "furniture" and not built(kind).surfaces}
    assert without == {"floor lamp"}


class Cloud:
    """Points on a shape around its middle, each paint and the labels apart, to be turned and laid upon each other."""

    def __init__(self, thing: Shape) -> None:
        self.middle, self.labels = thing.bounds.mean(axis=0), thing.labels
        self.slack = 0.02 * float(np.linalg.norm(np.ptp(thing.bounds, axis=0)))
        self.tried: dict[bytes, bool] = {}
        areas = [mesh(part).area for part in thing.parts]
        paints: dict[object, list[np.ndarray]] = {}
        for part, area in zip(thing.parts, areas, strict=True):
            points = surface_points(part, 1000 + int(40_000 * area / sum(areas))) - self.middle
            paints.setdefault(part.paint, []).append(points)
        self.paints = [(np.concatenate(points), cKDTree(np.concatenate(points))) for points in paints.values()]

    def fits(self, symmetry: str) -> bool:
        """Whether all turns of a group leave each paint and each label where it was."""
        return all(self._fits(turn) for turn in rotations(symmetry, 16))

    def _fits(self, turn: np.ndarray) -> bool:
        """Whether a turn leaves all where it was; groups have turns in common."""
        key = (np.round(turn, 9) + 0.0).tobytes()
        if key not in self.tried:
            painted = all(tree.query(points[::80] @ turn.T)[0].max() <= self.slack for points, tree in self.paints)
            self.tried[key] = painted and all(
                any(_same(label, other, turn, self.middle, self.slack) for other in self.labels)
                for label in self.labels
            )
        return self.tried[key]


def _same(label: Label, other: Label, turn: np.ndarray, middle: np.ndarray, slack: float) -> bool:
    moved = turn @ (np.array(label.centre) - middle) + middle
    return (
        bool(np.linalg.norm(moved - other.centre) < slack)
        and float(turn @ label.normal @ other.normal) > 0.99
        and float(turn @ label.up @ other.up) > 0.99
    )


def _contains(larger: str, smaller: str) -> bool:
    turns = rotations(larger, 360).reshape(-1, 9)
    return all(np.abs(turns - turn).max(axis=1).min() < 1e-6 for turn in rotations(smaller, 360).reshape(-1, 9))


@cache
def next_larger(symmetry: str) -> list[str]:
    """The groups that contain this one, without those that contain one of them."""
    larger = [name for name in LISTED if name != symmetry and _contains(name, symmetry)]
    return [name for name in larger if not any(other != name and _contains(name, other) for other in larger)]


@pytest.mark.slow
def test_next_larger_groups() -> None:
    assert next_larger("C1") == ["C2", "C3", "C5"]
    assert next_larger("C2") == ["C4", "C6", "D2"]
    assert next_larger("Dinf") == []


def check_symmetry(kind: Category, index: int) -> None:
    claimed, cloud = kind.symmetry_of(form(kind, index)), Cloud(built(kind, index))
    assert cloud.fits(claimed)
    assert [larger for larger in next_larger(claimed) if cloud.fits(larger)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["book", "bolt", "nut", "hourglass", "toilet roll", "pillow", "traffic cone", "trophy", "table lamp", "chair"],
)
def test_symmetry_of_one_kind_of_each(name: str) -> None:
    check_symmetry(OURS[name], 0)


@pytest.mark.slow
@some
@pytest.mark.parametrize("index", [1, 2])
def test_symmetry_is_the_largest_that_fits(kind: Category, index: int) -> None:
    check_symmetry(kind, index)


@pytest.mark.slow
@some
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_all_forms_can_be_built(kind: Category, data: st.DataObject) -> None:
    numbers = {key: data.draw(st.one_of(st.sampled_from(ends), st.floats(*ends))) for key, ends in kind.ranges.items()}
    thing = kind.build(numbers)
    for solid in map(mesh, thing.parts):
        assert solid.is_watertight and solid.volume > 0
    assert np.isfinite(np.concatenate(thing.pieces)).all()
