"""What is made is what was wished for, and the ingredients of questions are sound."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.pixels import oklab
from pixelproof.world.flat import (
    SHAPES,
    Clip,
    FlatScene,
    Motion,
    Sprite,
    draw,
    draw_clip,
    lower,
    make_clip,
    make_flat,
    rgb,
    thumbnail,
    tracks,
    truth,
)
from pixelproof.world.flat._sampling import touch
from pixelproof.world.shifts import WORLD_SHIFTS

seeds = st.integers(0, 1 << 40)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(0, 1000))
def test_scenes_have_their_ingredients(seed, index):
    scene = make_flat(seed, index)
    assert make_flat(seed, index) == scene
    things = [sprite for sprite in scene.sprites if sprite.role == "thing" and sprite.shape in SHAPES]
    shapes = [sprite for sprite in scene.sprites if sprite.shape in SHAPES]
    assert len(things) == 8
    looks = Counter((sprite.colour, sprite.shape) for sprite in shapes)
    assert all(looks[thing.colour, thing.shape] == 1 for thing in things)

    largest = scene.sprite(scene.roles["largest"])
    assert all(largest.area > 1.5 * sprite.area for sprite in shapes if sprite is not largest)
    assert [sprite.id for sprite in shapes if sprite.colour == largest.colour] == [largest.id]

    larger, smaller = (scene.sprite(scene.roles[role]) for role in ("larger", "smaller"))
    assert 1.06 <= larger.area / smaller.area <= 1.12

    plates = [sprite for sprite in scene.sprites if sprite.shape == "plate"]
    first, second = (scene.plate_of(scene.roles[role]) for role in ("first", "second"))
    assert len(plates) == 5 and all(len(plate.text) == 3 for plate in plates)
    assert first.text == second.text
    assert len({plate.text for plate in plates}) == 4

    seen = truth(scene).seen
    for sprite in (*things, *plates):
        assert seen[sprite.id].visibility == 1
    for plate in plates:  # nearer to its own thing than to any other
        gaps = {thing.id: gap(seen[thing.id].box, seen[plate.id].box) for thing in things}
        assert min(gaps, key=gaps.get) == plate.carrier
    for one, other in combinations(shapes, 2):  # no two shapes of one colour run into each other
        if one.colour == other.colour:
            assert (
                np.hypot(one.x - other.x, one.y - other.y) > (one.size + other.size) / 2
                or "thing" == one.role == other.role
            )
    for plate in plates:  # nor does one run into a plate of its colour
        x0, y0, x1, y1 = plate.rectangle
        for other in shapes:
            if other.colour == plate.colour and other.role == "distractor":
                assert gap((other.x, other.y, other.x, other.y), (x0, y0, x1, y1)) >= other.size / 2 + 4
    assert all(plate.colour != scene.sprite(plate.carrier).colour for plate in plates)
    ground = oklab([scene.background.colour, scene.background.other])
    for sprite in shapes:
        assert np.linalg.norm(ground - oklab(rgb(sprite.colour)), axis=1).min() >= 0.2


def gap(one, other):
    across = max(one[0] - other[2], other[0] - one[2], 0)
    down = max(one[1] - other[3], other[1] - one[3], 0)
    return np.hypot(across, down)


def test_wishes_are_kept():
    scene = make_flat(1, side=384, things=3, plates=0, pair=False, hop=False, noise=2, distractors=0)
    kinds = Counter("shape" if sprite.shape in SHAPES else sprite.shape for sprite in scene.sprites)
    assert kinds == {"shape": 3, "noise": 2}
    assert set(scene.roles) == {"largest"}
    assert (scene.width, scene.height) == (384, 384)
    assert {plate.font for plate in make_flat(1, sans=1.0).sprites if plate.text} == {"sans"}


NAN = float("nan")
EITHER = [
    ({"seed": -1}, "A seed must be a whole number from 0"),
    ({"seed": "a"}, "not 'a'"),
    ({"seed": 1.5}, "not 1.5"),
    ({"index": -1}, "An index must be a whole number from 0"),
    ({"side": 0}, "pixels of a side"),
    ({"side": 10**6}, "to 8192, not 1000000"),
    ({"code": 0}, "characters of a code"),
    ({"noise": -1}, "tiles of noise"),
    ({"distractors": -1}, "distractors"),
    ({"sans": 2.0}, "other font must be from 0 to 1, not 2.0"),
    ({"hue": NAN}, "turn of a hue must be from"),
    ({"prior": -0.1}, "prior must be from 0 to 1"),
    ({"prior": "a"}, "not 'a'"),
]


@pytest.mark.parametrize(
    ("wish", "part"),
    [
        *EITHER,
        ({"things": 4}, "8 things or more"),
        ({"things": -3}, "things of a scene"),
        ({"things": 10**9}, "1 to 64"),
        ({"plates": 1}, "two plates for a hop"),
        ({"plates": 20, "things": 23, "code": 1}, "longer codes"),
        ({"side": 128}, "8 things, 5 plates and 1 tile of noise do not fit in 128 × 128 pixels"),
    ],
)
def test_what_cannot_be_made_is_refused(wish, part):
    with pytest.raises(PixelProofError) as caught:
        make_flat(**{"seed": 1} | wish)
    assert part in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wish", "part"),
    [
        *EITHER,
        ({"frames": 4}, "5 to 10000, not 4"),
        ({"frames": 16.0}, "not 16.0"),
        ({"reveal": 15}, "frames of codes"),
        ({"reveal": 14}, "behind the screen, in frame 2"),
        ({"flash": -1}, "frames of a flash"),
        ({"movers": 0}, "movers"),
        ({"movers": 32}, "No mixed paths were found"),
        ({"movers": 20, "code": 1}, "20 codes of 1 character do not all differ"),
        ({"paths": "zigzag"}, "Choose one of: linear, bouncing, circular, crossing, mixed"),
        ({"jitter": -4.0}, "jitter of a clip in pixels must be from 0 to 64, not -4.0"),
        ({"jitter": NAN}, "not nan"),
        ({"jitter": "a"}, "not 'a'"),
        ({"side": 128, "movers": 4}, "No mixed paths were found for 4 movers in 128 × 128 pixels and 16 frames"),
    ],
)
def test_clips_that_cannot_be_made_are_refused(wish, part):
    with pytest.raises(PixelProofError) as caught:
        make_clip(**{"seed": 1} | wish)
    assert part in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    assert make_flat(np.int64(7), np.int32(2)) == make_flat(7, 2)
    clip = make_clip(np.int64(7), np.uint8(2), jitter=np.float32(2.0))
    assert Clip.from_json(clip.to_json()) == clip


def test_indices_and_seeds_give_other_scenes():
    assert len({make_flat(seed, index).to_json() for seed in range(5) for index in range(5)}) == 25
    assert len({make_clip(seed, index).to_json() for seed in range(5) for index in range(5)}) == 25


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(seeds, st.sampled_from(["linear", "bouncing", "circular", "crossing", "mixed"]), st.sampled_from([0.0, 6.0]))
def test_clips_have_their_ingredients(seed, paths, jitter):
    clip = make_clip(seed, paths=paths, jitter=jitter)
    assert make_clip(seed, paths=paths, jitter=jitter) == clip
    assert Clip.from_json(clip.to_json()) == clip
    movers = [clip.scene.sprite(motion.id) for motion in clip.motions]
    assert len(movers) == 4
    assert len({(s.shape, s.colour, s.size, s.angle) for s in movers}) == 1
    plates = [clip.scene.plate_of(mover.id) for mover in movers]
    assert len({(plate.colour, plate.ink, plate.text) for plate in plates}) == 1

    codes = {plate.id: [clip.frame(n).sprite(plate.id).text for n in range(16)] for plate in plates}
    assert all(texts[:14] == [""] * 14 and texts[14] == texts[15] != "" for texts in codes.values())
    assert len({texts[15] for texts in codes.values()}) == 4

    lamp = [clip.frame(n).sprite("lamp").colour for n in range(16)]
    assert lamp[0] == "grey" and len(set(lamp)) == 2 and lamp.count("grey") == 14

    found = tracks(clip)
    assert all(one.visibility == 1 for one in found["lamp"])
    for sprite in (*movers, *plates):
        assert all(found[sprite.id][n].visibility == 1 for n in (0, 14, 15)), sprite.id
    target = clip.scene.roles["target"]
    for id in (target, clip.scene.plate_of(target).id):  # neither it nor its plate tells where it is
        assert found[id][8].pixels == 0 < found[id][8].whole_pixels


@pytest.mark.slow
@pytest.mark.parametrize("paths", ["linear", "bouncing", "circular", "crossing", "mixed"])
@pytest.mark.parametrize("frames", [5, 6, 7, 8])
def test_short_clips_hide_the_target_and_show_it_again(frames, paths):
    for index in range(4):
        clip = make_clip(1, index, frames=frames, paths=paths)
        target = clip.scene.roles["target"]
        for id in (target, clip.scene.plate_of(target).id):
            seen = [one.visibility for one in tracks(clip)[id]]
            assert min(seen[1:-2]) == 0 and seen[0] == seen[-2] == seen[-1] == 1


@pytest.mark.parametrize(
    ("use", "part"),
    [
        (lambda: draw(None), "A scene to draw must be a FlatScene, not None: pass a result of make_flat"),
        (lambda: draw(make_clip(7)), "not a Clip"),
        (lambda: lower(None), "not None: give a list"),
        (lambda: lower([]), "at least one scene"),
        (lambda: truth(None), "must be a FlatScene, not None"),
        (lambda: draw_clip(make_flat(7)), "must be a Clip, not a FlatScene: pass a result of make_clip"),
        (lambda: tracks(make_flat(7)), "must be a Clip, not a FlatScene"),
        (lambda: thumbnail("x", 8), "(…, height, width, 3)"),
    ],
)
def test_what_is_no_scene_and_no_picture_is_refused(use, part):
    with pytest.raises(PixelProofError) as caught:
        use()
    assert part in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("wish", [{"side": 256, "frames": 5}, {"code": 12}, {"side": 1024, "jitter": 30.0}])
def test_a_screen_hides_the_target_and_its_plate(wish):
    for index in range(4):
        clip = make_clip(3, index, **wish)
        known = truth(clip.frame(clip.frames // 2))
        target = clip.scene.roles["target"]
        for id in (target, clip.scene.plate_of(target).id):
            assert known.seen[id].visibility == 0 and known.seen["screen"].pixels
            assert not known.visible_mask(id).any()


def test_movers_stay_or_come_back():
    ball = Sprite("a", "circle", "red", 50, 50, 20)
    motion = Motion("a", "bouncing", 13.0, -7.0)
    places = np.array([motion.position(ball, frame, 200, 100) for frame in range(200)])
    assert places[:, 0].min() >= 10 and places[:, 0].max() <= 190
    assert places[:, 1].min() >= 10 and places[:, 1].max() <= 90
    steps = np.abs(np.diff(places, axis=0))
    assert steps[:, 0].max() <= 13 + 1e-9 and np.isclose(steps[:, 0], 13).mean() > 0.7

    motion = Motion("a", "circular", radius=30.0, period=8.0, phase=90.0)
    places = np.array([motion.position(ball, frame, 200, 100) for frame in range(9)])
    assert np.allclose(places[0], (50, 50)) and np.allclose(places[8], (50, 50))
    assert np.allclose(np.hypot(*(places - (50, 20)).T), 30)
    assert places[2, 0] < 50  # clockwise from below the centre is to the left


def test_what_is_carried_moves_along_upright():
    star = Sprite("a", "star", "red", 50, 50, 20)
    plate = Sprite("p", "plate", "white", 52, 70, 8, carrier="a", cells=2)
    clip = Clip(FlatScene(0, 0, 200, 200, (star, plate)), 5, (Motion("a", "linear", 9.0, 3.0, spin=10.0),))
    last = clip.frame(4)
    assert (last.sprite("a").x, last.sprite("a").y, last.sprite("a").angle) == (86, 62, 40)
    assert (last.sprite("p").x, last.sprite("p").y, last.sprite("p").angle) == (88, 82, 0)


def test_the_camera_moves_everything_the_other_way():
    clip = make_clip(4, jitter=8.0)
    still = Clip(clip.scene, clip.frames, clip.motions, clip.changes)
    for number, (x, y) in enumerate(clip.camera):
        assert abs(x) <= 8 and abs(y) <= 8
        for shaken, steady in zip(clip.frame(number).sprites, still.frame(number).sprites, strict=True):
            assert shaken.x == pytest.approx(steady.x - x) and shaken.y == pytest.approx(steady.y - y)
        assert clip.frame(number).background.x == pytest.approx(still.frame(number).background.x - x)


@pytest.mark.parametrize("name", ["font", "palette", "prior"])
def test_world_shifts_change_nothing_at_strength_0_and_something_at_1(name):
    wish = WORLD_SHIFTS[name].wish
    assert [make_flat(1, n, **wish(0.0)) for n in range(3)] == [make_flat(1, n) for n in range(3)]
    assert [make_flat(1, n, **wish(1.0)) for n in range(3)] != [make_flat(1, n) for n in range(3)]
    assert make_clip(1, **wish(0.0)) == make_clip(1)


@pytest.mark.slow
def test_a_prior_skews_answers():
    def shares(prior):
        scenes = [make_flat(2, index, prior=prior) for index in range(120)]
        best = Counter(scene.sprite(scene.roles["largest"]).colour for scene in scenes).most_common(1)[0][1]
        letters = Counter("".join(sprite.text for scene in scenes for sprite in scene.sprites))
        return best / 120, letters.most_common(1)[0][1] / letters.total()

    even, skewed = shares(0.0), shares(1.0)
    assert even[0] < 0.25 and even[1] < 0.12
    assert skewed[0] > 0.4 and skewed[1] > 0.4


def test_touching():
    assert touch((0, 0, 2, 2), (1, 1, 3, 3))
    assert not touch((0, 0, 2, 2), (2, 0, 3, 3))
