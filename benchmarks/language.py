"""Can questions be answered from their words alone? A bag-of-words classifier tries, on scenes it has not seen.

    python benchmarks/language.py                       300 pairs of tabletop scenes made anew (some minutes)
    python benchmarks/language.py --scenes FILE.jsonl   scenes that are there already, one JSON text a line

Every scene is asked about with another as its foil, and the two stay on one side of the split. For each form of
question a logistic regression on words (and on pairs of neighbouring words) is trained on one half and tried on the
other, and the other way round. Its accuracy is compared with that of the best constant answer, by pairs, with an
interval over pairs of scenes.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, vstack

from pixelproof.stats import estimate_mean, generator
from pixelproof.world.language import Sentence, View, questions, view_of
from pixelproof.world.solid import Scene

LEAST = 30
"""Questions of a form below which nothing is fitted to them."""


@dataclass(frozen=True)
class Asked:
    """A question as the classifier has it: options with features, which is right, and its pair of scenes."""

    form: str
    features: tuple[frozenset[str], ...]
    """Of each option; the same options in all questions of a form, or the question's own."""
    right: int
    pair: int


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def bag(text: str) -> set[str]:
    """Words and pairs of neighbouring words."""
    found = words(text)
    return {*found, *(f"{one} {two}" for one, two in zip(found, found[1:], strict=False))}


def asked(question: Sentence, pair: int, classes: dict[str, list[str]], median: dict[str, float]) -> Asked:
    """A question as options with features."""
    form = f"{question.kind} {question.form}"
    if question.choices or question.form in ("which", "comparison") and question.kind == "open":
        head, _, tail = question.text.rstrip("?").rpartition(", ")
        options = list(question.choices) or tail.split(" or ")
        stem = question.text if question.choices else head
        place = [f"place {index}" for index in range(len(options))]
        features = tuple(
            frozenset({*bag(option), *(f"{stem}|{word}" for word in words(option)), place[index]})
            for index, option in enumerate(options)
        )
        return Asked(form, features, options.index(question.answer), pair)
    answer = question.answer
    if question.form == "distance":
        answer = "far" if float(answer) > median[form] else "near"
    features = tuple(
        frozenset({f"{option}|{word}" for word in bag(question.text)} | {option}) for option in classes[form]
    )
    return Asked(form, features, classes[form].index(answer), pair)


