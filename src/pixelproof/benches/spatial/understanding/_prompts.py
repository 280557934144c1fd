"""What the model is asked: photographs, a question, and the form of the answer."""

from __future__ import annotations

from collections.abc import Sequence

from pixelproof.benches.spatial.understanding._question import LETTERS, Question
from pixelproof.contract import Artefact, Prompt

_RULES = (
    "Look at the photograph and answer the question. Left, right, closer and farther are those of the viewer, unless "
    "the question says otherwise; lengths are those of the scene, not of the image."
)
_LETTER = "Answer with the letter of one option and nothing else."
_NUMBERS = {
    "cm": "Answer with a number in centimetres and nothing else.",
    "": "Answer with a number and nothing else.",
}


def write_question(question: Question, photos: Sequence[Artefact], bare: bool) -> Prompt:
    """The photographs, the question, its options, and how to answer; `bare` leaves the rules out."""
    lines = [] if bare else [_RULES, ""]
    lines.append(question.text)
    lines += [f"{letter}. {option}" for letter, option in zip(LETTERS, question.options, strict=False)]
    lines += ["", _LETTER if question.kind == "choice" else _NUMBERS[question.unit]]
    data = {"question": question.text, "options": list(question.options)}
    return Prompt((*photos, "\n".join(lines)), wants="text", data=data)
