"""Reads a sentence back and says what is wrong with it.

Nothing here is shared with what makes sentences but the view and the tables of words: the texts are parsed, the
relations are computed anew, by other means. Where a text can be read in two ways, both must be right.
"""

from pixelproof.world.language._view import Sentence, View

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
    """
    return _chinese.problems(view, sentence) if sentence.language == "zh" else _english.problems(view, sentence)
