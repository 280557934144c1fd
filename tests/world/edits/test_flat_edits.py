"""Edits of flat scenes: exact transforms, in units of the picture, that cover nothing."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import FLAT_WAYS, FlatChange, FlatEdit, apply, change_mask, propose_flat
from pixelproof.world.flat import FlatScene, Sprite, draw, make_flat, truth

SIDE = 256
SCENE = FlatScene(
    0, 0, SIDE, SIDE,
    (
        Sprite("small", "circle", "teal", 30.0, 200.0, 9.0, role="distractor"),
        Sprite("star-1", "star", "red", 60.0, 60.0, 50.0, 10.0),
        Sprite("square-1", "square", "blue", 180.0, 70.0, 40.0, 20.0),
        Sprite("arrow-1", "arrow", "green", 100.0, 160.0, 48.0),
        Sprite("plate-arrow-1", "plate", "white", 100.0, 200.0, 8.0, carrier="arrow-1", text="A3", cells=2),
    ),
)  # fmt: skip
FLAT = {"move": 0.1, "turn": 30.0, "scale": 1.4}
EXTRA = {
    "insert": {"target": "", "sprite": Sprite("heart-1", "heart", "purple", 200.0, 200.0, 40.0)},
    "swap": {"anchor": "square-1"},
    "recolour": {"colour": "black"},
}
EDITS = [
    FlatEdit(action, **({"target": "star-1", "way": way, "amount": FLAT.get(action, 0.0)} | EXTRA.get(action, {})))
    for action, ways in FLAT_WAYS.items()
    for way in ways
]


def problems(outcome):
    """What is wrong with an outcome, from the sprites before and after and from ground truth."""
    before, after, edit = outcome.before, outcome.after, outcome.edit
    old, new = ({sprite.id: sprite for sprite in scene.sprites} for scene in (before, after))
    edited = {edit.target, edit.anchor} - {""}
    named = {id for id in old if id in edited or old[id].carrier in edited}
    named |= {edit.sprite.id} if edit.sprite else set()
    for id in (old.keys() | new.keys()) - named:
        if old.get(id) != new.get(id):
            yield f"{id} changed"
    seen = [truth(scene).seen for scene in (before, after)]
    for sprite in after.sprites:
        if sprite.role == "thing" and seen[1][sprite.id].visibility < 1:
            yield f"{sprite.id} is covered or out of the picture"
    order = [sprite.id for sprite in before.sprites if sprite.id in new]
    if [sprite.id for sprite in after.sprites if sprite.id in old] != order:
        yield "the order of painting changed"


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.action} {edit.way}")
def test_every_flat_action_is_carried_out(edit):
    outcome = apply(SCENE, edit)
    assert outcome.possible, outcome.why_not
    assert list(problems(outcome)) == []


def test_flat_changes_say_by_how_much():
    change = apply(SCENE, FlatEdit("move", "star-1", "down", 0.1)).changes["star-1"]
    assert change == FlatChange(shift=(0.0, pytest.approx(0.1)))
    assert apply(SCENE, FlatEdit("turn", "star-1", "anticlockwise", 30.0)).changes["star-1"].turn_deg == -30.0
    swap = apply(SCENE, FlatEdit("swap", "arrow-1", anchor="star-1"))
    assert set(swap.changes) == {"arrow-1", "plate-arrow-1", "star-1"}
    assert (swap.after.sprite("arrow-1").x, swap.after.sprite("star-1").y) == (60.0, 160.0)
    assert apply(SCENE, EDITS[-1]).changes["star-1"].colour == "black"
    assert apply(SCENE, FlatEdit("remove", "star-1")).changes == {"star-1": FlatChange(removed=True)}


@given(st.sampled_from(EDITS), st.floats(-1, 1.5), st.floats(0.3, 1.2))
def test_a_share_of_a_flat_edit(edit, share, times):
    assume(share != 1)
    edit = replace(edit, amount=edit.amount * times)
    outcome = apply(SCENE, edit, share)
    if edit.action in ("remove", "insert"):
        assert outcome.possible == (share == 0)
        return
    star, was = outcome.after.sprite("star-1"), SCENE.sprite("star-1")
    x, y = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}.get(edit.way, (0, 0))
    far = share * edit.amount * SIDE if edit.action == "move" else 0.0
    there = (SCENE.sprite("square-1").x, SCENE.sprite("square-1").y) if edit.action == "swap" else (was.x, was.y)
    assert star.x == pytest.approx(was.x + x * far + share * (there[0] - was.x))
    assert star.y == pytest.approx(was.y + y * far + share * (there[1] - was.y))
    sense = {"clockwise": 1, "anticlockwise": -1}.get(edit.way, 0)
    assert star.angle == pytest.approx(was.angle + share * edit.amount * sense)
    assert star.size == pytest.approx(was.size * (edit.amount**share if edit.action == "scale" else 1))


REFUSED = {
    "out of the picture": (FlatEdit("move", "star-1", "left", 0.3), "leave the picture"),
    "onto another": (FlatEdit("move", "star-1", "right", 0.45), "touch square-1"),
    "onto a small shape of its colour": (FlatEdit("recolour", "arrow-1", colour="green"), "the same"),
    "a turn by a symmetry": (FlatEdit("turn", "square-1", "clockwise", 90.0), "looks the same"),
    "a turn of a round thing": (FlatEdit("turn", "small", "clockwise", 77.0), "looks the same"),
    "the same size": (FlatEdit("scale", "star-1", "", 1.01), "looks the same"),
    "a carrier is removed": (FlatEdit("remove", "arrow-1"), "carries a plate"),
    "a plate is turned": (FlatEdit("turn", "plate-arrow-1", "clockwise", 30.0), "plate"),
    "a plate and its carrier": (FlatEdit("swap", "arrow-1", anchor="plate-arrow-1"), "carries"),
    "a colour like the background": (FlatEdit("recolour", "star-1", colour="white"), "contrast"),
    "a second blue square": (
        FlatEdit("insert", sprite=Sprite("square-2", "square", "blue", 200.0, 200.0, 40.0)), "already",
    ),
    "an insertion on another": (FlatEdit("insert", sprite=Sprite("it", "heart", "pink", 62.0, 60.0, 20.0)), "touch"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_flat_edits_that_break_a_rule_are_refused(case):
    edit, why = REFUSED[case]
    outcome = apply(SCENE, edit)
    assert not outcome.possible and why in outcome.why_not


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (FlatEdit("move", "moon", "left", 0.1), "sprite"),
        (FlatEdit("fold", "star-1"), "edit action"),
        (FlatEdit("move", "star-1", "closer", 0.1), "no way"),
        (FlatEdit("move", "star-1", "left", 0.0), "above 0"),
        (FlatEdit("move", "star-1", "left", "0.1"), "a number"),
        (FlatEdit("scale", "star-1", "", 10**400), "above 0"),
        (FlatEdit("recolour", "star-1", colour="blau"), "colour"),
        (FlatEdit("swap", "star-1", anchor="star-1"), "other fields"),
        (FlatEdit("insert", sprite=Sprite("star-1", "heart", "pink", 9.0, 9.0, 9.0)), "already"),
    ],
)
def test_malformed_flat_edits_are_errors(edit, message):
    with pytest.raises(PixelProofError, match=message):
        apply(SCENE, edit)


@pytest.mark.slow
@pytest.mark.parametrize("action", FLAT_WAYS)
def test_proposed_flat_edits_break_no_rule(action):
    made = 0
    for index in range(8):
        scene = make_flat(5, index, side=SIDE, things=5, plates=2, noise=1)
        outcome = propose_flat(scene, np.random.default_rng(index), (action,))
        if outcome is not None:
            made += 1
            assert outcome.edit.action == action and list(problems(outcome)) == []
            assert apply(scene, outcome.edit) == outcome
            mask = change_mask(scene, outcome.after)
            differs = (draw(scene) != draw(outcome.after)).any(axis=2)
            assert mask.object.any() and not mask.light.any() and (differs <= mask.changed).all()
    assert made >= 4


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.action} {edit.way}")
def test_every_pixel_that_changes_belongs_to_an_edited_sprite(edit):
    after = apply(SCENE, edit).after
    mask = change_mask(SCENE, after)
    differs = (draw(SCENE) != draw(after)).any(axis=2)
    assert not mask.light.any() and (differs <= mask.changed).all() and (mask.edge <= differs).all()
    assert after.roles == {} and {field.name for field in fields(after)} == {field.name for field in fields(SCENE)}