def choose(train: Sequence[Asked], test: Sequence[Asked], strength: float) -> np.ndarray:
    """Which option a conditional logistic regression, fitted to some questions, takes in others."""
    counts = Counter(word for item in train for option in item.features for word in option)
    index = {word: number for number, word in enumerate(word for word, count in counts.items() if count > 1)}
    matrix, groups = _matrix(train, index)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    right = starts + [item.right for item in train]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ weights
        scores = scores - np.maximum.reduceat(scores, starts)[groups]
        shares = np.exp(scores)
        totals = np.add.reduceat(shares, starts)
        value = float(np.sum(np.log(totals) - scores[right])) + strength * float(weights @ weights)
        slope = shares / totals[groups]
        slope[right] -= 1
        return value, matrix.T @ slope + 2 * strength * weights

    fitted = minimize(loss, np.zeros(len(index)), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    tried, places = _matrix(test, index)
    scores = tried @ fitted
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    return np.array([int(np.argmax(part)) for part in np.split(scores, starts[1:])])


def _matrix(items: Sequence[Asked], index: dict[str, int]) -> tuple[csr_matrix, np.ndarray]:
    rows = [
        csr_matrix((np.ones(len(found)), ([0] * len(found), found)), shape=(1, len(index)))
        for item in items
        for found in ([index[word] for word in sorted(option) if word in index] for option in item.features)
    ]
    groups = np.repeat(np.arange(len(items)), [len(item.features) for item in items])
    return vstack(rows).tocsr(), groups


def constant(train: Sequence[Asked], test: Sequence[Asked]) -> np.ndarray:
    """How often the best constant answer is right; of yes and no, and of a question's own options, a fair guess."""
    if len({item.features for item in train}) > 1 and "place 0" in train[0].features[0]:
        return np.array([1 / len(item.features) for item in test])
    if train[0].form.startswith("yes-no"):
        return np.full(len(test), 0.5)
    most = Counter(item.right for item in train).most_common(1)[0][0]
    return np.array([float(item.right == most) for item in test])


def gains(items: Sequence[Asked], strength: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right or not by the classifier, by the constant answer, and the pair of each question, both halves tried."""
    right, chance, pairs = [], [], []
    for side in (0, 1):
        train = [item for item in items if item.pair % 2 != side]
        test = [item for item in items if item.pair % 2 == side]
        taken = choose(train, test, strength)
        right.append([float(item.right == choice) for item, choice in zip(test, taken, strict=True)])
        chance.append(constant(train, test))
        pairs.append([item.pair for item in test])
    return np.concatenate(right), np.concatenate(chance), np.concatenate(pairs)


def scenes(arguments: argparse.Namespace) -> Iterator[View]:
    if arguments.scenes:
        for line in Path(arguments.scenes).read_text().splitlines():
            yield view_of(Scene.from_json(line))
        return
    from pixelproof.world.solid.layouts import make_scene

    for index in range(2 * arguments.pairs):
        yield view_of(make_scene(arguments.kind, arguments.seed, index))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", default="tabletop")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--scenes")
    parser.add_argument("--each", type=int, default=8, help="questions of each kind and scene")
    parser.add_argument("--strength", type=float, default=1.0, help="of the penalty on weights")
    arguments = parser.parse_args()
    views = list(scenes(arguments))
    pool: list[tuple[Sentence, int]] = []
    for pair in range(len(views) // 2):
        first, second = views[2 * pair : 2 * pair + 2]
        for number, (view, foil) in enumerate(((first, second), (second, first))):
            rng = generator(arguments.seed, "leak", 2 * pair + number)
            for kind in ("yes-no", "choice", "open"):
                pool += [(question, pair) for question in questions(view, foil, rng, arguments.each, (kind,))]
    report(pool, arguments.strength)


def report(pool: list[tuple[Sentence, int]], strength: float) -> None:
    forms = sorted({f"{question.kind} {question.form}" for question, _ in pool}, reverse=True)
    answers = {form: [q.answer for q, _ in pool if f"{q.kind} {q.form}" == form] for form in forms}
    median = {form: float(np.median([float(a) for a in answers[form]])) for form in forms if form == "open distance"}
    classes = {form: ["near", "far"] if form in median else sorted(set(answers[form])) for form in forms}
    results = {}
    for form in forms:
        items = [asked(q, pair, classes, median) for q, pair in pool if f"{q.kind} {q.form}" == form]
        if len(items) >= LEAST:
            results[form] = gains(items, strength)
    print("| questions | n | chance | words alone | gain (95 % interval) |")
    print("| --- | --- | --- | --- | --- |")
    for kind in ("yes-no", "choice", "open"):
        chosen = [form for form in results if form.startswith(kind)]
        whole = tuple(np.concatenate([results[form][part] for form in chosen]) for part in range(3))
        for name, (right, chance, pairs) in [(f"**{kind}**", whole), *((form, results[form]) for form in chosen)]:
            gain = estimate_mean(right - chance, pairs)
            print(
                f"| {name} | {len(right)} | {chance.mean():.1%} | {right.mean():.1%} "
                f"| {gain.value:+.1%} ({gain.lo:+.1%} to {gain.hi:+.1%}) |"
            )
    few = [f"{form} ({len(answers[form])})" for form in forms if form not in results]
    print(f"\nToo few to tell: {', '.join(few) or 'none'}.")


if __name__ == "__main__":
    main()
