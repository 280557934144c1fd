"""Independent checker of sentences.

It shares only the view, the word tables and the validation of arguments with the generators: texts are parsed, and
relations are computed by other means. If a text has two readings, both must be correct.
"""

import math
from typing import get_args

from pixelproof.world.edits import Edit
from pixelproof.world.language._validation import expect, expect_view, require_word
from pixelproof.world.language._view import Kind, Sentence, View

from . import _chinese, _english

__all__ = ["check"]


def check(view: View, sentence: Sentence) -> list[str]:
    """Return the problems of a sentence about a view; an empty list means it is correct.

    Args:
        view: The scene.
        sentence: An expression, fact, caption, question or edit instruction.

    Returns:
        Problems: the text cannot be parsed, a thing is not unique, a fact or an answer is not certainly true, or a
        number is wrong.

    Raises:
        PixelProofError: The argument is not a sentence of a known kind and language.
    """
    expect_view(view)
    expect(sentence, Sentence, "Give a Sentence, such as facts or questions make")
    require_word("kind of sentence", sentence.kind, get_args(Kind))
    require_word("language", sentence.language, ("en", "zh"))
    if ill := _ill_formed(sentence):
        return ill
    return _chinese.problems(view, sentence) if sentence.language == "zh" else _english.problems(view, sentence)


def _ill_formed(sentence: Sentence) -> list[str]:
    """Problems of the types of a sentence's fields."""
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
    return (
        wrong
        if isinstance(sentence.edit, Edit | None) and amount
        else [*wrong, "its edit is not an Edit with a finite amount"]
    )
