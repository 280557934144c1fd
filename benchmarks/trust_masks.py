"""Calibrated scores of perfect masks by size, palette, shape and channel: docs/methods/channels.md.

Every cell is a run: some perfect masks go through one channel, are scored as answers, and are calibrated against the
floors and against the ceiling of the channel that is detected. The calibrated score of a perfect mask should be 1.
"""

from __future__ import annotations

import io
import json
import math
import multiprocessing.pool
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree

from pixelproof.benches.arena import Arena
from pixelproof.benches.arena.palettes import FACES
from pixelproof.contract import Answer, Artefact, Item, Source
from pixelproof.harness._channels import frequent_channels
from pixelproof.pixels import Palette, blur, encode_labels, encode_png, read_image
from pixelproof.stats import Undefined, calibrated_interval, generator
from trust_channels import shapes
from trust_recolouring import CITYSCAPES
from trust_tables import table

Rng = np.random.Generator
Pixels = np.ndarray
TITLE = "Calibrated perfect masks"
SIDES = {256: 2, 512: 4, 1024: 12}
"""Side → divisor of the number of channels that each palette and shape goes through; all of them in turns."""
MASKS = 3
"""Items of a run."""
METRICS = {"robust.f1": (0.95, 1.05), "pixelarena.f1": (0.9, 1.1)}
"""Metric → limits of the calibrated score of a perfect mask."""
UNDEFINED = 0.1
"""Largest share of runs without a calibrated score."""
OUTSIDE = 0.01
"""Largest share of runs with a score outside of the limits."""


def _random_palette(labels: int) -> Palette:
    """Random colours at least 19 levels apart, as the 134 of COCO are."""
    rng, chosen = generator(labels, "masks/palette", 0), []
    while len(chosen) < labels:
        colour = rng.integers(0, 256, 3)
        if all(np.linalg.norm(colour - other) >= 19 for other in chosen):
            chosen.append(colour)
    return Palette(tuple(f"label {i}" for i in range(labels)), tuple(tuple(c.tolist()) for c in chosen))


PALETTES = {
    "CelebA, 19": FACES,
    "Cityscapes, 19": CITYSCAPES,
    "random, 134": _random_palette(134),
    "black and white": Palette(("ground", "object"), ((0, 0, 0), (255, 255, 255))),
}


