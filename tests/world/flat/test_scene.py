"""A file of a scene or a clip says all, and says what is wrong with it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.world.flat import (
    ALPHABET,
    FONTS,
    SHAPES,
    Background,
    Change,
    Clip,
    FlatScene,
    Motion,
    Sprite,
    lower,
    truth,
)
from pixelproof.world.solid import COLOURS

numbers = st.floats(-1e3, 1e3)
colours = st.tuples(*[st.integers(0, 255)] * 3)
shapes = st.builds(
    Sprite,
    id=st.text(max_size=6),
    shape=st.sampled_from(list(SHAPES)),
    colour=st.sampled_from([*COLOURS, "#01fe2c"]),
    x=numbers,
    y=numbers,
    size=st.floats(1, 500),
    angle=numbers,
    role=st.sampled_from(["thing", "distractor"]),
)
plates = st.builds(
    Sprite,
    id=st.text(max_size=6),
    shape=st.just("plate"),
    colour=st.just("white"),
    x=numbers,
    y=numbers,
    size=st.sampled_from([8.0, 16.0]),
    text=st.text(ALPHABET, max_size=4),
    cells=st.integers(4, 6),
    font=st.sampled_from(FONTS),
)
grounds = st.builds(
    Background,
    kind=st.sampled_from(["plain", "gradient", "stripes", "checks", "speckle"]),
    colour=colours,
    other=colours,
    scale=st.floats(1, 600),
    angle=numbers,
    seed=st.integers(0, 1 << 24),
)
scenes = st.builds(
    FlatScene,
    seed=st.integers(0, 99),
    index=st.integers(0, 99),
    width=st.integers(1, 600),
    height=st.integers(1, 600),
    sprites=st.lists(shapes | plates, max_size=5, unique_by=lambda sprite: sprite.id).map(tuple),
    background=grounds,
    hue=numbers,
)


@pytest.mark.slow
@given(scenes)
def test_a_scene_survives_its_file(scene):
    assert FlatScene.from_json(scene.to_json()) == scene


@pytest.mark.slow
@given(scenes, st.integers(1, 9), numbers, numbers)
def test_a_clip_survives_its_file(scene, frames, vx, vy):
    motions = tuple(Motion(sprite.id, "bouncing", vx, vy) for sprite in scene.sprites)
    changes = tuple(Change(sprite.id, 0, 2, colour="red") for sprite in scene.sprites[:1])
    clip = Clip(scene, frames, motions, changes, ((vx, vy),) * frames)
    assert Clip.from_json(clip.to_json()) == clip


SQUARE = Sprite("a", "square", "red", 5.0, 5.0, 4.0)


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: Sprite("a", "blob", "red", 0, 0, 4), "'blob'"),
        (lambda: Sprite("a", "star", "reddish", 0, 0, 4), "'reddish'"),
        (lambda: Sprite("a", "star", "red", 0, 0, 0), "size 0"),
        (lambda: Sprite("a", "plate", "red", 0, 0, 8, text="AAA", cells=2), "cannot show 'AAA'"),
        (lambda: Sprite("a", "plate", "red", 0, 0, 8, text="a", cells=2), "cannot show 'a'"),
        (lambda: Sprite("a", "star", "red", float("nan"), 0, 4), "at (nan, 0)"),
        (lambda: Sprite("a", "star", "red", 0, 1e300, 4), "within 1000000 pixels"),
        (lambda: Background(kind="dots"), "Choose one of: plain, gradient"),
        (lambda: Background(x=float("inf")), "at (inf, 0.0)"),
        (lambda: FlatScene(0, 0, 9, 9, (), hue=float("nan")), "turn of a hue"),
        (lambda: FlatScene(0, 0, 9, 9, (SQUARE,)).sprite("b"), "no sprite 'b'. Choose one of: a"),
        (lambda: FlatScene(0, 0, 9, 9, (SQUARE,)).with_sprite(replace(SQUARE, id="b")), "no sprite 'b'"),
        (lambda: FlatScene(0, 0, 9, 9, (SQUARE,)).plate_of("a"), "no thing with a plate 'a'"),
        (lambda: truth(FlatScene(0, 0, 9, 9, (SQUARE,))).visible_mask("nope"), "no sprite 'nope'. Choose one of: a"),
        (lambda: truth(FlatScene(0, 0, 9, 9, (SQUARE,))).whole_mask("nope"), "no sprite 'nope'. Choose one of: a"),
        (lambda: lower([]), "at least one scene"),
        (lambda: Motion("a", "zigzag"), "Choose one of: linear, bouncing, circular"),
        (lambda: FlatScene(0, 0, 9, 9, (SQUARE, SQUARE)), "one id"),
        (lambda: FlatScene(0, 0, 9, 9, (SQUARE,), roles={"largest": "b"}), "'b'"),
        (lambda: FlatScene(0, 0, 0, 9, ()), "0 × 9"),
        (lambda: Background(scale=0), "not 0"),
        (lambda: Clip(FlatScene(0, 0, 9, 9, ()), 4, (Motion("a", "linear"),)), "'a'"),
        (lambda: Clip(FlatScene(0, 0, 9, 9, ()), 4, camera=((0, 0),)), "4 frames and 1"),
        (lambda: Clip(FlatScene(0, 0, 9, 9, ()), 4).frame(4), "0 to 3"),
        (lambda: FlatScene.from_json("{"), "not JSON"),
        (lambda: FlatScene.from_json('{"version": 0}'), "version 1 but 0"),
        (lambda: FlatScene.from_json("[]"), "but None"),
    ],
)
def test_what_cannot_be_is_refused_in_words(make, part):
    with pytest.raises(PixelProofError) as caught:
        make()
    assert part in str(caught.value)


def test_a_damaged_file_says_where():
    data = json.loads(FlatScene(0, 0, 9, 9, (SQUARE,)).to_json())
    data["sprites"][0]["x"] = "left"
    with pytest.raises(PixelProofError, match=r"sprites\[0\]\.x must be a finite number"):
        FlatScene.from_json(json.dumps(data))
