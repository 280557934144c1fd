from __future__ import annotations

import hashlib
import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, cKDTree
from scipy.spatial.transform import Rotation

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.solid import COLOURS, MATERIALS, SYMMETRIES
from pixelproof.world.solid._category import Category, Shape
from pixelproof.world.solid._symmetry import rotations
from pixelproof.world.solid.shapes import (
    CATEGORIES,
    _food,
    _fruit,
    _games,
    _kitchen,
    _tableware,
    _toys,
    _vehicles,
    category,
    new_thing,
    shape,
    shape_of,
)  # fmt: skip
from sweeps import sweep

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("manifold3d")

FAMILIES = (_tableware, _kitchen, _fruit, _food, _toys, _vehicles, _games)
KINDS = [kind for family in FAMILIES for kind in family.CATEGORIES]
NAMES = [kind.name for kind in KINDS]
each = pytest.mark.parametrize("kind", KINDS, ids=NAMES)
some = sweep("kind", KINDS, NAMES)


def built(kind: Category, seed: int = 0) -> Shape:
    return shape(kind.name, kind.sample(generator(seed, f"test/{kind.name}")))


def mesh(part) -> trimesh.Trimesh:
    return trimesh.Trimesh(part.vertices, part.faces, process=False)


def is_sound(part) -> bool:
    solid = mesh(part)
    return solid.is_watertight and solid.volume > 0


def outside(points, piece) -> np.ndarray:
    """How far points lie outside a convex piece, at most."""
    planes = ConvexHull(piece).equations
    return (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)


@pytest.mark.slow
@each
def test_parts_are_closed_and_seen_from_outside(kind):
    for part in built(kind).parts:
        solid = mesh(part)
        assert solid.is_watertight and solid.is_winding_consistent
        assert solid.volume > 0
        assert part.vertices.dtype == np.float64 and part.faces.dtype == np.int32
        assert np.isfinite(part.vertices).all()


@pytest.mark.slow
@each
def test_size_and_origin(kind):
    thing_shape = built(kind)
    low, high = thing_shape.bounds
    assert abs(low[2]) < 1e-6 and np.abs((low + high)[:2]).max() < 2e-6
    assert 0.01 < (high - low).max() < 0.5
    assert 50 < sum(len(part.faces) for part in thing_shape.parts) < 6600
    assert len(thing_shape.pieces) < 40


@pytest.mark.slow
@some
def test_pieces_enclose_what_is_seen(kind):
    thing_shape = built(kind)
    left = np.concatenate([part.vertices for part in thing_shape.parts])
    for piece in thing_shape.pieces:
        left = left[outside(left, piece) > 0.001] if len(left) else left
    assert len(left) == 0
    low, high = thing_shape.bounds
    corners = np.concatenate(thing_shape.pieces)
    assert (corners.min(axis=0) > low - 0.001).all() and (corners.max(axis=0) < high + 0.001).all()


@pytest.mark.slow
@each
def test_stands_by_itself(kind):
    """The centre of mass lies over the foot: the outline of what touches the ground."""
    thing_shape = built(kind)
    masses = [trimesh.convex.convex_hull(piece) for piece in thing_shape.pieces]
    centre = np.average([m.center_mass for m in masses], axis=0, weights=[m.volume for m in masses])
    corners = np.concatenate(thing_shape.pieces)
    foot = corners[corners[:, 2] < 1e-5, :2]
    margin = -(ConvexHull(foot).equations @ [centre[0], centre[1], 1.0]).max()
    assert margin > 0.001


def seen_share(thing_shape: Shape, colour: str) -> float:
    """Of what is seen of a shape from around and above, the share that has a colour."""
    solids = [mesh(part) for part in thing_shape.parts]
    owners = np.repeat([part.paint.colour == colour for part in thing_shape.parts], [len(s.faces) for s in solids])
    whole = trimesh.util.concatenate(solids)
    reach = np.linalg.norm(whole.extents) / 2
    u, v = np.meshgrid(*[np.linspace(-reach, reach, 24)] * 2)
    seen = []
    for turn in np.arange(0, 360, 45):
        view = Rotation.from_euler("xz", [60, turn], degrees=True).as_matrix()
        starts = np.column_stack([u.ravel(), v.ravel(), np.full(u.size, 3 * reach)]) @ view.T + whole.bounds.mean(
            axis=0
        )
        seen.append(whole.ray.intersects_first(starts, np.tile(-view[:, 2], (u.size, 1))))
    first = np.concatenate(seen)
    return float(owners[first[first >= 0]].mean())


