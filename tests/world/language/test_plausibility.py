"""Instructions ask for what a person would ask for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.world.language import WAYS, Edit, Sentence, instruct, propose
from pixelproof.world.language._plausibility import implausibility
from pixelproof.world.solid import Thing
from world.language.scenes import CAMERA, random_view, thing, view

RNG = np.random.default_rng


def on_floor(id, category, colour, at, size, **more):
    return Thing(id, category, colour, "wooden", size, (*at, 0.0), **{"support": "floor", **more})


ROOM = view(
    on_floor("bed", "bed", "blue", (1.2, 1.4), (1.4, 0.9, 0.5)),
    on_floor("chair", "chair", "red", (-0.9, 1.5), (0.5, 0.5, 0.9)),
    on_floor("cabinet", "cabinet", "green", (-1.7, 1.5), (0.6, 0.4, 0.7)),
    on_floor("parcel", "parcel", "brown", (0.0, 1.5), (0.3, 0.3, 0.2)),
    thing("mug", colour="red", at=(-0.3, 0.0)),
    thing("hat", "hat", "grey", at=(0.3, 0.0), size=(0.3, 0.3, 0.1)),
    thing("tray", "tray", "yellow", at=(0.7, 0.0), size=(0.4, 0.3, 0.02)),
    thing("fork", "fork", "", "metal", at=(0.7, 0.0), size=(0.2, 0.03, 0.02), support="tray"),
    thing("tomato", "tomato", "red", "ceramic", at=(-0.6, 0.2), size=(0.08, 0.08, 0.07)),
    thing("bowl", "bowl", "green", at=(0.0, 0.3), size=(0.15, 0.15, 0.08), symmetry="Cinf"),
    camera=CAMERA,
)
ABSURD = [
    (Edit("place", "bed", "front", 0.24, "mug"), "Put the bed in front of the mug, with their centres 24 cm apart."),
    (Edit("swap", "bed", anchor="mug"), "Swap the bed and the mug."),
    (Edit("swap", "cabinet", anchor="parcel"), "Swap the cabinet and the parcel."),
    (Edit("swap", "parcel", anchor="hat"), "Swap the parcel and the hat."),
    (Edit("swap", "tray", anchor="hat"), "Swap the tray and the hat."),
    (Edit("swap", "fork", anchor="tray"), "Swap the fork and the tray."),
    (Edit("place", "mug", "left", 0.02, "hat"), "Put the mug to the left of the hat, with their centres 2 cm apart."),
    (Edit("place", "mug", "left", 1.9, "hat"), "Put the mug to the left of the hat, with their centres 1.9 m apart."),
    (Edit("move", "mug", "left", 2.5), "Move the mug 2.5 m to the left."),
    (Edit("move", "mug", "left", 8.0), "Move the mug 8 m to the left."),
    (Edit("scale", "mug", amount=8.0), "Scale the mug by a factor of 8."),
    (Edit("scale", "mug", amount=1.01), "Scale the mug by a factor of 1.01."),
    (Edit("remove", "tray"), "Remove the tray."),
    (Edit("turn", "tomato", "clockwise", 90.0), "Turn the tomato 90 degrees clockwise (seen from above)."),
    (Edit("turn", "bowl", "clockwise", 90.0), "Turn the bowl 90 degrees clockwise (seen from above)."),
    (Edit("put", "parcel", "left", anchor="floor"), "Put the parcel at the left end of the floor."),
    (Edit("put", "chair", "middle", anchor="table"), "Put the chair in the middle of the table."),
    (Edit("put", "mug", anchor="table"), "Put the mug on the table."),
    (Edit("put", "mug", anchor="tomato"), "Put the mug on the tomato."),
    (Edit("put", "hat", anchor="bowl"), "Put the hat in the bowl."),
    (Edit("move camera", way="left", amount=9.0), "Move the camera 9 m to the left."),
    (Edit("turn camera", way="left", amount=120.0), "Turn the camera 120 degrees to the left."),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "text"), ABSURD, ids=[text for _, text in ABSURD])
def test_what_nobody_would_ask_for_is_refused_by_writer_and_checker(edit, text):
    with pytest.raises(PixelProofError, match=r"^[^.]+(\.\d[^.]*)*\.$"):
        instruct(ROOM, edit, RNG(0))
    about = tuple(id for id in (edit.target, edit.anchor) if id)
    problems = check(ROOM, Sentence("edit", edit.action, text, about=about, edit=edit))
    assert problems
    assert not any("cannot be read" in problem for problem in problems)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("swap", "mug", anchor="hat"),
        Edit("swap", "chair", anchor="cabinet"),
        Edit("place", "chair", "right", 0.8, "cabinet"),
        Edit("put", "hat", anchor="chair"),
        Edit("put", "tomato", anchor="bowl"),
        Edit("put", "mug", "left", anchor="table"),
        Edit("put", "fork", anchor="table"),
        Edit("move", "bowl", "away", 0.1),
        Edit("scale", "mug", amount=2.0),
    ],
)
def test_what_people_ask_for_is_written(edit):
    for language in ("en", "zh"):
        for seed in range(5):
            assert check(ROOM, instruct(ROOM, edit, RNG(seed), language)) == []


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_what_is_proposed_makes_sense(seed):
    for seen in (random_view(seed), ROOM):
        edit = propose(seen, RNG(seed))
        assert edit is not None
        assert implausibility(seen, edit) == ""
        assert round(edit.amount, 2) == edit.amount  # a round number
        assert not edit.target or seen[edit.target].visible >= 0.3
        made = instruct(seen, edit, RNG(seed))
        assert made is None or check(seen, made) == []


@pytest.mark.slow
@pytest.mark.parametrize("action", [action for action in WAYS if action != "insert"])
def test_every_action_is_proposed(action):
    found = [propose(ROOM, RNG(seed), (action,)) for seed in range(200)]
    edits = {edit for edit in found if edit}
    assert found.count(None) < 20
    assert {edit.action for edit in edits} == {action}
    ways = {edit.way for edit in edits}
    assert ways >= set(WAYS[action]) - {"up", "down"} or "camera" in action or (action == "put" and len(ways) > 2)
    assert "camera" not in action or ways == set(WAYS[action])


def test_nothing_is_proposed_where_nothing_can_be():
    assert propose(view(), RNG(0), ("move", "swap", "put")) is None
    assert propose(view(thing("one")), RNG(0), ("place", "swap")) is None
    with pytest.raises(PixelProofError, match="no edit 'paint'"):
        propose(ROOM, RNG(0), ("paint",))


@pytest.mark.slow
@given(st.integers(0, 300))
def test_writer_and_checker_agree_on_sense(seed):
    """Two implementations of what makes sense, on edits of all sorts."""
    from oracles.language._plausibility import implausibilities
    from world.language.scenes import _any_edit

    rng = RNG([seed, 3])
    for seen in (random_view(seed), ROOM):
        for _ in range(8):
            edit = _any_edit(seen, rng)
            if edit is None:
                continue
            target = seen[edit.target] if edit.target else None
            anchor = seen[edit.anchor] if edit.anchor else None
            assert bool(implausibility(seen, edit)) == bool(list(implausibilities(seen, edit, target, anchor))), edit
