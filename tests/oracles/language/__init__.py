"""Independent checker of sentences.

It shares only the view and the word tables with the generators: texts are parsed, and relations are
computed by other means. If a text has two readings, both must be correct.
"""

import math

from pixelproof.world.edits import Edit
from pixelproof.world.language.view import Sentence, View

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
    """
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
