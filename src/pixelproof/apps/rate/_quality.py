"""How well raters agree, and which of them need a look."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from pixelproof.stats import intraclass_correlations, krippendorff_alpha, rater_agreement

from ._study import Question, Study
from ._votes import Counted

FEWEST_ANSWERS = 10
"""Answers below which speed and variety are not judged."""
FAST_SECONDS = 1.0
"""Median time of an answer below which a rater is too fast."""
SAME_SHARE = 0.9
"""Share of one answer above which a rater always gives the same, if the others vary more."""
VARIED_SHARE = 0.75
FEWEST_CHECKS = 3
"""Gold answers, and repeated yes/no answers and pairs, below which they are not judged."""
FEWEST_REPEATS = 5
"""The same for repeated answers on a scale, whose differences vary more."""
LEAST_RIGHT = 0.7
"""Share of right gold answers, and of equal answers to repeated yes/no questions and pairs."""
MOST_APART = 1.25
"""Mean difference of repeated answers on a scale, in levels."""
FEWEST_SHARED = 20
LEAST_AGREEMENT = 0.2
"""SRCC with the mean of the others."""


@dataclass(frozen=True)
class Agreement:
    """How well raters agree on one question; nan where it cannot be told yet."""

    question: Question
    votes: int
    items: int
    """Items with two votes or more."""
    icc: float
    """ICC(1,1): of one vote. Only for scales."""
    icc_mean: float
    """ICC(1,k): of the mean of an item's votes."""
    alpha: float
    """Krippendorff's alpha: interval for scales, nominal otherwise."""


@dataclass(frozen=True)
class RaterReport:
    """One rater's work."""

    name: str
    answers: int
    """Answers that count, without gold items and repetitions."""
    seconds: float
    """Median time of an answer."""
    agreement: float
    """SRCC with the mean of the others, mean over questions."""
    gold: tuple[int, int]
    """Right answers, answers."""
    repeats: tuple[int, float, float]
    """Repeated answers, share of equal ones, mean difference."""
    warnings: tuple[str, ...]


def ratings_of(votes: Sequence[Counted], question: str) -> tuple[list[str], list[str], npt.NDArray[np.float64]]:
    """Items, raters and the items × raters table of one question; nan where a rater did not answer."""
    own = [vote for vote in votes if vote.question == question and vote.role == "rated"]
    items, raters = (list(dict.fromkeys(names)) for names in ((v.item for v in own), (v.rater for v in own)))
    rows, columns = ({name: k for k, name in enumerate(names)} for names in (items, raters))
    table = np.full((len(items), len(raters)), np.nan)
    for vote in own:
        table[rows[vote.item], columns[vote.rater]] = vote.value
    return items, raters, table


def agreements(study: Study, votes: Sequence[Counted]) -> list[Agreement]:
    """Agreement of raters on each question."""
    found = []
    for question in study.questions:
        _, _, table = ratings_of(votes, question.id)
        several = int(((~np.isnan(table)).sum(axis=1) > 1).sum()) if table.size else 0
        count = int((~np.isnan(table)).sum())
        scale = question.kind == "scale"
        icc = intraclass_correlations(table) if scale and several > 1 else None
        alpha = krippendorff_alpha(table, "interval" if scale else "nominal") if several > 1 else math.nan
        ends = (icc.icc1, icc.icc1k) if icc else (math.nan, math.nan)
        found.append(Agreement(question, count, several, *ends, alpha))
    return found


