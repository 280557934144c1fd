"""Reads a sentence back and says what is wrong with it.

Nothing here is shared with what makes sentences but the view, the tables of words, and the refusal of what is no
sentence: the texts are parsed, the relations are computed anew, by other means. Where a text can be read in two ways,
both must be right.
"""

import math
from typing import get_args

from pixelproof.world.language._given import expect, expect_view, require_word
from pixelproof.world.language._view import Edit, Kind, Sentence, View

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
    if ill := _ill_formed(sentence):
        return ill
    return _chinese.problems(view, sentence) if sentence.language == "zh" else _english.problems(view, sentence)


def _ill_formed(sentence: Sentence) -> list[str]:
    """Which parts of a sentence are not what such parts are made of."""
    edit = sentence.edit if isinstance(sentence.edit, Edit) else Edit("remove")
    words = {
        "text": [sentence.text],
        "form": [sentence.form],
        "answer": [sentence.answer],
        "choices": sentence.choices,
        "about": sentence.about,
        "edit": [edit.action, edit.target, edit.way, edit.anchor],
    }
    wrong = [
        f"its {part} is not made of words"
        for part, found in words.items()
        if not isinstance(found, tuple | list) or not all(isinstance(word, str) for word in found)
    ]
    amount = isinstance(edit.amount, int | float) and math.isfinite(edit.amount)
    return wrong if isinstance(sentence.edit, Edit | None) and amount else [*wrong, "its edit is none"]
