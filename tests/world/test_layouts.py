"""Scenes as they are made: repeatable, as asked, and solid by a measure other than the engine's own."""

from __future__ import annotations

import hashlib
import itertools
import subprocess
from functools import cache
from pathlib import Path

import manifold3d
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.world.solid import KINDS, Scene, Thing, layouts, make_scene, violations
from pixelproof.world.solid._rules import IN_VIEW, TINY, least_visible
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid.layouts._placing import area, frame_points, gap
from pixelproof.world.solid.shapes import shape_of
from sweeps import sweep

angles = st.floats(0, 360)
cached_scene = cache(make_scene)


def outlines() -> st.SearchStrategy[np.ndarray]:
    """Convex outlines: corners of ellipses, turned and moved."""

    def build(count: int, x: float, y: float, wide: float, deep: float, turn: float) -> np.ndarray:
        around = np.radians(turn) + 2 * np.pi * np.arange(count) / count
        return np.column_stack([x + wide * np.cos(around), y + deep * np.sin(around)])

    size = st.floats(0.05, 1)
    return st.builds(build, st.integers(3, 12), st.floats(-1, 1), st.floats(-1, 1), size, size, angles)


@pytest.mark.slow
@given(outlines(), outlines())
def test_a_gap_is_negative_exactly_where_outlines_overlap(first: np.ndarray, second: np.ndarray) -> None:
    section = manifold3d.CrossSection([first]) ^ manifold3d.CrossSection([second])
    distance = gap(first, second)
    if abs(distance) > 1e-3:
        assert (distance < 0) == (section.area() > 0)
    between = np.linalg.norm(first[:, None] - second[None], axis=2).min()
    assert distance <= between + 1e-9
    assert gap(second, first) == distance


@pytest.mark.slow
@given(outlines())
def test_an_area_is_that_of_its_polygon(outline: np.ndarray) -> None:
    assert area(outline) == pytest.approx(manifold3d.CrossSection([outline]).area(), rel=1e-6)


@pytest.mark.slow
@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=2, max_size=20, unique=True), angles, st.floats(0, 80),
       st.floats(0.8, 2), st.floats(0, 0.2), st.floats(0, 1))  # fmt: skip
