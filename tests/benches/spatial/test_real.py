"""The pipeline of real photographs: each step alone, and all of them on frames with known truth."""

import json
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from pixelproof.apps.review import DecisionStore, read_batch
from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial._commands import spatial_group
from pixelproof.benches.spatial._gsi_files import GsiAnnotation, write_gsi_item
from pixelproof.benches.spatial.real import (
    Candidate,
    Frame,
    LiftedBox,
    OracleLifter,
    RealEdit,
    Rejected,
    Settings,
    as_matrix,
    collage_frames,
    draw_edit,
    find_candidates,
    intersect,
    name_of,
    open_lifter,
    photo_frames,
    project,
    propose_edits,
    read_verdict,
    sample_places,
    says_the_same,
    scene_frame,
    sharpness,
    view_axes,
)
from pixelproof.contract import Answer, PixelProofError, Source
from pixelproof.pixels import encode_png
from pixelproof.stats import generator
from pixelproof.world.edits import Edit, apply
from world.edits.scenes import desk

RNG = np.random.default_rng
LEVEL = as_matrix(np.eye(3))
CAMERA = np.array([[400.0, 0, 200], [0, 400, 150], [0, 0, 1]])
TEXTURE = RNG(0).integers(0, 255, (300, 400, 3)).astype(np.uint8)


def frame(**more):
    return Frame("photo", TEXTURE, CAMERA, **more)


def box(label="mug", at=(0.0, 0.0, 2.0), size=(0.1, 0.1, 0.1), rotation=LEVEL):
    return LiftedBox(label, at, size, rotation)


