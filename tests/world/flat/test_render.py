"""Pictures against Pillow, torch against numpy, and thumbnails that cannot tell a code."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from pixelproof.contract import PixelProofError
from pixelproof.world.flat import (
    ALPHABET,
    SHAPES,
    Background,
    FlatScene,
    Sprite,
    draw,
    draw_clip,
    lower,
    make_clip,
    make_flat,
    render,
    rgb,
    thumbnail,
)
from pixelproof.world.flat._shapes import glyph_tiles

GROUND = Background(colour=(10, 20, 30), other=(10, 20, 30))
KINDS = ("plain", "gradient", "stripes", "checks", "speckle")


def scene_of(*sprites, side=96, ground=GROUND):
    return FlatScene(0, 0, side, side, sprites, ground)


def with_pillow(scene, finer=16):
    """The same shapes, drawn large without soft edges and averaged."""
    image = Image.new("RGB", (scene.width * finer, scene.height * finer), scene.background.colour)
    for sprite in scene.sprites:
        outlines = SHAPES[sprite.shape].outline_at(
            sprite.x * finer - 0.5, sprite.y * finer - 0.5, sprite.size * finer, sprite.angle
        )
        for outline, ink in zip(outlines, (rgb(sprite.colour), scene.background.colour), strict=False):
            ImageDraw.Draw(image).polygon([tuple(point) for point in outline], fill=ink)
    return np.asarray(image.reduce(finer)).astype(int)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_look_as_pillow_draws_them(name):
    scene = scene_of(Sprite("a", name, "yellow", 47.3, 48.9, 80.0, 33.0))
    apart = np.abs(draw(scene).astype(int) - with_pillow(scene))
    assert apart.mean() < 0.5
    assert np.quantile(apart, 0.999) < 60  # tips are rounded by a fraction of a pixel


@pytest.mark.slow
@given(st.sampled_from(list(SHAPES)), st.floats(12, 150), st.floats(0, 360), st.floats(0, 1), st.floats(0, 1))
def test_ink_is_the_area_of_the_shape(name, size, angle, x, y):
    sprite = Sprite("a", name, "#ffffff", 80 + x, 80 + y, size, angle)
    picture = draw(scene_of(sprite, side=160, ground=Background(colour=(0, 0, 0))))
    rim = np.pi * size  # what is half a pixel off along the rim is forgiven at a twentieth
    assert picture[..., 0].sum() / 255 == pytest.approx(sprite.area, rel=0.01, abs=0.05 * rim)


def test_later_sprites_are_on_top():
    low, high = Sprite("a", "square", "red", 40, 40, 50), Sprite("b", "circle", "blue", 50, 50, 30)
    assert tuple(draw(scene_of(low, high))[50, 50]) == rgb("blue")
    assert tuple(draw(scene_of(high, low))[45, 45]) == rgb("red")


def test_edges_of_the_picture_cut_and_nothing_else():
    sprites = [Sprite(f"s{n}", "star", "red", x, y, 60, 10.0 * n) for n, (x, y) in enumerate(
        [(0, 0), (100, 3), (50, 110), (-29, 50), (300, 300), (50, 50)]
    )]  # fmt: skip
    plate = Sprite("p", "plate", "white", 2, 90, 8, text="AKE", cells=3)
    noise = Sprite("n", "noise", "", 99, 60, 32, seed=3)
    small = draw(FlatScene(0, 0, 100, 96, (*sprites, plate, noise), GROUND))
    moved = [replace(sprite, x=sprite.x + 64, y=sprite.y + 64) for sprite in (*sprites, plate, noise)]
    large = draw(FlatScene(0, 0, 300, 300, tuple(moved), GROUND))
    assert (small == large[64:160, 64:164]).all()


def test_a_batch_is_its_scenes():
    scenes = [make_flat(3, index, side=256, things=5, plates=2) for index in range(6)]
    together = render(lower(scenes))
    assert (together == np.stack([draw(scene) for scene in scenes])).all()


@pytest.mark.parametrize("kind", KINDS)
def test_backgrounds_keep_to_their_colours_and_move(kind):
    ground = Background(kind, (200, 100, 50), (100, 200, 60), 17.0, 25.0, 3.0, 4.0, 5)
    picture = draw(FlatScene(0, 0, 120, 90, (), ground)).astype(int)
    low, high = np.minimum(ground.colour, ground.other), np.maximum(ground.colour, ground.other)
    assert ((picture >= low) & (picture <= high)).all()
    assert (picture.std() > 0) and (kind == "plain" or picture.std(axis=(0, 1)).min() > 0)
    moved = draw(FlatScene(0, 0, 120, 90, (), replace(ground, x=13.0, y=13.0))).astype(int)
    assert np.abs(moved[9:, 10:] - picture[:-9, :-10]).max() <= 1


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.text(ALPHABET, min_size=3, max_size=3),
    st.text(ALPHABET, min_size=3, max_size=3),
    st.floats(30, 90),
    st.floats(20, 90),
)
@pytest.mark.parametrize(("font", "slack"), [("5x7", 0), ("sans", 1)])
def test_a_thumbnail_cannot_tell_a_code(font, slack, one, other, x, y):
    plates = [Sprite("p", "plate", "white", x, y, 8, text=text, cells=3, font=font) for text in (one, other)]
    first, second = (thumbnail(draw(scene_of(plate, side=128)), 8).astype(int) for plate in plates)
    assert np.abs(first - second).max() <= slack


@pytest.mark.slow
def test_the_same_holds_for_whole_scenes_and_for_the_end_of_clips():
    scene = make_flat(5)
    other = scene
    for sprite in scene.sprites:
        if sprite.text:
            other = other.with_sprite(
                replace(sprite, text=sprite.text[::-1].translate(str.maketrans("34ADG", "KXZWU")))
            )
    assert (draw(scene) != draw(other)).any()
    assert (thumbnail(draw(scene), 8) == thumbnail(draw(other), 8)).all()
    clip = make_clip(5, jitter=5.0)
    changes = tuple(change if change.text is None else replace(change, text="EHS") for change in clip.changes)
    last, blank = clip.frame(15), replace(clip, changes=changes).frame(15)
    assert (draw(last) != draw(blank)).any()
    assert (thumbnail(draw(last), 8) == thumbnail(draw(blank), 8)).all()


@pytest.mark.slow
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 9), st.integers(0, 99))
def test_thumbnails_are_means(height, width, factor, seed):
    pictures = np.random.default_rng(seed).integers(0, 256, (2, height * factor, width * factor, 3), dtype=np.uint8)
    small = thumbnail(pictures, factor)
    for y in range(height):
        for x in range(width):
            block = pictures[:, y * factor : (y + 1) * factor, x * factor : (x + 1) * factor]
            assert (small[:, y, x] == np.floor(block.mean(axis=(1, 2)) + 0.5 + 1e-9)).all()
    with pytest.raises(PixelProofError, match="divisor"):
        thumbnail(pictures, height * factor + 1)
    with pytest.raises(PixelProofError, match="1 or more"):
        thumbnail(pictures, 0)


def test_noise_is_noise():
    picture = draw(scene_of(Sprite("n", "noise", "", 48, 48, 64, seed=1)))[16:80, 16:80]
    dots = picture[::2, ::2].astype(float)
    assert (picture[::2, ::2] == picture[1::2, 1::2]).all()
    assert dots.mean() == pytest.approx(127.5, abs=5)
    assert dots.std() == pytest.approx(256 / np.sqrt(12), abs=4)
    assert abs(np.corrcoef(dots[:, :-1].ravel(), dots[:, 1:].ravel())[0, 1]) < 0.05
    assert abs(np.corrcoef(dots[..., 0].ravel(), dots[..., 1].ravel())[0, 1]) < 0.08
    assert (draw(scene_of(Sprite("n", "noise", "", 48, 48, 64, seed=2)))[16:80, 16:80] == picture).mean() < 0.05


def test_glyphs_are_drawn_pixel_by_pixel():
    for cell in (8, 16):
        plate = Sprite("p", "plate", "#000000", 60, 60, cell, text="AZ", cells=2, ink="#ffffff")
        x0, y0, x1, y1 = plate.rectangle
        picture = draw(scene_of(plate, side=128))[y0:y1, x0:x1, 0] / 255
        inside = picture[cell // 2 : -cell // 2, cell // 2 : -cell // 2]
        tiles = glyph_tiles("5x7", cell)
        assert (inside == np.hstack([tiles["A"], tiles["Z"]])).all()
        assert picture.sum() == inside.sum()


def test_a_clip_is_its_frames():
    clip = make_clip(2, frames=5, side=256, movers=2)
    assert (draw_clip(clip)[2] == draw(clip.frame(2))).all()


TORCH = "torch is not installed here: it is for training only"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_torch_draws_what_numpy_draws(kind):
    torch = pytest.importorskip("torch", reason=TORCH)
    scenes = [
        replace(scene, background=replace(scene.background, kind=kind, scale=41.0 if kind != "speckle" else 3.0))
        for scene in (make_flat(1, index, side=320, things=6, plates=3, sans=0.5, hue=7.0) for index in range(4))
    ]
    display = lower(scenes)
    ours = render(display)
    theirs = render(display.map(torch.as_tensor))
    assert isinstance(theirs, torch.Tensor) and theirs.dtype == torch.uint8
    assert np.abs(ours.astype(int) - theirs.numpy()).max() <= 1
    assert (thumbnail(theirs, 8).numpy() == thumbnail(theirs.numpy(), 8)).all()


@pytest.mark.slow
def test_torch_draws_the_frames_that_numpy_draws():
    torch = pytest.importorskip("torch", reason=TORCH)
    clip = make_clip(4, frames=6, jitter=5.0, sans=0.5)
    theirs = render(lower(clip.scenes()).map(torch.as_tensor)).numpy()
    assert np.abs(draw_clip(clip).astype(int) - theirs).max() <= 1


COMPILED = """
import sys
from functools import partial
import numpy as np, torch
from pixelproof.world.flat import lower, make_flat, render
display = lower([make_flat(1, index, side=160, things=4, plates=2, pair=False) for index in range(4)])
theirs = render(display.map(torch.as_tensor), partial(torch.compile, backend=sys.argv[1]))
print(np.abs(render(display).astype(int) - theirs.numpy()).max())
"""


@pytest.mark.slow
@pytest.mark.soak
def test_torch_compiled_draws_what_numpy_draws():
    """The small version traces the graphs and runs them as they are: to compile them takes a minute."""
    pytest.importorskip("torch", reason=TORCH)
    backend = "inductor" if int(os.environ.get("PIXELPROOF_SOAK", "1")) > 1 else "eager"
    # In a process of its own: the compiler imports setuptools, which fails after an import of the standard distutils.
    run = subprocess.run([sys.executable, "-c", COMPILED, backend], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) <= 1
