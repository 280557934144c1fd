"""Scores of pictures: independent of the edit, of shadows and of the size; what else changed is found."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from pixelproof.benches.spatial.pictures import SURROUNDINGS, expected_scene, named_things, score_picture
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.pixels import ImageChannel, read_image
from pixelproof.world.edits import Edit, apply
from world.edits.scenes import desk

pytestmark = pytest.mark.slow  # renders
RENDERER = SceneRenderer(256, "draft")
EDITS = {
    "move": Edit("move", "two", "right", 0.1),
    "turn": Edit("turn", "mug", "anticlockwise", 120.0),
    "scale": Edit("scale", "two", amount=1.4),
    "remove": Edit("remove", "two"),
    "camera": Edit("move camera", way="left", amount=0.15),
}


def shown(scene):
    return RENDERER.render(scene).rgb


def scored(edit, perceived, picture=None, renderer=RENDERER):
    whole = apply(desk(), edit)
    assert whole.possible, whole.why_not
    picture = renderer.render(perceived).rgb if picture is None else picture
    return score_picture(picture, whole.before, whole.after, perceived, renderer)


@pytest.mark.parametrize("share", [-1, 0, 0.5, 1])
@pytest.mark.parametrize("name", [name for name in EDITS if name != "remove"])
def test_appearance_and_locality_do_not_depend_on_how_far_the_edit_went(name, share):
    score = scored(EDITS[name], apply(desk(), EDITS[name], share).after)
    assert score.locality == 1 and score.is_local and not score.different.any()
    assert score.appearance == (None if name == "camera" else 1)
    if share == 1 and name == "move":
        assert score.shadow == pytest.approx(1)


def test_a_removal_and_its_copy():
    scene, after = desk(), apply(desk(), EDITS["remove"]).after
    for perceived in (scene, after):
        score = scored(EDITS["remove"], perceived)
        assert (score.appearance, score.locality) == (1, 1)
    smeared = np.array(shown(after))
    where = RENDERER.render(scene).ids == [thing.id for thing in scene.things].index("two") + 1
    smeared[where] = 90
    assert scored(EDITS["remove"], after, smeared).appearance < 0.2
    assert scored(EDITS["remove"], after, smeared).locality > 0.99


def test_a_recoloured_bystander_costs_locality_alone():
    after = apply(desk(), EDITS["move"]).after
    red = after.with_thing(replace(after.thing("mug"), colour="blue"))
    clean, score = scored(EDITS["move"], after), scored(EDITS["move"], red)
    assert score.appearance == clean.appearance == 1 and score.shadow == pytest.approx(1, abs=0.05)
    assert score.regions["mug"] < 0.3 and score.locality < 0.9 and not score.is_local
    assert {name for name, share in score.regions.items() if share < 0.85} == {"mug"}
    through = read_image(ImageChannel(0.0, 90).send(shown(after)))
    assert score.locality < scored(EDITS["move"], after, through).locality - 0.05, "below its ceiling"


@pytest.mark.parametrize(("side", "is_local"), [(16, False), (6, True)])
def test_what_is_added_to_the_surroundings_is_not_local(side, is_local):
    """A second thing, pasted onto the table, is a small share of the surroundings."""
    after = apply(desk(), EDITS["move"]).after
    pasted = np.array(shown(after))
    pasted[20 : 20 + side, 20 : 20 + side] = (255, 0, 255)
    score = scored(EDITS["move"], after, pasted)
    assert min(score.regions.values()) > 0.98 and score.is_local == is_local


def test_a_bystander_that_moved_turned_or_went_is_charged_whole():
    after = apply(desk(), EDITS["move"]).after
    mug = after.thing("mug")
    for other in (
        after.without("mug"),
        after.with_thing(replace(mug, position=(mug.position[0] + 0.03, *mug.position[1:]))),
        apply(after, Edit("turn", "mug", "clockwise", 30.0), 0.99).after,
    ):
        score = scored(EDITS["move"], other)
        assert score.regions["mug"] == 0 and not score.is_local and score.appearance == 1


def test_a_repainted_target_costs_appearance_alone():
    after = apply(desk(), EDITS["move"]).after
    red = after.with_thing(replace(after.thing("two"), colour="blue"))
    score = scored(EDITS["move"], red)
    assert score.appearance < 0.7 and score.is_local and score.locality > 0.97


def test_other_surroundings_cost_half_or_more():
    after = apply(desk(), EDITS["move"]).after
    table = replace(after.thing("table"), colour="navy")
    score = scored(EDITS["move"], after.with_thing(table))
    assert score.regions[SURROUNDINGS] < 0.7 and score.locality < 0.86


def test_a_correct_shadow_costs_nothing_and_a_missing_one_is_seen():
    whole = apply(desk(), EDITS["move"])
    before, after = RENDERER.render(whole.before), RENDERER.render(whole.after)
    number = [thing.id for thing in whole.after.things].index("two") + 1
    pasted = np.where(((after.ids == number) | (before.ids == number))[..., None], after.rgb, before.rgb)
    flat, right = (scored(EDITS["move"], whole.after, rgb) for rgb in (pasted, after.rgb))
    assert right.shadow == pytest.approx(1) and right.locality == 1
    assert flat.shadow < 0.2 and flat.appearance == pytest.approx(1, abs=0.12)
    assert flat.locality == pytest.approx(1, abs=0.01), "shadows are no part of locality"


@pytest.mark.parametrize("name", ["move", "camera"])
def test_a_nudged_camera_changes_everything(name):
    scene = desk()
    nudged = apply(scene, Edit("move camera", way="up", amount=0.03), 0.99).after
    score = scored(EDITS["move"], nudged)
    assert score.locality < 0.9 and not score.is_local
    if name == "camera":  # where the camera is to move, things are compared as seen from where it is
        assert scored(EDITS["camera"], nudged).is_local


@pytest.mark.parametrize("size", [256, 384, 1024])
def test_the_size_of_an_answer_does_not_matter(size):
    after = apply(desk(), EDITS["move"]).after
    red = after.with_thing(replace(after.thing("mug"), colour="blue"))
    for perceived in (after, red):
        large = SceneRenderer(512, "draft")
        own = scored(EDITS["move"], perceived, renderer=large)
        score = scored(EDITS["move"], perceived, SceneRenderer(size, "draft").render(perceived).rgb, large)
        for name in ("appearance", "locality"):
            assert getattr(score, name) == pytest.approx(getattr(own, name), abs=0.01), name


def test_jpeg_and_resizing_hardly_cost():
    after = apply(desk(), EDITS["move"]).after
    jpeg = read_image(ImageChannel(0.0, 90).send(SceneRenderer(512, "draft").render(after).rgb))
    small = np.asarray(Image.fromarray(jpeg).resize((384, 384), Image.Resampling.LANCZOS))
    for picture in (jpeg, small):
        score = scored(EDITS["move"], after, picture)
        assert score.appearance > 0.9 and score.locality > 0.97 and score.shadow > 0.8 and score.is_local


def test_blank_and_noise_score_nothing():
    after = apply(desk(), EDITS["move"]).after
    noise = np.random.default_rng(0).integers(0, 256, (256, 256, 3), dtype=np.uint8)
    for picture in (np.full((256, 256, 3), 128, np.uint8), noise):
        score = scored(EDITS["move"], after, picture)
        assert score.locality < 0.3 and score.shadow < 0.05 and score.appearance < 0.5


def test_expected_scenes():
    scene, after = desk(), apply(desk(), EDITS["move"]).after
    assert expected_scene(scene, after, after) is after and expected_scene(scene, after, scene) is scene
    red = after.with_thing(replace(after.thing("two"), colour="blue"))
    assert expected_scene(scene, after, red) == after, "a thing keeps its own colour"
    moved = after.with_thing(replace(after.thing("mug"), position=(0.3, -0.2, 0.05)))
    assert expected_scene(scene, after, moved) == after, "what is not named stays"
    assert named_things(scene, after) == {"two"}
    gone = expected_scene(scene, after, after.without("two"))
    assert "two" not in [thing.id for thing in gone.things]
