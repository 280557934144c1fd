"""From a reply to a result: the option that it chooses, or the number that it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pixelproof.benches.replies import read_choice, read_number
from pixelproof.benches.spatial._metrics import operation_counts
from pixelproof.benches.spatial.understanding._question import LETTERS, SKILLS, Question
from pixelproof.contract import Answer, Artefact, Failure, Item, Result
from pixelproof.metrics import mean_relative_accuracy

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
