"""Questions to a judge (any model that reads images) about a drawing, and the metrics of its answers; optional."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count, islice

import numpy as np

from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._ladder import Reading, read
from pixelproof.benches.pixelart._sets import subject_of
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.benches.pixelart.subjects._drawing import several
from pixelproof.contract import Answer, Item, Prompt, Question, read_statement
from pixelproof.pixels import encode_indexed_png
from pixelproof.stats import generator

_SIDE = 480  # pixels, about
_LETTERS = "ABCDEFGH"

_GUESS = """\
The picture is a drawing on a grid of {size} by {size} cells. Here it is again, cell by cell, with its colours:
{cells}

Which of these does it show best? Answer with one letter and nothing else.
{options}"""

_CHECKLIST = """\
The picture was drawn on a grid of {size} by {size} cells when this was asked for: {subject}
Here it is again, cell by cell, with its colours:
{cells}

Is each of these statements true of the picture? Answer with one line for each, its number and yes or no, such as \
"1: yes", and nothing else.
{statements}"""


def judge_questions(item: Item, answer: Answer, form: Format) -> Sequence[Question]:
    """Identify the subject among eight; and, where it cannot be checked exactly, go through a checklist."""
    reading = read(answer.text, form)[1]
    if answer.failure is not None or reading.outcome != "ok" or reading.grid is None:
        return ()
    subject = subject_of(item)
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(_LETTERS, _options(item), strict=True))
    questions = [Question("guess", _prompt(_GUESS, reading, form, options=options))]
    if subject is not None and subject.statements:
        statements = "\n".join(f"{n}: {text}" for n, text in enumerate(subject.statements, start=1))
        prompt = _prompt(_CHECKLIST, reading, form, subject=item.inputs["subject"], statements=statements)
        questions.append(Question("checklist", prompt))
    return questions


def _prompt(template: str, reading: Reading, form: Format, **parts: str) -> Prompt:
    assert reading.grid is not None, "only drawings that render are judged"
    picture = encode_indexed_png(reading.grid, reading.palette, scale=max(1, round(_SIDE / form.size)))
    colours = ", ".join(f"{index} = #{bytes(colour).hex()}" for index, colour in enumerate(reading.palette))
    gap = " " if len(reading.palette) > 10 else ""
    rows = "\n".join(gap.join(map(str, row)) for row in reading.grid.tolist())
    return Prompt((picture, template.format(size=form.size, cells=f"{colours}\n{rows}", **parts)), max_tokens=200)


def _options(item: Item) -> list[str]:
    """The subject of an item and seven of other families, in an order derived from the item's id."""
    rng = generator(0, f"pixelart/judge/{item.id}/{item.inputs['subject']}")
    subject = subject_of(item)
    if subject is not None and subject.kind.scoring == "composed":  # others of its kind, so that the words do not tell
        drawn = (subject.kind.subject(rng).text for _ in count())
        different = dict.fromkeys(islice((text for text in drawn if text != item.inputs["subject"]), 4 * len(_LETTERS)))
        return several(rng, [item.inputs["subject"], *list(different)[: len(_LETTERS) - 1]], len(_LETTERS))
    others = [kind for kind in KINDS.values() if subject is None or kind.family != subject.kind.family]
    others = [kind for kind in others if kind.scoring != "composed"]
    texts = [kind.subject(rng).text for kind in several(rng, others, len(_LETTERS) - 1)]
    return several(rng, [item.inputs["subject"], *texts], len(_LETTERS))


def read_judgements(item: Item, judgements: Mapping[str, Answer]) -> tuple[dict[str, float], str, list[str]]:
    """Metrics from the judge's answers, the statements it denied, and the reasons why answers cannot be parsed."""
    metrics, missed, unreadable = {}, "", []
    if "guess" in judgements:
        letter = _letter(read_statement(judgements["guess"].text))
        if letter:
            right = _options(item)[_LETTERS.index(letter)] == item.inputs["subject"]
            metrics["judge.recognised"] = float(right)
        else:
            unreadable.append(f"The judge named no letter: {judgements['guess'].text[:80]!r}.")
    subject = subject_of(item)
    if "checklist" in judgements and subject is not None:
        verdicts = _yes_or_no(read_statement(judgements["checklist"].text), len(subject.statements))
        if verdicts:
            metrics["judge.checklist"] = float(np.mean(verdicts))
            missed = " ".join(text for text, yes in zip(subject.statements, verdicts, strict=True) if not yes)
        else:
            said = judgements["checklist"].text[:80]
            unreadable.append(f"The judge did not say yes or no to every statement: {said!r}.")
    return metrics, missed, unreadable


def _letter(text: str) -> str | None:
    """The letter of an answer; None if it neither begins with one nor names one as the answer.

    >>> _letter("C"), _letter("**D.** A house"), _letter("A or B"), _letter("I cannot say.")
    ('C', 'D', None, None)
    """
    first = re.match(r"\W*([A-H])(?:\W*$|\s*[.):*\]])", text)
    named = first or re.search(r"(?i:answer)\W+(?:is\W+)?([A-H])\b", text)
    return named[1] if named else None


def _yes_or_no(text: str, count: int) -> list[bool] | None:
    r"""Yes or no for each numbered statement, in order; None unless every one is answered exactly once.

    >>> _yes_or_no("1: yes\n2: No.", 2), _yes_or_no("1: yes", 2)
    ([True, False], None)
    """
    lines = re.findall(r"(?m)^\W*(\d+)\W+(yes|no)\b", text.lower())
    answers = {int(number): word == "yes" for number, word in lines}
    whole = len(lines) == count and sorted(answers) == list(range(1, count + 1))
    return [answers[number] for number in range(1, count + 1)] if whole else None