@pytest.mark.slow
@each
def test_words_are_known(kind):
    assert set(kind.colours) <= set(COLOURS) and set(kind.materials) <= set(MATERIALS) and kind.materials
    for part in built(kind).parts:
        assert part.paint.colour in {"", *COLOURS} or len(part.paint.colour) == 7
        assert part.paint.material in {"", *MATERIALS}
    if not kind.colours:
        assert all(part.paint.colour for part in built(kind).parts), "no colour word, so no part may take one"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [kind.name for kind in CATEGORIES.values() if kind.colours and kind.family != "structure"]
)
def test_the_colour_of_the_word_is_what_one_sees(name):
    kind = category(name)
    assert seen_share(shape(name, kind.sample(generator(0, f"shape/{name}", 0))), "") >= 0.4


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.sampled_from(KINDS), st.data())
def test_every_form_within_the_ranges_builds(kind, data):
    share = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    form = {key: low + data.draw(share, key) * (high - low) for key, (low, high) in kind.ranges.items()}
    thing_shape = shape(kind.name, form)
    assert all(map(is_sound, thing_shape.parts))
    assert abs(thing_shape.bounds[0, 2]) < 1e-6


@pytest.mark.slow
@some
def test_all_corners_of_the_ranges_build(kind):
    for ends in itertools.product(*kind.ranges.values()):
        thing_shape = shape(kind.name, dict(zip(kind.ranges, ends, strict=True)))
        assert all(map(is_sound, thing_shape.parts))


# Symmetry: points of the surface, turned, must lie on the surface of the same paint; and no larger group may fit.


