"""Truth against geometry found in other ways, and against the picture itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.world.flat import ALPHABET, SHAPES, FlatScene, Sprite, draw, make_clip, make_flat, rgb, tracks, truth
from pixelproof.world.flat._shapes import glyph_tiles

sprites = st.builds(
    Sprite,
    id=st.just(""),
    shape=st.sampled_from(list(SHAPES)),
    colour=st.just("red"),
    x=st.floats(-20, 120),
    y=st.floats(-20, 120),
    size=st.floats(4, 120),
    angle=st.floats(0, 360),
)


def scene_of(figures):
    named = [Sprite(f"s{n}", s.shape, s.colour, s.x, s.y, s.size, s.angle) for n, s in enumerate(figures)]
    return FlatScene(0, 0, 100, 90, tuple(named))


def crossings(sprite, x, y):
    """Even-odd filling, and how near the outline is; nothing here is drawn or sampled."""
    inside, near = np.zeros(x.shape, bool), np.full(x.shape, np.inf)
    for outline in SHAPES[sprite.shape].outline_at(sprite.x, sprite.y, sprite.size, sprite.angle):
        for (x0, y0), (x1, y1) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            if y0 != y1:
                inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
            t = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, 1)
            near = np.minimum(near, np.hypot(x - x0 - t * (x1 - x0), y - y0 - t * (y1 - y0)))
    return inside, near


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(sprites)
def test_whole_masks_are_the_pixels_whose_centres_are_inside(sprite):
    x, y = np.meshgrid(np.arange(100) + 0.5, np.arange(90) + 0.5)
    inside, near = crossings(sprite, x, y)
    found = truth(scene_of([sprite])).whole_mask("s0")
    # Samples of distances are 1/100 of a shape apart: between them tips are rounded by less than that.
    assert (found == inside)[near > 0.012 * sprite.size].all()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(sprites, min_size=1, max_size=6))
def test_masks_boxes_and_visibility_belong_together(figures):
    scene = scene_of(figures)
    known = truth(scene)
    hidden = np.zeros(known.labels.shape, bool)
    for sprite in reversed(scene.sprites):
        whole, visible, seen = known.whole_mask(sprite.id), known.visible_mask(sprite.id), known.seen[sprite.id]
        assert (visible == (whole & ~hidden)).all()
        hidden |= whole
        assert seen.pixels == visible.sum()
        assert seen.whole_pixels >= whole.sum()
        assert 0 <= seen.visibility <= 1
        if seen.box is None:
            assert not visible.any()
        else:
            x0, y0, x1, y1 = seen.box
            assert visible[y0:y1, x0:x1].sum() == visible.sum()
            assert visible[y0].any() and visible[y1 - 1].any() and visible[:, x0].any() and visible[:, x1 - 1].any()
    assert ((known.labels == 0) == ~hidden).all()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(sprites)
def test_whole_boxes_and_pixels_do_not_end_at_the_frame(sprite):
    seen = truth(scene_of([sprite])).seen["s0"]
    corners = np.concatenate(SHAPES[sprite.shape].outline_at(sprite.x, sprite.y, sprite.size, sprite.angle))
    exact = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
    if sprite.size > 24:  # a thin tip covers half of no pixel
        assert np.abs(np.array(seen.whole) - exact).max() <= 1 + 0.06 * sprite.size
        assert seen.whole_pixels == pytest.approx(seen.area, rel=0.08)


def test_labels_are_what_the_picture_shows():
    scene = make_flat(11)
    picture, known = draw(scene), truth(scene)
    for place, sprite in enumerate(scene.sprites, 1):
        if sprite.shape in SHAPES:
            shown = picture[known.labels == place]
            if not len(shown):
                assert sprite.role == "distractor"  # it lies under a thing
                continue
            assert (np.abs(shown.astype(int) - rgb(sprite.colour)).max(axis=1) <= 1).mean() > 0.7


def read(picture, glyph):
    """The character whose tile is most like a cell of the picture."""
    x0, y0, x1, y1 = glyph.box
    cell = picture[y0:y1, x0:x1].mean(axis=2)
    cell = np.abs(cell - cell[-1, 0])
    tiles = glyph_tiles("5x7", 8)
    return max(ALPHABET, key=lambda character: np.corrcoef(cell.ravel(), tiles[character].ravel())[0, 1])


@pytest.mark.slow
def test_codes_can_be_read_where_the_truth_says():
    for index in range(5):
        scene = make_flat(12, index)
        picture, known = draw(scene), truth(scene)
        for sprite in scene.sprites:
            if sprite.text:
                glyphs = known.seen[sprite.id].glyphs
                assert "".join(read(picture, glyph) for glyph in glyphs) == sprite.text
                assert all(glyph.visibility == 1 for glyph in glyphs)


def test_tracks_follow_what_moves():
    clip = make_clip(3, screen=True)
    found = tracks(clip)
    target = clip.scene.roles["target"]
    assert set(found) == {sprite.id for sprite in clip.scene.sprites}
    assert all(len(track) == clip.frames for track in found.values())
    seen = [one.visibility for one in found[target]]
    assert seen[0] > 0.999 and seen[-1] > 0.999
    assert min(seen) == 0
    for number in (0, clip.frames - 1):
        x0, y0, x1, y1 = found[target][number].box
        sprite = clip.frame(number).sprite(target)
        assert (x0 + x1) / 2 == pytest.approx(sprite.x, abs=0.15 * sprite.size)
        assert (y0 + y1) / 2 == pytest.approx(sprite.y, abs=0.15 * sprite.size)
