"""Codes for depth and normals against the published formula, a KD-tree, and what JPEG does to them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import minimize
from scipy.spatial import cKDTree

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.arena._controls import make_controls
from pixelproof.benches.arena.dense import (
    CODES,
    DEPTH_CODES,
    SHORTEST,
    decode_depth,
    decode_normals,
    depth_code,
    encode_depth,
    encode_normals,
    prior,
)
from pixelproof.benches.arena.dense._best import _sphere, best_depth, best_direction
from pixelproof.benches.arena.palettes import design
from pixelproof.benches.arena.tasks import Depth, Normals, Submission
from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID, AnswerImage, ImageChannel, read_image

pictures = arrays.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3)))
codes = st.sampled_from(sorted(DEPTH_CODES))


def published(depth):
    """The bend as it was published: 1 − (1 − d/(λc))^(λ+1) with λ = −3 and c = 10/3."""
    power, scale = -3.0, 10 / 3
    return 1 - (1 - np.asarray(depth, float) / (power * scale)) ** (power + 1)


def facing(right, up, towards):
    """A unit vector in a frame's axes: x right, y down, z away."""
    vector = np.array([right, -up, -towards], float)
    return (vector / np.linalg.norm(vector))[None, None]


def angles(one, other):
    return np.degrees(np.arccos(np.clip((one * other).sum(axis=-1), -1, 1)))


@pytest.mark.parametrize("name", DEPTH_CODES)
def test_path_is_a_bijection(name):
    path = depth_code(name).path.astype(int)
    assert len({tuple(colour) for colour in path.tolist()}) == len(path)
    assert (np.abs(np.diff(path, axis=0)).max(axis=1) == 1).all()
    decoded = decode_depth(path.astype(np.uint8)[None], name)
    assert (decoded.distance == 0).all()
    assert (np.diff(decoded.values[0]) > 0).all()


def test_cube_walks_along_edges_from_black_to_white():
    path = depth_code("cube").path.astype(int)
    assert (np.isin(path, (0, 255)).sum(axis=1) >= 2).all()
    assert path[0].tolist() == [0, 0, 0] and path[-1].tolist() == [255, 255, 255] and len(path) == 7 * 255 + 1


@given(st.lists(st.floats(0.1, 100.0), min_size=1, max_size=20), codes)
def test_round_trip_is_exact_to_half_a_step(depths, name):
    depth = np.array([depths])
    steps = len(depth_code(name).path) - 1
    back = decode_depth(encode_depth(depth, name), name)
    assert (np.abs(published(back.values) - published(depth)) * steps <= 0.5 + 1e-3).all()
    assert back.off_code == 0


@pytest.mark.parametrize(
    ("name", "metres", "stated"),
    [
        ("cube", (0.3, 50.0), 0.008),
        ("cube", (0.1, 100.0), 0.019),
        ("grey", (0.5, 20.0), 0.027),
        ("grey", (0.1, 100.0), 0.14),
    ],
)
def test_quantisation_is_as_stated_in_the_documentation(name, metres, stated):
    depth = np.geomspace(*metres, 20_001)[None]
    error = np.abs(decode_depth(encode_depth(depth, name), name).values / depth - 1).max()
    assert stated / 2 < error <= stated


@given(pictures, codes)
def test_decoding_finds_the_nearest_colour_of_the_path(picture, name):
    path = depth_code(name).path
    decoded = decode_depth(picture, name)
    distance, _ = cKDTree(path.astype(float)).query(picture.reshape(-1, 3).astype(float))
    assert np.allclose(decoded.distance.ravel(), distance, atol=1e-3)
    again = encode_depth(decoded.values, name).reshape(-1, 3).astype(float)
    reached = np.linalg.norm(again - picture.reshape(-1, 3), axis=1)
    assert np.allclose(reached, distance, atol=1e-3)


def test_unknown_depth_is_endlessly_far_and_comes_back_as_a_number():
    picture = encode_depth(np.array([[np.inf, np.nan, -1.0]]))
    assert picture.tolist() == [[[255] * 3, [255] * 3, [0] * 3]]
    back = decode_depth(picture).values
    assert back[0, 0] == pytest.approx(depth_code("cube").farthest) and np.isfinite(back).all() and back[0, 0] > 500


def test_a_code_that_does_not_exist_is_refused():
    with pytest.raises(PixelProofError, match="no depth code 'rainbow'.*cube"):
        encode_depth(np.ones((1, 1)), "rainbow")


@given(arrays.arrays(np.float64, (3, 3, 3), elements=st.floats(-1, 1)))
def test_normals_come_back_within_half_a_degree(vectors):
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    normals = np.where(length > 0.1, vectors / np.maximum(length, 0.1), np.array([0.0, 0, -1]))
    back = decode_normals(encode_normals(normals))
    assert angles(back.values.astype(float), normals).max() < 0.5
    assert back.distance.max() < 1.5 and back.off_code == 0


