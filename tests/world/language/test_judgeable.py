"""What a person cannot tell from the picture is neither asked nor said."""

from dataclasses import replace

import numpy as np
import pytest

from oracles.language import check
from pixelproof.world.language import Sentence, captions, questions, view_of
from pixelproof.world.solid import Camera, yaw
from world.language.scenes import scene, thing, view

RNG = np.random.default_rng


@pytest.mark.slow
def test_depth_is_asked_of_things_at_one_height_or_clearly_apart():
    """On a shelf, 15 cm are clear between things on one board, and not between things on two."""
    asked = Sentence("open", "depth", "Which is closer to the viewer, the red mug or the green mug?", "the red mug")
    eye = Camera.looking_at((0, 0, 0.8), (0, -1.4, 0.9))
    for lifted, depth, clear in ((0.0, 0.2, True), (0.4, 0.2, False), (0.4, 0.6, True)):
        far = replace(thing("two", colour="green"), position=(0.3, depth, 0.74 + lifted))
        seen = view(thing("one", colour="red", at=(-0.3, 0.0)), far, camera=eye)
        assert (check(seen, asked) == []) == clear
        assert bool(questions(seen, seen, RNG(0), 4, ("open",), forms=("depth",))) == clear


@pytest.mark.parametrize(("away", "clear"), [(1.2, True), (6.0, False)])
def test_the_left_of_a_thing_is_asked_if_it_is_large_enough_to_see_its_front(away, clear):
    car = thing("car", "toy car", size=(0.2, 0.3, 0.15), rotation=yaw(180.0), front=(0.0, -1.0, 0.0))
    seen = view(car, thing("hat", "hat", at=(0.5, 0.0)), camera=Camera.looking_at((0, 0, 0.75), (0, -away, 1.2)))
    asked = Sentence("yes-no", "own-frame", "From the point of view of the toy car, is the hat on its left?", "no")
    assert (check(seen, asked) == []) == clear
    assert bool(questions(seen, seen, RNG(0), 4, forms=("own-frame",))) == clear


@pytest.mark.slow
@pytest.mark.parametrize(("aside", "clear"), [(0.1, True), (0.3, False)])
def test_what_is_above_another_thing_is_not_far_to_its_side(aside, clear):
    high = replace(thing("hat", "hat", "blue"), position=(aside, 0.0, 1.14), support=None)
    seen = view(thing("mug"), high)
    assert (check(seen, Sentence("fact", "relation", "The hat is above the mug.", about=("hat", "mug"))) == []) == clear
    said = {caption.text for seed in range(6) for caption in captions(seen, RNG(seed), 3)}
    assert any(" above " in text for text in said) == clear


def test_colours_of_two_and_of_bare_metal_are_not_asked_for():
    plate, page = thing("plate", "name plate", "red"), thing("page", "calendar", "blue", at=(0.3, 0.0))
    seen = view(plate, page, thing("fork", "fork", "grey", "metal", at=(-0.5, 0.0), size=(0.1, 0.02, 0.02)))
    assert [seen[id].colour for id in ("plate", "page")] == ["", ""]
    foil = view(thing("fork", "fork", "red", "plastic", at=(-0.5, 0.0), size=(0.1, 0.02, 0.02)), thing("hat", "hat"))
    for seed in range(8):
        for made in questions(seen, foil, RNG(seed), 4, forms=("colour", "exists")):
            assert "grey" not in (*made.text.split(), made.answer, *made.choices)


def test_open_questions_of_colour_have_basic_colours():
    teal = view(thing("mug", colour="teal"), thing("hat", "hat", "lime", at=(0.4, 0.0)))
    assert not [made for seed in range(4) for made in questions(teal, teal, RNG(seed), 2, ("open",), forms=("colour",))]


@pytest.mark.slow
def test_captions_of_a_set_say_different_things():
    """Whatever their first words and the order of their parts."""
    seen = view(thing("mug"), thing("hat", "hat", at=(0.4, 0.0)), thing("bolt", "bolt", at=(-0.4, 0.0)))
    for seed in range(4):
        parts = []
        for caption in captions(seen, RNG(seed), 5):
            words = caption.text.lower().removesuffix(".")
            for start in ("a picture of ", "a photo of "):
                words = words.removeprefix(start)
            parts.append(frozenset(words.replace(" and ", ", ").split(", ")))
        assert len(parts) == len(set(parts))


@pytest.mark.slow
def test_captions_do_not_tell_two_things_apart_by_their_materials():
    seen = view(thing("one", "desk lamp", "red", "metal"), thing("two", "desk lamp", "blue", "plastic", at=(0.4, 0.0)))
    said = " ".join(caption.text for seed in range(6) for caption in captions(seen, RNG(seed), 3))
    assert "desk lamp" in said
    assert "a metal desk lamp" not in said.lower()


@pytest.mark.slow
def test_ends_in_the_image_are_those_of_the_shape():
    """Of a lamp and not of its box, the corners of which are empty: as the renderer's masks have them."""
    from pixelproof.world.solid.layouts import make_scene
    from pixelproof.world.solid.render import render

    made, side = make_scene("tabletop", 7, 0), 256
    layers = render(made, side, quality="draft", layers=("ids", "amodal"))
    seen = view_of(made)
    for one, mask in zip(made.things, layers.amodal, strict=True):
        rows, columns = np.nonzero(mask)
        inside = len(rows) and min(rows.min(), columns.min()) > 0 and max(rows.max(), columns.max()) < side - 1
        if not one.fixed and inside:
            entity = seen[one.id]
            left, right, up, down = entity.reach
            x, y = entity.pixel
            ends = np.array([x - left, x + right, y - up, y + down]) * side
            assert np.abs(ends - [columns.min(), columns.max() + 1, rows.min(), rows.max() + 1]).max() < 1.5


def test_hand_made_scenes_have_the_ends_of_boxes():
    made = scene(thing("mug", size=(0.2, 0.1, 0.1)))
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (0.74, 0.84)]
    points = made.camera.project(corners, 1, 1)
    entity = view_of(made)["mug"]
    assert entity.pixel[0] + entity.reach[1] == pytest.approx(points[:, 0].max())