def test_a_frame_holds_its_points_and_is_as_near_as_can_be(
    points: list[tuple[float, float, float]], azimuth: float, elevation: float, focal: float, margin: float, low: float
) -> None:
    camera = frame_points(np.array(points), azimuth, elevation, focal, margin, low)
    seen = camera.project(points, 1, 1)
    if seen[:, 2].min() > 1e-3:
        assert seen[:, :2].min() > margin - 1e-6 and seen[:, :2].max() < 1 - margin + 1e-6
        extent = np.minimum(seen[:, :2].min(axis=0), 1 - seen[:, :2].max(axis=0))
        assert extent.min() == pytest.approx(margin, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_scenes_keep_the_rules_and_come_again(kind: str) -> None:
    scene = make_scene(kind, 11, 4)
    assert violations(Scene.from_json(scene.to_json()), 0.5) == []
    assert make_scene(kind, 11, 4) == scene
    assert make_scene(kind, 11, 5).things != scene.things
    assert (scene.kind, scene.seed, scene.index, scene.split) == (kind, 11, 4, "train")
    assert scene.layout


@pytest.mark.slow
@pytest.mark.parametrize("size", [(640, 480), (300, 64), (64, 96)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_that_is_not_square_shows_all_of_a_square_one_and_more(kind: str, size: tuple[int, int]) -> None:
    """So the rules, which look at a square picture, hold in any other."""
    from pixelproof.world.solid.render import render

    side, (width, height) = min(size), size
    left, top = (width - side) // 2, (height - side) // 2
    for index in range(3):
        scene = cached_scene(kind, 17, index, things=6)
        wide = render(scene, width, height, quality="draft", layers=("ids", "visible"))
        square = render(scene, side, quality="draft", layers=("ids", "visible"))
        same = wide.ids[top : top + side, left : left + side] == square.ids
        assert same.mean() > 0.999  # a centre on an edge may fall to either side
        for thing in scene.movable:
            seen = scene.camera.project(np.concatenate(corners(thing)), width, height)[:, :2]
            low, high = seen.min(axis=0), seen.max(axis=0)
            inside = np.clip(high, 0, size) - np.clip(low, 0, size)
            assert np.prod(inside / (high - low)) >= IN_VIEW
        if side > 100:
            movable = [not thing.fixed for thing in scene.things]
            assert wide.visible[movable].min() > least_visible(0.5) - 0.05
            pixels = np.bincount(wide.ids.ravel(), minlength=len(movable) + 1)[1:]
            assert pixels[movable].min() >= 0.7 * TINY * side**2  # the rule counts a few pixels of a coarse picture


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_thing_is_more_than_a_millimetre_inside_another(kind: str) -> None:
    """By boolean operations on the meshes that are seen, not on the pieces that the engine collides."""
    assert _deepest(make_scene(kind, 5, 1)) < 0.001


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("index", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_no_thing_is_inside_another_in_many_scenes(kind: str, index: int) -> None:
    assert _deepest(make_scene(kind, 5, 10 + index, clutter=0.9, occlusion=0.9)) < 0.001


@pytest.mark.slow
@sweep("seed", range(1000, 1100))
def test_many_seeds_keep_the_rules(seed: int) -> None:
    scene = make_scene(KINDS[seed % len(KINDS)], seed)
    assert violations(Scene.from_json(scene.to_json()), 0.5) == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("tabletop", 1), ("tabletop", 7), ("shelf", 5), ("room", 6)])
def test_as_many_things_as_asked(kind: str, count: int) -> None:
    assert len(make_scene(kind, 3, things=count).movable) == count


@pytest.mark.slow
def test_more_clutter_brings_things_together_and_more_occlusion_hides_more() -> None:
    from pixelproof.world.solid.render import render

    def nearest(clutter: float) -> float:
        scenes = [cached_scene("tabletop", 2, index, things=8, clutter=clutter, occlusion=1.0) for index in range(6)]
        return float(np.mean([_neighbour(scene) for scene in scenes]))

    def seen(occlusion: float) -> float:
        scenes = [cached_scene("tabletop", 2, index, things=8, clutter=1.0, occlusion=occlusion) for index in range(6)]
        shares = [render(scene, 64, quality="draft", layers=("visible",)).visible for scene in scenes]
        return float(np.mean([share[[not thing.fixed for thing in scene.things]].mean() for share, scene in zip(shares, scenes, strict=True)]))  # fmt: skip # noqa: E501

    assert nearest(1.0) < nearest(0.5) < nearest(0.0)
    assert seen(1.0) < seen(0.0)


@pytest.mark.slow
def test_two_processes_make_the_same_bytes(programs: Path) -> None:
    code = (
        "import hashlib; from pixelproof.world.solid import KINDS, make_scene;"
        "print(hashlib.sha256(''.join(make_scene(kind, 9, 2).to_json() for kind in KINDS).encode()).hexdigest())"
    )
    texts = "".join(make_scene(kind, 9, 2).to_json() for kind in KINDS)
    found = subprocess.run([programs / "python", "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert found == hashlib.sha256(texts.encode()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"kind": "garden"}, "tabletop"),
        ({"kind": "room", "split": "tests"}, "test-colour"),
        ({"kind": "room", "things": 0}, "1 to 40 things"),
        ({"kind": "room", "clutter": 2.0}, "from 0 to 1"),
        ({"kind": "room", "occlusion": float("nan")}, "from 0 to 1"),
        ({"kind": "tabletop", "things": 200}, "1 to 40 things"),
    ],
)
def test_what_cannot_be_made_is_said(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(PixelProofError, match=says):
        make_scene(seed=1, **arguments)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_fits_nowhere_is_said_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "_TRIES", 4)  # twenty take seconds
    with pytest.raises(PixelProofError, match="after 4 attempts: ask for fewer things"):
        make_scene("shelf", 1, things=40, clutter=0.0, occlusion=0.0)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**40), st.integers(0, 10**6))
def test_any_seed_will_do(seed: int, index: int) -> None:
    assert len(make_scene("tabletop", seed, index, things=2).movable) == 2


def _solid(thing: Thing) -> manifold3d.Manifold:
    """The mesh that is seen, in the world."""
    solids = [
        manifold3d.Manifold(manifold3d.Mesh64(np.array(part.vertices), part.faces.astype(np.uint64)))
        for part in shape_of(thing).parts
    ]
    return manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add).transform(thing.matrix[:3])


def _deepest(scene: Scene) -> float:
    """The greatest width, in its narrowest direction, of what two things have in common."""
    solids = [_solid(thing) for thing in scene.things]
    ways = np.random.default_rng(0).normal(size=(400, 3))
    ways = np.concatenate([np.eye(3), ways / np.linalg.norm(ways, axis=1, keepdims=True)])
    deepest = 0.0
    for first, second in itertools.combinations(range(len(solids)), 2):
        if scene.things[first].fixed and scene.things[second].fixed:
            continue
        common = solids[first] ^ solids[second]
        for lump in common.decompose():
            points = lump.to_mesh64().vert_properties[:, :3]
            deepest = max(deepest, float(np.ptp(points @ ways.T, axis=0).min()))
    return deepest


def _neighbour(scene: Scene) -> float:
    """Mean distance of a thing to its nearest neighbour, over the mean size of things."""
    places = np.array([thing.position for thing in scene.movable])
    between = np.linalg.norm(places[:, None] - places[None], axis=2) + np.diag([np.inf] * len(places))
    return float(between.min(axis=1).mean() / np.mean([max(thing.size) for thing in scene.movable]))


@pytest.mark.parametrize(("seed", "index"), [(-1, 0), (1, -1), (1.5, 0), ("a", 0), (1 << 63, 0)])
def test_what_is_no_seed_or_index_is_refused(seed: int, index: int) -> None:
    with pytest.raises(PixelProofError, match="must be a whole number from 0 to"):
        make_scene("room", seed, index)