def surface_points(vertices, faces, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points spread over a surface, and the faces that they are on."""
    rng = np.random.default_rng(seed)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    index = rng.choice(len(faces), count, p=area / area.sum())
    u, v = rng.random((2, count, 1))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    return a[index] + u * (b - a)[index] + v * (c - a)[index], index


class Painted:
    """The surfaces of a shape by paint, around its middle, ready to be compared with themselves turned."""

    def __init__(self, thing_shape: Shape) -> None:
        low, high = thing_shape.bounds
        self.size = (high - low).max()
        self.layers = []
        self.measured: dict[bytes, float] = {}
        for paint in sorted({part.paint for part in thing_shape.parts}, key=str):
            parts = [part for part in thing_shape.parts if part.paint == paint]
            starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
            vertices = np.concatenate([part.vertices for part in parts]) - [0.0, 0.0, (low[2] + high[2]) / 2]
            faces = np.concatenate([part.faces + start for part, start in zip(parts, starts[:-1], strict=True)])
            dense, index = surface_points(vertices, faces, 20_000, 1)
            self.layers.append((cKDTree(dense), vertices[faces[index]], surface_points(vertices, faces, 200, 2)[0]))

    def off(self, rotation) -> float:
        """By how much of its size a turned shape differs from itself, at worst; groups have rotations in common."""
        key = (np.round(rotation, 9) + 0.0).tobytes()
        if key not in self.measured:
            self.measured[key] = max(self._off(*layer, rotation) for layer in self.layers) / self.size
        return self.measured[key]

    @staticmethod
    def _off(tree, triangles, points, rotation) -> float:
        """The exact distance of turned points from the triangles near them."""
        turned = points @ rotation.T
        _, near = tree.query(turned, k=6)
        on = trimesh.triangles.closest_point(triangles[near.ravel()], np.repeat(turned, 6, axis=0)).reshape(-1, 6, 3)
        return np.linalg.norm(on - turned[:, None], axis=2).min(axis=1).max()


def contains(group: str, other: str) -> bool:
    """Whether all rotations of another group belong to a group."""
    if group == "SO3" or group == other:
        return True
    if other == "SO3" or (other.endswith("inf") and not group.endswith("inf")):
        return False
    if group.endswith("inf"):
        return other[0] == "C" or (group == "Dinf" and other[0] == "D")
    known = rotations(group)
    return all(np.abs(known - turn).max(axis=(1, 2)).min() < 1e-9 for turn in rotations(other))


def turns_of(group: str) -> np.ndarray:
    return Rotation.random(12, rng=np.random.default_rng(3)).as_matrix() if group == "SO3" else rotations(group, 12)


def check_symmetry(kind: Category, seed: int) -> None:
    form = kind.sample(generator(seed, f"test/{kind.name}"))
    painted, claimed = Painted(shape(kind.name, form)), kind.symmetry_of(form)
    assert max(painted.off(turn) for turn in turns_of(claimed)) < 0.02
    for group in SYMMETRIES:
        if not contains(claimed, group):
            assert any(painted.off(turn) > 0.02 for turn in turns_of(group)), f"{kind.name} also has {group}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mug", "bowl", "lemon", "toy block"])
def test_symmetry_of_one_of_each(name):
    check_symmetry(category(name), 4)


@pytest.mark.slow
@some
def test_symmetry(kind):
    check_symmetry(kind, 5)


def test_groups_contain_what_they_should():
    assert contains("D4", "C2") and contains("O", "D4") and contains("Cinf", "C5") and contains("D6", "D3")
    assert not contains("C4", "C8") and not contains("Cinf", "D2") and not contains("O", "C3")  # its C3 is diagonal


def fingerprint() -> str:
    digest = hashlib.sha256()
    for kind in KINDS:
        thing_shape = built(kind, 7)
        arrays = [array for part in thing_shape.parts for array in (part.vertices, part.faces)]
        for array in (*arrays, *thing_shape.pieces):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@pytest.mark.slow
def test_another_process_builds_the_same_bytes():
    here = os.path.dirname(__file__)
    folders = [here, os.path.dirname(here)]
    code = f"import sys; sys.path[:0] = {folders!r}; import test_shapes; print(test_shapes.fingerprint())"
    environment = {**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint()


@pytest.mark.slow
def test_importing_the_shapes_loads_no_library_of_the_extra():
    extra = "{'manifold3d', 'mujoco', 'numba', 'embreex'}"
    code = f"import sys, pixelproof.world.solid.shapes; print({extra} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_names_are_unique():
    assert len(NAMES) == len(set(NAMES)) >= 28
    assert all(CATEGORIES[kind.name] is kind for kind in KINDS)


def test_unknown_category_names_near_ones():
    with pytest.raises(PixelProofError, match="no category 'mugg'.*mug"):
        category("mugg")
    with pytest.raises(PixelProofError, match=r"no category 'xyzzy'\. Choose one of: mug, "):
        shape("xyzzy", {})


def test_wrong_form_is_refused():
    with pytest.raises(PixelProofError, match="The form of 'ball' has the numbers side, .* built from radius"):
        shape("ball", {"side": 0.1})
    with pytest.raises(PixelProofError, match="cannot be built"):
        shape("ball", {"radius": -0.1})


def test_new_thing_is_filled_from_its_category():
    kind = category("toy car")
    form = kind.sample(generator(1, "car"))
    thing = new_thing("car-1", "toy car", form, colour="red", material="plastic", position=(0, 0, 0.7), scale=1.5)
    low, high = shape_of(thing).bounds
    np.testing.assert_allclose(thing.size, (high - low) * 1.5)
    assert thing.front == (0.0, -1.0, 0.0) and thing.up == (0.0, 0.0, 1.0) and thing.symmetry == "C1"
    ball = new_thing("b", "ball", {"radius": 0.05}, colour="red", material="rubber", position=(0, 0, 0), text="x")
    assert ball.front is None and ball.symmetry == "SO3" and ball.text == "x"
    np.testing.assert_allclose(ball.size, (0.1, 0.1, 0.1))


def test_shapes_are_remembered_and_cannot_be_changed():
    first, second = shape("ball", {"radius": 0.05}), shape("ball", {"radius": 0.05})
    assert first is second
    with pytest.raises(ValueError, match="read-only"):
        first.parts[0].vertices[0, 0] = 1.0


def test_things_can_lie_in_hollow_things():
    for name in ("bowl", "plate", "tray"):
        thing_shape = built(category(name))
        height = thing_shape.bounds[1, 2]
        middle = np.array([[0.0, 0.0, 0.6 * height], [0.01, 0.01, 0.9 * height]])
        assert min(outside(middle, piece).min() for piece in thing_shape.pieces) > 0.001, name
    for name in ("plate", "tray"):
        (top,) = built(category(name)).surfaces
        corners = np.array([[x * top.width / 2, y * top.depth / 2, 0] for x, y in itertools.product((-1, 1), repeat=2)])
        on = corners + top.centre
        above, below = on + [0, 0, 0.001], on - [0, 0, 0.001]
        pieces = built(category(name)).pieces
        assert min(outside(above, piece).min() for piece in pieces) > 0, name
        assert np.min([outside(below, piece) for piece in pieces], axis=0).max() < 1e-6, name


def test_round_things_touch_the_ground_with_a_foot():
    piece = shape("ball", {"radius": 0.05}).pieces[0]
    foot = piece[np.abs(piece[:, 2]) < 1e-9]
    assert len(foot) >= 4
    assert 0.005 < np.linalg.norm(foot[:, :2], axis=1).max() < math.sqrt(2 * 0.05 * 0.0005)
