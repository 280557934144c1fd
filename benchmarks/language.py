"""Can questions be answered from their words alone? Linear classifiers try, on scenes that they were not fitted to.

    python benchmarks/language.py                              300 scenes of each kind, made anew (some minutes)
    python benchmarks/language.py --kind room --scenes 1000 --seed 3
    python benchmarks/language.py --kind room --cache FOLDER   keep the scenes there, or read those that are there
    python benchmarks/language.py --kind room --rows FILE      add the rows of a kind to a file; the table has all of it

Scenes are asked about in pairs, each with the other as its foil, and a pair stays on one side of the split. For each
form of question, ridge classifiers on words, on pairs of neighbouring words and on whole texts are fitted to one half
and tried on the other, and the other way round; the best of them counts.

What it scores if words say nothing is measured, not assumed: answers are drawn anew many times, given the words, and
everything is repeated. Two answers of a pair of scenes change places together, because they depend on each other (a
mirror turns all lefts and rights of a scene at once). The table has the range that 95 % of these draws are in, and p,
the share of draws that score as much, also corrected for the number of forms (Holm).

A form with few questions among those of all forms is asked for alone, of the same scenes and of `--more`
others; its rows are marked with a star.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from pixelproof.stats import generator
from pixelproof.world.language import Sentence, View, ask_about, questions, view_of
from pixelproof.world.sets import recipe_class
from pixelproof.world.solid import Scene

LEAST = 60
"""Questions of a form below which nothing is fitted to them."""
SOLID = ("tabletop", "room", "shelf")
STRENGTHS = (1.0, 10.0, 100.0)
"""Penalties on weights; the best one counts, in the null draws as well."""
CLASSES = ("open colour", "open material")
"""Forms whose answers are words of one list, and not one of two or more choices."""


@dataclass(frozen=True)
class Asked:
    """A question as a classifier has it."""

    options: tuple[tuple[str, ...], ...]
    """Words of each option, with the words of the question; for classes those of the question alone."""
    right: int
    pair: int


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    kind: str
    form: str
    n: int
    chance: float
    gain: float
    null: tuple[float, float]
    p: float


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def features(text: str, more: bool) -> list[str]:
    """Words, or also pairs of neighbouring words and the whole text."""
    known = words(text)
    pairs = [f"{one} {two}" for one, two in zip(known, known[1:], strict=False)] if more else []
    return [*known, *pairs, *([text] if more else [])]


def option_words(question: Sentence, more: bool) -> tuple[tuple[str, ...], ...]:
    """Features of each option: its own words, alone and with the question, and its place."""
    text = question.text
    if question.kind == "yes-no":
        return tuple(tuple(f"{option}|{word}" for word in ["", *features(text, more)]) for option in ("no", "yes"))
    options = list(question.choices)
    if not options and question.form == "own-frame":
        options = ["left", "right"]
    if not options:
        stem, _, tail = text.rstrip("?").rpartition(", ")
        options, text = tail.split(" or "), stem
    return tuple(
        (
            f"place {place}",
            *features(option, more),
            *(f"{word}|{own}" for own in words(option) for word in ([text] if not more else words(text))),
        )
        for place, option in enumerate(options)
    )


def right_option(question: Sentence) -> int:
    if question.kind == "yes-no":
        return int(question.answer == "yes")
    if question.form == "own-frame":
        return int(question.answer == "right")
    options = question.choices or question.text.rstrip("?").rpartition(", ")[2].split(" or ")
    return list(options).index(question.answer)


def matrices(train: Sequence[Sequence[str]], test: Sequence[Sequence[str]]) -> Iterator[np.ndarray]:
    """Rows of words as vectors, for the words that occur twice among the training rows."""
    counts = Counter(word for row in train for word in set(row))
    known = {word: number for number, word in enumerate(word for word, count in counts.items() if count > 1)}
    for rows in (train, test):
        filled = np.zeros((len(rows), len(known)), np.float32)
        for number, row in enumerate(rows):
            filled[number, [known[word] for word in row if word in known]] = 1.0
        yield filled


def smoothers(fitted: np.ndarray, tried: np.ndarray) -> Iterator[np.ndarray]:
    """Matrices from targets of the training rows to predictions for the test rows, one for each penalty."""
    kernel, cross = (fitted @ fitted.T).astype(float), (tried @ fitted.T).astype(float)
    values, vectors = np.linalg.eigh(kernel)
    for strength in STRENGTHS:
        yield ((cross @ vectors) / (np.maximum(values, 0) + strength) @ vectors.T).astype(np.float32)


def redraw(items: Sequence[Asked], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Right options, questions × draws: the first column is as asked, the others are drawn given the words."""
    right = np.array([item.right for item in items])
    sizes = np.array([len(item.options) for item in items])
    _, pairs = np.unique([item.pair for item in items], return_inverse=True)
    flips = rng.integers(2, size=(pairs.max() + 1, draws))[pairs]
    drawn = np.where(
        (sizes == 2)[:, None], right[:, None] ^ flips, rng.integers(0, sizes[:, None], (len(items), draws))
    )
    drawn[:, 0] = right
    return drawn


