"""Questions of space, answered anew from the poses of a scene and its camera, without views and their truths."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.world.language import Sentence, check, questions, view_of
from pixelproof.world.solid import Camera, rotation_matrix, yaw
from world.language.scenes import random_scene, scene, thing, view

RNG = np.random.default_rng
FORMS = ("depth", "height", "support", "between", "own-frame", "distance", "relation", "which")
NOUNS = ["mug", "tray", "candle", "chair", "toy car", "hat", "camera"]


class Poses:
    """Centres, corners and fronts of the things of a scene, from the definition of its poses."""

    def __init__(self, made):
        self.things = {one.id: one for one in made.things}
        self.eye, looks = np.array(made.camera.position), rotation_matrix(made.camera.rotation)
        self.right = looks[:, 0] * (1, 1, 0) / np.linalg.norm(looks[:2, 0])
        self.away = np.cross([0, 0, 1], self.right)

    def centre(self, id):
        one = self.things[id]
        return np.array(one.position) + rotation_matrix(one.rotation) @ (0, 0, one.size[2] / 2)

    def corners(self, id):
        one = self.things[id]
        signs = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [0, 1])).reshape(3, -1).T
        return np.array(one.position) + (signs * one.size) @ rotation_matrix(one.rotation).T

    def side(self, id):
        return float(self.right @ (self.centre(id) - self.eye))

    def depth(self, id):
        return float(np.linalg.norm(self.centre(id) - self.eye))

    def own_left(self, owner, id):
        one = self.things[owner]
        front = rotation_matrix(one.rotation) @ one.front
        left = np.array([-front[1], front[0], 0.0])  # a quarter turn anticlockwise, as seen from above
        return float(left @ (self.centre(id) - self.centre(owner)))

    def apart(self, one, other):
        """Distances between all pairs of corners, and of the centres."""
        corners = self.corners(one)[:, None] - self.corners(other)[None]
        return np.linalg.norm(corners, axis=2), float(np.linalg.norm(self.centre(one) - self.centre(other)))


def right_answer(poses, made):
    """The answer to a question: true or false for yes and no, else the id of the answer, or a side."""
    text, about = made.text.lower(), made.about
    if "point of view" in text:
        left = poses.own_left(about[0], about[1]) > 0
        if made.kind == "open":
            return "left" if left else "right"
        return left == ("on its left" in text)
    if "between" in text:
        ends, inside = (about[1:], about[:1]) if made.kind == "yes-no" else (about[:2], about[2:])
        first, last = (poses.centre(id) for id in ends)
        detour = {
            id: np.linalg.norm(poses.centre(id) - first) + np.linalg.norm(poses.centre(id) - last) for id in inside
        }
        direct = np.linalg.norm(first - last)
        return bool(detour[inside[0]] < 1.1 * direct) if made.kind == "yes-no" else min(detour, key=detour.get)
    if "nearer to" in text:
        place, ids = (about[1], (about[0], about[2])) if made.kind == "yes-no" else (about[0], about[1:])
        best = min(ids, key=lambda id: poses.apart(place, id)[1])
        return best == about[0] if made.kind == "yes-no" else best
    if said := re.search("is there anything (?:on|in) ", text):
        return any(one.support == about[0] for one in poses.things.values()) and bool(said)
    if re.search(r"which is (on|in) |^is .+ (?<!fit )(on|in) the ", text):
        ground, ids = (about[1], about[:1]) if made.kind == "yes-no" else (about[0], about[1:])
        on = [id for id in ids if poses.things[id].support == ground]
        return bool(on) if made.kind == "yes-no" else on[0]
    measures = {
        "left": lambda id: -poses.side(id), "right": poses.side,
        "closer to": lambda id: -poses.depth(id), "farther from": poses.depth,
        "in front of": lambda id: -float(poses.away @ poses.centre(id)),
        "behind": lambda id: float(poses.away @ poses.centre(id)),
        "higher up": lambda id: poses.centre(id)[2], "lower down": lambda id: -poses.centre(id)[2],
        "above": lambda id: poses.centre(id)[2], "below": lambda id: -poses.centre(id)[2],
    }  # fmt: skip
    (name,) = [name for name in measures if re.search(rf"\b{name}\b", re.sub(r"the (left|right)most", "", text))]
    best = max(about, key=measures[name])
    return best == about[0] if made.kind == "yes-no" else best


def test_answers_are_those_of_the_poses():
    seen = Counter()
    for seed in range(60):
        scenes = [random_scene(2 * seed + number, NOUNS) for number in (0, 1)]
        views = [view_of(made) for made in scenes]
        poses = Poses(scenes[0])
        for made in questions(*views, RNG(seed), 12, ("yes-no", "open"), forms=FORMS):
            right = right_answer(poses, made)
            if made.kind == "yes-no":
                assert made.answer == ("yes" if right else "no"), made
            elif right in ("left", "right"):
                assert made.answer == right, made
            else:
                assert check(views[0], Sentence("expression", "", made.answer, about=(right,))) == [], made
            seen[made.kind, made.form] += 1
    assert {form for _, form in seen} == set(FORMS)


def test_distances_are_right_wherever_they_are_measured():
    """Whether between centres or from edge to edge, the answer is nearer than the other choice, by a clear margin."""
    asked = 0
    for seed in range(60):
        scenes = [random_scene(2 * seed + number, ["mug", "candle", "hat"]) for number in (0, 1)]
        views = [view_of(made) for made in scenes]
        for made in questions(*views, RNG(seed), 3, ("choice",), forms=("distance",)):
            poses = Poses(scenes[0])
            corners, centres = poses.apart(*made.about)
            near, far = (float(choice.split()[0]) * (1 if " cm" in choice else 100) for choice in made.choices)
            right = float(made.answer.split()[0]) * (1 if " cm" in made.answer else 100)
            assert far >= 2 * near
            assert right / 1.31 <= 100 * centres <= 1.31 * right
            assert corners.min() * 100 >= right / 1.31  # no corner is nearer than the gap of the boxes
            asked += 1
    assert asked > 0


@pytest.mark.parametrize(("turned", "answer"), [(0.0, "right"), (180.0, "left"), (90.0, ""), (30.0, "right")])
def test_left_of_a_chair_is_as_somebody_on_it_has_it(turned, answer):
    """A chair that faces the viewer has its left where the viewer has the right."""
    chair = thing("chair", "chair", at=(0.0, 0.0), size=(0.3, 0.3, 0.4), rotation=yaw(turned), front=(0.0, -1.0, 0.0))
    seen = view(chair, thing("mug", at=(-0.4, 0.0)))
    asked = questions(seen, seen, RNG(0), 6, ("open",), forms=("own-frame",))
    assert {made.answer for made in asked} == ({answer} if answer else set())
    text = "From the point of view of the chair, is the mug on its left or on its right?"
    for side in ("left", "right"):
        problems = check(seen, Sentence("open", "own-frame", text, side, about=("chair", "mug")))
        assert (problems == []) == (side == answer)


def test_what_lies_has_no_left_of_its_own():
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    chair = thing("chair", "chair", size=(0.3, 0.3, 0.4), rotation=lying, front=(0.0, -1.0, 0.0))
    assert view(chair).things[0].front is None


def test_in_front_of_a_thing_with_a_front_is_not_said():
    chair = thing("chair", "chair", at=(0.0, 0.2), size=(0.2, 0.2, 0.3), rotation=yaw(180.0), front=(0.0, -1.0, 0.0))
    seen = view(chair, thing("mug", at=(0.0, -0.3)))
    (problem,) = check(seen, Sentence("yes-no", "depth", "Is the mug in front of the chair?", "yes"))
    assert "two readings" in problem
    plain = view(replace(chair, front=None), thing("mug", at=(0.0, -0.3)))
    assert check(plain, Sentence("yes-no", "depth", "Is the mug in front of the chair?", "yes")) == []


@pytest.mark.parametrize(
    ("x", "y", "answer"),
    [(0.0, 0.0, "yes"), (0.0, 0.09, "yes"), (0.5, 0.0, "no"), (0.0, 0.9, "no"), (0.22, 0.0, ""), (0.0, 0.2, "")],
)
def test_between_has_a_margin_on_both_sides(x, y, answer):
    ends = thing("hat", "hat", "blue", at=(-0.35, 0.0)), thing("drum", "drum", "green", at=(0.35, 0.0))
    seen = view(
        *ends, thing("mug", at=(x, y), size=(0.05, 0.05, 0.05)), camera=Camera.looking_at((0, 0, 0.75), (0, -1.3, 2))
    )
    for said in ("yes", "no"):
        asked = Sentence("yes-no", "between", "Is the mug between the hat and the drum?", said)
        assert (check(seen, asked) == []) == (said == answer), said


def test_depth_that_a_person_cannot_tell_is_not_asked_for():
    """Ten centimetres are clear on a table before one, and not three metres away."""
    mugs = thing("one", colour="red", at=(-0.3, 0.0)), thing("two", colour="green", at=(0.3, 0.13))
    asked = Sentence("open", "depth", "Which is closer to the viewer, the red mug or the green mug?", "the red mug")
    near, far = (view(*mugs, camera=Camera.looking_at((0, 0, 0.75), (0, -away, 0.9))) for away in (1.2, 4.0))
    assert check(near, asked) == []
    assert check(far, asked)
    assert not questions(far, far, RNG(0), 8, ("open",), forms=("depth",))


@pytest.mark.parametrize("seed", range(8))
def test_no_fact_is_asked_for_twice(seed):
    """Neither reversed (left of, right of) nor in other words (which is further to the left)."""
    seen, foil = view_of(random_scene(seed, NOUNS)), view_of(random_scene(seed + 500, NOUNS))
    sides = [
        frozenset(made.about)
        for made in questions(seen, foil, RNG(seed), 20)
        if made.form in ("relation", "which") and made.kind != "choice"
    ]
    assert len(sides) == len(set(sides))
    for form in ("depth", "height"):
        pairs = [frozenset(made.about) for made in questions(seen, foil, RNG(seed), 20, forms=(form,))]
        assert len(pairs) == len(set(pairs))


def test_hidden_things_leave_what_is_on_a_tray_open():
    made = scene(thing("tray", "tray", "blue", size=(0.4, 0.3, 0.02)), thing("mug", support="tray"))
    asked = Sentence("yes-no", "support", "Is there anything on the tray?", "yes")
    assert check(view_of(made), asked) == []
    for answer in ("yes", "no"):
        assert check(view_of(made, {"mug": 0.1}), replace(asked, answer=answer))


def test_chinese_and_english_are_one_question():
    for seed in range(20):
        seen, foil = (view_of(random_scene(2 * seed + number, NOUNS)) for number in (0, 1))
        english, chinese = (questions(seen, foil, RNG(seed), 12, language=language) for language in ("en", "zh"))
        assert [(q.kind, q.form, q.about) for q in english] == [(q.kind, q.form, q.about) for q in chinese]
        for one, other in zip(english, chinese, strict=True):
            assert not re.search("[a-z]", other.text + other.answer)
            if one.choices:
                assert one.choices.index(one.answer) == other.choices.index(other.answer)