def test_axes_of_normals_are_as_declared():
    for direction, colour in [
        ((0, 0, 1), [128, 128, 255]),
        ((1, 0, 0), [255, 128, 128]),
        ((-1, 0, 0), [0, 128, 128]),
        ((0, 1, 0), [128, 255, 128]),
        ((0, -1, 0), [128, 0, 128]),
    ]:
        assert encode_normals(facing(*direction))[0, 0].tolist() == colour
        assert str(colour) in CODES["normals"]


@given(pictures)
def test_decoded_normals_are_unit_vectors_or_nothing(picture):
    decoded = decode_normals(picture)
    length = np.linalg.norm(decoded.values.astype(float), axis=-1)
    plain = np.linalg.norm(picture / 127.5 - 1, axis=-1)
    clear = np.abs(plain - SHORTEST) > 1e-5
    assert np.allclose(length[clear], (plain > SHORTEST)[clear], atol=1e-5)
    assert np.isfinite(decoded.distance).all()


@pytest.mark.parametrize("name", DEPTH_CODES)
def test_distances_in_the_text_have_their_colours(name):
    text = CODES[f"depth-{name}"]
    marks = re.findall(r"([\d.]+) m: \[(\d+), (\d+), (\d+)\]", text)
    assert len(marks) >= 8
    for metres, *colour in marks:
        back = decode_depth(np.array([[colour]], dtype=np.uint8), name).values[0, 0]
        assert back == pytest.approx(float(metres), rel=0.06)


def steps_and_slopes(size=192):
    """Depth with slopes and jumps, and the normals of a ball before a wall."""
    y, x = np.mgrid[:size, :size] / size
    depth = 2 + 3 * x + np.where(y > 0.5, 4.0, 0.0) + np.where((x - 0.3) ** 2 + (y - 0.3) ** 2 < 0.03, -1.5, 0.0)
    u, v = (x - 0.5) / 0.4, (y - 0.5) / 0.4
    inside = u**2 + v**2 < 0.9
    normals = np.stack([u, v, -np.sqrt(np.maximum(1 - u**2 - v**2, 0))], axis=-1)
    return depth, np.where(inside[..., None], normals, np.array([0.0, 0, -1]))


def test_codes_survive_the_channel():
    depth, normals = steps_and_slopes()
    through = decode_depth(read_image(ImageChannel().send(encode_depth(depth))))
    assert np.mean(np.abs(through.values / depth - 1)) < 0.02
    assert through.off_code < 0.05
    back = decode_normals(read_image(ImageChannel().send(encode_normals(normals)))).values
    assert angles(back.astype(float), normals).mean() < 3


def test_other_pictures_are_off_the_code():
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    assert decode_depth(noise).off_code > 0.5
    assert decode_normals(np.zeros((4, 4, 3), np.uint8)).off_code == 1.0


@given(st.lists(st.floats(0.3, 15), min_size=1, max_size=40))
def test_best_depth_is_the_weighted_median_and_the_fullest_window(depths):
    values = np.array(depths, np.float32)

    def error(guess):
        return np.mean(np.abs(guess - values) / values)

    ordered = np.sort(values)
    heavy = np.cumsum(1 / ordered)
    median = ordered[np.searchsorted(heavy, heavy[-1] / 2)]  # of |guess − d| / d, the weights being 1 / d
    assert error(best_depth(values)) <= error(median) + 0.012 * median * np.mean(1 / values)
    # A window that begins just under some value is as full as any.
    fullest = max(np.sum((values >= low) & (values < low * 1.25**2 * 0.97)) for low in values)
    chosen = best_depth(values, often=True)
    assert np.sum(np.maximum(chosen / values, values / chosen) < 1.25) >= fullest


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_best_direction_is_no_worse_than_an_optimiser_finds(seed):
    rng = np.random.default_rng(seed)
    spread = (
        rng.normal(size=(200, 3)) * 0.5 + rng.normal(size=3) + (rng.random((200, 1)) < 0.4) * rng.normal(size=3) * 2
    )
    normals = (spread / np.linalg.norm(spread, axis=1, keepdims=True)).astype(np.float32)

    def error(vector):
        return angles(vector / np.linalg.norm(vector), normals.astype(float)).mean()

    found = min(minimize(error, normals[start], method="Nelder-Mead").fun for start in (0, 50, 100))
    assert error(best_direction(normals).astype(float)) < found + 0.3

    def hits(vector, limit):
        return (angles(vector, normals.astype(float)) < limit).sum()

    # Every direction has one that is tried within 3.5 degrees, and what is right within less by that is right for both.
    assert hits(best_direction(normals, often=True), 11.25) >= max(hits(one, 11.25 - 3.5) for one in normals)
    assert np.degrees(np.arccos(np.clip((normals @ _sphere().T).max(axis=1), -1, 1))).max() < 3.5