def pair_scores(groups: Sequence[Sequence[Asked]], drawn: np.ndarray) -> np.ndarray:
    """Gain over chance of each classifier and draw, for questions with two options, by the difference of the two."""
    found = []
    signs = (2 * drawn - 1).astype(np.float32)
    for items in groups:
        side = np.array([item.pair % 2 for item in items])
        gains = [np.zeros(drawn.shape[1]) for _ in STRENGTHS]
        for test in (0, 1):
            fit, tried = np.flatnonzero(side != test), np.flatnonzero(side == test)
            halves = [[option for number in half for option in items[number].options] for half in (fit, tried)]
            ways = [filled[1::2] - filled[::2] for filled in matrices(*halves)]
            for number, smoother in enumerate(smoothers(*ways)):
                scores = smoother @ signs[fit]
                gains[number] += np.where(np.abs(scores) < 1e-6, 0.0, np.sign(scores) * signs[tried] / 2).sum(axis=0)
        found += [gain / len(items) for gain in gains]
    return np.array(found)


def option_scores(groups: Sequence[Sequence[Asked]], drawn: np.ndarray) -> np.ndarray:
    """Gain over chance of each classifier and draw, for questions with options; one group for each set of features."""
    found = []
    for items in groups:
        sizes = np.array([len(item.options) for item in items])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        rows = [option for item in items for option in item.options]
        target = np.zeros((len(rows), drawn.shape[1]))
        np.put_along_axis(target, starts[:, None] + drawn, 1.0, axis=0)
        side = np.array([item.pair % 2 for item in items])
        row_side = np.repeat(side, sizes)
        gains = [np.zeros(drawn.shape[1]) for _ in STRENGTHS]
        for test in (0, 1):
            fit, tried = row_side != test, row_side == test
            ends = np.concatenate([[0], np.cumsum(sizes[side == test])[:-1]])
            group = np.repeat(np.arange(len(ends)), sizes[side == test])
            centred = (target - np.repeat(1 / sizes, sizes)[:, None])[fit]
            texts = [[row for row, use in zip(rows, mask, strict=True) if use] for mask in (fit, tried)]
            for number, smoother in enumerate(smoothers(*matrices(*texts))):
                scores = smoother @ centred
                wins = scores >= np.maximum.reduceat(scores, ends)[group] - 1e-9
                credit = np.add.reduceat(wins * target[tried], ends) / np.add.reduceat(wins, ends)
                gains[number] += (credit - (1 / sizes[side == test])[:, None]).sum(axis=0)
        found += [gain / len(items) for gain in gains]
    return np.array(found)


