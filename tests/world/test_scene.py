"""A scene file says all, and says what is wrong with it."""

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pixelproof.contract import PixelProofError
from pixelproof.world.solid import (
    SYMMETRIES,
    Camera,
    Environment,
    Light,
    Scene,
    Thing,
    pose_matrix,
    quaternion,
    rotation_matrix,
    yaw,
)
from pixelproof.world.solid._symmetry import rotations, turns

numbers = st.floats(-1e3, 1e3, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers)
extents = st.tuples(*[st.floats(1e-3, 1e3)] * 3)
quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda parts: sum(part * part for part in parts) > 1e-3)
rotations_of_length_one = quaternions.map(lambda parts: tuple(part / math.hypot(*parts) for part in parts))
words = st.text(max_size=8)
things = st.builds(
    Thing,
    id=words,
    category=words,
    colour=words,
    material=words,
    size=extents,
    position=vectors,
    rotation=rotations_of_length_one,
    scale=st.floats(0.1, 10),
    form=st.dictionaries(words, numbers, max_size=3),
    text=words,
    front=st.none() | vectors,
    fixed=st.booleans(),
)
cameras = st.builds(Camera, position=vectors, rotation=rotations_of_length_one, focal=st.floats(0.5, 3))
kinds = st.sampled_from(["lamp", "sun"])
lights = st.builds(Light, position=vectors.filter(any), radius=st.floats(0, 1e3), power=extents, kind=kinds)
scenes = st.builds(
    Scene,
    kind=words,
    seed=st.integers(0, 2**64),
    index=st.integers(0, 10**9),
    things=st.lists(things, max_size=4, unique_by=lambda thing: thing.id).map(tuple),
    camera=cameras,
    lights=st.lists(lights, max_size=2).map(tuple),
    environment=st.builds(Environment, zenith=vectors),
)


def mug(id="mug-1", position=(0.0, 0.0, 0.0)):
    return Thing(id, "mug", "red", "ceramic", (0.1, 0.08, 0.09), position)


def scene(*things):
    return Scene(
        "tabletop", 7, 0, things, Camera.looking_at((0, 0, 0), (0, -1, 1)), (Light((0, 0, 2), 0.2, (1, 1, 1)),)
    )


@pytest.mark.slow
@given(scenes)
def test_a_file_gives_the_scene_back(made):
    assert Scene.from_json(made.to_json()) == made


def damaged(path, value):
    data = json.loads(scene(mug()).to_json())
    *way, last = path
    target = data
    for key in way:
        target = target[key]
    if value is KeyError:
        del target[last]
    else:
        target[last] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("version",), 99, "version 1 but 99"),
        (("things", 0, "size"), [1, 2], r"scene.things\[0\].size must be a list of 3"),
        (("things", 0, "size"), 3, r"scene.things\[0\].size must be a list"),
        (("things", 0, "position", 1), "near", r"position\[1\] must be a finite number"),
        (("things", 0, "position", 1), True, r"position\[1\] must be a finite number"),
        (("things", 0, "category"), 5, "category must be a text"),
        (("things", 0, "fixed"), 1, "fixed must be true or false"),
        (("things", 0, "form"), [], "form must be an object"),
        (("things", 0, "colour"), KeyError, r"scene.things\[0\] lacks 'colour'"),
        (("things", 0, "smell"), "sweet", "'smell', which is unknown"),
        (("things", 0, "support"), "table-1", "mug-1 stands on 'table-1'"),
        (("things",), {}, "scene.things must be a list"),
        (("seed",), 0.5, "seed must be a whole number"),
        (("camera",), None, "scene.camera must be an object"),
        (("lights", 0, "kind"), "moon", "kind must be one of lamp, sun"),
        (("things", 0, "rotation"), [2, 0, 0, 0], "rotation of mug-1 must be a quaternion .* of length 1"),
        (("things", 0, "rotation"), [0, 0, 0, 0], "rotation of mug-1 must be a quaternion .* of length 1"),
        (("things", 0, "scale"), 0, "scale of mug-1 must be above 0"),
        (("things", 0, "scale"), 101, "scale of mug-1 must be above 0 and at most 100"),
        (("things", 0, "size"), [0.1, -0.1, 0.1], "size of mug-1 must be above 0"),
        (("things", 0, "position"), [0, -1e4, 0], "position of mug-1 must be within 10000 m"),
        (("camera", "rotation"), [1, 1, 0, 0], "rotation of the camera"),
        (("camera", "position"), [1e300, 0, 0], "position of the camera"),
        (("camera", "focal"), 0, "focal length of the camera must be above 0"),
        (("camera", "focal"), 1e12, "focal length of the camera must be above 0 and at most 100"),
        (("lights", 0, "radius"), -0.1, "radius of a light must be 0 or more"),
        (("lights", 0, "power"), [1, -1, 1], "power of a light must be 0 or more"),
        (
            ("lights", 0),
            {"position": [0, 0, 0], "radius": 0, "power": [1, 1, 1], "kind": "sun"},
            "direction to the sun",
        ),
        (("environment", "exposure"), 0, "exposure of a scene must be above 0"),
    ],
)
def test_a_damaged_file_is_told_where(path, value, told):
    with pytest.raises(PixelProofError, match=told):
        Scene.from_json(damaged(path, value))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"version": 1, "kind": NaN}'])
