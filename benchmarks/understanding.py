"""Can the questions of `spatial --task understanding` be answered without the photograph?

    python benchmarks/understanding.py                         150 scenes of the split `train` (some minutes)
    python benchmarks/understanding.py --scenes 600 --priors   also print the tables of understanding/_priors.py

Questions with options: the classifiers of benchmarks/language.py are fitted to the words of one half of the scenes and
tried on the other. Questions for numbers: ridge regression of the logarithm of the answer on the same words, against
the best constant of the fitted half. What both score if words say nothing comes from answers that are drawn anew.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np

import language
from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial.understanding import Question, edit_id
from pixelproof.contract import Item, Source
from pixelproof.metrics import mean_relative_accuracy
from pixelproof.stats import generator
from pixelproof.world.language import Sentence
from pixelproof.world.pairs import Pair

TRIED = np.arange(1, 400)
"""Constants that are tried as answers for numbers."""


def asked_items(scenes: int, seed: int) -> list[Item]:
    """The questions about so many scenes."""
    bench, items = Spatial(task="understanding", world_split="train"), []
    for number, (_, of_scene) in enumerate(
        groupby(bench.items(Source("world"), seed, 20 * scenes), lambda item: edit_id(item.id))
    ):
        if number == scenes:
            break
        items += list(of_scene)
    return items


def best_constant(truths: np.ndarray) -> int:
    """The number with the largest mean relative accuracy."""
    return int(TRIED[mean_relative_accuracy(TRIED[:, None], truths[None]).mean(axis=1).argmax()])


def blind_numbers(texts: Sequence[str], truths: np.ndarray, halves: np.ndarray, draws: int) -> tuple[float, ...]:
    """Mean relative accuracy of the best constant, of the words, its null range, and p."""
    rng = generator(0, "understanding/null")
    drawn = np.array([truths, *(rng.permutation(truths) for _ in range(draws - 1))], dtype=float).T
    rows = [["", *language.features(text, True)] for text in texts]
    gains, constant = np.zeros((len(language.STRENGTHS), draws)), 0.0
    for test in (0, 1):
        fit, tried = halves != test, halves == test
        parts = [[row for row, use in zip(rows, mask, strict=True) if use] for mask in (fit, tried)]
        logs = np.log(drawn[fit])
        for place, smoother in enumerate(language.smoothers(*language.matrices(*parts))):
            said = np.exp(logs.mean(axis=0) + smoother @ (logs - logs.mean(axis=0)))
            gains[place] += mean_relative_accuracy(said, drawn[tried]).sum(axis=0)
        constant += float(mean_relative_accuracy(best_constant(truths[fit]), truths[tried]).sum())
    best = gains.max(axis=0) / len(texts)
    p = (1 + int(np.sum(best[1:] >= best[0] - 1e-12))) / draws
    low, high = np.quantile(best[1:], (0.025, 0.975))
    return constant / len(texts), float(best[0]), float(low), float(high), p


def sentence(question: Question) -> Sentence:
    """A question as the classifiers read it; the order of its options is that of the item."""
    yes_no = set(question.options) == {"yes", "no"}
    sides = set(question.options) == {"left", "right"}
    form = "own-frame" if sides else ""
    choices = () if yes_no or sides else question.options
    return Sentence("yes-no" if yes_no else "choice", form, question.text, question.answer, choices)


def pair_number(items: Sequence[Item]) -> list[int]:
    """A number for each item, equal for scenes that are each other's foil: consecutive ones of one kind."""
    seen: dict[str, dict[str, int]] = {}
    for item in items:
        key = edit_id(item.id)
        of_kind = seen.setdefault(Pair.from_json(item.truth.pair).before.kind, {})
        of_kind.setdefault(key, len(of_kind))
    kinds = sorted(seen)
    codes = {key: kinds.index(kind) * 100_000 + place // 2 for kind in kinds for key, place in seen[kind].items()}
    return [codes[edit_id(item.id)] for item in items]


def report(items: Sequence[Item], draws: int) -> list[str]:
    """One line for each slot: number of questions, chance, what words gain, null range, p."""
    pairs, lines = pair_number(items), []
    slots = dict.fromkeys(item.id.rpartition("/")[2] for item in items)
    scenes = len({edit_id(item.id) for item in items})
    lines.append(f"{len(items)} questions about {scenes} scenes")
    for slot in slots:
        here = [(item.truth, pair) for item, pair in zip(items, pairs, strict=True) if item.id.endswith(f"/{slot}")]
        if len(here) < 20:
            lines.append(f"{slot:<16}{len(here):>5}  too few")
        elif here[0][0].kind == "number":
            truths = np.array([float(question.answer) for question, _ in here])
            halves = np.array([pair % 2 for _, pair in here])
            constant, words, low, high, p = blind_numbers([q.text for q, _ in here], truths, halves, draws)
            guess = f"constant {constant:.3f}  words {words:.3f}  null {low:.3f} to {high:.3f}  p {p:.3f}"
            lines.append(f"{slot:<16}{len(here):>5}  {guess}")
        else:
            row = language.measure("all", slot, [(sentence(question), pair) for question, pair in here], draws)
            first = Counter(question.letter for question, _ in here)
            null = f"{row.null[0]:+.3f} to {row.null[1]:+.3f}"
            places = " ".join(f"{letter}{count}" for letter, count in sorted(first.items()))
            lines.append(
                f"{slot:<16}{len(here):>5}  chance {row.chance:.3f}  words {row.gain:+.3f}  null {null}  p {row.p:.3f}"
                f"  right {places}"
            )
    return lines


def priors(items: Sequence[Item]) -> list[str]:
    """The tables of `_priors.py`."""
    lines = []
    for skill in ("distance", "count", "what-if"):
        truths = np.array([float(i.truth.answer) for i in items if (i.truth.skill, i.truth.kind) == (skill, "number")])
        quantiles = np.quantile(truths, (np.arange(9) + 0.5) / 9, method="inverted_cdf").astype(int)
        lines.append(
            f"{skill}: frequent {best_constant(truths)}, quantiles {tuple(quantiles.tolist())}, n {len(truths)}"
        )
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=150)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--priors", action="store_true")
    arguments = parser.parse_args()
    start = time.perf_counter()
    items = asked_items(arguments.scenes, arguments.seed)
    print(f"made in {time.perf_counter() - start:.0f} s")
    print("\n".join(report(items, arguments.draws)))
    if arguments.priors:
        print("\n".join(priors(items)))


if __name__ == "__main__":
    main()