def class_scores(texts: Sequence[Sequence[Sequence[str]]], pairs: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """The same for questions whose answers are classes; chance is the most frequent answer of the training half."""
    found = []
    classes = int(drawn.max()) + 1
    for rows in texts:
        gains = [np.zeros(drawn.shape[1]) for _ in STRENGTHS]
        for test in (0, 1):
            fit, tried = pairs % 2 != test, pairs % 2 == test
            halves = [[row for row, use in zip(rows, mask, strict=True) if use] for mask in (fit, tried)]
            counts = np.array([(drawn[fit] == number).sum(axis=0) for number in range(classes)])
            constant = drawn[tried] == counts.argmax(axis=0)
            for number, smoother in enumerate(smoothers(*matrices(*halves))):
                scores = np.array([smoother @ (drawn[fit] == number).astype(float) for number in range(classes)])
                gains[number] += ((scores.argmax(axis=0) == drawn[tried]).astype(float) - constant).sum(axis=0)
        found += [gain / len(rows) for gain in gains]
    return np.array(found)


def measure(kind: str, form: str, asked: list[tuple[Sentence, int]], draws: int) -> Row:
    """One row of the table."""
    rng = generator(0, f"null/{kind}/{form}")
    pairs = np.array([pair for _, pair in asked])
    if form in CLASSES:
        answers = sorted({question.answer for question, _ in asked})
        right = np.array([answers.index(question.answer) for question, _ in asked])
        drawn = np.array([right, *(rng.permutation(right) for _ in range(draws - 1))]).T
        texts = [[["", *features(question.text, more)] for question, _ in asked] for more in (False, True)]
        scores = class_scores(texts, pairs, drawn)
        chance = float(np.bincount(right).max() / len(right))
    else:
        groups = [
            [Asked(option_words(question, more), right_option(question), pair) for question, pair in asked]
            for more in (False, True)
        ]
        two = all(len(item.options) == 2 for item in groups[0])
        scores = (pair_scores if two else option_scores)(groups, redraw(groups[0], draws, rng))
        chance = float(np.mean([1 / len(item.options) for item in groups[0]]))
    best = scores.max(axis=0)
    p = (1 + int(np.sum(best[1:] >= best[0] - 1e-12))) / draws
    low, high = np.quantile(best[1:], (0.025, 0.975))
    return Row(kind, form, len(asked), chance, float(best[0]), (float(low), float(high)), p)


def views(kind: str, seed: int, scenes: int, cache: str | None) -> Iterator[View]:
    """Views of solid scenes with the shares that are visible, from a file of a cache or made anew."""
    from pixelproof.world.solid.layouts import make_scene
    from pixelproof.world.solid.render import render

    path = Path(cache or ".") / f"{kind}-{seed}.jsonl"
    lines = path.read_text().splitlines()[:scenes] if cache and path.exists() else []
    for line in lines:
        data = json.loads(line)
        yield view_of(Scene.from_json(data["scene"]), data["visible"])
    for index in range(len(lines), scenes):
        scene = make_scene(kind, seed, index)
        layers = render(scene, 256, quality="draft", layers=("ids", "amodal", "visible"))
        shares = dict(zip((thing.id for thing in scene.things), layers.visible.tolist(), strict=True))
        if cache:
            with path.open("a") as file:
                file.write(json.dumps({"scene": scene.to_json(), "visible": shares}) + "\n")
        yield view_of(scene, shares)


def pool(kind: str, seed: int, arguments: argparse.Namespace) -> Iterator[tuple[Sentence, int]]:
    """Questions of all forms with the number of their pair of scenes."""
    if kind not in SOLID:
        recipe = recipe_class(kind)(kind, seed)
        for index in range(0, 2 * arguments.scenes, 2):
            yield from ((question, index // 2) for question in ask_about(recipe, index, arguments.each))
        return
    known = list(views(kind, seed, arguments.scenes, arguments.cache))
    for index, view in enumerate(known[: len(known) // 2 * 2]):
        rng = generator(seed, "leak", index)
        for question in questions(view, known[index ^ 1], rng, arguments.each):
            yield question, index // 2


def alone(kind: str, form: str, known: Sequence[View]) -> Iterator[tuple[Sentence, int]]:
    """Questions of one form, with the number of their pair of scenes."""
    wanted, name = form.split(" ")
    for index, view in enumerate(known[: len(known) // 2 * 2]):
        rng = generator(index, f"leak/{kind}/{form}")
        for question in questions(view, known[index ^ 1], rng, 2, (wanted,), forms=(name,)):
            yield question, index // 2


def rows_of(kind: str, arguments: argparse.Namespace) -> Iterator[Row]:
    """The rows of a kind of scene, one for each form of question."""
    asked = list(pool(kind, arguments.seed, arguments))
    forms = Counter(f"{question.kind} {question.form}" for question, _ in asked)
    known: list[View] = []
    for form, number in sorted(forms.items(), reverse=True):
        chosen = [(question, pair) for question, pair in asked if f"{question.kind} {question.form}" == form]
        star = ""
        if number < LEAST and kind in SOLID:
            known = known or [
                *views(kind, arguments.seed, arguments.scenes, arguments.cache),
                *views(kind, arguments.seed + 1, arguments.more, arguments.cache),
            ]
            chosen, star = list(alone(kind, form, known)), "*"
        if len(chosen) < LEAST:
            yield Row(kind, form + star, len(chosen), np.nan, np.nan, (np.nan, np.nan), np.nan)
        else:
            row = measure(kind, form, chosen, arguments.draws)
            yield Row(kind, form + star, row.n, row.chance, row.gain, row.null, row.p)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", nargs="*", default=[*SOLID, "flat"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument(
        "--more", type=int, default=0, help="further scenes, of the next seed, for forms with few questions"
    )
    parser.add_argument("--cache", help="folder of generated scenes")
    parser.add_argument("--each", type=int, default=12, help="questions of each scene")
    parser.add_argument("--draws", type=int, default=2000, help="of answers, given the words")
    parser.add_argument("--rows", type=Path, help="file of rows: read, and added to")
    arguments = parser.parse_args()
    lines = arguments.rows.read_text().splitlines() if arguments.rows and arguments.rows.exists() else []
    rows = [Row(**{**(known := json.loads(line)), "null": tuple(known["null"])}) for line in lines]
    for kind in arguments.kind:
        start = time.process_time()
        made = list(rows_of(kind, arguments))
        rows += made
        if arguments.rows:
            with arguments.rows.open("a") as file:
                file.writelines(json.dumps(asdict(row)) + "\n" for row in made)
        print(f"{kind}: {time.process_time() - start:.0f} s", flush=True)
    report([row for row in rows if not np.isnan(row.p)])
    few = [f"{row.kind} {row.form} ({row.n})" for row in rows if np.isnan(row.p)]
    print(f"\nToo few to tell: {', '.join(few) or 'none'}.")


def report(rows: Sequence[Row]) -> None:
    order = np.argsort([row.p for row in rows])
    corrected = np.zeros(len(rows))
    factors = len(rows) - np.arange(len(rows))
    corrected[order] = np.minimum(1, np.maximum.accumulate(np.array([row.p for row in rows])[order] * factors))
    print("| scenes | questions | n | chance | words alone | gain | 95 % of null draws | p | p, corrected |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row, p in zip(rows, corrected, strict=True):
        low, high = row.null
        print(
            f"| {row.kind} | {row.form} | {row.n} | {row.chance:.1%} | {row.chance + row.gain:.1%} | {row.gain:+.1%} "
            f"| {low:+.1%} to {high:+.1%} | {row.p:.3f} | {p:.2f} |"
        )


if __name__ == "__main__":
    main()
