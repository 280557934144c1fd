"""Claims of captions: parsed from the text, compared with the view that the caption was made from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.language import Claim, Entity, Sentence, View, captions, claims, is_true, statements

NOUNS = ("mug", "orange", "chest of drawers", "toy car", "bowl")
COLOURS = ("red", "orange", "blue", "white")


def view(seed):
    """Seven things in a row, a table's worth apart, in random colours; some have the same noun."""
    rng = generator(seed, "claims")
    things = []
    for place in range(7):
        noun, colour = NOUNS[int(rng.integers(len(NOUNS)))], COLOURS[int(rng.integers(len(COLOURS)))]
        x = 0.3 * place
        things.append(Entity(f"{noun}-{place}", noun, (x, 1.0, 0.0), (0.1,) * 3, (0.1,) * 3, (x / 2, 0.5), colour))
    return View(tuple(things))


@settings(max_examples=25)
@given(st.integers(0, 300))
def test_every_caption_is_parsed_and_all_that_it_says_is_true_of_its_view(seed):
    scene = view(seed)
    for caption in captions(scene, generator(seed, "captions"), 12, ("short", "compositional", "between")):
        assert check(scene, caption) == []
        made = statements(claims(caption, NOUNS))
        assert made and all(is_true(scene, statement) for statement in made), caption.text


@settings(max_examples=25)
@given(st.integers(0, 300))
def test_counts_colours_and_relations_are_those_of_the_entities(seed):
    """Truth of statements by a plain loop over the entities of another view."""
    scene, other = view(seed), view(seed + 1000)
    for caption in captions(scene, generator(seed, "captions"), 6, ("short", "compositional")):
        for one in statements(claims(caption, NOUNS)):
            claim = one.claim
            fitting = [e for e in other.entities if e.noun == claim.noun]
            coloured = [e for e in fitting if claim.colour in ("", e.colour)]
            if one.kind == "object":
                assert is_true(other, one) == bool(fitting)
            elif one.kind == "count":
                assert is_true(other, one) == (len(coloured) == claim.count)
            elif one.kind == "colour":
                assert is_true(other, one) == (len(coloured) >= claim.count)
            elif claim.relation in ("left", "right"):
                (anchor,) = claim.others
                places = [
                    e.centre[0] for e in other.entities if e.noun == anchor.noun and anchor.colour in ("", e.colour)
                ]
                side = 1 if claim.relation == "left" else -1
                assert is_true(other, one) == any(side * (x - e.centre[0]) > 0.05 for e in coloured for x in places)


def caption(text):
    return Sentence("caption", "short", text)


def test_adjectives_and_nouns_of_one_spelling():
    (fruit,) = claims(caption("An orange."), NOUNS)
    (car,) = claims(caption("A photo of an orange toy car."), NOUNS)
    assert (fruit.noun, fruit.colour, car.noun, car.colour) == ("orange", "", "toy car", "orange")
    (drawers,) = claims(caption("Two chests of drawers."), NOUNS)
    assert (drawers.noun, drawers.count) == ("chest of drawers", 2)


def test_relations():
    on = claims(caption("A mug and an orange in a bowl."), NOUNS)
    assert [(c.noun, c.relation, c.others[0].noun) for c in on] == [("mug", "on", "bowl"), ("orange", "on", "bowl")]
    (between,) = claims(caption("A mug between a bowl and a toy car."), NOUNS)
    assert between.relation == "between" and [c.noun for c in between.others] == ["bowl", "toy car"]
    (empty,) = claims(caption("A picture of an empty red bowl."), NOUNS)
    assert empty == Claim("bowl", colour="red", relation="empty")
    both = claims(caption("A mug above a bowl, and a toy car behind an orange."), NOUNS)
    assert [c.relation for c in both] == ["above", "behind"]


@pytest.mark.parametrize("text", ["A teapot.", "Mugs.", "A mug on.", "", "A mugs.", "A mug. A bowl.", "Two mug."])
def test_what_is_no_caption_of_these_nouns_is_refused(text):
    with pytest.raises(PixelProofError, match="has no reading"):
        claims(caption(text), NOUNS)
    with pytest.raises(PixelProofError, match="form of captions"):
        captions(view(0), generator(0, "x"), 1, ("haiku",))
