"""A question about a photograph with its right answer, its prompt, its controls, and the score of a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from pixelproof.benches.replies import read_choice, read_number
from pixelproof.benches.spatial._metrics import operation_counts
from pixelproof.benches.spatial.understanding._priors import QUANTILES
from pixelproof.contract import Answer, Artefact, Control, Failure, Item, Prompt, Result
from pixelproof.metrics import mean_relative_accuracy
from pixelproof.pixels import media_type_of

SKILLS = ("distance", "direction", "order", "count", "support", "what-if", "perspective")
"""What questions about generated scenes are about, in the order of the counts of the metric `answer`."""


@dataclass(frozen=True)
class Question:
    """A question with its right answer, which only scorers and controls read."""

    content_name: ClassVar[str] = "Question"

    skill: str
    """One of `SKILLS`; of a data set, its own word."""
    kind: Literal["choice", "number"]
    text: str
    answer: str
    """Text of the right option, or the right number."""
    options: tuple[str, ...] = ()
    """Options in the order in which they are shown; empty for numbers."""
    unit: str = ""
    """`cm`, or empty for a count."""
    frequent: str = ""
    """The answer that is right most often for questions of this kind: what a model gets by knowing them alone."""
    pair: str = ""
    """Generated scenes: the pair as JSON, whose scene before the edit the question is about."""
    images: tuple[Artefact, ...] = ()
    """Data sets with images inside: the images."""
    files: tuple[str, ...] = ()
    """Data sets with image files: their paths."""

    @property
    def letter(self) -> str:
        """Letter of the right option."""
        return LETTERS[self.options.index(self.answer)]

    def photographs(self) -> tuple[Artefact, ...]:
        """The images of a data set's question."""
        read = ((Path(file), Path(file).read_bytes()) for file in self.files)
        return self.images + tuple(Artefact(data, media_type_of(data), str(path)) for path, data in read)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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


def _guess(item: Item, rng: np.random.Generator) -> Answer:
    """Any option, or a number from the distribution of right numbers, by chance."""
    question: Question = item.truth
    if question.kind == "choice":
        return Answer(LETTERS[int(rng.integers(len(question.options)))])
    return Answer(f"{rng.choice(QUANTILES[question.skill])} {question.unit}".strip())


def _frequent(item: Item, rng: np.random.Generator) -> Answer:
    """The answer that is right most often for questions of this kind, whatever the photograph shows."""
    question: Question = item.truth
    if question.kind == "choice":
        return Answer(LETTERS[question.options.index(question.frequent)])
    return Answer(f"{question.frequent} {question.unit}".strip())


def _truth(item: Item, rng: np.random.Generator) -> Answer:
    """The right answer."""
    question: Question = item.truth
    return Answer(question.letter if question.kind == "choice" else f"{question.answer} {question.unit}".strip())


CONTROLS: Mapping[str, Control] = {"floor-frequent": _frequent, "floor-guess": _guess, "ceiling-truth": _truth}


Numbers = Mapping[str, float | Sequence[float]]


def score_answer(item: Item, answer: Answer, evidence: Mapping[str, Artefact]) -> Result:
    """Measure the reply to a question; never raises on what a model can return."""
    question = item.truth
    notes = {"question": question.text, "right answer": shown_answer(question)}
    if question.options:
        notes["options"] = "; ".join(f"{letter}. {text}" for letter, text in _lettered(question))
    said = answer.failure if answer.failure is not None else _read(question, answer.text)
    if isinstance(said, Failure):
        return Result(item.id, {}, failure=said, notes=notes, evidence=evidence)
    notes["read as"] = said
    return Result(item.id, _numbers(question, said), notes=notes, evidence=evidence)


def shown_answer(question: Question) -> str:
    """The right answer as text: letter and option, or number and unit."""
    if question.kind == "number":
        return f"{question.answer} {question.unit}".strip()
    return f"{question.letter}. {question.answer}"


def _lettered(question: Question) -> list[tuple[str, str]]:
    return list(zip(LETTERS, question.options, strict=False))


def _read(question: Question, text: str) -> str | Failure:
    """The option or the number of a reply, as text."""
    if question.kind == "number":
        number = read_number(text, question.unit)
        return number if isinstance(number, Failure) else f"{number:.10g}"
    place = read_choice(text, question.options)
    return place if isinstance(place, Failure) else question.options[place]


def _numbers(question: Question, said: str) -> Numbers:
    if question.kind == "number":
        value = float(mean_relative_accuracy(float(said), float(question.answer)))
        numbers: dict[str, float | Sequence[float]] = {"mra": value}
    else:
        value = float(said == question.answer)
        numbers = {"accuracy": value}
    if question.skill in SKILLS:
        numbers["answer"] = operation_counts(SKILLS.index(question.skill), len(SKILLS), value)
    return numbers
