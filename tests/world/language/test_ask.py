"""Sentences about a scene of a seed."""

import pytest

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.world.language import ask
from pixelproof.world.language._ask import WHAT, _rendered_view


@pytest.mark.slow
@pytest.mark.parametrize(("what", "language"), [*((what, "en") for what in WHAT), ("questions", "zh"), ("edits", "zh")])
def test_every_sentence_passes_the_checker(what, language):
    _, view = _rendered_view("tabletop", 7, 4, "train")
    sentences = ask("tabletop", 7, 4, 6, what=what, language=language)
    assert len({sentence.text for sentence in sentences}) == 6
    assert sentences == ask("tabletop", 7, 4, 6, what=what, language=language)
    for sentence in sentences:
        assert check(view, sentence) == [], sentence


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"what": "poems"}, "There is no kind of sentence 'poems'. Choose one of: questions, captions, facts, edits"),
        ({"what": "facts", "language": "zh"}, "Facts are not available in 'zh'"),
        ({"what": "edits", "language": "la"}, "Edits are not available in 'la'"),
        ({"kind": "galaxy"}, "no kind of scene 'galaxy'"),
    ],
)
def test_what_there_is_not(given, said):
    with pytest.raises(PixelProofError, match=said):
        ask(**{"kind": "tabletop", "seed": 7} | given)
