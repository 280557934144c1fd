"""Sentences about flat scenes, clips and collages, proven here from masks and files, and not from views."""

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
from PIL import Image

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.world.flat import truth
from pixelproof.world.language import ask, ask_about, first_still, still_image, view_of
from pixelproof.world.sets import recipe_class

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SIDES = {"left": -1, "right": 1}


class Shown:
    """What a flat scene shows, from its sprites and the pixels of each."""

    def __init__(self, recipe, index):
        still, item = first_still(recipe, index)
        ids = still.render(index, item).arrays["ids"]
        self.things = [
            (sprite.shape, sprite.colour, np.nonzero(ids == number)[1])
            for number, sprite in enumerate(item.sprites, 1)
            if sprite.shape not in ("plate", "noise")
        ]

    def all(self, words):
        """The columns of things of a phrase: `red stars`, `leftmost star`, `star that is to the left of the ring`."""
        if apart := re.fullmatch(r"(.+) that is to the (left|right) of the (.+)", words):
            beyond = self.one(apart[3])
            return [at for at in self.all(apart[1]) if SIDES[apart[2]] * (at.mean() - beyond) > 0]
        *said, noun = words.split()
        noun = noun if any(noun == shape for shape, _, _ in self.things) else re.sub("e?s$", "", noun)
        colour = said[-1] if said and not said[-1].endswith("most") else ""
        found = [at for shape, paint, at in self.things if shape in (noun, f"{noun}e") and colour in ("", paint)]
        found = [at for at in found if len(at)]
        side = SIDES.get(said[0].removesuffix("most"), 0) if said else 0
        return [max(found, key=lambda at: side * at.mean())] if side and found else found

    def one(self, words):
        (found,) = self.all(words)
        return found.mean()

    def holds(self, text):
        """Whether a claim, without the words of a question, is so."""
        if said := re.fullmatch(r"the (.+) is (\w+)", text):
            (meant,) = self.all(said[1])
            return any(at is meant and colour == said[2] for _, colour, at in self.things)
        if said := re.fullmatch(r"the (.+) is to the (left|right) of the (.+)", text):
            return SIDES[said[2]] * (self.one(said[1]) - self.one(said[3])) > 0
        if said := re.fullmatch(r"there (?:is|are) (?:exactly )?(\w+) (.+)", text):
            exact = NUMBERS.index(said[1]) if said[1] in NUMBERS else None
            count = len(self.all(said[2]))
            return count == exact if exact is not None else count > 0
        raise AssertionError(f"not understood: {text}")


def claimed(question):
    """The claim of a yes-no question."""
    text = question.removesuffix("?")
    if said := re.fullmatch(r"(Is|Are) there (.+)", text):
        return f"there {said[1].lower()} {said[2]}"
    if said := re.fullmatch(r"Is the (.+?) (to the (?:left|right) of the .+)", text):
        return f"the {said[1]} is {said[2]}"
    *front, last = text.split()
    return f"{' '.join(front[1:])} is {last}"


SIDE = 256
FLAT = recipe_class("flat")("flat", 7, width=SIDE, height=SIDE)
CLIP = recipe_class("clip")("clip", 7, width=SIDE, height=SIDE, frames=8)


RECIPES = {"flat": FLAT, "clip": CLIP}


@cache
def shown(kind, index):
    return Shown(RECIPES[kind], index)


@pytest.mark.parametrize("recipe", [FLAT, CLIP], ids=["flat", "clip"])
class TestFlat:
    """Flat scenes, and the first frames of flat clips."""

    @pytest.mark.slow
    def test_questions_are_answered_rightly(self, recipe):
        seen = Counter()
        for index in range(4):
            there = shown(recipe.kind, index)
            for asked in ask_about(recipe, index, 16):
                seen[f"{asked.kind} {asked.form}"] += 1
                if asked.kind == "yes-no":
                    assert there.holds(claimed(asked.text)) == (asked.answer == "yes"), asked
                elif asked.form == "count":
                    noun = re.fullmatch(r"How many (.+) are there\?", asked.text)[1]
                    assert len(there.all(noun)) == int(asked.answer), asked
                else:
                    side = SIDES[re.search("left|right", asked.text)[0]]
                    names = asked.choices or asked.text.split(", ")[1].removesuffix("?").split(" or ")
                    best = max(names, key=lambda name: side * there.one(name.removeprefix("the ")))
                    assert best == asked.answer, asked
        counts = set() if recipe.moving else {"yes-no count"}  # clips have four things of one kind, and few others
        assert {"yes-no exists", "yes-no relation", "choice count", "open which", *counts} <= set(seen)

    @pytest.mark.slow
    def test_facts_are_true(self, recipe):
        for index in range(4):
            there = shown(recipe.kind, index)
            said = ask_about(recipe, index, 12, "facts")
            assert len(said) >= (4 if recipe.moving else 12)
            for fact in said:
                text = fact.text.removesuffix(".")
                assert there.holds(text[0].lower() + text[1:]), fact

    def test_captions_name_what_is_there(self, recipe):
        for index in range(4):
            there = shown(recipe.kind, index)
            for caption in ask_about(recipe, index, 8, "captions"):
                text = re.sub("^(a picture of )", "", caption.text.removesuffix(".").lower())
                for part in re.split(", and |, | and | to the (?:left|right) of ", text):
                    number, words = part.split(" ", 1)
                    count = 1 if number in ("a", "an") else NUMBERS.index(number)
                    assert len(there.all(words)) == count, caption

    @pytest.mark.slow
    def test_only_shapes_that_are_recognised_are_named(self, recipe):
        """Of a square on its corner or a drop without its tip, nobody could say what it is."""
        named = set()
        for index in range(3):
            still, item = first_still(recipe, index)
            known = {sprite.id: sprite for sprite in item.sprites}
            for asked in ask_about(recipe, index, 16):
                for id in asked.about:
                    sprite, share = known[id], truth(item).seen[id].visibility
                    assert share >= 0.9
                    upright = abs((sprite.angle + 45) % 90 - 45)  # 0: on a corner
                    assert (sprite.shape, upright >= 25) != ("square", False)
                    assert (sprite.shape, upright <= 20) != ("diamond", False)
                    named.add(sprite.shape)
        assert len(named) > 4

    @pytest.mark.slow
    def test_no_fact_is_asked_for_twice(self, recipe):
        for index in range(3):
            sides = [frozenset(q.about) for q in ask_about(recipe, index, 16) if q.form in ("relation", "which")]
            sides = [side for side in sides if side]
            assert len(sides) == len(set(sides))

    @pytest.mark.slow
    def test_the_picture_is_the_first_frame(self, recipe):
        still, item = first_still(recipe, 2)
        np.testing.assert_array_equal(still_image(recipe, 2), still.render(2, item).arrays["rgb"])
        assert still_image(recipe, 2).shape == (SIDE, SIDE, 3)
        if recipe.moving:
            np.testing.assert_array_equal(recipe.render(2, recipe.item(2)).arrays["rgb"][0], still_image(recipe, 2))


