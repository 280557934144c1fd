"""Questions to a judge about an image, and the scores that its replies stand for.

The judge is any model that reads images. A reply that is neither a level, nor yes or no, nor an abstention is not
counted as anything: the answer is unscored, with the reply as the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pixelproof.benches.evalmi._facts import Fact
from pixelproof.benches.evalmi._prompts import CORRESPONDENCE, FACT, MAIN, PERCEPTION
from pixelproof.benches.judging import CANNOT_TELL, quote_reply, read_level, read_yes_no
from pixelproof.contract import Answer, Artefact, Question


@dataclass
class Verdict:
    """What the replies of a judge amount to."""

    metrics: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    abstained: list[str] = field(default_factory=list)
    """Names of questions that the judge said it cannot answer."""


def judge_questions(picture: Artefact, prompt: str, facts: Sequence[Fact], main: str = "") -> list[Question]:
    """Two levels, a yes/no question for each fact, and the main question where it is none of the facts."""
    questions = [PERCEPTION.question(picture), CORRESPONDENCE.question(picture, prompt=prompt)]
    questions += [
        FACT.question(picture, suffix=f".{place}", question=fact.question) for place, fact in enumerate(facts)
    ]
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
            verdict.unreadable.append(f"{fact.question} {quote_reply(reply)}")
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
        verdict.unreadable.append(f"{key}: {quote_reply(reply)}")
