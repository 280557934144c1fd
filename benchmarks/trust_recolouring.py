"""The contamination test on exact models that change colours: docs/methods/contamination.md.

A model paints the exact truth. What it was asked to paint goes through a channel that knows no labels. Whatever the
channel does, the model must not be called one that memorised. Four channels were used while the test was made; the
other four were run once, when it was done.
"""

from __future__ import annotations

import multiprocessing.pool
import time
from collections.abc import Callable
from functools import cache

import numpy as np
from PIL import Image
from scipy.stats import binomtest

from pixelproof.benches.arena.contamination import ItemEvidence, judge_contamination
from pixelproof.benches.arena.palettes import FACES, fresh, mosaic, permuted
from pixelproof.pixels import Palette
from pixelproof.stats import clopper_pearson, generator, holm
from trust_tables import table

Rng = np.random.Generator
Colours = np.ndarray
"""Shape (labels, 3)."""
TITLE = "Models that change colours"
SIDE, ITEMS, RUNS, SETS = 16, 8, 2, 400
LEVEL = 0.05
"""Share of false accusations that is claimed."""
UPPER = 0.06
"""Largest upper end of the interval of the pooled share."""
CITYSCAPES = Palette(
    tuple(f"class {i}" for i in range(19)),
    tuple(
        (code >> 16, code >> 8 & 255, code & 255)
        for code in (
            *(0x804080, 0xF423E8, 0x464646, 0x66669C, 0xBE9999, 0x999999, 0xFAAA1E, 0xDCDC00, 0x6B8E23, 0x98FB98),
            *(0x4682B4, 0xDC143C, 0xFF0000, 0x00008E, 0x000046, 0x003C64, 0x005064, 0x0000E6, 0x770B20),
        )
    ),
)
PALETTES = {
    "CelebA": FACES,
    "Cityscapes": CITYSCAPES,
    "fresh, 19": fresh(FACES, 1001),
    "fresh, 12": fresh(Palette(FACES.labels[:12], FACES.colours[:12]), 1002),
}
"""Published palettes."""


def _rounded(*codes: int) -> Callable[[Colours, Rng], Colours]:
    """Each colour becomes the nearest of these."""
    names = np.array([(code >> 16, code >> 8 & 255, code & 255) for code in codes], np.float64)
    return lambda colours, rng: names[np.linalg.norm(colours[:, None] - names, axis=2).argmin(axis=1)]


