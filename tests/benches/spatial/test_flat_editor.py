"""The control `perfect-2d`: all that moving pixels can do, and no more."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import binary_dilation

from pixelproof.benches.spatial._executed import edit_in_2d
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.contract import Fault
from pixelproof.pixels import read_image
from pixelproof.stats import generator
from pixelproof.world.edits import Edit

from .desk_pairs import BESIDE, DeskBench, made, pairs

pytestmark = pytest.mark.slow  # renders
RENDERER = SceneRenderer(192, "draft")


def shows(scene, id):
    return RENDERER.render(scene).ids == next(n for n, one in enumerate(scene.things, 1) if one.id == id)


def distance(one, other, where=...):
    return float(np.abs(one.astype(int) - other.astype(int))[where].mean())


@pytest.mark.parametrize(
    "steps",
    [
        (Edit("move", "two", "right", 0.1),),
        (Edit("move", "two", "closer", 0.2),),
        (Edit("scale", "two", amount=1.4),),
        (Edit("swap", "two", anchor="mug"),),
        (BESIDE,),
    ],
)
def test_things_are_in_the_right_place_and_nothing_else_changes(steps):
    pair = made("move", steps)
    picture, before, after = edit_in_2d(pair, RENDERER), RENDERER.render(pair.before), RENDERER.render(pair.after)
    named = pair.named
    old, new = (np.any([shows(scene, id) for id in named], axis=0) for scene in (pair.before, pair.after))
    rest = ~binary_dilation(old | new, iterations=5)
    assert np.array_equal(picture[rest], before.rgb[rest]), "neither other things nor shadows change"
    core = new & ~binary_dilation(~new, iterations=2)
    assert distance(picture, after.rgb, core) < 0.6 * distance(before.rgb, after.rgb, core)


def test_a_turn_cannot_be_shown():
    pair = made("rotation", (Edit("turn", "mug", "anticlockwise", 120.0),))
    before = RENDERER.render(pair.before).rgb
    assert distance(edit_in_2d(pair, RENDERER), before, shows(pair.before, "mug")) < 12


def test_a_removed_thing_leaves_its_shadow():
    pair = made("removal", (Edit("remove", "two"),))
    picture, before, after = edit_in_2d(pair, RENDERER), RENDERER.render(pair.before), RENDERER.render(pair.after)
    gone = shows(pair.before, "two")
    assert distance(picture, after.rgb, gone) < 2 < 0.2 * distance(before.rgb, after.rgb, gone)
    shadow = ~binary_dilation(gone, iterations=3) & (np.abs(before.rgb.astype(int) - after.rgb).sum(axis=2) > 20)
    assert shadow.sum() > 20 and np.array_equal(picture[shadow], before.rgb[shadow])


def test_what_is_nearer_hides_what_is_moved_behind_it():
    pair = made("placement", (Edit("place", "mug", "behind", 0.12, "one"),))
    picture, before = edit_in_2d(pair, RENDERER), RENDERER.render(pair.before)
    front = shows(pair.after, "one") & shows(pair.before, "one") & ~binary_dilation(~shows(pair.after, "one"))
    assert front.any() and np.array_equal(picture[front], before.rgb[front])


@pytest.mark.parametrize(("edit", "share"), [
    (Edit("turn camera", way="right", amount=6.0), 0.2),
    (Edit("zoom camera", way="in", amount=1.3), 0.25),
    (Edit("move camera", way="left", amount=0.15), 0.6),
])  # fmt: skip
def test_cameras_are_homographies_of_the_level_on_which_things_stand(edit, share):
    pair = made("viewpoint", (edit,))
    picture, before, after = edit_in_2d(pair, RENDERER), RENDERER.render(pair.before), RENDERER.render(pair.after)
    assert distance(picture, after.rgb) < share * distance(before.rgb, after.rgb)
    inner = shows(pair.after, "table") & ~binary_dilation(~shows(pair.after, "table"), iterations=6)
    assert distance(picture, after.rgb, inner) < 4


def test_impossible_edits_leave_the_photograph_alone():
    pair = next(one for one in pairs() if not one.possible)
    assert np.array_equal(edit_in_2d(pair, RENDERER), RENDERER.render(pair.before).rgb)


def test_the_oracle_does_not_know_its_scene():
    """Its image is no render of a scene: only perception of pixels can score it."""
    bench = DeskBench(perception="oracle", size=192)
    item = next(iter(bench.items(None, 0, 1)))
    answer = bench.controls()["perfect-2d"](item, generator(0, "control"))
    assert read_image(answer.images[0]).shape == (192, 192, 3) and answer.trace[0]["scene"] == ""
    result = bench.score(item, answer, {})
    assert result.failure.name == "not-perceived" and result.failure.fault is Fault.INSTRUMENT
    read = replace(bench, perception="render-and-compare").score(item, answer, {})
    assert read.failure is not None or read.metrics["micro.ic"] == 1
