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
    clip = make_clip(**({"seed": 3, "side": 256, "frames": 12} | wish))
    known, target = tracks(clip), clip.scene.roles["target"]
    media = Media(list(draw_clip(clip)), fps=8.0)
    box = grid_box(known[target][0].box, media.width, media.height)
    toolbox = Toolbox(media, Backends(trk=name), UNLIMITED)
    result = toolbox.call(Call("1", "TRK", {"box": box, "t0": 0, "t1": clip.frames - 1}))
    left, top, right, bottom = result.evidence["pixels"][-1]
    x0, y0, x1, y1 = known[target][-1].whole
    away = np.hypot((left + right - x0 - x1) / 2, (top + bottom - y0 - y1) / 2)
    return away, result.evidence["visible"], [seen.pixels for seen in known[target]]


@pytest.mark.slow
@pytest.mark.parametrize("paths", ["linear", "crossing"])
@pytest.mark.parametrize("index", [0, 1])
def test_a_target_is_found_again_behind_a_screen_among_its_like(paths, index):
    away, visible, pixels = final_error(paths=paths, index=index)
    assert away < 8 and visible[0] and visible[-1]
    assert not any(seen and not count for seen, count in zip(visible, pixels, strict=True)), "hidden is not visible"


def test_two_objects_that_touch_and_are_hidden_in_part_are_not_one():
    """Together they have hardly more area than one: the blob is too long for it."""
    wish = {"paths": "crossing", "movers": 4, "side": 512, "frames": 16, "sans": 1.0, "clear_flash": True, "flash": 0}
    assert final_error(seed=4711, index=243, **wish)[0] < 8


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


def moving(side, speed, angle=0.3, count=8, texture=None):
    """Frames with one square that moves fast and is reflected at the border, and its boxes."""
    height, width = 160, 320
    x, y, vx, vy = 12.0, 30.0, speed * np.cos(angle), speed * np.sin(angle)
    frames, boxes = [], []
    for _ in range(count):
        frame = np.full((height, width, 3), 225, np.uint8)
        left, top = round(x), round(y)
        frame[top : top + side, left : left + side] = (200, 30, 30) if texture is None else texture
        frames.append(frame)
        boxes.append((left, top, left + side, top + side))
        x, y = x + vx, y + vy
        if not 0 <= x <= width - side:
            x, vx = (-x if x < 0 else 2 * (width - side) - x), -vx
        if not 0 <= y <= height - side:
            y, vy = (-y if y < 0 else 2 * (height - side) - y), -vy
    return frames, boxes


@pytest.mark.parametrize("name", ["opencv", "template"])
@pytest.mark.parametrize("side", [8, 16])
@pytest.mark.parametrize("angle", [0.2, 0.5])
def test_a_box_that_moves_by_several_times_its_size_is_followed(name, side, angle):
    """38 pixels per frame; once it was lost in the second frame."""
    frames, boxes = moving(side, 38, angle)
    positions = create_backend("TRK", name).track(frames, boxes[0], None, range(len(frames)))
    for position, box in zip(positions, boxes, strict=True):
        assert position.visible and np.abs(np.subtract(position.box, box)).max() < 3


def test_an_object_of_one_colour_has_a_template():
    """Correlation with a constant picture is undefined: the template includes some of the surroundings."""
    frames, boxes = moving(24, 6)
    positions = create_backend("TRK", "template").track(frames, boxes[0], None, range(len(frames)))
    assert all(position.visible and position.conf > 0.9 for position in positions)


def test_a_fast_object_and_one_that_vanishes_are_not_confused():
    frames, boxes = moving(10, 40)
    for number, frame in enumerate(frames):
        if number < 3:
            frame[120:130, 280:290] = (200, 30, 30)  # looks the same, stands still, and vanishes
    still = create_backend("TRK", "opencv").track(frames, (280, 120, 290, 130), None, range(len(frames)))
    assert [position.visible for position in still[:5]] == [True] * 3 + [False] * 2
    fast = create_backend("TRK", "opencv").track(frames, boxes[0], None, range(len(frames)))
    assert np.abs(np.subtract(fast[-1].box, boxes[-1])).max() < 3


def test_an_object_on_a_circle_is_followed_while_a_part_is_hidden():
    frames, centres = [], []
    for number in range(14):
        x, y = 100 + 60 * np.cos(0.35 * number), 100 + 60 * np.sin(0.35 * number)
        frame = np.full((200, 200, 3), 225, np.uint8)
        frame[round(y) - 12 : round(y) + 12, round(x) - 12 : round(x) + 12] = (200, 30, 30)
        if 4 <= number < 9:
            frame[:, round(x) + 2 :] = (40, 90, 40)  # the right part is hidden
        if 9 <= number < 11:
            frame[:] = (40, 90, 40)
        frames.append(frame)
        centres.append((x, y))
    box = tuple(round(value) for value in (148, 88, 172, 112))
    positions = create_backend("TRK", "opencv").track(frames, box, None, range(len(frames)))
    left, top, right, bottom = positions[-1].box
    assert np.hypot((left + right) / 2 - centres[-1][0], (top + bottom) / 2 - centres[-1][1]) < 4


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


def test_a_line_with_noise_is_no_circle():
    """A circle fits a few points better than a line does, and leads far away while an object is hidden."""
    rng = np.random.default_rng(5)
    model = MotionModel((0, 0, 900, 900))
    for time in range(5):
        model.observe(time, 100 + 22.0 * time + rng.normal(0, 0.8), 400 - 10.0 * time + rng.normal(0, 0.8))
    assert np.hypot(*np.subtract(model.predict(10), (320, 300))) < 15


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 200)), min_size=1, max_size=12), st.integers(12, 30))
def test_predictions_are_finite(places, time):
    model = MotionModel((10, 10, 190, 190))
    for number, (x, y) in enumerate(places):
        model.observe(number, x, y)
    assert np.isfinite(model.predict(time)).all()