class TestCollages:
    """Of collages only left and right, and what is there."""

    @pytest.fixture
    def recipe(self, tmp_path):
        for number, name in enumerate(("apple", "plum", "coin", "grapes", "ball", "frog")):
            rgba = np.zeros((40, 40, 4), np.uint8)
            rgba[4:36, 4:36] = (40 * number, 90, 200, 255)
            Image.fromarray(rgba).save(tmp_path / f"{name}.png")
        return recipe_class("collage")("collage", 7, cutouts=str(tmp_path), width=96, height=96, things=6)

    @pytest.mark.slow
    def test_sentences_are_true(self, recipe):
        forms = Counter()
        for index in range(3):
            parts = {row["noun"]: row["x"] for row in recipe.render(index, recipe.item(index)).parts}
            for asked in ask_about(recipe, index, 8):
                forms[asked.form] += 1
                side = SIDES[re.search("left|right", asked.text)[0]]
                names = [noun for noun in re.findall(r"\w+", asked.text) if noun in parts]
                assert "grapes" not in asked.text
                if asked.form == "relation":
                    assert (side * (parts[names[0]] - parts[names[1]]) > 0) is (asked.answer == "yes"), asked
                elif asked.form == "rank":
                    assert sum(side * (x - parts[names[0]]) > 0 for x in parts.values()) == int(asked.answer), asked
                else:
                    names = names or [choice.removeprefix("the ") for choice in asked.choices]
                    assert asked.answer == f"the {max(names, key=lambda noun: side * parts[noun])}", asked
            for fact in ask_about(recipe, index, 3, "facts"):
                first, side, second = re.fullmatch(r"The (\w+) is to the (\w+) of the (\w+)\.", fact.text).groups()
                assert SIDES[side] * (parts[first] - parts[second]) > 0, fact
            for caption in ask_about(recipe, index, 3, "captions"):
                assert set(re.findall(r"\ban? (\w+)", caption.text.lower())) - {"picture", "photo"} <= set(parts)
        assert set(forms) == {"relation", "which", "rank"}

    @pytest.mark.slow
    def test_no_fact_is_asked_for_twice(self, recipe):
        """Neither *is A left of B* beside *is B left of A*, nor *which is further to the left*."""
        for index in range(3):
            asked = [question for question in ask_about(recipe, index, 12) if question.form in ("relation", "which")]
            sides = [frozenset(question.about) for question in asked if question.kind != "choice"]
            assert len(sides) == len(set(sides))
            assert len(sides) > 2

    def test_no_instructions(self, recipe):
        for words in (("edits",), ("questions", "zh"), ("poems",)):
            with pytest.raises(PixelProofError, match="The kind collage has questions, captions, facts"):
                ask_about(recipe, 0, 3, *words)


@pytest.mark.slow
class TestSolid:
    """Scenes as language has them, and clips by their first frames."""

    @pytest.mark.slow
    def test_scenes_are_those_of_language(self):
        recipe = recipe_class("shelf")("shelf", 7, split="test")
        assert ask_about(recipe, 1, 5) == ask("shelf", 7, 1, 5, "test")
        assert ask_about(recipe, 1, 2, "edits", "zh") == ask("shelf", 7, 1, 2, "test", "edits", "zh")

    @pytest.mark.slow
    def test_clips_pass_the_checker(self, monkeypatch):
        recipe = recipe_class("tabletop-clip")("tabletop-clip", 7, width=256, height=256, frames=5)
        clip = recipe.item(4)
        monkeypatch.setattr(type(recipe), "item", lambda self, index: clip)  # it is asked for four times
        still, item = first_still(recipe, 4)
        rows = still.render(4, item).parts
        view = view_of(item, {row["thing"]: row["visible"] or 0.0 for row in rows})
        for what in ("questions", "captions", "facts"):
            said = ask_about(recipe, 4, 8, what)
            assert len(said) == 8
            assert [wrong for sentence in said for wrong in check(view, sentence)] == []
