"""Sentences: wrong answers, ambiguous expressions, and answers by words alone. For docs/methods/language.md."""

from __future__ import annotations

import numpy as np

import language
from pixelproof.stats import generator
from pixelproof.world.language import Sentence, questions, refer, view_of
from pixelproof.world.solid import Scene
from pixelproof.world.solid.layouts import make_scene
from scene_answers import Ambiguous, SceneAnswers

TITLE = "Sentences"
_SEED, _SCENES = 5151, 40
_KINDS = ("tabletop", "room", "shelf")
_BIAS = 0.5
"""Share of wrong answers that the control of the leak test drops where a word occurs."""


def _scene(task: tuple[str, int]) -> Scene:
    return make_scene(task[0], _SEED, task[1])


def _asked(task: tuple[Scene, Scene, int]) -> list[tuple[Sentence, bool]]:
    """Questions about a scene, with whether each answer is the one that the poses give."""
    made, foil, index = task
    answers, views = SceneAnswers(made), [view_of(made), view_of(foil)]
    asked = questions(*views, generator(_SEED, "trust/language", index), 12)
    return [(question, answers.answer(question) == question.answer) for question in asked]


def _references(task: tuple[Scene, int]) -> tuple[int, int]:
    """Numbers of referring expressions, and of those that do not fit their thing alone."""
    made, index = task
    answers, seen = SceneAnswers(made), view_of(made)
    rng = generator(_SEED, "trust/references", index)
    found = [expression for entity in seen.things if (expression := refer(seen, entity.id, rng))]
    return len(found), sum(not _fits(answers, expression.text, expression.id) for expression in found)


def _fits(answers: SceneAnswers, text: str, id: str) -> bool:
    try:
        return answers.find(text).id == id
    except Ambiguous:
        return False


def _leak(asked: list[tuple[Sentence, int]], draws: int) -> language.Row:
    chosen = [(question, pair) for question, pair in asked if question.kind == "yes-no"]
    return language.measure("all", "yes-no", chosen, draws)


def section(scale: float, pool: object) -> tuple[str, list[str]]:
    """The text of the section, and the claims that failed."""
    scenes = max(8, int(_SCENES * scale)) // 2 * 2
    tasks = [(kind, index) for kind in _KINDS for index in range(scenes)]
    made = pool.map(_scene, tasks)  # type: ignore[attr-defined]
    foils = [made[number ^ 1] for number in range(len(made))]
    results = pool.map(_asked, list(zip(made, foils, range(len(made)), strict=True)))  # type: ignore[attr-defined]
    references = pool.map(_references, list(zip(made, range(len(made)), strict=True)))  # type: ignore[attr-defined]
    failed, rows, pairs = [], [], []
    for place, kind in enumerate(_KINDS):
        here = slice(place * scenes, (place + 1) * scenes)
        asked = [one for result in results[here] for one in result]
        wrong = sum(not right for _, right in asked)
        total, ambiguous = np.sum(references[here], axis=0)
        rows.append([kind, f"{scenes}", f"{len(asked)}", f"{wrong}", f"{total}", f"{ambiguous}"])
        if wrong or ambiguous:
            failed.append(f"sentences: {wrong} wrong answers and {ambiguous} ambiguous expressions about {kind} scenes")
    for number, result in enumerate(results):
        pairs += [(question, number // 2) for question, _ in result]
    draws = max(100, int(500 * scale))
    leak, rng = _leak(pairs, draws), generator(_SEED, "trust/language/control")
    known = [one for one in pairs if one[0].answer == "yes" or " the " not in one[0].text or rng.random() > _BIAS]
    control = _leak(known, draws)
    if leak.p < 0.01:
        failed.append(f"sentences: words alone gain {leak.gain:+.1%} on yes/no questions (p {leak.p:.3f})")
    head = ["scenes", "number", "questions", "wrong answers", "expressions", "ambiguous"]
    table = "\n".join("| " + " | ".join(row) + " |" for row in [head, ["-"] * len(head), *rows])
    text = (
        "Fresh scenes; each answer and each referring expression is computed anew from the poses of the things and the "
        "words, by code without views or margins (`benchmarks/scene_answers.py`).\n\n"
        f"{table}\n\n"
        f"Yes/no questions answered from their words alone, {leak.n} of them: {leak.gain:+.1%} against chance; 95 % of "
        f"null draws are from {leak.null[0]:+.1%} to {leak.null[1]:+.1%} (p {leak.p:.3f}). As a control, half of the "
        f"questions whose answer is no are left out: {control.gain:+.1%} (p {control.p:.3f}). By form, on 1,000 "
        "scenes of each kind: [Language about scenes](../world/language.md)."
    )
    return text, failed