def rater_reports(study: Study, votes: Sequence[Counted], names: Sequence[str]) -> list[RaterReport]:
    """A report of each rater.

    Args:
        study: The study.
        votes: Votes of all roles.
        names: The raters.
    """
    kinds = {question.id: question.kind for question in study.questions}
    similar = _similarity(votes, list(kinds))
    usual = {name: _top_share([v for v in votes if v.question == name])[0] for name in kinds}
    of_rater: dict[str, list[Counted]] = {name: [] for name in names}
    for vote in votes:
        of_rater.setdefault(vote.rater, []).append(vote)
    reports = []
    for name in names:
        own = of_rater[name]
        rated = [vote for vote in own if vote.role == "rated"]
        gold = [vote.value in study.answers[vote.item][vote.question] for vote in own if _is_checked(study, vote)]
        first = {(vote.item, vote.question): vote.value for vote in rated}
        again = [
            (kinds[vote.question], first[vote.item, vote.question], vote.value)
            for vote in own
            if vote.role == "repeat" and vote.question in kinds and (vote.item, vote.question) in first
        ]
        equal = sum(a == b for _, a, b in again) / len(again) if again else math.nan
        apart = sum(abs(a - b) for _, a, b in again) / len(again) if again else math.nan
        seconds = median(vote.seconds for vote in own) if own else math.nan
        agreement, shared = similar.get(name, (math.nan, 0))
        warnings = [
            *_habits(own, seconds, usual),
            *_checks(gold, again),
            *([f"hardly agrees with the others (SRCC {agreement:.2f})"]
              if shared >= FEWEST_SHARED and agreement < LEAST_AGREEMENT else []),
        ]  # fmt: skip
        checks = (sum(gold), len(gold)), (len(again), equal, apart)
        reports.append(RaterReport(name, len(rated), seconds, agreement, *checks, tuple(warnings)))
    return reports


def _is_checked(study: Study, vote: Counted) -> bool:
    return vote.role == "gold" and vote.question in study.answers.get(vote.item, {})


def _similarity(votes: Sequence[Counted], questions: Sequence[str]) -> dict[str, tuple[float, int]]:
    """Rater → mean SRCC with the others over questions, and the answers that others answered as well."""
    values: dict[str, list[float]] = {}
    shared: Counter[str] = Counter()
    for question in questions:
        _, raters, table = ratings_of(votes, question)
        if len(raters) < 2:
            continue
        given = ~np.isnan(table)
        both = given & (given.sum(axis=1, keepdims=True) > 1)
        for column, name in enumerate(raters):
            shared[name] += int(both[:, column].sum())
            if not math.isnan(value := rater_agreement(table, column)):
                values.setdefault(name, []).append(value)
    return {name: (sum(some) / len(some), shared[name]) for name, some in values.items()}


def _top_share(votes: Sequence[Counted]) -> tuple[float, int]:
    """Share of the most frequent answer as it was shown, and that answer."""
    counts = Counter(-vote.value if vote.swapped else vote.value for vote in votes)
    value, count = max(counts.items(), key=lambda pair: pair[1], default=(0, 0))
    return count / max(1, len(votes)), value


def _habits(own: Sequence[Counted], seconds: float, usual: Mapping[str, float]) -> list[str]:
    warnings = []
    if len(own) >= FEWEST_ANSWERS and seconds < FAST_SECONDS:
        warnings.append(f"too fast: {seconds:.1f} s per answer")
    for question, share_of_all in usual.items():
        given = [vote for vote in own if vote.question == question]
        share, value = _top_share(given)
        if len(given) >= FEWEST_ANSWERS and share > SAME_SHARE and share_of_all < VARIED_SHARE:
            warnings.append(f"{question}: {100 * share:.0f} % of the answers are the same ({value})")
    return warnings


def _checks(gold: Sequence[bool], again: Sequence[tuple[str, int, int]]) -> list[str]:
    warnings = []
    if len(gold) >= FEWEST_CHECKS and sum(gold) / len(gold) < LEAST_RIGHT:
        warnings.append(f"gold items: {sum(gold)} of {len(gold)} right")
    levels = [abs(a - b) for kind, a, b in again if kind == "scale"]
    if len(levels) >= FEWEST_REPEATS and sum(levels) / len(levels) > MOST_APART:
        warnings.append(f"repeated items: {sum(levels) / len(levels):.1f} levels apart on average")
    equal = [a == b for kind, a, b in again if kind != "scale"]
    if len(equal) >= FEWEST_CHECKS and sum(equal) / len(equal) < LEAST_RIGHT:
        warnings.append(f"repeated items: {sum(equal)} of {len(equal)} answers are equal")
    return warnings