def test_one_frame_of_every_group_is_taken():
    for count in (1, 19, 20, 21, 200):
        places = sample_places(count, 20, RNG(count))
        assert [place // 20 for place in places] == list(range(-(-count // 20))) and max(places) < count
    with pytest.raises(PixelProofError, match="1 or more"):
        sample_places(5, 0, RNG(0))


def test_sharpness_falls_with_blur_and_does_not_depend_on_brightness():
    values = [sharpness(gaussian_filter(TEXTURE, (s, s, 0))) for s in (0, 1, 2, 4)]
    assert values == sorted(values, reverse=True) and values[0] > 0.9 and values[-1] < 0.6
    assert sharpness(TEXTURE // 2 + 60) == pytest.approx(values[0], abs=0.01)
    assert sharpness(np.full((20, 30, 3), 7, np.uint8)) == 0


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_boxes_intersect_exactly_if_they_share_a_point(seed):
    """Against linear programming: is there a point within both?"""
    rng = RNG(seed)
    pair = [
        LiftedBox(
            "x",
            tuple(rng.uniform(-0.4, 0.4, 3)),
            tuple(rng.uniform(0.1, 0.6, 3)),
            as_matrix(Rotation.random(random_state=rng.integers(2**31)).as_matrix()),
        )
        for _ in range(2)
    ]
    rows, limits = [], []
    for one in pair:
        for axis, side in zip(one.axes.T, one.size, strict=True):
            middle = axis @ one.centre
            rows += [axis, -axis]
            limits += [middle + side / 2, side / 2 - middle]
    found = linprog(np.zeros(3), rows, limits, bounds=[(None, None)] * 3).success
    assert intersect(*pair, slack=0.0) == found


def test_view_axes_follow_gravity():
    right, away, up = view_axes(frame()).T
    assert np.allclose([right, away, up], [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    tilt = np.radians(30)  # looking down by 30 degrees
    right, away, up = view_axes(frame(down=(0.0, np.cos(tilt), np.sin(tilt)))).T
    assert np.allclose(right, [1, 0, 0]) and away @ up == pytest.approx(0) and away[2] == pytest.approx(np.cos(tilt))
    straight = view_axes(frame(down=(0.0, 0.0, 1.0)))
    assert np.allclose(straight.T @ straight, np.eye(3))


def test_names_are_unique_or_there_is_none():
    mugs = [box(at=(-0.3, 0, 2)), box(at=(0.3, 0, 2))]
    assert [name_of(frame(), mugs, one) for one in mugs] == ["the leftmost mug", "the rightmost mug"]
    close = [box(at=(0.0, 0, 2)), box(at=(0.02, 0, 2))]
    assert name_of(frame(), close, close[0]) is None
    assert name_of(frame(), [mugs[0]], mugs[0]) == "the mug"


def rich():
    """Some boxes on a level."""
    return [
        box("mug", (-0.4, 0.2, 2.0)),
        box("mug", (0.4, 0.2, 2.2)),
        box("tray", (0.0, 0.2, 1.8), (0.2, 0.1, 0.12)),
        box("sofa", (0.3, 0.2, 3.5), (1.8, 0.8, 0.9)),
    ]


def test_proposals_say_what_their_boxes_do():
    """Text and boxes agree: direction, distance, angle, sense and thing, whatever the camera's tilt."""
    seen = set()
    for seed in range(12):
        tilt = 0.1 * (seed % 4)
        turn = Rotation.from_euler("x", tilt).as_matrix()
        boxes = [replace(one, centre=tuple(turn @ one.centre), rotation=as_matrix(turn @ one.axes)) for one in rich()]
        here = frame(down=tuple(turn @ (0.0, 1.0, 0.0)))
        right, away, up = view_axes(here).T
        for edit in propose_edits(here, boxes, RNG(seed), 10):
            seen.add(edit.operation)
            assert edit.target in edit.text and edit.before.label in edit.target
            assert edit.before.volume <= 0.4
            if edit.operation == "move":
                offset = np.subtract(edit.after.centre, edit.before.centre)
                cm = int(edit.text.split(" cm ")[0].split()[-1])
                ways = {"to the left": -right, "to the right": right, "towards the camera": -away}
                ways |= {"away from the camera": away, "up": up, "down": -up}
                way = ways[edit.text.split(" cm ")[1].rstrip(".").split(",")[0]]
                assert np.allclose(offset, cm / 100 * way)
            if edit.operation == "rotation":
                degrees = int(edit.text.split(" degrees")[0].split()[-1])
                turned = Rotation.from_matrix(edit.after.axes @ edit.before.axes.T).as_rotvec(degrees=True)
                sign = 1 if "anticlockwise" in edit.text else -1
                if degrees < 180:
                    assert np.allclose(turned, sign * degrees * up, atol=1e-6)
                assert edit.after.centre == edit.before.centre
            if edit.operation == "placement":
                feet = [np.asarray(b.centre) + b.down * b.size[1] / 2 for b in (edit.after, edit.reference)]
                cm = int(edit.text.split(" cm ")[0].split()[-1])
                assert np.linalg.norm(feet[0] - feet[1]) == pytest.approx(cm / 100)
                assert abs((feet[0] - feet[1]) @ up) < 1e-9
            if edit.operation == "removal":
                assert edit.after is None and "most mug" in edit.text or "est mug" in edit.text
            if edit.after is not None:
                assert project(np.array([edit.after.centre]), CAMERA)[0, 2] > 0
                for other in boxes:
                    assert other is edit.before or not intersect(edit.after, other)
    assert seen == {"move", "placement", "rotation", "removal"}


def test_names_of_cameras_turns_that_do_not_show_and_hidden_places_are_left_out():
    assert name_of(frame(), [box("photo camera")], box("photo camera")) is None
    assert not any(one.operation == "rotation" for one in propose_edits(frame(), [box()], RNG(0), 8))
    wall = box("cabinet", (0.0, 0.0, 1.5), (1.2, 1.2, 0.1))
    edits = propose_edits(frame(), [box(at=(0.0, 0.0, 1.3)), wall], RNG(0), 20)
    mugs = [one for one in edits if one.after is not None and one.before.label == "mug"]
    behind = [one for one in mugs if one.after.centre[2] > 1.6]
    assert not behind, "behind a cabinet"


def test_nothing_is_proposed_without_things_and_large_ones_stay():
    assert propose_edits(frame(), [], RNG(0), 5) == []
    assert propose_edits(frame(), [rich()[3]], RNG(0), 5) == []


def test_overlays_show_both_boxes():
    for edit in propose_edits(frame(), rich(), RNG(3), 12):
        drawn = draw_edit(frame(), edit)
        colours = {tuple(colour) for colour in drawn.reshape(-1, 3)[(drawn != TEXTURE).any(axis=-1).ravel()].tolist()}
        assert (255, 140, 0) in colours and ((40, 200, 90) in colours) == (edit.after is not None)


@pytest.mark.parametrize(
    "reply, verdict, text",
    [
        ('{"verdict": "keep", "reason": "fine", "text": "Move the cup 10 cm to the left."}', "keep", "cup"),
        ('```json\n{"verdict": "drop", "reason": "It would float."}\n```', "drop", "mug"),
        ('{"verdict": "keep", "text": "Move the cup 10 cm to the right."}', "keep", "mug"),
        ('{"verdict": "keep", "text": "Move the cup 20 cm to the left."}', "keep", "mug"),
        ('{"verdict": "keep", "text": "Move the cup 10 mm to the left."}', "keep", "mug"),
        ('{"verdict": "keep", "text": "Do not move the cup 10 cm to the left."}', "keep", "mug"),
        ('{"verdict": "keep", "text": "Turn the cup 10 cm to the left."}', "keep", "mug"),
        ('{"verdict": "perhaps"}', "unclear", "mug"),
        ("I would keep it.", "unclear", "mug"),
        ("{broken", "unclear", "mug"),
    ],
)
def test_the_gate_may_rename_a_thing_and_nothing_else(reply, verdict, text):
    read = read_verdict(reply, "Move the mug 10 cm to the left.")
    assert read.verdict == verdict and read.text == f"Move the {text} 10 cm to the left."


def test_things_do_not_exchange_their_parts():
    text = "Place the mug 30 cm to the left of the bowl."
    assert says_the_same("Place the red mug 30 cm to the left of the large bowl.", text)
    assert not says_the_same("Place the bowl 30 cm to the left of the mug.", text)
    assert not says_the_same("Place the mug 30 cm to the left of the leftmost bowl.", text)


def test_a_name_with_a_path_is_not_written(tmp_path):
    with pytest.raises(PixelProofError, match="no name of a file"):
        write_gsi_item(tmp_path / "out", "../escaped", 0, GsiAnnotation("Remove the mug.", "mug"), b"", None)
    assert not list(tmp_path.iterdir())


class Found:
    """A lifter with given boxes."""

    def __init__(self, boxes):
        self.boxes = boxes

    def lift(self, frame):
        return self.boxes


def test_every_step_keeps_its_reasons():
    blurry = replace(frame(), name="blurry", rgb=gaussian_filter(TEXTURE, (5, 5, 0)))
    found = list(find_candidates([blurry], Found(rich()), Settings()))
    assert [(one.step, one.frame) for one in found] == [("sharpness", "blurry")] and "below 0.6" in found[0].reason
    assert [one.step for one in find_candidates([frame()], Found([]), Settings())] == ["lifting"]
    assert [one.step for one in find_candidates([frame()], Found([rich()[3]]), Settings())] == ["proposals"]
    asked = []

    def ask(prompt):
        asked.append(prompt)
        replies = ('{"verdict": "drop", "reason": "It floats."}', '{"verdict": "keep", "reason": "ok"}', "hm")
        return Answer(replies[len(asked) % 3])

    found = list(find_candidates([frame()], Found(rich()), Settings(per_frame=6), ask))
    dropped = [one for one in found if isinstance(one, Rejected)]
    kept = [one for one in found if isinstance(one, Candidate)]
    assert len(asked) == len(found) == 6 and len(dropped) == 2 and {one.reason for one in dropped} == {"It floats."}
    assert all(one.text for one in dropped)
    assert sorted({one.gate.verdict for one in kept}) == ["keep", "unclear"], "what cannot be read goes to the reviewer"
    assert "gate" in kept[0].facts()


def test_photographs_and_cameras(tmp_path):
    (tmp_path / "a.png").write_bytes(encode_png(TEXTURE).data)
    (assumed,) = photo_frames(tmp_path)
    assert assumed.assumed and assumed.intrinsics[0, 2] == 200
    camera = {"fx": 300, "fy": 310, "cx": 190, "cy": 140, "down": [0, 0.8, 0.6], "labels": ["mug"]}
    (tmp_path / "camera.json").write_text(json.dumps({"a.png": camera}))
    (known,) = photo_frames(tmp_path)
    assert not known.assumed and known.intrinsics[1, 1] == 310 and known.down == (0, 0.8, 0.6)
    assert known.labels == ("mug",)
    for broken in ("{", '{"fx": 300}', json.dumps({"a.png": {**camera, "down": [0, 0, 0]}}), '{"a.png": {"fx": -1}}'):
        (tmp_path / "camera.json").write_text(broken)
        with pytest.raises(PixelProofError, match="cannot be used"):
            list(photo_frames(tmp_path))
    with pytest.raises(PixelProofError, match="no photographs"):
        list(photo_frames(tmp_path / "images" if (tmp_path / "images").mkdir() is None else tmp_path))


def test_photographs_of_one_name_or_that_cannot_be_read_are_named(tmp_path):
    for name in ("a.jpg", "a.png"):
        (tmp_path / name).write_bytes(encode_png(np.zeros((8, 8, 3), np.uint8)).data)
    with pytest.raises(PixelProofError, match=r"a\.jpg and a\.png have one name"):
        list(photo_frames(tmp_path))
    (tmp_path / "a.jpg").rename(tmp_path / "b.png")
    assert [frame.name for frame in photo_frames(tmp_path)] == ["a", "b"]
    (tmp_path / "b.png").write_bytes(b"")
    with pytest.raises(PixelProofError, match=r"b\.png cannot be read"):
        list(photo_frames(tmp_path))


def test_lifters_by_name(tmp_path, monkeypatch):
    assert isinstance(open_lifter("oracle"), OracleLifter)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "my_lifter.py").write_text(
        "class Named:\n"
        "    def __init__(self, argument): self.argument = argument\n"
        "    def lift(self, frame): return []\n"
    )
    try:
        assert open_lifter("my_lifter:Named:C:\\a,b").argument == "C:\\a,b"
        assert open_lifter("my_lifter:Named").argument == ""
    finally:
        sys.modules.pop("my_lifter", None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("orcale", "no lifter 'orcale'; did you mean 'oracle'"),
        ("transformers", "Choose one of: oracle, MODULE:CLASS, MODULE:CLASS:ARGUMENT"),
        (":Named", "names no class: write --lifter module:class"),
        ("json::a", "names no class: write --lifter module:class"),
        ("no_such_module:Named:a", "there is no module no_such_module: run from the directory that contains it"),
        ("json:Lifter:a", "the module json has no Lifter"),
        ("json:decoder", "decoder is not a class"),
        ("pathlib:Path:a", "Path has no method lift"),
    ],
)
def test_wrong_names_of_lifters_get_a_message(name, message):
    with pytest.raises(PixelProofError, match=message):
        open_lifter(name)


def test_the_oracle_refuses_photographs():
    with pytest.raises(PixelProofError, match="generated frames alone"):
        OracleLifter().lift(frame())


def test_oracle_boxes_project_to_where_things_are_and_moves_agree_with_the_world():
    scene = desk()
    here = scene_frame("desk", scene, np.zeros((64, 64, 3), np.uint8))
    boxes = {one.label: one for one in OracleLifter().lift(here)}
    things = [thing for thing in scene.things if not thing.fixed]
    assert len(boxes) >= 3
    ends = project(np.array([one.centre for one in boxes.values()]), here.intrinsics)
    truth = scene.camera.project([thing.centre for thing in things], 64, 64)
    for end in ends:
        assert min(np.linalg.norm(end - other) for other in np.asarray(truth)) < 1e-6
    moved = apply(scene, Edit("move", things[0].id, "left", 0.05)).after or pytest.skip("no space")
    step = np.subtract(moved.thing(things[0].id).centre, things[0].centre)
    from pixelproof.world.solid import rotation_matrix

    local = rotation_matrix(scene.camera.rotation).T @ step
    assert np.allclose(local, -0.05 * view_axes(here)[:, 0], atol=1e-6)


@pytest.fixture(scope="module")
def collages():
    return list(collage_frames(3, 2, 192))


@pytest.mark.slow
def test_collages_are_lifted_by_their_horizon_and_show_every_edit_on_the_ground(collages):
    shown = 0
    for one in collages:
        boxes = OracleLifter().lift(one)
        assert len(boxes) >= 2
        for number, edit in enumerate(propose_edits(one, boxes, RNG(1), 30)):
            picture = one.execute(edit)
            lifted = edit.operation == "rotation" or edit.text.endswith((" up.", " down."))
            assert (picture is None) == lifted, edit.text
            if picture is None or number > 12:
                continue
            shown += 1
            changed = (picture != one.rgb).any(axis=-1)
            assert 0 < changed.mean() < 0.9
            if edit.after is not None:  # the foot of the piece is where that of its box projects to
                foot = np.array([edit.after.centre]) + np.array([[0, edit.after.size[1] / 2, 0]])
                x, y, _ = project(foot, one.intrinsics)[0]
                rows, columns = np.nonzero(changed)
                assert rows.max() >= min(y, 191) - 4 and columns.min() - 4 <= x <= columns.max() + 4
    assert shown >= 6


@pytest.mark.slow
def test_a_collage_after_no_move_is_itself(collages):
    one = collages[0]
    box = one.boxes[0]
    assert np.array_equal(one.execute(RealEdit("move", "", box.label, box, box)), one.rgb)


@pytest.mark.slow
def test_from_clips_to_a_folder_that_the_bench_reads(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    batch = tmp_path / "batch"
    words = "real --clips 1 --seed 5 --every 8 --size 128 --sharpness 0 --per-frame 3".split()
    told = CliRunner().invoke(spatial_group, [*words, "--out", str(batch)], catch_exceptions=False)
    assert "proposals; left out" in told.output
    read = read_batch(batch)
    store = DecisionStore(read)
    ids = list(read.proposals)
    renamed = read.proposals[ids[0]].text.rstrip(".") + ", please."
    store.decide(ids[0], 0, "fix", renamed)
    store.decide(ids[1], 0, "fix", "Move the thing somewhere.")
    for id in ids[2:-1]:
        store.decide(id, 0, "accept")
    store.decide(ids[-1], 0, "reject", reason="bad photograph")
    store.close()
    accept = ["accept", str(batch), "--out", str(tmp_path / "gsi")]
    told = CliRunner().invoke(spatial_group, accept, catch_exceptions=False)
    assert f"boxes are of the proposed text: {ids[1]}." in told.output
    with pytest.raises(PixelProofError, match="not empty"):
        CliRunner().invoke(spatial_group, accept, catch_exceptions=False, standalone_mode=False)
    items = list(Spatial().items(Source("gsi", tmp_path / "gsi"), 0, None))
    assert len(items) == len(ids) - 2
    assert renamed in {item.inputs["instruction"] for item in items}
    scores = [Spatial().score(item, Spatial().controls()["floor-copy"](item, generator(0, "x")), {}) for item in items]
    assert all(result.metrics.get("micro.ic", 0) == 0 for result in scores)


def test_boxes_of_a_label_are_compared_pairwise():
    """No two proposals of a frame have one text."""
    edits = propose_edits(frame(), rich(), RNG(1), 12)
    assert all(one.text != other.text for one, other in combinations(edits, 2))
