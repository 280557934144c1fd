"""Every rule finds what breaks it, from the scene alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pixelproof.world.solid import Camera, Scene, Thing, make_scene, violations
from pixelproof.world.solid._rules import least_visible
from pixelproof.world.solid._sampling import HELD_CATEGORIES, held_colours
from pixelproof.world.solid.shapes import CATEGORIES, new_thing


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene("tabletop", 21, 3, things=4, clutter=0.2, occlusion=0.2)


@pytest.fixture(scope="module")
def subject(scene: Scene) -> Thing:
    """A thing that stands on the table with nothing on it."""
    carriers = {thing.support for thing in scene.movable}
    return next(thing for thing in scene.movable if thing.support == "tabletop" and thing.id not in carriers)


def middle_form(name: str) -> dict[str, float]:
    """The mean of all parameters of a category, which is no held-out shape."""
    return {key: sum(ends) / 2 for key, ends in CATEGORIES[name].ranges.items()}


def broken(scene: Scene, thing: str | None = None) -> set[str]:
    return {violation.rule for violation in violations(scene) if thing in (None, violation.thing)}


def moved(thing: Thing, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Thing:
    return replace(thing, position=(thing.position[0] + x, thing.position[1] + y, thing.position[2] + z))


@pytest.mark.slow
def test_the_scene_itself_breaks_none(scene: Scene) -> None:
    assert violations(scene, 0.2) == []


def test_what_floats_is_not_carried_and_falls(scene: Scene, subject: Thing) -> None:
    assert {"support", "drift"} <= broken(scene.with_thing(moved(subject, z=0.05)), subject.id)


def test_what_is_sunk_overlaps(scene: Scene, subject: Thing) -> None:
    found = [v for v in violations(scene.with_thing(moved(subject, z=-0.004))) if v.rule == "overlap"]
    assert found and all(violation.value == pytest.approx(0.004, abs=5e-4) for violation in found)
    assert not [v for v in violations(scene.with_thing(moved(subject, z=-0.0005))) if v.rule == "overlap"]


def test_what_is_in_another_overlaps(scene: Scene, subject: Thing) -> None:
    other = next(thing for thing in scene.movable if thing.id != subject.id and thing.support == "tabletop")
    both = scene.with_thing(replace(subject, position=other.position))
    assert "overlap" in broken(both)


def test_a_wrong_size_or_support_is_found(scene: Scene, subject: Thing) -> None:
    x, y, z = subject.size
    assert broken(scene.with_thing(replace(subject, size=(x * 1.01, y, z)))) == {"size"}
    assert "support" in broken(scene.with_thing(replace(subject, support="floor")), subject.id)


def test_what_stands_over_the_edge_is_not_supported(scene: Scene, subject: Thing) -> None:
    table = scene.thing("tabletop")
    over = moved(subject, x=table.size[0] / 2 - subject.position[0] + max(subject.size))
    assert "support" in broken(scene.with_thing(over), subject.id)


def test_what_is_beyond_or_below_the_floor_is_found(scene: Scene, subject: Thing) -> None:
    assert "floor" in broken(scene.with_thing(moved(subject, z=-3.0)), subject.id)
    assert "floor" in broken(scene.with_thing(moved(subject, x=40.0)), subject.id)


def test_what_leaves_the_picture_is_found(scene: Scene, subject: Thing) -> None:
    x, y, z = scene.camera.position
    away = replace(scene, camera=replace(scene.camera, position=(x + 0.5, y, z)))
    assert "view" in broken(away)
    back = Camera.looking_at((x, 2 * y, z), scene.camera.position)
    assert {violation.thing for violation in violations(replace(scene, camera=back)) if violation.rule == "view"} == {
        thing.id for thing in scene.movable
    }


def test_a_camera_inside_a_thing_is_found(scene: Scene) -> None:
    table = scene.thing("tabletop")
    inside = (table.position[0], table.position[1], table.position[2] + table.size[2] / 2)
    assert [v.thing for v in violations(replace(scene, camera=replace(scene.camera, position=inside))) if v.rule == "camera"] == ["tabletop"]  # fmt: skip # noqa: E501


def test_what_is_hidden_is_found_as_far_as_occlusion_is_not_wanted(scene: Scene, subject: Thing) -> None:
    """A wall in front of half the picture hides what is behind it."""
    middle = np.mean([thing.position for thing in scene.movable], axis=0)
    halfway = tuple(0.3 * middle + 0.7 * np.asarray(scene.camera.position))
    screen = new_thing("screen", "wall", {"width": 9.0, "height": 9.0}, colour="white", material="plaster",
                       position=(halfway[0], halfway[1], halfway[2] - 4.5), fixed=True)  # fmt: skip
    hidden = violations(replace(scene, things=(*scene.things, screen)))
    assert {v.thing for v in hidden if v.rule == "hidden"} == {thing.id for thing in scene.movable}
    assert all(v.limit == pytest.approx(least_visible(1.0)) for v in hidden if v.rule == "hidden")


@pytest.mark.slow
def test_what_is_held_out_does_not_belong_in_train(scene: Scene, subject: Thing) -> None:
    name = sorted(HELD_CATEGORIES)[0]
    form = middle_form(name)
    stranger = new_thing(subject.id, name, form, colour="red", material="plastic", position=subject.position, support="tabletop")  # fmt: skip # noqa: E501
    with_stranger = scene.with_thing(stranger)
    assert "split" in broken(with_stranger, subject.id)
    assert "split" not in broken(replace(with_stranger, split="test-category"), subject.id)
    assert "split" in broken(replace(scene, split="test-category"))
    assert "split" in broken(replace(scene, layout="ring"))
    assert "split" not in broken(replace(scene, layout="ring", split="test-layout"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"symmetry": "SO3"}, "its symmetry is"),
        ({"up": (0.0, 1.0, 0.0)}, "its up is"),
        ({"front": (1.0, 0.0, 0.0)}, "its front is"),
        ({"colour": "octarine"}, "its colour 'octarine' is"),
        ({"colour": "#ff0000"}, "its colour '#ff0000' is"),
        ({"material": "cheese"}, "its material 'cheese' is not one of"),
        ({"fixed": True}, "it is fixed"),
    ],
)
def test_what_is_said_of_a_thing_but_is_not_so_is_found(
    scene: Scene, subject: Thing, change: dict[str, Any], says: str
) -> None:
    found = [v for v in violations(scene.with_thing(replace(subject, **change))) if v.rule == "words"]
    assert [v.thing for v in found] == [subject.id] and says in found[0].message


def test_text_is_only_on_what_is_written_on(scene: Scene) -> None:
    for thing in scene.things:
        said = "words" in broken(scene.with_thing(replace(thing, text="HELLO")), thing.id)
        assert said == (not CATEGORIES[thing.category].texts)


def test_surroundings_are_fixed_and_may_have_a_colour_without_a_word(scene: Scene) -> None:
    table = scene.thing("tabletop")
    assert "words" not in broken(scene.with_thing(replace(table, colour="#b98a5c")))
    assert "words" in broken(scene.with_thing(replace(table, colour="#b98a5")), "tabletop")
    assert "words" in broken(scene.with_thing(replace(table, fixed=False)), "tabletop")


@pytest.mark.parametrize(
    ("change", "says"),
    [({"kind": "attic"}, "no kind of scene 'attic'"), ({"split": "val"}, "no split 'val'")],
)
def test_a_kind_or_a_split_that_is_not_known_is_found(scene: Scene, change: dict[str, Any], says: str) -> None:
    assert any(says in v.message for v in violations(replace(scene, **change)) if v.rule == "words")


def test_a_scene_without_a_thing_that_can_be_moved_is_found(scene: Scene) -> None:
    bare = replace(scene, things=tuple(thing for thing in scene.things if thing.fixed))
    assert broken(bare) == {"words"}
    assert broken(replace(scene, things=())) == {"words"}


@pytest.mark.slow
@pytest.mark.parametrize("split", ["test-category", "test-colour", "test-shape"])
def test_half_of_the_things_have_what_their_split_holds_out(scene: Scene, split: str) -> None:
    name, held = "teapot" if split == "test-category" else "mug", held_colours(CATEGORIES["mug"])
    colour = (
        min(held) if split == "test-colour" else min(set(CATEGORIES[name].colours) - held_colours(CATEGORIES[name]))
    )
    form, changed = middle_form(name), replace(scene, split=split)
    if split == "test-shape":  # tall and slender
        form |= {"height": CATEGORIES["mug"].ranges["height"][1], "radius": CATEGORIES["mug"].ranges["radius"][0]}
    for count, thing in enumerate(scene.movable, 1):
        swapped = new_thing(
            thing.id, name, form, colour=colour, material="ceramic", position=thing.position, support=thing.support
        )
        changed = changed.with_thing(swapped)
        assert ("split" in broken(changed)) == (count < 2), "two of four are half"


def test_what_is_pushed_over_turns(scene: Scene, subject: Thing) -> None:
    from pixelproof.world.solid import quaternion, rotation_matrix

    tilt = rotation_matrix((0.9, 0.3, 0.0, 0.0)) @ rotation_matrix(subject.rotation)
    over = replace(moved(subject, z=0.1), rotation=quaternion(tilt))
    assert {"turn", "drift"} <= broken(scene.with_thing(over), subject.id)
