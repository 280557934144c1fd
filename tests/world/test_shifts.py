"""Shifts: nothing at strength 0, more and more up to 1, the same for the same seed, at any size."""

import io
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter

from pixelproof.contract import PixelProofError
from pixelproof.pixels import oklab
from pixelproof.world._limits import ByName
from pixelproof.world.flat import draw, make_flat
from pixelproof.world.shifts import SHIFTS, TURN, WORLD_SHIFTS, prior_weights, shift_clip, skewed, turned_palette
from pixelproof.world.solid import COLOURS

STRENGTHS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
CHANCE = {"hue", "tint", "motion", "noise", "occlusion"}
names = pytest.mark.parametrize("name", SHIFTS)


def textured(seed, height=96, width=128):
    """Smooth blobs of all colours with some grain: neither flat nor noise alone."""
    rng = np.random.default_rng(seed)
    blobs = Image.fromarray(rng.integers(0, 256, (9, 12, 3), dtype=np.uint8)).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    grain = rng.normal(0, 12, (height, width, 3))
    return np.clip(np.asarray(blobs) + grain, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def pictures():
    return [draw(make_flat(3, 1, side=320, things=6, plates=3)), textured(0), textured(1, 61, 47)]


def apart(one, other):
    return float(np.abs(one.astype(int) - other).mean())


@names
def test_effect_grows_with_strength(name, pictures):
    for picture in pictures:
        before = picture.copy()
        shifted = [SHIFTS[name](picture, strength, 5) for strength in STRENGTHS]
        assert (picture == before).all()
        assert all(one.dtype == np.uint8 and one.shape == picture.shape for one in shifted)
        effects = [apart(one, picture) for one in shifted]
        assert effects[0] == 0 and effects[-1] > 2
        assert all(low < high for low, high in zip(effects[1:], effects[2:], strict=False)), effects


@names
@settings(max_examples=12, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.floats(0, 1), st.integers(0, 1 << 40))
def test_any_size_any_strength_any_seed(name, height, width, strength, seed):
    picture = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    once, again = (SHIFTS[name](picture, strength, seed) for _ in range(2))
    assert once.shape == picture.shape and once.dtype == np.uint8
    assert (once == again).all()
    assert (SHIFTS[name](picture, 0.0, seed) == picture).all()


@names
def test_chance_is_the_seed(name, pictures):
    results = {SHIFTS[name](pictures[0], 0.7, seed).tobytes() for seed in range(8)}
    assert (len(results) > 1) == (name in CHANCE)


def test_light_is_gain_and_gamma():
    grey = np.arange(256, dtype=np.uint8)[:, None, None].repeat(3, axis=2)
    expected = 0.45 * (grey / 255.0) ** 1.6 * 255
    assert np.abs(SHIFTS["light"](grey, 1.0) - expected).max() <= 0.5


def test_fading_ends_in_grey_of_the_same_brightness():
    grey = SHIFTS["fade"](textured(2), 1.0).astype(int)
    assert (grey.max(axis=2) - grey.min(axis=2)).max() <= 1
    assert np.abs(grey[..., 0] - np.asarray(Image.fromarray(textured(2)).convert("L")).astype(int)).max() <= 2


def test_blur_is_pillows():
    picture = textured(3, 200, 300)
    theirs = Image.fromarray(picture).filter(
        ImageFilter.GaussianBlur(0.3 + 0.012 * 200)
    )  # by repeated boxes: near, not equal
    assert apart(SHIFTS["blur"](picture, 1.0), np.asarray(theirs)) < 0.1 * apart(SHIFTS["blur"](picture, 1.0), picture)


def test_motion_smears_a_dot_along_one_line():
    picture = np.zeros((200, 200, 3), np.uint8)
    picture[98:103, 98:103] = 255
    for seed in range(5):
        lines, columns = np.nonzero(SHIFTS["motion"](picture, 1.0, seed)[..., 0] > 8)
        spread = np.sqrt(np.linalg.eigvalsh(np.cov(lines, columns)))
        assert spread[1] > 1.8 * spread[0]
        assert np.hypot(np.ptp(lines), np.ptp(columns)) == pytest.approx(12 + 5, abs=5)
        total = float(SHIFTS["motion"](picture, 1.0, seed).sum())
        assert total == pytest.approx(float(picture.sum()), rel=0.03)


def test_jpeg_is_jpeg():
    picture, buffer = textured(4), io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=24, subsampling=2)
    assert (SHIFTS["jpeg"](picture, 0.5) == np.asarray(Image.open(buffer))).all()


def test_noise_has_its_size():
    grey = np.full((200, 200, 3), 128, np.uint8)
    assert (SHIFTS["noise"](grey, 0.5).astype(int) - 128).std() == pytest.approx(30, abs=0.5)


def test_patches_only_ever_cover_more():
    picture = textured(5)
    covered = [(SHIFTS["occlusion"](picture, strength, 3) != picture).any(axis=2) for strength in STRENGTHS]
    assert all((more | ~less).all() for less, more in zip(covered, covered[1:], strict=False))
    assert 0.2 < covered[-1].mean() < 0.6


