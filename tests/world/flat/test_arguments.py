"""Arguments of flat scenes and clips that the agent's tasks need: cell, alphabet, gap, textures, events."""

import hashlib

import numpy as np
import pytest
from scipy import ndimage

from pixelproof.contract import PixelProofError
from pixelproof.world.flat import (
    ALPHABET,
    TEXTURES,
    FlatScene,
    Sprite,
    draw,
    label_maps,
    lower,
    make_clip,
    make_flat,
    thumbnail,
    truth,
)


def test_scenes_of_old_have_their_old_bytes():
    """Of the version before these arguments existed; if this fails, the edition must rise."""
    known = hashlib.sha256()
    for seed in (7, 31):
        for index in range(3):
            known.update(make_flat(seed, index).to_json().encode())
            known.update(make_clip(seed, index).to_json().encode())
            known.update(make_clip(seed, index, paths="crossing", jitter=3.0, prior=0.3, sans=0.5).to_json().encode())
    assert known.hexdigest() == "653c4a6c85c6c6bb540d2efb97a3726208121acd7e5fe4a9a9d41efdb80ecac9"
    assert hashlib.sha256(draw(make_flat(7)).tobytes()).hexdigest().startswith("e2dbcd60fbcb")


@pytest.mark.parametrize(("cell", "sans"), [(8, 0.0), (16, 0.0), (12, 1.0), (16, 1.0)])
def test_codes_are_hidden_where_the_cell_is_the_factor(cell, sans):
    side = 16 * 12 * 3
    scene = make_flat(3, side=side, cell=cell, sans=sans, distractors=0, noise=0)
    texts = {sprite.id: sprite.text for sprite in scene.sprites if sprite.shape == "plate"}
    assert all(sprite.size == cell for sprite in scene.sprites if sprite.shape == "plate") and texts
    other = scene
    for sprite in scene.sprites:
        if sprite.text:
            other = other.with_sprite(Sprite(**{**vars(sprite), "text": "".join(sorted(ALPHABET)[:3])}))
    first, second = (thumbnail(draw(one), cell).astype(int) for one in (scene, other))
    assert np.abs(first - second).max() <= (1 if sans else 0)
    seen = truth(scene).seen
    assert all(seen[id].visibility == 1 for id in texts), "nothing covers a plate, and it is inside"


def test_plates_touch_nothing_whatever_their_size():
    for index in range(6):
        scene = make_flat(5, index, side=768, cell=24, distractors=0)
        assert all(seen.visibility > 0.999 for seen in truth(scene).seen.values())


def test_codes_are_of_the_alphabet():
    scene = make_flat(3, alphabet="AE", plates=4, code=3)
    assert {character for sprite in scene.sprites for character in sprite.text} == {"A", "E"}
    clip = make_clip(3, alphabet="345")
    assert {character for change in clip.changes for character in change.text or ""} <= set("345")


def test_the_gap_of_a_pair_is_as_wished():
    for index in range(10):
        scene = make_flat(3, index, gap=(0.2, 0.3))
        larger, smaller = (scene.sprite(scene.roles[role]).area for role in ("larger", "smaller"))
        assert 1.2 <= larger / smaller <= 1.3


def test_textures_change_colours_and_nothing_else():
    plain, marked = make_flat(3), make_flat(3, textures=1.0)
    things = [sprite for sprite in marked.sprites if sprite.role == "thing" and not sprite.upright]
    assert {sprite.texture for sprite in things} <= set(TEXTURES) and all(sprite.texture for sprite in things)
    assert all(not sprite.texture for sprite in plain.sprites)
    again = FlatScene.from_json(marked.to_json())
    assert again == marked and '"texture"' in marked.to_json() and '"texture"' not in plain.to_json()
    bare = FlatScene.from_json(marked.to_json())
    for sprite in bare.sprites:
        bare = bare.with_sprite(Sprite(**{**vars(sprite), "texture": ""}))
    assert np.array_equal(truth(bare).labels, truth(marked).labels)
    assert np.array_equal(label_maps(lower([bare]))[0], label_maps(lower([marked]))[0])
    changed = (draw(bare) != draw(marked)).any(axis=2)
    inside = np.isin(truth(marked).labels, [marked.place(sprite.id) + 1 for sprite in things])
    assert 0.3 < changed[inside].mean() < 0.7
    assert not changed[~ndimage.binary_dilation(inside, iterations=2)].any(), "but for soft edges"


@pytest.mark.parametrize("texture", TEXTURES)
def test_each_texture_covers_about_half_of_a_shape(texture):
    scene = FlatScene(0, 0, 128, 128, (Sprite("a", "square", "red", 64, 64, 120, texture=texture),))
    pixels = draw(scene)[truth(scene).visible_mask("a")]
    assert 0.3 < (pixels[:, 1] > 75).mean() < 0.6


def test_textures_are_of_shapes_alone():
    with pytest.raises(PixelProofError, match="texture"):
        Sprite("a", "square", "red", 5, 5, 5, texture="zebra")
    with pytest.raises(PixelProofError, match="texture"):
        Sprite("a", "noise", "", 5, 5, 5, texture="dots")


@pytest.mark.parametrize("flashes", [2, 3, 6])
def test_flashes_come_one_after_another_in_different_colours(flashes):
    for index in range(12):
        clip = make_clip(3, index, frames=32, flashes=flashes, clear_flash=True)
        events = [change for change in clip.changes if change.id == "lamp"]
        assert len({event.colour for event in events}) == len(events) == flashes
        mover = clip.scene.sprite(clip.scene.roles["target"]).colour
        assert all(event.colour not in (mover, "grey") and event.stop - event.first == 2 for event in events)
        assert events[0].first >= 1 and events[-1].stop <= clip.frames
        assert all(one.stop < two.first for one, two in zip(events, events[1:], strict=False)), "a pause between"


@pytest.mark.slow
def test_a_clear_flash_never_has_the_colour_of_the_movers():
    def same(clear):
        clips = [make_clip(9, index, clear_flash=clear) for index in range(80)]
        return sum(
            change.colour == clip.scene.sprite(clip.scene.roles["target"]).colour
            for clip in clips
            for change in clip.changes
            if change.id == "lamp"
        )

    assert same(False) > 0 and same(True) == 0


@pytest.mark.parametrize(
    "wish",
    [{"cell": 12}, {"cell": 4}, {"alphabet": ""}, {"alphabet": "AQ"}, {"alphabet": "AA"}, {"alphabet": "A", "code": 2},
     {"gap": (0.0, 0.1)}, {"gap": (0.2, 0.1)}, {"textures": 2.0}],
)  # fmt: skip
def test_impossible_scenes_are_refused(wish):
    with pytest.raises(PixelProofError):
        make_flat(1, **wish)


@pytest.mark.parametrize(
    "wish", [{"flashes": 0}, {"flashes": 7, "frames": 64}, {"flashes": 6}, {"cell": 12}, {"alphabet": "x"}]
)
def test_impossible_clips_are_refused(wish):
    with pytest.raises(PixelProofError):
        make_clip(1, **wish)
