"""What is made is what was wished for, and the ingredients of questions are sound."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.metrics import oklab
from pixelproof.world.flat import SHAPES, Clip, FlatScene, Motion, Sprite, make_clip, make_flat, rgb, tracks, truth
from pixelproof.world.flat._choosing import touch
from pixelproof.world.shifts import WORLD_SHIFTS

seeds = st.integers(0, 1 << 40)


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


@pytest.mark.parametrize("wish", [{"things": 4}, {"plates": 1}, {"side": 128}, {"code": 0}])
def test_what_cannot_be_made_is_refused(wish):
    with pytest.raises(PixelProofError):
        make_flat(1, **wish)


@pytest.mark.parametrize("wish", [{"frames": 2}, {"reveal": 15}, {"movers": 0}, {"movers": 40}])
def test_clips_that_cannot_be_made_are_refused(wish):
    with pytest.raises(PixelProofError):
        make_clip(1, **wish)


def test_indices_and_seeds_give_other_scenes():
    assert len({make_flat(seed, index).to_json() for seed in range(5) for index in range(5)}) == 25
    assert len({make_clip(seed, index).to_json() for seed in range(5) for index in range(5)}) == 25


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
    hidden = found[clip.scene.roles["target"]][8]
    assert hidden.visibility < 0.5


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
