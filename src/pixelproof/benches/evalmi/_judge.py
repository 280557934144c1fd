"""Questions to a judge about an image, and the scores that its replies stand for.

The judge is any model that reads images. A reply that is neither a level, nor yes or no, nor an abstention is not
counted as anything: the answer is unscored, with the reply as the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.benches.evalmi._facts import Fact
from pixelproof.benches.evalmi._prompts import CANNOT_TELL, CORRESPONDENCE, FACT, LEVELS, MAIN, PERCEPTION
from pixelproof.contract import Answer, Artefact, Question
from pixelproof.pixels import encode_png

_LARGEST = 1024
"""Longest side of the image that a judge gets, in pixels."""
_ENOUGH = 0.5
"""Probability of all level words together from which a token counts as the one that names the level."""
_UNDECIDED = re.compile(
    r"\b(?:can ?not|can't|unable to|(?:im|not )possible to) (?:be )?(?:tell|say|determined?|judged?|answer(?:ed)?)\b"
)
_LEVEL = "|".join(LEVELS)
_GAP = r"[^\w.!?;:\n]+"
"""What separates two words of one clause."""
_QUALIFIED = re.compile(
    rf"(?:\b(?:not|neither|nor|hardly|barely|never|almost|nearly|far from|anything but)|n't){_GAP}(?:\w+{_GAP}){{0,2}}"
    rf"(?:{_LEVEL})\b|\b(?:no|than|below|above){_GAP}(?:{_LEVEL})\b"
)
"""A level word that is not the level: not good, far from excellent, less than fair."""
_REASONING = re.compile(r"^.*</think>|<think>.*$", re.DOTALL)
_FIRST = re.compile(r"\W*(yes|no)\b(?!\s*(?:and|or|/)\s*(?:yes|no)\b)")


@dataclass
class Verdict:
    """What the replies of a judge amount to."""

    metrics: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    abstained: list[str] = field(default_factory=list)
    """Names of questions that the judge said it cannot answer."""


def judge_image(rgb: npt.NDArray[np.uint8]) -> Artefact:
    """The image as a judge gets it: PNG, scaled down to at most 1024 pixels a side."""
    if max(rgb.shape[:2]) <= _LARGEST:
        return encode_png(rgb)
    image = Image.fromarray(rgb)
    image.thumbnail((_LARGEST, _LARGEST), Image.Resampling.BOX)
    return encode_png(np.asarray(image))


def judge_questions(picture: Artefact, prompt: str, facts: Sequence[Fact], main: str = "") -> list[Question]:
    """Two levels, a yes/no question for each fact, and the main question where it is none of the facts."""
    questions = [PERCEPTION.question(picture), CORRESPONDENCE.question(picture, prompt=prompt)]
    questions += [FACT.question(picture, f".{place}", question=fact.question) for place, fact in enumerate(facts)]
    if main and all(fact.question != main for fact in facts):
        questions.append(MAIN.question(picture, question=main))
    return questions


def read_judgements(judgements: Mapping[str, Answer], facts: Sequence[Fact], main: str = "") -> Verdict:
    """Metrics of the replies: levels from 0 to 1, the share of facts that hold, and whether the prompt is solved."""
    verdict = Verdict()
    for name, prompt in (("judge.perception", PERCEPTION), ("judge.correspondence", CORRESPONDENCE)):
        if prompt.key in judgements:
            _keep(verdict, name, prompt.key, read_level(judgements[prompt.key]), judgements[prompt.key])
    keys = [f"{FACT.key}.{place}" for place in range(len(facts))]
    if facts and all(key in judgements for key in keys):
        _read_facts(verdict, facts, [judgements[key] for key in keys])
    if main and all(fact.question != main for fact in facts) and MAIN.key in judgements:
        verdict.metrics.pop("judge.solved", None)  # the question about the whole prompt decides
        _keep(verdict, "judge.solved", MAIN.key, read_yes_no(judgements[MAIN.key]), judgements[MAIN.key])
    return verdict


def _read_facts(verdict: Verdict, facts: Sequence[Fact], replies: Sequence[Answer]) -> None:
    readings = [read_yes_no(reply) for reply in replies]
    for fact, reading, reply in zip(facts, readings, replies, strict=True):
        if reading is None:
            verdict.unreadable.append(f"{fact.question} {_quoted(reply)}")
        elif reading == CANNOT_TELL:
            verdict.abstained.append(fact.question)
    scores = [reading for reading in readings if isinstance(reading, float)]
    if len(scores) == len(facts):
        verdict.metrics |= {"judge.facts": sum(scores) / len(scores), "judge.solved": float(all(scores))}
    for name, value in (("yes", 1.0), ("no", 0.0)):
        said = [fact.question for fact, reading in zip(facts, readings, strict=True) if reading == value]
        if said:
            verdict.notes[f"judge_said_{name}"] = " ".join(said)


def _keep(verdict: Verdict, metric: str, key: str, reading: float | str | None, reply: Answer) -> None:
    if isinstance(reading, float):
        verdict.metrics[metric] = reading
    elif reading == CANNOT_TELL:
        verdict.abstained.append(key)
    else:
        verdict.unreadable.append(f"{key}: {_quoted(reply)}")


def _quoted(reply: Answer) -> str:
    return repr(_final_text(reply)[:80]) + (" (cut off at the token limit)" if reply.stop == "length" else "")


def _final_text(reply: Answer) -> str:
    """The reply in lower case, without reasoning between think tags, and with plain apostrophes."""
    return _REASONING.sub("", reply.text.lower()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def read_level(reply: Answer) -> float | str | None:
    """The score of a reply: expected over the level words if it has log probabilities, else that of its word.

    >>> read_level(Answer("Good.")), read_level(Answer("I cannot tell.")), read_level(Answer("good or fair"))
    (0.75, 'cannot tell', None)
    >>> read_level(Answer("good", logprobs=({"good": math.log(0.6), "fair": math.log(0.2), "the": math.log(0.2)},)))
    0.6875
    """
    text = _final_text(reply)
    words = set(re.findall(rf"\b(?:{_LEVEL})\b", text))
    if len(words) != 1 or _QUALIFIED.search(text):
        return CANNOT_TELL if not words and _UNDECIDED.search(text) else None
    word = words.pop()
    # Tokens of reasoning cannot be told from those of the answer.
    expected = None if "</think>" in reply.text else expected_level(reply.logprobs, word)
    return LEVELS[word] if expected is None else expected


def expected_level(logprobs: Sequence[Mapping[str, float]], word: str) -> float | None:
    """Expected score over the level words at the token that names the level; None if no token does.

    Args:
        logprobs: Candidates of each token with their log probabilities.
        word: The level that the reply names. The token is the first that is more likely a level word than not, and
            has this one among its candidates.
    """
    for candidates in logprobs:
        masses = dict.fromkeys(LEVELS, 0.0)
        for token, logprob in candidates.items():
            start = token.strip(" \n\t*_\"'▁Ġ").lower()
            level = next((level for level in LEVELS if start and level.startswith(start)), None)
            if level is not None and math.isfinite(logprob):
                masses[level] += math.exp(min(0.0, logprob))
        total = sum(masses.values())
        if total >= _ENOUGH and masses[word] > 0:
            return round(sum(LEVELS[level] * mass for level, mass in masses.items()) / total, 9)
    return None


def read_yes_no(reply: Answer) -> float | str | None:
    """1 for yes, 0 for no, `cannot tell`, or None for a reply that is none of these.

    A reply that begins with yes or no is read by that; another one only if it has just one of them.

    >>> read_yes_no(Answer("Yes, there is no doubt.")), read_yes_no(Answer("**No**")), read_yes_no(Answer("yes and no"))
    (1.0, 0.0, None)
    """
    text = _final_text(reply)
    first = _FIRST.match(text)
    if first is None and _UNDECIDED.search(text):
        return CANNOT_TELL
    words = {first[1]} if first else set(re.findall(r"\b(?:yes|no)\b", text))
    if len(words) != 1:
        return None
    return 1.0 if "yes" in words else 0.0
