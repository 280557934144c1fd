"""Drawings: verdicts of the checkers, references and floors of pixelart, and what answers that cheat get."""

from __future__ import annotations

import functools
import math
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._floors import arrange_words
from pixelproof.benches.pixelart.subjects import KINDS, Composed, Drawing, Subject
from pixelproof.benches.pixelart.subjects._canvas import Hand
from pixelproof.benches.pixelart.subjects._drawing import compact
from pixelproof.benches.pixelart.subjects._look import Look
from pixelproof.benches.pixelart.subjects.composed import WORDS, Artist, draw_plan
from pixelproof.benches.pixelart.subjects.composed._scene import Scene
from pixelproof.contract import Answer, PixelProofError, Source
from pixelproof.stats import generator
from trust_tables import table

sys.path.append(str(Path(__file__).parents[1]))  # training/ is not installed
from training.drawing.compose import covered, reduced, resized, trimmed  # noqa: E402
from training.drawing.foreign import UNSEEN, Figure, read_figures  # noqa: E402
from training.drawing.hand import hand_drawings  # noqa: E402

TITLE = "Drawings"
_SEED = 4242
_SIZE, _COLOURS = 24, 10
_GROUND_SEEDS = 8
_METRICS = ("exact.solved", "exact.conditions", "composed.solved", "composed.conditions")
_GROUNDS = {"white": "ffffff", "black": "000000", "blue": "2f6fd6", "sky blue": "87ceeb", "green": "2fae49"}
_PAIRS = ("000000 ffffff", "dc1e1e 4678dc", "fad228 1e1e1e", "ffffff 808080", "783c14 ffffff", "28963c fad228")
_BLOBS = {
    f"random blob of {sides}, {'its own mirror image' if symmetric else 'not symmetric'}": (*bounds, symmetric)
    for sides, bounds in {"5 to 8 cells": (5, 8), "9 to 11 cells": (9, 11), "12 to 20 cells": (12, 20)}.items()
    for symmetric in (True, False)
}
"""Name → smallest and largest side, and whether it is symmetric."""
_GLYPHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz"
_CHEAPEST = ("floor-noise", "floor-blank", "floor-checkerboard", "floor-rows", "floor-shape")