def _smooth(rng: Rng, side: int, labels: int) -> np.ndarray:
    fields = [gaussian_filter(rng.standard_normal((side // 4, side // 4)), side / 64) for _ in range(labels)]
    large = [np.asarray(Image.fromarray(field).resize((side, side), Image.Resampling.BICUBIC)) for field in fields]
    return np.argmax(large, axis=0)


def _cells(rng: Rng, side: int, labels: int) -> np.ndarray:
    """Straight borders in all directions."""
    cells = cKDTree(rng.uniform(0, side, (40, 2)))
    nearest = cells.query(np.indices((side, side)).reshape(2, -1).T + 0.5)[1]
    return rng.integers(0, labels, 40)[nearest].reshape(side, side)


def _boxes(rng: Rng, side: int, labels: int) -> np.ndarray:
    """Rectangles alone, whose borders lie along rows and columns."""
    painted = np.zeros((side, side), np.int64)
    for _ in range(10):
        (top, left), (height, width) = rng.integers(0, side, 2), rng.integers(side // 12, side // 3, 2)
        painted[top : top + height, left : left + width] = rng.integers(0, labels)
    return painted


SHAPES: dict[str, Callable[[Rng, int, int], np.ndarray]] = {
    "smooth regions": _smooth,
    "discs and boxes": shapes,
    "straight cells": _cells,
    "boxes": _boxes,
}


Sender = Callable[[Pixels], Artefact]


def _jpeg(quality: int, subsampling: str, sigma: float = 0.0, as_png: bool = True) -> Sender:
    def send(rgb: Pixels) -> Artefact:
        buffer = io.BytesIO()
        Image.fromarray(blur(rgb, sigma)).save(buffer, "JPEG", quality=quality, subsampling=subsampling)
        return encode_png(read_image(buffer.getvalue())) if as_png else Artefact(buffer.getvalue(), "image/jpeg")

    return send


def _painted(change: Callable[[Pixels], Pixels]) -> Sender:
    return lambda rgb: encode_png(change(rgb))


def _jpegs(as_png: bool, *channels: tuple[int, str, float]) -> dict[str, Sender]:
    return {
        f"quality {quality}, {subsampling}, {'soft' if sigma else 'hard'}": _jpeg(quality, subsampling, sigma, as_png)
        for quality, subsampling, sigma in channels
    }


CHANNELS: dict[str, dict[str, Sender]] = {
    "lossless": {
        "hard edges" if not sigma else f"blur of {sigma} px": _painted(lambda rgb, sigma=sigma: blur(rgb, sigma))
        for sigma in (0.0, 0.4, 0.7, 1.2)
    },
    "JPEG": _jpegs(
        False,
        *((98, "4:4:4", 0.0), (92, "4:2:0", 0.0), (80, "4:2:0", 0.7), (70, "4:2:0", 0.0), (60, "4:2:2", 0.7)),
    ),
    "JPEG stored as PNG": _jpegs(
        True,
        *((98, "4:4:4", 0.0), (95, "4:2:0", 0.0), (95, "4:4:4", 0.7), (92, "4:2:0", 0.0), (90, "4:2:0", 0.7)),
        *((90, "4:2:2", 0.0), (85, "4:2:0", 0.0), (80, "4:2:0", 0.7), (75, "4:2:0", 0.0), (75, "4:4:4", 0.0)),
        *((70, "4:2:0", 0.7), (60, "4:2:0", 0.0)),
    ),
    "changed colours": {
        "posterised, 2 bits": _painted(lambda rgb: rgb & np.uint8(0xC0)),
        "posterised, 4 levels": _painted(lambda rgb: (np.rint(rgb / 85.0) * 85).astype(np.uint8)),
        "web-safe": _painted(lambda rgb: (np.rint(rgb / 51.0) * 51).astype(np.uint8)),
    },
}


class Cell(NamedTuple):
    """The perfect masks of a size, palette and shape, sent through one channel and scored as a run."""

    kind: str
    channel: str
    task: tuple[int, str, str]
    """Side, palette and shape."""
    detected: str
    scores: dict[str, float]
    """Metric → calibrated score; nan: undefined."""
    seconds: float
    """CPU time."""


def cells(task: tuple[int, str, str, int, int]) -> list[Cell]:
    """The cells of a size, palette and shape; of its channels, those whose number leaves a remainder."""
    side, name, shape, remainder, divisor = task
    palette, rng = PALETTES[name], generator(0, f"masks/{side}/{name}/{shape}", 0)
    channels = [(kind, channel, send) for kind, group in CHANNELS.items() for channel, send in group.items()]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "masks").mkdir()
        (Path(folder) / "palette.json").write_text(json.dumps(palette.to_json()))
        for index in range(MASKS):
            shown = rng.permutation(len(palette))[: min(8, len(palette))]
            labels = shown[SHAPES[shape](rng, side, len(shown))].astype(np.uint8)
            (Path(folder) / "masks" / f"{index}.png").write_bytes(encode_labels(labels, palette).data)
        bench = Arena(reference=f"{folder}/masks", palette=f"{folder}/palette.json", detail="lean")
        items, controls = list(bench.items(Source("folder"), 0, None)), bench.controls()
        floors = [_scored(bench, items, control)[0] for name, control in controls.items() if name.startswith("floor-")]
        done = []
        for kind, channel, send in channels[remainder::divisor]:
            started = time.process_time()
            detected, scores = _calibrated(bench, items, floors, send)
            done.append(Cell(kind, channel, (side, name, shape), detected, scores, time.process_time() - started))
        return done


Values = dict[str, np.ndarray]


def _scored(bench: Arena, items: list[Item], answer: Callable[[Item, Rng], Answer]) -> tuple[Values, list[str]]:
    """Metric → a value per item; and the channel of each answer."""
    results = [bench.score(item, answer(item, generator(0, "masks/control", i)), {}) for i, item in enumerate(items)]
    values = {metric: np.array([result.metrics.get(metric, np.nan) for result in results]) for metric in METRICS}
    return values, [result.channel for result in results]


def _calibrated(bench: Arena, items: list[Item], floors: list[Values], send: Sender) -> tuple[str, dict[str, float]]:
    """The channel that is detected, and the calibrated score of each metric; nan where it is undefined."""
    perfect = bench.controls()["ceiling-truth"]
    own, names = _scored(
        bench, items, lambda item, rng: Answer(images=(send(read_image(perfect(item, rng).images[0])),))
    )
    ceilings = {}
    for channel in frequent_channels(Counter(names)) or ["channel"]:
        control = bench.controls().get(f"ceiling-{channel}") or bench.ceiling(channel)
        ceilings[channel] = _scored(bench, items, control)[0]
    least_lossy = max(ceilings, key=lambda channel: ceilings[channel]["robust.f1"].mean())
    scores = {}
    for metric in METRICS:
        floor = max((values[metric] for values in floors if np.isfinite(values[metric]).all()), key=np.mean)
        score = calibrated_interval(own[metric], floor, ceilings[least_lossy][metric], (0, 1))
        scores[metric] = np.nan if isinstance(score, Undefined) else score.value
    return least_lossy, scores


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The text of the section, and the claims that failed."""
    tasks = []
    for side, divisor in SIDES.items():
        divisor = max(1, round(divisor / scale))
        groups = [(palette, shape) for palette in PALETTES for shape in SHAPES]
        tasks += [(side, *group, number % divisor, divisor) for number, group in enumerate(groups)]
    started = [cell for group in pool.map(cells, tasks, chunksize=1) for cell in group]
    rows, outside = [], []
    for kind, channels in CHANNELS.items():
        for channel in channels:
            of_channel = [cell for cell in started if (cell.kind, cell.channel) == (kind, channel)]
            rows.append([kind, channel, f"{len(of_channel)}", *(_summary(of_channel, metric) for metric in METRICS)])
    rows.append(["**all**", "", f"{len(started)}", *(_summary(started, metric) for metric in METRICS)])
    failed = []
    for metric, (low, high) in METRICS.items():
        undefined = np.mean([math.isnan(cell.scores[metric]) for cell in started])
        if undefined > UNDEFINED:
            failed.append(f"masks: {metric} is undefined in {undefined:.3f} of the runs")
        for cell in started:
            if cell.scores[metric] < low or cell.scores[metric] > high:
                side, palette, shape = cell.task
                place = f"{palette}, {shape}, {side} px, {cell.kind}, {cell.channel}"
                outside.append([place, metric, f"{cell.scores[metric]:.3f}", cell.detected])
    if len(outside) > OUTSIDE * len(started):
        failed.append(f"masks: {len(outside)} of {len(started)} runs have a score outside of the limits")
    seconds = sum(cell.seconds for cell in started)
    limits = " and ".join(f"{low} to {high} for `{metric}`" for metric, (low, high) in METRICS.items())
    text = (
        f"Runs of {MASKS} perfect masks: sides of {', '.join(map(str, SIDES))} pixels, palettes {'; '.join(PALETTES)} "
        f"labels, {', '.join(SHAPES)}, and each channel in the table; of the larger masks with a part of the channels. "
        f"Each cell: share of the runs with a calibrated score from {limits}; the least and the largest score; the "
        "share that is undefined, because the channel leaves the perfect mask not clearly above the floor. "
        f"CPU time: {seconds:.0f} s."
    )
    head = ["kind", "channel", "runs", *(f"`{metric}`" for metric in METRICS)]
    listed = "Runs outside of the limits:\n\n" + table(["run", "metric", "score", "detected channel"], outside)
    return f"{text}\n\n{table(head, rows)}" + (f"\n\n{listed}" if outside else ""), failed


def _summary(some: list[Cell], metric: str) -> str:
    scores = np.array([cell.scores[metric] for cell in some])
    known, (low, high) = scores[~np.isnan(scores)], METRICS[metric]
    if not len(known):
        return "undefined"
    inside = np.mean((known >= low) & (known <= high))
    undefined = f", undefined {1 - len(known) / len(scores):.2f}" if len(known) < len(scores) else ""
    return f"{inside:.3f} ({known.min():.2f} to {known.max():.2f}){undefined}"
