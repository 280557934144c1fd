"""Scores of answers to questions of others."""

from __future__ import annotations

from typing import Any

from pixelproof.contract import Answer, Failure, Fault, Item, Result
from pixelproof.metrics import anls, mean_relative_accuracy

from ._question import VisualQuestion, read_choice, read_number


def score_question(item: Item, question: VisualQuestion, answer: Answer, metrics: dict[str, Any]) -> Result:
    """Measure an answer by the measure of its kind: accuracy, ANLS, or mean relative accuracy of a number.

    Args:
        item: What was asked.
        question: The question with its answers.
        answer: The answer; `unknown` is an abstention.
        metrics: Metrics of the chain of calls.
    """
    failure, reply = answer.failure, ""
    values: dict[str, float] = {}
    abstains = answer.text.strip().strip(".").lower() == "unknown"
    if failure is None and not abstains:
        reply, values = _measure(question, answer.text)
        if not reply:
            failure = Failure(Fault.MODEL, "unclear-answer", f"the reply names no answer: {answer.text[:80]!r}")
    if failure is not None:
        lost = {"answered": 1.0, "selected_errors": [1.0, 1.0]} if failure.fault is Fault.MODEL else {}
        return Result(item.id, metrics | lost, failure=failure)
    values = values or {"accuracy": 0.0, "task_score": 0.0}
    wrong = values["accuracy"] < 1 and not abstains
    metrics |= {**values, "answered": float(not abstains), "selected_errors": [float(wrong), float(not abstains)]}
    notes = {"question": question.text, "answer": reply or "unknown", "truth": " | ".join(question.answers)}
    return Result(item.id, metrics, notes=notes)


def _measure(question: VisualQuestion, text: str) -> tuple[str, dict[str, float]]:
    """The reply as it was read, empty if it could not be, and its scores."""
    if question.kind == "choice":
        chosen = read_choice(text, question.options)
        right = float(chosen == question.answers[0])
        return chosen or "", {"accuracy": right, "task_score": right}
    if question.kind == "number":
        number = read_number(text)
        if number is None:
            return "", {}
        score = mean_relative_accuracy(number, float(question.answers[0]))
        return f"{number:g}", {"accuracy": float(number == float(question.answers[0])), "task_score": float(score)}
    similarity = anls(text, question.answers)
    return text.strip(), {"accuracy": float(similarity == 1), "task_score": similarity}
