"""False alarms and power of the contamination test, by simulation: docs/methods/contamination.md.

An experiment asks a simulated model the same mosaics under the published palette and under the conditions of
`pixelproof arena contamination` by default (3 permuted, 3 fresh, 1 renamed), sends its answers through a channel, and
counts alarms. Palettes and permutations differ between repetitions.
"""

from __future__ import annotations

import multiprocessing.pool
from collections.abc import Callable
from typing import Any

import numpy as np

from pixelproof.benches.arena.contamination import ItemEvidence, judge_contamination
from pixelproof.benches.arena.palettes import FACES, designed, fresh, mosaic, permuted, renamed
from pixelproof.pixels import ImageChannel, Palette, blur, read_image
from pixelproof.stats import Assignment, advantage_test, generator, permutation_test
from trust_tables import table

Rng = np.random.Generator
Labels = np.ndarray
Pixels = np.ndarray
TITLE = "Contamination"
SIDE = 64
ITEMS = 10
ALARMS = ("memorised", "differs")
"""Verdicts. Of models that paint from memory, the first alone counts as found."""


def _dense(count: int) -> Palette:
    """Random colours, some of them close to each other, as in data sets with many labels."""
    colours = generator(0, "dense palette").permutation(13**3)[:count]
    return _named(tuple((int(c % 13) * 21, int(c // 13 % 13) * 21, int(c // 169) * 21) for c in colours))


def _named(colours: tuple[tuple[int, int, int], ...]) -> Palette:
    return Palette(tuple(f"label {i}" for i in range(len(colours))), colours)


PALETTES = (_named(designed(8)), FACES, _dense(40))
FEW_LABELS = (_named(designed(3)), _named(designed(2)))
"""Palettes with too few permutations for the test of colours; controls must not raise alarms with them either."""
_STEPS = (0, 90, 180, 255)
_LATTICE = [(red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS]
PUBLISHED = {
    "pastel, 12": _named(
        tuple(
            (200 + red // 5, 200 + green // 5, 200 + blue // 5)
            for red, green, blue in (_LATTICE[i] for i in generator(0, "pastel palette").permutation(64)[:12])
        )
    ),
    "faces, 19": FACES,
    "corners, 8": _named(tuple((255 * (i & 1), 255 * (i >> 1 & 1), 255 * (i >> 2)) for i in range(8))),
    "dense, 60": _dense(60),
}
"""Palettes in which colour errors cost differently many labels."""
CHANNELS: dict[str, Callable[[Pixels], Pixels]] = {
    "PNG, hard edges": lambda rgb: rgb,
    "PNG, soft edges": lambda rgb: blur(rgb, 0.7),
    "JPEG 90, 4:2:0": lambda rgb: read_image(ImageChannel().send(rgb)),
    "JPEG 75, 4:2:0": lambda rgb: read_image(ImageChannel(quality=75).send(rgb)),
}
MIXED = "mixed"
"""A random channel for each answer."""


# Models: functions of the truth, the palette asked for, the published palette, and whether colours or names are others.


def relabelled(truth: Labels, share: float, labels: int, rng: Rng) -> Labels:
    """The truth with this share of its labels painted as a random one."""
    table = np.arange(256)
    table[:labels] = np.where(rng.random(labels) < share, rng.integers(0, labels, labels), np.arange(labels))
    return table[truth].astype(np.uint8)


def errors(share: float) -> Callable[..., Pixels]:
    """Errors that differ from answer to answer."""
    return lambda truth, asked, published, kind, rng: asked.paint(relabelled(truth, share, len(asked), rng))


def same_errors(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """40 % of the labels are painted as another one, the same in each answer to an item."""
    return asked.paint(relabelled(truth, 0.4, len(asked), generator(int(truth.sum()), "errors")))


def mirrored(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """The truth, mirrored."""
    return asked.paint(truth[:, ::-1])


def blocks(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """The truth in blocks of 8 pixels, with the label of their centre."""
    centres = np.arange(SIDE) // 8 * 8 + 4
    return asked.paint(truth[centres[:, None], centres])


def noise(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """A random colour for every pixel."""
    return asked.array[rng.integers(0, len(asked), truth.shape)]


def speckled(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """The truth with a random label at one pixel of fifty."""
    wrong = rng.random(truth.shape) < 0.02
    return asked.paint(np.where(wrong, rng.integers(0, len(asked), truth.shape), truth).astype(np.uint8))


def guess(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """A 4 × 4 grid of random labels."""
    places = np.arange(SIDE) * 4 // SIDE
    return asked.paint(rng.integers(0, len(asked), (4, 4)).astype(np.uint8)[places[:, None], places])


def drifting(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
    """Each label in a colour that is off by 20 levels per channel (SD): dense palettes are harder for it."""
    off = np.rint(rng.normal(0, 20, (len(asked), 3)))
    return np.clip(asked.array[truth] + off[truth], 0, 255).astype(np.uint8)


def refusing(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels | None:
    """10 % errors, and no answer for one item of three."""
    return None if rng.random() < 1 / 3 else errors(0.1)(truth, asked, published, kind, rng)


CONTROLS: dict[str, Callable[..., Pixels | None]] = {
    "truth": errors(0.0),
    "10 % of labels wrong": errors(0.1),
    "40 % of labels wrong": errors(0.4),
    "40 %, the same in each answer": same_errors,
    "mirrored": mirrored,
    "blocks of 8 pixels": blocks,
    "4 × 4 guess": guess,
    "noise": noise,
    "speckled": speckled,
    "colours drift by 20": drifting,
    "refuses one in three": refusing,
}


def rendered(change: Callable[[Pixels], Pixels], share: float = 0.1) -> Callable[..., Pixels]:
    """Some labels wrong; then a map of colours is applied to the picture, whatever its palette."""

    def paint(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
        painted = errors(share)(truth, asked, published, kind, rng).astype(np.float64)
        return np.clip(np.rint(change(painted)), 0, 255).astype(np.uint8)

    return paint


def _saturated(share: float) -> Callable[[Pixels], Pixels]:
    return lambda rgb: rgb.mean(axis=2, keepdims=True) * (1 - share) + rgb * share


RENDERINGS: dict[str, Callable[..., Pixels]] = {
    "tone curve, gamma 0.7": rendered(lambda rgb: 255 * (rgb / 255) ** 0.7),
    "tone curve, gamma 1.2": rendered(lambda rgb: 255 * (rgb / 255) ** 1.2),
    "tone curve, gamma 1.5": rendered(lambda rgb: 255 * (rgb / 255) ** 1.5),
    "gamma 1.5, 40 % of labels wrong": rendered(lambda rgb: 255 * (rgb / 255) ** 1.5, 0.4),
    "gain 0.7": rendered(lambda rgb: 0.7 * rgb),
    "gain 1.3, clipped": rendered(lambda rgb: 1.3 * rgb),
    "saturation 0.5": rendered(_saturated(0.5)),
    "saturation 0.75": rendered(_saturated(0.75)),
    "white balance": rendered(lambda rgb: rgb * [1.1, 0.95, 0.7] + [15, 0, 0]),
}
"""Models with 10 % of labels wrong whose colour errors depend on the colour."""


def memorised(share: float, wrong: float) -> Callable[..., Pixels]:
    """Paints a share of the labels in their published colours, whatever is asked; some labels are wrong anyway."""

    def paint(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
        labels = relabelled(truth, wrong, len(asked), rng)
        known = rng.random(len(asked)) < share
        return np.where(known[labels][..., None], published.paint(labels), asked.paint(labels))

    return paint


def falling(accuracy: float, fall: float) -> Callable[..., Pixels]:
    """Paints this share of labels right with the published colours, and less with others."""

    def paint(truth: Labels, asked: Palette, published: Palette, kind: str, rng: Rng) -> Pixels:
        right = accuracy - (fall if kind in ("permuted", "fresh") else 0.0)
        return errors(1.0 - right)(truth, asked, published, kind, rng)

    return paint


STATED = {
    "published colours for 20 % of labels, 90 % right": 10,
    "90 % right, 60 % with other colours": 20,
}
"""Models that the documentation promises to find in at least 80 % of cases → from this many items on."""
POWER: dict[str, Callable[..., Pixels]] = {
    "published colours for 5 % of labels, 90 % right": memorised(0.05, 0.1),
    "published colours for 10 % of labels, 90 % right": memorised(0.1, 0.1),
    "published colours for 20 % of labels, 90 % right": memorised(0.2, 0.1),
    "published colours for 20 % of labels, 60 % right": memorised(0.2, 0.4),
    "90 % right, 80 % with other colours": falling(0.9, 0.1),
    "90 % right, 70 % with other colours": falling(0.9, 0.2),
    "90 % right, 60 % with other colours": falling(0.9, 0.3),
}
POWER_ITEMS = (5, 10, 20)


def experiment(
    model: Callable[..., Pixels | None], channel: str, items: int, repetition: int, published: str | None = None
) -> str:
    """The verdict on one simulated model; `published` names a palette, the others take turns."""
    rng = generator(repetition, f"contamination/{channel}", items)
    palettes = PALETTES if model in POWER.values() else PALETTES + FEW_LABELS
    palette = palettes[repetition % len(palettes)] if published is None else PUBLISHED[published]
    seeds = [3 * repetition + i for i in range(3)]
    variants = {
        "permuted": [permuted(palette, seed) for seed in seeds],
        "fresh": [fresh(palette, seed) for seed in seeds],
        "renamed": [renamed(palette, seeds[0])],
    }
    found = []
    for i in range(items):
        truth = mosaic(len(palette), min(6, len(palette)), 100 * repetition + i, SIDE)

        def answer(asked: Palette, kind: str, truth: Labels = truth) -> tuple[Palette, Pixels | None]:
            painted = model(truth, asked, palette, kind, rng)
            way = channel if channel in CHANNELS else list(CHANNELS)[rng.integers(len(CHANNELS))]
            return asked, None if painted is None else CHANNELS[way](painted)

        others = {kind: [answer(asked, kind) for asked in group] for kind, group in variants.items()}
        found.append(ItemEvidence.of(str(i), truth, answer(palette, "own"), others))
    return judge_contamination(found).verdict


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The section, and the claims that fail."""
    many, some = max(5, int(10 * scale)), max(6, int(15 * scale))
    channels = [*CHANNELS, MIXED]
    blind = [(name, channel, ITEMS, many) for name in CONTROLS for channel in channels]
    guilty = [(name, "JPEG 90, 4:2:0", n, some) for name in POWER for n in POWER_ITEMS]
    elsewhere = [(name, channel, n, some) for name, n in STATED.items() for channel in CHANNELS if "90" not in channel]
    nulls = [(name, n, max(50, int(400 * scale))) for name in NULLS for n in NULL_ITEMS]
    rate = dict(zip([*blind, *guilty, *elsewhere], pool.map(alarms, [*blind, *guilty, *elsewhere], 1), strict=True))
    exact = dict(zip(nulls, pool.map(null_rate, nulls, 1), strict=True))
    rows = [[name, *(rate[name, channel, ITEMS, many] for channel in channels)] for name in CONTROLS]
    rows = [[name, *rates, float(np.mean(rates))] for name, *rates in rows]
    rows.append(["all", *(float(np.mean([row[i] for row in rows])) for i in range(1, len(channels) + 2))])
    few = max(3, int(5 * scale))
    rendered_rows = _rendering_rows(few, pool)
    failed = _exceeding(rows, many, len(channels)) + _exceeding(rendered_rows, few, len(PUBLISHED))
    failed += [
        f"contamination: {name} found in {rate[name, channel, n, some]:.2f} of cases ({channel})"
        for name, n in STATED.items()
        for channel in CHANNELS
        if rate[name, channel, n, some] < 0.8 - 2 * (0.16 / some) ** 0.5
    ]
    failed += [
        f"contamination: {name} rejects in {value:.3f} at n = {n}"
        for (name, n, count), value in exact.items()
        if value > 0.05 + 3 * (0.0475 / count) ** 0.5
    ]
    text = [
        f"**False alarms.** Share of models with an alarm, although their labels do not depend on the "
        f"palette: {ITEMS} items, {many} repetitions per cell, palettes of 2, 3, 8, 19 and 40 labels.",
        _markdown(["model", *channels, "all channels"], rows),
        "The same where the picture goes through a map of colours, which costs more labels in one palette than in "
        f"another: 10 % of labels wrong if not stated, PNG, {few} repetitions per cell, by published palette and its "
        "number of labels.",
        _markdown(["map of colours", *PUBLISHED, "all palettes"], rendered_rows),
        "**Exact tests under the null.** Share of data sets with a one-sided p ≤ 0.05 (margin 0), "
        f"{nulls[0][2]} repetitions per cell.",
        _markdown(
            ["test", *(f"n = {n}" for n in NULL_ITEMS)],
            [[name, *(exact[name, n, nulls[0][2]] for n in NULL_ITEMS)] for name in NULLS],
        ),
        f"**Power.** Share of models with an alarm that know the published colours, JPEG 90, {some} "
        "repetitions per cell, palettes of 8, 19 and 40 labels.",
        _markdown(
            ["model", *(f"n = {n}" for n in POWER_ITEMS)],
            [[name, *(rate[name, "JPEG 90, 4:2:0", n, some] for n in POWER_ITEMS)] for name in POWER],
        ),
        "The same in each channel:",
        _markdown(
            ["model", *CHANNELS],
            [
                [f"{name}, n = {n}", *(rate[name, channel, n, some] for channel in CHANNELS)]
                for name, n in STATED.items()
            ],
        ),
    ]
    return "\n\n".join(text), failed


def _rendering_rows(repetitions: int, pool: multiprocessing.pool.Pool) -> list[list[Any]]:
    """Shares of alarms by map of colours and published palette, with their means."""
    tasks = [(name, palette, repetitions) for name in RENDERINGS for palette in PUBLISHED]
    rates = np.reshape(pool.map(rendering_alarms, tasks, 1), (len(RENDERINGS), len(PUBLISHED)))
    rows = [[name, *row, row.mean()] for name, row in zip(RENDERINGS, rates, strict=True)]
    return [*rows, ["all", *rates.mean(axis=0), rates.mean()]]


def _exceeding(rows: list[list[Any]], repetitions: int, channels: int) -> list[str]:
    """Controls or channels whose share of alarms is above 5 % by more than chance explains."""
    *controls, every = rows
    rates = [(str(name), all_channels, channels) for name, *_, all_channels in controls]
    rates += [("a control", rate, len(controls)) for rate in every[1:-1]]
    return [
        f"contamination: {name} raises alarms in {rate:.3f} of cases"
        for name, rate, cells in rates
        if rate > 0.05 + 3 * (0.0475 / (cells * repetitions)) ** 0.5
    ]


def _markdown(head: list[str], rows: list[list[Any]]) -> str:
    cells = [[name, *(f"{value:.3f}" for value in values)] for name, *values in rows]
    return table(head, cells)


def alarms(task: tuple[str, str, int, int]) -> float:
    """The share of experiments with an alarm: name of the model, channel, items, repetitions."""
    name, channel, items, repetitions = task
    model = CONTROLS[name] if name in CONTROLS else POWER[name]
    expected = ("memorised",) if name.startswith("published") else ALARMS
    return sum(experiment(model, channel, items, i) in expected for i in range(repetitions)) / repetitions


def rendering_alarms(task: tuple[str, str, int]) -> float:
    """The share of experiments with an alarm: name of the rendering, published palette, repetitions."""
    name, palette, repetitions = task
    verdicts = [experiment(RENDERINGS[name], "PNG, hard edges", ITEMS, i, palette) for i in range(repetitions)]
    return sum(one in ALARMS for one in verdicts) / repetitions


# The two tests alone, on data that satisfies their null hypothesis.


def skewed_scores(rng: Rng, items: int) -> float:
    """Scores of four exchangeable answers, of which one in ten is 0; some are missing."""
    scores = np.where(rng.random((items, 4)) < 0.1, 0.0, rng.beta(8, 2, (items, 1)) * rng.uniform(0.9, 1, (items, 4)))
    scores[rng.random((items, 4)) < 0.1] = np.nan
    return advantage_test(scores[:, :, None] - scores[:, None, :], seed=int(rng.integers(1 << 30))).p_above(0.0)


def two_conditions(rng: Rng, items: int) -> float:
    """Scores of two exchangeable answers."""
    scores = rng.exponential(size=(items, 2))
    return advantage_test(scores[:, :, None] - scores[:, None, :], seed=int(rng.integers(1 << 30))).p_above(0.0)


def confusions(rng: Rng, items: int) -> float:
    """Confusions that favour some labels, under three random permutations of 8 colours."""
    wrong = rng.exponential(size=(items, 8, 8)).sum(axis=0) * rng.exponential(size=8)[:, None] ** 2
    np.fill_diagonal(wrong, 0.0)
    assignments = []
    for _ in range(3):
        order = np.arange(8)
        while (order == np.arange(8)).all():
            order = rng.permutation(8)
        # Painted as label a, true label b: in the published colour of b if the column's colour is b's.
        assignments.append(Assignment(wrong[:, order], 0, tuple(int(place) for place in np.argsort(order))))
    return permutation_test(assignments, seed=int(rng.integers(1 << 30))).p_above(0.0)


NULLS: dict[str, Callable[[Rng, int], float]] = {
    "accuracy, 1 + 3 runs, faults and missing answers": skewed_scores,
    "accuracy, 1 + 1 runs, skewed": two_conditions,
    "colours, 3 permutations of 8 labels": confusions,
}
NULL_ITEMS = (5, 7, 20)


def null_rate(task: tuple[str, int, int]) -> float:
    """The share of data sets with p ≤ 0.05: name, items, repetitions."""
    name, items, repetitions = task
    return (
        sum(NULLS[name](generator(i, f"null/{name}", items), items) <= 0.05 for i in range(repetitions)) / repetitions
    )