def test_table_of_the_prior_is_found_cell_by_cell():
    from pixelproof.benches.arena.dense.__main__ import _best_depths, _best_directions, _celled

    y, x = np.mgrid[:32, :32]
    wanted = 1 + (y // 4) * 0.5 + (x // 4) * 0.05
    found = np.array(_best_depths(_celled(np.tile(wanted, (2, 1, 1))[..., None].astype(np.float32))))
    assert np.allclose(found, wanted[::4, ::4], rtol=0.015)
    facing = np.where((x < 16)[..., None], np.array([1.0, 0, 0]), np.array([0, -1.0, 0])).astype(np.float32)
    found = np.array(_best_directions(_celled(facing[None]), often=True))
    assert (found[:, :4, 0] > 0.98).all() and (found[:, 4:, 1] < -0.98).all()


@pytest.mark.parametrize("which", ["near", "often", "room", "shelf", "tabletop"])
@pytest.mark.parametrize("shape", [(8, 8), (1, 5), (31, 100)])
def test_prior_fills_any_picture(which, shape):
    depth, normals = prior("depth", which, shape), prior("normals", which, shape)
    assert depth.shape == shape and normals.shape == (*shape, 3)
    assert (depth > 0.2).all() and (depth < 20).all()
    assert np.allclose(np.linalg.norm(normals, axis=-1), 1, atol=0.02)
    assert depth[0, 0] == prior("depth", which, (8, 8))[0, 0]


def made_case(labels=("background", "mug")):
    """Half wall, half mug, and a strip that belongs to nothing; the truth of all layers."""
    depth, normals = steps_and_slopes(64)
    marks = np.zeros((64, 64), np.uint8)
    marks[:, 32:], marks[:4] = 1, VOID
    frame = Frame(None, marks, depth.astype(np.float32), normals.astype(np.float32))
    return Case("world", "1", design(labels), "hash", tags={"scene": "shelf"}), frame


def submission(picture):
    return Submission(AnswerImage(picture, picture))


def test_things_are_measured_without_what_surrounds_them():
    case, frame = made_case()
    things = frame.labels == 1
    guess = np.where(things, frame.depth * 1.1, frame.depth * 2)
    numbers = Depth().measure(submission(encode_depth(guess)), case, frame, None).numbers
    assert numbers["depth.absrel_things"] == pytest.approx(0.1, abs=0.005) and numbers["depth.delta1_things"] == 1
    assert numbers["depth.absrel"] == pytest.approx(np.mean(np.abs(guess / frame.depth - 1)), abs=0.005)
    turned = encode_normals(np.where(things[..., None], np.array([0.0, -1, 0]), frame.normals))
    numbers = Normals().measure(submission(turned), case, frame, None).numbers
    expected = angles(frame.normals[things].astype(float), np.array([0.0, -1, 0])).mean()
    assert numbers["normals.angle_things"] == pytest.approx(expected, abs=0.5) and numbers["normals.angle"] < expected
    empty = replace(frame, labels=np.zeros_like(frame.labels))
    for task, picture in ((Depth(), encode_depth(guess)), (Normals(), turned)):
        numbers = task.measure(submission(picture), case, empty, None).numbers
        assert not [name for name in numbers if name.endswith("_things")], "nothing is not zero"


@pytest.mark.parametrize(
    ("name", "which"),
    [
        ("floor-prior", "near"),
        ("floor-prior-often", "often"),
        ("floor-same-kind", "shelf"),
        ("floor-same-kind-often", "shelf-often"),
    ],
)
def test_controls_answer_without_a_look(name, which):
    case, frame = made_case()
    other = replace(frame, depth=frame.depth + 1, normals=-frame.normals)
    for task, painted in (
        (Depth(), encode_depth(prior("depth", which, (64, 64)))),
        (Normals(), encode_normals(prior("normals", which, (64, 64)))),
    ):
        for shown in (frame, other):
            control = make_controls(task, lambda item, shown=shown: (case, shown, None))[name]
            assert np.array_equal(read_image(control(None, np.random.default_rng(0)).images[0]), painted)


@pytest.mark.slow
def test_prior_beats_every_constant_on_scenes_that_it_has_not_seen():
    pytest.importorskip("mujoco")
    pytest.importorskip("embreex")
    from pixelproof.benches.arena.sources import open_source

    source = open_source("world", task="depth", size=64).scenes
    scenes = [source.describe(31, index) for index in range(9)]
    rendered = [source.render(31, index, scene, ("depth", "normals")) for index, scene in enumerate(scenes)]
    depth, normals = (np.stack([layers[name] for layers in rendered]).astype(float) for name in ("depth", "normals"))

    def error(guess):
        return np.mean(np.abs(guess - depth) / depth)

    assert error(prior("depth", "near", (64, 64))) < min(map(error, np.geomspace(0.5, 5, 60)))
    flat = [facing(0, np.sin(tilt), np.cos(tilt)) for tilt in np.linspace(-0.5, 1.6, 40)]
    assert angles(prior("normals", "near", (64, 64)), normals).mean() < min(angles(one, normals).mean() for one in flat)
    by_kind = np.stack([prior("depth", scene.kind, (64, 64)) for scene in scenes])
    assert error(by_kind) < 0.75 * error(prior("depth", "near", (64, 64)))