def test_what_is_no_scene_is_refused(text):
    with pytest.raises(PixelProofError):
        Scene.from_json(text)


def test_not_a_number_is_not_written():
    with pytest.raises(ValueError):
        scene(replace(mug(), form={"height": math.nan})).to_json()
    with pytest.raises(PixelProofError, match="not nan"):
        replace(mug(), scale=math.nan)


def test_things_of_one_id_are_refused():
    with pytest.raises(PixelProofError, match="two things with one id"):
        scene(mug(), mug())


def test_edits_touch_one_thing():
    first, second = mug(), mug("mug-2", position=(0.3, 0.0, 0.0))
    made = scene(first, second)
    moved = made.with_thing(replace(second, scale=2.0))
    assert moved.thing("mug-2").scale == 2.0 and moved.thing("mug-1") == first
    assert made.without("mug-1").things == (second,)
    with pytest.raises(KeyError):
        made.without("mug-3")


@pytest.mark.slow
@given(quaternions)
def test_quaternions_agree_with_scipy(parts):
    w, x, y, z = parts
    matrix = rotation_matrix(parts)
    np.testing.assert_allclose(matrix, Rotation.from_quat([x, y, z, w]).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(rotation_matrix(quaternion(matrix)), matrix, atol=1e-9)


@pytest.mark.slow
@given(vectors, st.floats(-360, 360), st.floats(0.1, 5), vectors)
def test_a_pose_scales_turns_and_moves(position, degrees, scale, point):
    angle = np.radians(degrees)
    turned = np.array(
        [
            point[0] * np.cos(angle) - point[1] * np.sin(angle),
            point[0] * np.sin(angle) + point[1] * np.cos(angle),
            point[2],
        ]
    )
    got = pose_matrix(position, yaw(degrees), scale) @ [*point, 1.0]
    np.testing.assert_allclose(got[:3], scale * turned + position, atol=1e-6)


@pytest.mark.slow
@given(vectors, vectors, st.integers(1, 2000), st.integers(1, 2000))
def test_a_camera_has_its_target_in_the_middle(target, offset, width, height):
    if np.hypot(offset[0], offset[1]) < 1e-2:
        return
    camera = Camera.looking_at(target, tuple(np.add(target, offset)))
    (x, y, depth), (_, above, _) = camera.project([target, np.add(target, (0, 0, 1e-3))], width, height)
    scale = max(width, height)
    assert abs(x - width / 2) < 1e-6 * scale and abs(y - height / 2) < 1e-6 * scale
    assert depth == pytest.approx(np.linalg.norm(offset)) and above < y


def test_pixels_agree_with_the_pinhole_formula():
    """x = f·X/Z + cx, worked by hand for a camera that looks along +y."""
    camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -4.0, 0.0), focal=1.0)
    wide, high = camera.project([(1.0, 0.0, 0.5)], 400, 200), camera.project([(1.0, 0.0, 0.5)], 200, 400)
    np.testing.assert_allclose(wide, [[200 * 1 / 4 + 200, 100 - 200 * 0.5 / 4, 4.0]])
    np.testing.assert_allclose(high, [[200 * 1 / 4 + 100, 200 - 200 * 0.5 / 4, 4.0]])


def test_straight_down_has_no_level():
    with pytest.raises(ValueError, match="no level"):
        Camera.looking_at((0, 0, 0), (0, 0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", sorted(set(SYMMETRIES) - {"SO3"}))
def test_symmetries_are_groups_of_rotations(symmetry):
    group = rotations(symmetry)
    np.testing.assert_allclose(group @ group.transpose(0, 2, 1), np.broadcast_to(np.eye(3), group.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(group), 1)
    products = np.einsum("aij,bjk->abik", group, group).reshape(-1, 9)
    distance = np.abs(products[:, None] - group.reshape(1, -1, 9)).max(axis=-1)
    assert np.all(distance.min(axis=1) < 1e-9)
    assert (distance[:, :].min(axis=0) < 1e-9).all() and len(np.unique(group.round(9), axis=0)) == len(group)
    if turns(symmetry):
        assert 360 / turns(symmetry) == sum(np.allclose(rotation[2], [0, 0, 1]) for rotation in group)


def test_every_field_is_in_the_file():
    assert set(json.loads(scene(mug()).to_json())["things"][0]) == set(asdict(mug()))


def test_rotation_matrices_are_those_of_scipy_to_the_last_digit():
    rng = np.random.default_rng(0)
    for w, x, y, z in rng.normal(size=(300, 4)).tolist():
        assert np.array_equal(rotation_matrix((w, x, y, z)), Rotation.from_quat((x, y, z, w)).as_matrix())
