"""Reads a sentence back and says what is wrong with it.

Nothing here is shared with what makes sentences but the view, the tables of words, and the refusal of what is no
sentence: the texts are parsed, the relations are computed anew, by other means. Where a text can be read in two ways,
both must be right.
"""

from typing import get_args

from pixelproof.world.language._given import expect, expect_view, require_word
from pixelproof.world.language._view import Kind, Sentence, View

from . import _chinese, _english

__all__ = ["check"]


def check(view: View, sentence: Sentence) -> list[str]:
    """What is wrong with a sentence about a view; nothing, for a sentence as it should be.

    Args:
        view: What it is about.
        sentence: An expression, fact, caption, question or edit instruction.

    Returns:
        Problems in words: the text cannot be read, a thing is not unique, a fact or an answer is not surely true, or a
        number is not the one that it stands for.

    Raises:
        PixelProofError: It is no sentence, or none of a known kind and language.
    """
    expect_view(view)
    expect(sentence, Sentence, "Give a Sentence, such as facts or questions make")
    require_word("kind of sentence", sentence.kind, get_args(Kind))
    require_word("language", sentence.language, ("en", "zh"))
    return _chinese.problems(view, sentence) if sentence.language == "zh" else _english.problems(view, sentence)
