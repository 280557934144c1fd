"""A question about a picture or clip in a file, and the score of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pixelproof.benches.replies import read_choice, read_number
from pixelproof.contract import Answer, Failure, Fault, Item, Result
from pixelproof.metrics import anls, mean_relative_accuracy

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Kind = Literal["choice", "text", "number"]


@dataclass(frozen=True)
class VisualQuestion:
    """A question with its right answers, which only scorers and controls read."""

    content_name: ClassVar[str] = "VisualQuestion"

    text: str
    """The question, with the options where there are any."""
    file: str
    """Path of the picture or clip."""
    answers: tuple[str, ...]
    """Any of them is right; for a choice, the text of the right option."""
    kind: Kind = "text"
    options: tuple[str, ...] = ()
    """Of a choice, in the order of their letters."""
    group: str = ""
    """Category of the data set."""


def with_letters(text: str, options: tuple[str, ...]) -> str:
    """A question with its options, each with a letter.

    >>> print(with_letters("Which?", ("red", "blue")))
    Which?
    (A) red
    (B) blue
    Answer with the letter of the right option.
    """
    lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([text, *lines, "Answer with the letter of the right option."])


def score_question(item: Item, question: VisualQuestion, answer: Answer, metrics: dict[str, Any]) -> Result:
    """Measure an answer by the measure of its kind: accuracy, ANLS, or mean relative accuracy of a number.

    Args:
        item: What was asked.
        question: The question with its answers.
        answer: The answer; `unknown` is an abstention.
        metrics: Metrics of the chain of calls.
    """
    failure: Failure | None = answer.failure
    reply = ""
    values: dict[str, float] = {}
    abstains = answer.text.strip().strip(".").lower() == "unknown"
    if failure is None and not abstains:
        measured = _measure(question, answer.text)
        if isinstance(measured, Failure):
            failure = measured
        else:
            reply, values = measured
    if failure is not None:
        lost = {"answered": 1.0, "selected_errors": [1.0, 1.0]} if failure.fault is Fault.MODEL else {}
        return Result(item.id, metrics | lost, failure=failure)
    values = values or {"accuracy": 0.0, "task_score": 0.0}
    wrong = values["accuracy"] < 1 and not abstains
    metrics |= {**values, "answered": float(not abstains), "selected_errors": [float(wrong), float(not abstains)]}
    notes = {"question": question.text, "answer": reply or "unknown", "truth": " | ".join(question.answers)}
    return Result(item.id, metrics, notes=notes)


def _measure(question: VisualQuestion, text: str) -> tuple[str, dict[str, float]] | Failure:
    """The reply as it was read, and its scores; or why it could not be read."""
    if question.kind == "choice":
        place = read_choice(text, question.options)
        if isinstance(place, Failure):
            return place
        right = float(question.options[place] == question.answers[0])
        return question.options[place], {"accuracy": right, "task_score": right}
    if question.kind == "number":
        number = read_number(text, None)
        if isinstance(number, Failure):
            return number
        score = mean_relative_accuracy(number, float(question.answers[0]))
        return f"{number:g}", {"accuracy": float(number == float(question.answers[0])), "task_score": float(score)}
    if not text.strip():
        return Failure(Fault.MODEL, "no-answer", "The reply is empty.")
    similarity = anls(text, question.answers)
    return text.strip(), {"accuracy": float(similarity == 1), "task_score": similarity}