def test_clips_flicker_only_with_noise():
    frames = np.stack([textured(6)] * 3)
    assert (shift_clip(frames, "motion", 0.5)[0] == shift_clip(frames, "motion", 0.5)[2]).all()
    noisy = shift_clip(frames, "noise", 0.5, seed=4)
    assert (noisy[0] != noisy[2]).any()
    assert (noisy == shift_clip(frames, "noise", 0.5, seed=4)).all()


def test_clips_of_neighbouring_seeds_share_no_noise():
    frames = np.full((2, 40, 40, 3), 128, np.uint8)
    one, other = (shift_clip(frames, "noise", 0.5, seed) for seed in (3, 4))
    assert (one[1] != other[0]).mean() > 0.9


@names
def test_clips_at_strength_0_are_what_they_were(name):
    frames = np.stack([textured(7), textured(8)])
    assert (shift_clip(frames, name, 0.0, seed=2) == frames).all()


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan"), "a", None])
@pytest.mark.parametrize(
    "use",
    [
        lambda strength: SHIFTS["blur"](textured(0), strength),
        lambda strength: shift_clip(textured(0)[None], "blur", strength),
        lambda strength: WORLD_SHIFTS["font"].wish(strength),
        lambda strength: prior_weights(4, strength),
        lambda strength: skewed("AB", strength),
    ],
)
def test_strengths_that_are_none(use, strength):
    with pytest.raises(PixelProofError, match=f"from 0 to 1, not .?{strength}"):
        use(strength)


@pytest.mark.parametrize(
    "picture", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8), [[0]], "a.png"]
)
def test_pictures_that_are_none(picture):
    with pytest.raises(PixelProofError, match="uint8"):
        SHIFTS["blur"](picture, 0.5)
    with pytest.raises(PixelProofError, match=r"\(frames, height, width, 3\)"):
        shift_clip(picture, "blur", 0.5)


@pytest.mark.parametrize(
    ("use", "part"),
    [
        (lambda: shift_clip(textured(0)[None], "fog", 0.5), "no shift of pictures 'fog'. Choose one of: light, glare"),
        (lambda: SHIFTS["noise"](textured(0), 0.5, seed=-1), "A seed must be a whole number"),
        (lambda: shift_clip(textured(0)[None], "noise", 0.5, seed=2.5), "A seed must be a whole number"),
        (lambda: skewed("AB", 0.5, seed=-1), "A seed must be a whole number"),
        (lambda: SHIFTS["sepia"], "no shift of pictures 'sepia'. Choose one of: light, glare"),
        (lambda: WORLD_SHIFTS["sepia"], "no shift of worlds 'sepia'. Choose one of: font, palette, prior, jitter."),
        (lambda: skewed(None, 0.5), "answers must be a list"),
        (lambda: skewed([[1], [2]], 0.5), "one word or number per item"),
        (lambda: skewed({"A": 1}, 0.5), "answers must be a list"),
        (lambda: prior_weights(0, 0.5), "1 or more, not 0"),
        (lambda: turned_palette(float("inf")), "turn of a hue must be from"),
    ],
)
def test_what_is_not_possible_is_said(use, part):
    with pytest.raises(PixelProofError) as caught:
        use()
    assert part in str(caught.value)


def test_turned_colours_keep_their_words():
    words = oklab(list(COLOURS.values()))
    for degrees in (-TURN, TURN / 2, TURN):
        turned = oklab(list(turned_palette(degrees).values()))
        nearest = np.linalg.norm(turned[:, None] - words, axis=2).argmin(axis=1)
        assert (nearest == np.arange(len(words))).all()


@pytest.mark.slow
@given(st.integers(1, 50), st.floats(0, 1))
def test_priors_are_distributions_that_fall(n, strength):
    weights = prior_weights(n, strength)
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights) <= 0).all()
    if strength == 0:
        assert np.ptp(weights) == 0


@pytest.mark.slow
@given(st.lists(st.sampled_from("ABCDE")), st.floats(0, 1), st.floats(0, 1), st.integers(0, 1 << 40))
def test_skewing_keeps_items_of_every_answer_and_ever_fewer(answers, one, other, seed):
    assert skewed(answers, 0.0, seed) == list(range(len(answers)))
    weak, strong = (skewed(answers, strength, seed) for strength in sorted((one, other)))
    assert weak == sorted(set(weak)) == skewed(answers, min(one, other), seed)
    assert set(strong) <= set(weak)
    assert {answers[place] for place in strong} == set(answers)


def test_skewed_answers_follow_the_prior():
    answers = list("ABCD" * 900)
    firsts = set()
    for seed in range(12):
        kept = Counter(answers[place] for place in skewed(answers, 1.0, seed)).most_common()
        shares = np.array([count for _, count in kept]) / sum(count for _, count in kept)
        assert np.abs(shares - prior_weights(4, 1.0)).max() < 0.01
        firsts.add(kept[0][0])
    assert len(firsts) > 1


def test_names_can_be_asked_for_without_an_error():
    assert "sepia" not in SHIFTS and SHIFTS.get("sepia") is None and WORLD_SHIFTS.get("sepia") is None
    assert pickle.loads(pickle.dumps(ByName("font", {"sans": 1}))) == {"sans": 1}


def test_every_shift_says_what_it_does():
    assert all(change.name == name and change.about for name, change in SHIFTS.items())
    assert all(change.about for change in WORLD_SHIFTS.values())