def _quantised(colours: Colours, rng: Rng) -> Colours:
    """The colours are reduced to half as many by median cut."""
    picture = Image.fromarray(colours.astype(np.uint8)[None]).quantize(len(colours) // 2, Image.Quantize.MEDIANCUT)
    return np.asarray(picture.convert("RGB"), np.float64)[0]


def _turned(colours: Colours, rng: Rng) -> Colours:
    """The hue is turned by 40 degrees about the axis of greys."""
    axis, angle = np.ones(3) / 3**0.5, np.radians(40)
    across = np.cross(np.eye(3), axis)
    turn = np.cos(angle) * np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * np.outer(axis, axis)
    return colours @ turn


def _confused(colours: Colours, rng: Rng) -> Colours:
    """Some colours become another one of the palette, near ones more often."""
    distance = np.linalg.norm(colours[:, None] - colours, axis=2)
    np.fill_diagonal(distance, np.inf)
    nearest = distance.argmin(axis=1)
    moved = rng.random(len(colours)) < np.exp(-distance.min(axis=1) / 80)
    return np.where(moved[:, None], colours[nearest], colours)


DEVELOPMENT: dict[str, Callable[[Colours, Rng], Colours]] = {
    "16 CSS names": _rounded(
        *(0x000000, 0xC0C0C0, 0x808080, 0xFFFFFF, 0x800000, 0xFF0000, 0x800080, 0xFF00FF),
        *(0x008000, 0x00FF00, 0x808000, 0xFFFF00, 0x000080, 0x0000FF, 0x008080, 0x00FFFF),
    ),
    "posterised to 3 levels": lambda colours, rng: np.rint(colours / 127.5) * 127.5,
    "hue turned by 40°": _turned,
    "noise of 25 levels": lambda colours, rng: colours + rng.normal(0, 25, colours.shape),
}
HELD_OUT: dict[str, Callable[[Colours, Rng], Colours]] = {
    "11 colour words": _rounded(
        *(0x000000, 0xFFFFFF, 0xFF0000, 0x00A000, 0xFFE000, 0x0000FF, 0x8B4513, 0x800080, 0xFFC0CB, 0xFF8C00, 0x808080)
    ),
    "quantised to half the colours": _quantised,
    "gamma per answer, 0.4 to 2.5": lambda colours, rng: 255 * (colours / 255) ** np.exp(rng.uniform(-0.92, 0.92)),
    "near colours confused": _confused,
}
CHANNELS = DEVELOPMENT | HELD_OUT
SHARES = (0.25, 0.5, 1.0)
"""Shares of memorised items."""


@cache
def _truth(labels: int, index: int) -> np.ndarray:
    return mosaic(labels, 6, index, SIDE)


def verdict(name: str, channel: str, repetition: int, share: float = 0.0, colours: bool = True) -> str:
    """The verdict on a model.

    Args:
        name: The published palette.
        channel: What changes the colours; an empty name: nothing.
        repetition: Chooses palettes, items and noise.
        share: Share of items that the model memorised.
        colours: Whether memorised items are painted in the published colours, whatever is asked. Otherwise half of the
            labels are wrong, except where the published colours of a memorised item are asked for.
    """
    published, rng = PALETTES[name], generator(repetition, f"recolouring/{name}/{channel}", int(100 * share))
    seeds = range(RUNS * repetition, RUNS * (repetition + 1))
    variants = {"permuted": [permuted(published, i) for i in seeds], "fresh": [fresh(published, i) for i in seeds]}
    change = CHANNELS.get(channel, lambda colours, rng: colours)
    found = []
    for i in range(ITEMS):
        known, truth = i < share * ITEMS, _truth(len(published), (repetition * ITEMS + i) % 1000)

        def answer(asked: Palette, known: bool = known, truth: np.ndarray = truth) -> tuple[Palette, np.ndarray]:
            wanted = (published if known and colours else asked).array.astype(np.float64)
            if share and not colours and not (known and asked is published):
                wanted = wanted[
                    np.where(rng.random(len(wanted)) < 0.5, rng.permutation(len(wanted)), range(len(wanted)))
                ]
            return asked, np.clip(np.rint(change(wanted, rng)), 0, 255).astype(np.uint8)[truth]

        others = {kind: [answer(asked) for asked in group] for kind, group in variants.items()}
        found.append(ItemEvidence.of(str(i), truth, answer(published), others))
    return judge_contamination(found).verdict


def counts(task: tuple[str, str, float, bool, int]) -> tuple[int, int, float]:
    """How many of the first sets are called memorised, how many different, and the CPU seconds."""
    *cell, sets = task
    name, channel, share, colours = cell
    started = time.process_time()
    verdicts = [verdict(name, channel, i, share, colours) for i in range(sets)]
    return verdicts.count("memorised"), verdicts.count("differs"), time.process_time() - started


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The section, and the claims that fail."""
    sets, some = max(5, int(SETS * scale)), max(5, int(SETS / 8 * scale))
    blind = [(name, channel, 0.0, True, sets) for channel in CHANNELS for name in PALETTES]
    models = [("paints published colours", "", True), ("the same, 16 CSS names", "16 CSS names", True)]
    models.append(("right in published colours alone", "", False))
    guilty = [
        (name, channel, share, colours, some) for _, channel, colours in models for share in SHARES for name in PALETTES
    ]
    outcome = dict(zip([*blind, *guilty], pool.map(counts, [*blind, *guilty], 1), strict=True))
    rows, failed, total = [], [], 0
    p = holm([binomtest(outcome[cell][0], sets, LEVEL, alternative="greater").pvalue for cell in blind])
    for channel in CHANNELS:
        cells = [outcome[cell] for cell in blind if cell[1] == channel]
        accused = sum(memorised for memorised, _, _ in cells)
        total += accused
        interval = clopper_pearson(accused, sets * len(cells))
        rows.append(
            [
                channel + (", held out" if channel in HELD_OUT else ""),
                *(f"{memorised / sets:.3f}" for memorised, _, _ in cells),
                f"{interval.value:.3f} [{interval.lo:.3f}, {interval.hi:.3f}]",
                f"{sum(differs for _, differs, _ in cells) / (sets * len(cells)):.3f}",
            ]
        )
    pooled = clopper_pearson(total, sets * len(blind))
    if pooled.hi > UPPER:
        failed.append(f"contamination: recoloured models are called memorised in up to {pooled.hi:.3f} of cases")
    failed += [
        f"contamination: {channel}, {name}: called memorised too often (p = {value:.2g})"
        for (name, channel, *_), value in zip(blind, p, strict=True)
        if value <= 0.05
    ]
    seconds = sum(spent for *_, spent in outcome.values())
    text = [
        "**False accusations.** Share of models that paint the exact truth and are called memorised, by published "
        f"palette: {sets} sets per cell, {ITEMS} items each, {RUNS} permuted and {RUNS} fresh palettes. In the last "
        "column: the share that is said to differ.",
        table(["channel", *PALETTES, "all [95 %]", "differs"], rows),
        f"Pooled over {sets * len(blind)} sets: {pooled.value:.4f} [{pooled.lo:.4f}, {pooled.hi:.4f}]. Least p of a "
        f"cell against {LEVEL:.0%}, one-sided, after Holm's correction: {min(p):.2f}. CPU time of both tables: "
        f"{seconds:.0f} s.",
        "**Power.** Share that is called memorised (and that is said to differ), by share of memorised items: "
        f"{some * len(PALETTES)} sets per cell, all palettes.",
        table(
            ["model", *(f"{share:.0%}" for share in SHARES)],
            [
                [
                    title,
                    *(
                        _found([outcome[cell] for cell in guilty if cell[1:4] == (channel, share, colours)], some)
                        for share in SHARES
                    ),
                ]
                for title, channel, colours in models
            ],
        ),
    ]
    return "\n\n".join(text), failed


def _found(cells: list[tuple[int, int, float]], sets: int) -> str:
    memorised, differs, _ = (sum(column) / (sets * len(cells)) for column in zip(*cells, strict=True))
    return f"{memorised:.3f} ({differs:.3f})"