def _index(pixels: np.ndarray, mask: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Colours and cells of what a mask covers, cropped; 0 outside of it."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    palette, indices = np.unique(pixels[box][mask[box]], axis=0, return_inverse=True)
    cells = np.zeros(mask[box].shape, dtype=np.int64)
    cells[mask[box]] = indices.ravel() + 1
    return ["000000", *(bytes(colour).hex() for colour in palette)], cells


def typed(id: str, hand: Any, side: int) -> tuple[list[str], np.ndarray]:
    """Drawings typed by hand, of 14 to 16 cells; cells are left out where they are too large."""
    pixels = hand_drawings()[id]
    palette, cells = _index(pixels, (pixels != pixels[0, 0]).any(axis=-1))
    scale = min(1.0, side / max(cells.shape))
    counts = ((n, max(1, round(n * scale))) for n in cells.shape)
    rows, columns = ((np.arange(kept) + 0.5) * n // kept for n, kept in counts)
    return palette, cells[rows.astype(int)][:, columns.astype(int)]


@functools.cache
def _pictures() -> dict[tuple[str, str], Figure]:
    figures: dict[tuple[str, str], Figure] = {}
    for figure in read_figures(UNSEEN):
        figures.setdefault((figure.source, figure.subject), figure)
    return figures


def _picture(source: str, id: str, hand: Any, side: int) -> tuple[list[str], np.ndarray]:
    """The first picture of a thing in a source; a grey square if it has none."""
    figure = _pictures().get((source, id))
    if figure is None:
        return ["000000", "808080"], np.ones((side, side), dtype=np.int64)
    rgba = trimmed(figure.rgba)
    height, width = (max(1, round(n * side / max(rgba.shape[:2]))) for n in rgba.shape[:2])
    rgba = resized(rgba, height, width, sharp=False)
    mask = covered(rgba, figure)
    return _index(rgba[..., :3] if figure.ink else reduced(rgba[..., :3], mask, 9), mask)


def emoji(id: str, hand: Any, side: int) -> tuple[list[str], np.ndarray]:
    """Noto Color Emoji."""
    return _picture("noto-color-emoji", id, hand, side)


def icons(id: str, hand: Any, side: int) -> tuple[list[str], np.ndarray]:
    """Outlines of Symbola."""
    return _picture("symbola", id, hand, side)


ARTISTS: dict[str, Artist] = {"our drawers": draw_plan, "typed by hand": typed, "emoji": emoji, "glyphs": icons}


def subjects(seed: int = _SEED) -> list[Subject]:
    """Composed subjects of a seed on which nothing was fitted."""
    items = PixelArt().items(Source("fresh"), seed, None)
    return [Subject(KINDS[i.truth["kind"]], i.truth["params"]) for i in items if i.tags["checked"] == "in parts"]


def _score(subject: Subject, drawing: Drawing) -> tuple[float, float, float]:
    """All conditions met, share of the conditions, share of the things."""
    kind, p = subject.kind, subject.params
    assert isinstance(kind, Composed)
    rgb = np.array([tuple(bytes.fromhex(colour)) for colour in drawing.palette], dtype=np.uint8)
    verdict, scene = kind.examine(np.array(drawing.grid), rgb, p)
    asked = kind.counts(p)
    shown = sum(min(number, len(scene.called(id))) for id, number in asked.items())
    return float(verdict.solved), verdict.share, shown / sum(asked.values())


def by_artist(name: str) -> list[list[tuple[float, float, float]]]:
    """Scores of who draws in some way: in the arrangement that is asked for, and in a fixed one."""
    right, fixed = [], []
    for index, subject in enumerate(subjects()):
        kind, artist = subject.kind, ARTISTS[name]
        assert isinstance(kind, Composed)
        rng = generator(_SEED, f"trust/{name}", index)
        right.append(_score(subject, kind.compose(subject.params, rng, _SIZE, _COLOURS, artist=artist)))
        words = tuple(sorted(kind.counts(subject.params)))
        fixed.append(_score(subject, arrange_words(kind, words, _SIZE, _COLOURS, artist)))
    return [right, fixed]


def by_ground(case: tuple[str, int]) -> list[list[float]]:
    """Per subject of a seed, the share of the conditions that a typed drawing meets on a ground and on white."""
    name, seed = case
    pairs = []
    for index, subject in enumerate(subjects(seed)):
        kind, p = subject.kind, dict(subject.params)
        if p.get("colour") in ("white", "black", "blue", "green"):
            p["colour"] = "red"
        assert isinstance(kind, Composed)
        values = []
        for ground in (name, "white"):
            asked = Subject(kind, {**p, "ground": ground.removeprefix("sky ")})
            rng = generator(seed, "trust/ground", index)
            drawing = kind.compose(asked.params, rng, _SIZE, _COLOURS, artist=typed, shade=_GROUNDS[ground])
            values.append(_score(asked, drawing)[1])
        pairs.append(values)
    return pairs


def _letters(subject: Subject, index: int) -> Drawing:
    """The word, written."""
    page = Image.new("1", (_SIZE, _SIZE))
    word = WORDS[subject.params["a"]][0].singular
    for row, part in enumerate((word[:5], word[5:10])):
        ImageDraw.Draw(page).text((12, 7 + 10 * row), part, 1, ImageFont.load_default(9), "mm")
    return compact(("ffffff", "000000"), np.asarray(page).astype(np.int64))


def _four(subject: Subject, index: int) -> Drawing:
    """Four different things, whatever is asked for."""
    return _quilt(11, tuple(sorted(WORDS))[index % 4 :: 13][:4])


def _everything(subject: Subject, index: int) -> Drawing:
    """As many things as fit at six cells each."""
    return _quilt(6, tuple(sorted(WORDS)))


@functools.cache
def _quilt(side: int, ids: tuple[str, ...]) -> Drawing:
    page, palette = np.zeros((_SIZE, _SIZE), dtype=np.int64), ["ffffff"]
    places = [
        (top, left) for top in range(0, _SIZE - side + 1, side + 2) for left in range(0, _SIZE - side + 1, side + 2)
    ]
    for id, (top, left) in zip(ids, places, strict=False):
        colours, cells = typed(id, None, side)
        box = page[top : top + cells.shape[0], left : left + cells.shape[1]]
        box[cells > 0] = (cells + len(palette) - 1)[cells > 0]
        palette += colours[1:]
    return compact(palette, page)


def first_alone(subject: Subject, index: int) -> Drawing:
    """The first thing that is named, large and on white."""
    palette, cells = draw_plan(subject.params["a"], Hand(generator(_SEED, "trust/first", index)), _SIZE - 3)
    page = np.zeros((_SIZE, _SIZE), dtype=np.int64)
    page[1 : 1 + cells.shape[0], 1 : 1 + cells.shape[1]] = cells
    return compact(["ffffff", *palette[1:]], page)


_ATTACKS: dict[str, Callable[[Subject, int], Drawing]] = {
    "the word in letters": _letters,
    "four things, whatever is asked for": _four,
    "as many things as fit": _everything,
    "only the first thing that is named": first_alone,
}


def by_attack(name: str) -> list[tuple[float, float, float]]:
    """Scores of an answer that cheats."""
    return [_score(subject, _ATTACKS[name](subject, index)) for index, subject in enumerate(subjects())]


def is_named(mask: np.ndarray, pair: str) -> bool:
    """Whether something in a mask is recognised as any thing, in a colour on another."""
    colours = np.array([tuple(bytes.fromhex(colour)) for colour in reversed(pair.split())], dtype=np.uint8)
    return any(figure.name for figure in Scene(Look(np.pad(mask, 1).astype(np.int64), colours), 0).figures)


def by_blob(job: tuple[str, int]) -> list[bool]:
    """Which of some random blobs of one colour get a name."""
    name, number = job
    rng = generator(_SEED, f"trust/{name}")
    least, most, symmetric = _BLOBS[name]
    named: list[bool] = []
    while len(named) < number:
        side = int(rng.integers(least, most + 1))
        cells = rng.random((side, (side + 1) // 2 if symmetric else side)) < rng.choice([0.5, 0.65, 0.8])
        mask = np.concatenate([cells, cells[:, ::-1][:, side % 2 :]], axis=1) if symmetric else cells
        if mask.any(axis=0).all() and mask.any(axis=1).all():
            named.append(is_named(mask, _PAIRS[len(named) % len(_PAIRS)]))
    return named


def by_glyph(sizes: tuple[int, ...]) -> list[bool]:
    """Which letters and digits get a name."""
    named = []
    for size in sizes:
        for number, glyph in enumerate(_GLYPHS):
            page = Image.new("1", (2 * size, 2 * size))
            ImageDraw.Draw(page).text((size, size), glyph, 1, ImageFont.load_default(size), "mm")
            named += [is_named(np.asarray(page), _PAIRS[(number + turn) % len(_PAIRS)]) for turn in (0, 3)]
    return named


def _blob_table(scale: float, pool: Any, failed: list[str]) -> str:
    """The share of shapes without meaning that get a name."""
    jobs = [(name, max(60, round(600 * scale))) for name in _BLOBS]
    named = dict(zip(_BLOBS, pool.map(by_blob, jobs, chunksize=1), strict=True))
    glyphs = {"letter or digit, 7 to 9 cells high": (10, 13), "letter or digit, 11 to 20 cells high": (16, 24, 30)}
    named |= dict(zip(glyphs, pool.map(by_glyph, glyphs.values(), chunksize=1), strict=True))
    for name, hits in named.items():
        if np.mean(hits) > 0.1:
            failed.append(f"A {name} gets a name in {np.mean(hits):.3f} of cases")
    rows = [[name, str(len(hits)), str(sum(hits)), f"{np.mean(hits):.3f}"] for name, hits in named.items()]
    head = "Shapes without meaning in one colour, by how many of them the recogniser gives any of its names:"
    return head + "\n\n" + table(["shape", "number", "named", "share"], rows)


def by_control(name: str) -> dict[str, list[float]]:
    """Values of a control's answers to the frozen set."""
    bench = PixelArt()
    control: Any = bench.controls()[name]
    values: dict[str, list[float]] = defaultdict(list)
    for index, item in enumerate(bench.items(Source("pixelart-v2"), 0, None)):
        answer: Answer = control(item, generator(_SEED, name, index))
        metrics = bench.score(item, answer, {}).metrics
        for metric in _METRICS:
            if metric in metrics:
                values[metric].append(metrics[metric])
    return values


def _verdicts() -> tuple[int, int, int]:
    """Drawings by hand that are right, those that are wrong, and verdicts that differ."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from pixelart_fixtures import read_fixtures

    drawings = read_fixtures()
    wrong = [Subject(KINDS[one.kind], one.params).check(one.grid, one.palette).solved != one.right for one in drawings]
    right = sum(one.right for one in drawings)
    return right, len(drawings) - right, sum(wrong)


def _means(rows: Any) -> list[str]:
    return [f"{value:.2f}" for value in np.mean(rows, axis=0)]


def section(scale: float, pool: Any) -> tuple[str, list[str]]:
    """The text, and the claims that fail."""
    failed: list[str] = []
    right, wrong, mistaken = _verdicts()
    if mistaken:
        failed.append(f"{mistaken} of {right + wrong} drawings by hand get another verdict than their text gives them")
    names = [*_CHEAPEST, "floor-prior", "floor-same-kind", "floor-words-only", "ceiling-truth"]
    controls = dict(zip(names, pool.map(by_control, names, chunksize=1), strict=True))
    parts = [
        f"Checkers: {right} right and {wrong} wrong drawings by hand, {mistaken} verdicts that differ from the text's.",
        _control_table(controls, failed),
        *_composed_tables(pool, failed),
        _blob_table(scale, pool, failed),
    ]
    return "\n\n".join(parts), failed


def _control_table(controls: dict[str, dict[str, list[float]]], failed: list[str]) -> str:
    means = {name: {metric: float(np.mean(values[metric])) for metric in _METRICS} for name, values in controls.items()}
    cheapest = {metric: max(means[name][metric] for name in _CHEAPEST) for metric in _METRICS}
    rows = [["best of noise, blank, checkerboard, rows, plain form", *(f"{cheapest[m]:.2f}" for m in _METRICS)]]
    rows += [[f"`{n}`", *(f"{means[n][m]:.2f}" for m in _METRICS)] for n in means if n not in _CHEAPEST]
    for metric in _METRICS:
        if means["ceiling-truth"][metric] < 0.98:
            failed.append(f"References of pixelart-v2 have {metric} {means['ceiling-truth'][metric]:.3f}, below 0.98")
        if metric.endswith("solved") and cheapest[metric] > 0.0:
            failed.append(f"An answer that ignores the prompt has {metric} {cheapest[metric]:.3f}")
    count = len(controls["ceiling-truth"]["exact.solved"]), len(controls["ceiling-truth"]["composed.solved"])
    head = f"Controls on `pixelart-v2` ({count[0]} subjects that are checked exactly, {count[1]} composed):"
    return head + "\n\n" + table(["control", *(f"`{metric}`" for metric in _METRICS)], rows)


def _ground_table(pool: Any, failed: list[str]) -> str:
    """What grounds other than white cost, with the interval of the mean over subjects."""
    seeds = range(_SEED, _SEED + _GROUND_SEEDS)
    rows, number = [], 0
    for name in _GROUNDS:
        if name == "white":
            continue
        parts = pool.map(by_ground, [(name, seed) for seed in seeds], chunksize=1)
        pairs = 100 * np.concatenate([np.array(part) for part in parts])
        number, cost = len(pairs), pairs[:, 1] - pairs[:, 0]
        error = 1.96 * cost.std(ddof=1) / math.sqrt(number)
        if cost.mean() > 5:
            failed.append(f"The ground {name} costs {cost.mean():.1f} points")
        there, white = pairs.mean(axis=0) / 100
        interval = f"{cost.mean():.1f} ({cost.mean() - error:.1f} to {cost.mean() + error:.1f})"
        rows.append([name, f"{there:.3f}", f"{white:.3f}", interval])
    return (
        "Drawings typed by hand, arranged as asked, on other grounds: "
        f"`composed.conditions` of {number} subjects of {_GROUND_SEEDS} seeds, each on both:\n\n"
        + table(["ground", "there", "on white", "cost in points (95 % interval)"], rows)
    )


def _composed_tables(pool: Any, failed: list[str]) -> list[str]:
    try:
        read_figures(UNSEEN)
        names = list(ARTISTS)
    except PixelProofError:
        names = [name for name in ARTISTS if name not in ("emoji", "glyphs")]
    drawn = dict(zip(names, pool.map(by_artist, names, chunksize=1), strict=True))
    attacks = dict(zip(_ATTACKS, pool.map(by_attack, _ATTACKS, chunksize=1), strict=True))
    rows = [[f"{name}, arranged as asked", *_means(scores[0])] for name, scores in drawn.items()]
    rows += [[f"{name}, words only", *_means(scores[1])] for name, scores in drawn.items()]
    rows += [[name, *_means(scores)] for name, scores in attacks.items()]
    floor = np.array(drawn["our drawers"][1])
    others = {**{f"{name}, words only": scores[1] for name, scores in drawn.items()}, **attacks}
    for name, scores in others.items():
        for place, metric in enumerate(("composed.solved", "composed.conditions")):
            gain = np.array(scores)[:, place] - floor[:, place]
            if gain.mean() > 2 * gain.std() / math.sqrt(len(gain)) + 1e-9:
                failed.append(f"{name} beats the floor of words in {metric} by {gain.mean():.3f}")
    head = f"Answers to {len(floor)} composed subjects of a seed ({_SEED}) on which nothing was fitted:"
    metrics = ["`composed.solved`", "`composed.conditions`", "`composed.things`"]
    skipped = "" if "emoji" in drawn else "\n\nEmoji and glyphs were skipped: their assets are not installed."
    return [
        f"{head}\n\n{table(['answer', *metrics], rows)}{skipped}",
        _ground_table(pool, failed),
    ]
