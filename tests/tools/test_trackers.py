"""Back ends of TRK on clips whose tracks are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import Call
from pixelproof.tools import Backends, Budget, Media, Toolbox, create_backend, grid_box
from pixelproof.tools._motion import MotionModel
from pixelproof.world.flat import draw_clip, make_clip, tracks

pytest.importorskip("cv2")
UNLIMITED = Budget(None, None, None, None, None, None)


def final_error(name="opencv", **wish):
    """Distance in pixels of the tracked target from its true place in the last frame, and its visibility."""
    clip = make_clip(3, **({"side": 256, "frames": 12} | wish))
    known, target = tracks(clip), clip.scene.roles["target"]
    media = Media(list(draw_clip(clip)), fps=8.0)
    box = grid_box(known[target][0].box, media.width, media.height)
    toolbox = Toolbox(media, Backends(trk=name), UNLIMITED)
    result = toolbox.call(Call("1", "TRK", {"box": box, "t0": 0, "t1": clip.frames - 1}))
    left, top, right, bottom = result.evidence["pixels"][-1]
    x0, y0, x1, y1 = known[target][-1].whole
    away = np.hypot((left + right - x0 - x1) / 2, (top + bottom - y0 - y1) / 2)
    return away, result.evidence["visible"], [seen.pixels for seen in known[target]]


@pytest.mark.parametrize("paths", ["linear", "crossing"])
@pytest.mark.parametrize("index", [0, 1])
def test_a_target_is_found_again_behind_a_screen_among_its_like(paths, index):
    away, visible, pixels = final_error(paths=paths, index=index)
    assert away < 8 and visible[0] and visible[-1]
    assert not any(seen and not count for seen, count in zip(visible, pixels, strict=True)), "hidden is not visible"


def test_a_shaking_camera_does_not_matter():
    assert final_error(paths="crossing", jitter=4.0)[0] < 8


def test_an_object_with_texture_is_followed_by_its_looks():
    rng = np.random.default_rng(2)
    ground = rng.integers(100, 140, (80, 200, 3)).astype(np.uint8)
    patch = rng.integers(0, 256, (16, 16, 3)).astype(np.uint8)
    frames = [ground.copy() for _ in range(10)]
    for number, frame in enumerate(frames):
        if number != 5:
            frame[30:46, 20 + 12 * number : 36 + 12 * number] = patch
    for name in ("opencv", "template"):
        positions = create_backend("TRK", name).track(frames, (20, 30, 36, 46), None, range(10))
        assert abs(positions[9].box[0] - 128) <= 2 and positions[9].visible, name
        assert not positions[5].visible
    mask = np.zeros((80, 200), bool)
    mask[30:46, 20:36] = True
    assert abs(create_backend("TRK", "opencv").track(frames, (20, 30, 36, 46), mask, range(10))[9].box[0] - 128) <= 2


def test_nothing_to_follow_is_survived():
    for frames in ([np.zeros((6, 6, 3), np.uint8)] * 3, [np.full((1, 1, 3), 7, np.uint8)] * 2):
        for name in ("opencv", "template"):
            positions = create_backend("TRK", name).track(frames, (0, 0, 1, 1), None, range(len(frames)))
            assert len(positions) == len(frames)
            assert all(np.isfinite(position.box).all() and 0 <= position.conf <= 1 for position in positions)


def path(kind, count=10):
    times = np.arange(count)
    if kind == "circle":
        return np.column_stack([100 + 50 * np.cos(0.35 * times), 100 + 50 * np.sin(0.35 * times)])
    if kind == "bounce":
        along = 120 + 22.0 * times
        return np.column_stack([np.where(along > 180, 360 - along, along), 40 + 5.0 * times])
    return np.column_stack([10 + 9.0 * times, 150 - 6.0 * times])


@pytest.mark.parametrize("kind", ["line", "circle", "bounce"])
def test_motions_are_continued(kind):
    places = path(kind)
    model = MotionModel((20, 20, 180, 180) if kind == "bounce" else (0, 0, 200, 200))
    for time, (x, y) in enumerate(places[:7]):
        model.observe(time, x, y)
    assert np.hypot(*(np.array(model.predict(9)) - places[9])) < 3


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 200)), min_size=1, max_size=12), st.integers(12, 30))
def test_predictions_are_finite(places, time):
    model = MotionModel((10, 10, 190, 190))
    for number, (x, y) in enumerate(places):
        model.observe(number, x, y)
    assert np.isfinite(model.predict(time)).all()
