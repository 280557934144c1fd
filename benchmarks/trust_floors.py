"""Floors of arena: do answers without a look beat them on scenes of another seed? For docs/methods/floors.md."""

from __future__ import annotations

import functools
import math
import multiprocessing.pool
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from pixelproof.benches.arena import Arena
from pixelproof.benches.arena._controls import make_controls
from pixelproof.benches.arena.dense import encode_depth, encode_normals
from pixelproof.benches.arena.floors._memory import Scene, remembered
from pixelproof.benches.arena.sources import open_source
from pixelproof.benches.arena.tasks import Submission, discs
from pixelproof.contract import Item
from pixelproof.metrics import LINE, contour_map
from pixelproof.pixels import AnswerImage, read_image
from trust_tables import table

TITLE = "Floors of arena"
_SEED, _SIDE = 4242, 256
_COUNTS = {"semantic": 60, "referring": 120, "edges": 45, "keypoints": 90, "depth": 30, "normals": 30}
_METRICS = {
    "semantic": ("robust.f1", "pixelarena.f1", "robust.miou"),
    "referring": ("referring.giou", "referring.ciou"),
    "edges": ("edges.f1",),
    "keypoints": ("keypoints.f1",),
    "depth": ("depth.delta1", "depth.absrel"),
    "normals": ("normals.angle", "normals.within_11"),
}
_LOWER = ("depth.absrel", "normals.angle")
_Answer = Callable[[Any, tuple[int, int]], np.ndarray]
"""A case and the size to a label map, or to colours."""


def _scenes(case: Any, by_kind: bool) -> list[Scene]:
    kind = case.tags.get("scene", "")
    return [scene for scene in remembered(case.source).scenes if not by_kind or scene.kind == kind]


def _grown(cells: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    rows, columns = (np.arange(side) * n // side for side, n in zip(shape, cells.shape, strict=True))
    return cells[rows[:, None], columns]


def _constant(label: int) -> _Answer:
    return lambda case, shape: np.full(shape, min(label, len(case.palette) - 1))


def _disc(share: float, label: int = 1) -> _Answer:
    """A disc in the middle of the image, with a radius as a share of its height."""

    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        y, x = np.mgrid[: shape[0], : shape[1]]
        return label * (np.hypot(y - shape[0] / 2, x - shape[1] / 2) < share * shape[0])

    return answer


def _stripes(case: Any, shape: tuple[int, int]) -> np.ndarray:
    """Every label once, as vertical stripes."""
    return np.broadcast_to(np.arange(shape[1]) * len(case.palette) // shape[1], shape)


def _frequent(weight: float, by_kind: bool) -> _Answer:
    """The most frequent label of each cell, objects weighted."""

    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        votes = _votes(case.source, case.tags.get("scene", "") if by_kind else None)
        rates = np.stack([votes.get(label, np.zeros((64, 64))) for label in case.palette.labels])
        rates[1:] *= weight
        return _grown(rates.argmax(axis=0), shape)

    return answer


@functools.cache
def _votes(source: str, kind: str | None) -> dict[str, np.ndarray]:
    """How often each label is at each cell, among the scenes for which it is offered."""
    scenes = [scene for scene in remembered(source).scenes if kind in (None, scene.kind)]
    sums: dict[str, np.ndarray] = {}
    for scene in scenes:
        names = np.array([scene.offered[0], *(noun or scene.offered[0] for noun in scene.nouns)])
        labels = names[scene.ids]
        for label in scene.offered:
            sums[label] = sums.get(label, np.zeros((64, 64))) + (labels == label)
    offered = Counter(label for scene in scenes for label in scene.offered)
    return {label: total / offered[label] for label, total in sums.items()}


def _fixed(scene: Scene) -> list[int]:
    return [n for n, noun in enumerate(scene.nouns, 1) if not noun]


def _noun_masks(case: Any, shape: tuple[int, int]) -> np.ndarray:
    """Where most objects with the same last word are, thresholded at a tenth of the highest frequency."""
    word = case.expression.split()[-1]
    masks = [s.ids == n for s in _scenes(case, True) for text, n in s.mentions if text.split()[-1] == word]
    if not masks:
        return _disc(0.15)(case, shape)
    mean = np.mean(masks, axis=0)
    return _grown((mean > 0.5 * mean.max()).astype(int), shape)


def _sides(case: Any, shape: tuple[int, int]) -> np.ndarray:
    """A disc left, right, in front or behind, by the words of the expression."""
    words = set(case.expression.split())
    x = 0.3 if words & {"left", "leftmost"} else 0.7 if words & {"right", "rightmost"} else 0.5
    y = 0.7 if words & {"front", "closest", "nearest"} else 0.35 if words & {"behind", "farthest"} else 0.5
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    return (np.hypot(rows / shape[0] - y, columns / shape[1] - x) < 0.12).astype(int)


def _another(task: str) -> _Answer:
    """The truth of another scene of the same kind."""

    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        scenes = _scenes(case, True)
        scene = scenes[case.details["index"] * 7 % len(scenes)]
        if task == "referring":
            mentions = [s for s in scenes if s.mentions]
            scene = mentions[case.details["index"] * 7 % len(mentions)]
            return _grown((scene.ids == scene.mentions[0][1]).astype(int), shape)
        if task == "edges":
            objects = np.where(np.isin(scene.ids, _fixed(scene)), 0, scene.ids)
            return (contour_map(_grown(objects, shape)) == LINE).astype(int)
        chosen = dict(zip(range(1, len(case.palette)), scene.points, strict=False))
        return discs([(k, x * shape[1], y * shape[0]) for k, (_, x, y, _) in chosen.items()], shape)

    return answer


def _grid(step: float) -> _Answer:
    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        y, x = np.mgrid[: shape[0], : shape[1]]
        gap = max(2, round(step * math.hypot(*shape)))
        return ((y % gap == 0) | (x % gap == 0)).astype(int)

    return answer


def _dots(case: Any, shape: tuple[int, int]) -> np.ndarray:
    """A disc of every label, around the middle."""
    turns = np.linspace(0, 2 * np.pi, len(case.palette), endpoint=False)
    points = [
        (k, shape[1] * (0.5 + 0.15 * np.cos(t)), shape[0] * (0.5 + 0.15 * np.sin(t))) for k, t in enumerate(turns)
    ]
    return discs(points[1:], shape)


def _room_depth(camera_m: float, wall_m: float) -> _Answer:
    """Depth code of a floor below a level camera (60° of view) and a wall behind it."""

    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        slope = (np.arange(shape[0]) / shape[0] - 0.5) * 2 * math.tan(math.radians(30))
        depth = np.minimum(camera_m / np.maximum(slope, 1e-3), wall_m)
        return encode_depth(np.broadcast_to(depth[:, None], shape).astype(np.float32))

    return answer


def _room_normals(horizon: float) -> _Answer:
    """Normals of a wall above the horizon and of a floor below it (camera frame, OpenCV axes)."""

    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        normals = np.zeros((*shape, 3), np.float32)
        below = np.arange(shape[0]) > horizon * shape[0]
        normals[~below, :, 2] = -1
        normals[below, :, 1] = -1
        return encode_normals(normals)

    return answer


def _other_frame(task: str) -> _Answer:
    """The encoded truth of a scene of the same kind, of another seed."""

    def answer(case: Any, shape: tuple[int, int]) -> np.ndarray:
        frames = _frames(task)
        kind = case.tags.get("scene", "")
        same = [encoded for other, encoded in frames if other == kind] or [encoded for _, encoded in frames]
        return same[case.details["index"] % len(same)]

    return answer


@functools.cache
def _frames(task: str) -> list[tuple[str, np.ndarray]]:
    """Kind and encoded truth of 24 scenes of another seed."""
    source: Any = open_source("world", None, task, size=_SIDE)
    painting = Arena(task=task).painting
    cases = list(islice(source.cases(_SEED + 1), 24))
    return [(case.tags.get("scene", ""), painting.perfect(case, source.load(case, photo=False))) for case in cases]


_ATTACKS: dict[str, dict[str, _Answer]] = {
    "depth": {
        **{f"floor and wall at {w} m": _room_depth(1.4, w) for w in (2, 4)},
        "depth of another scene": _other_frame("depth"),
    },
    "normals": {
        **{f"wall and floor, horizon at {h:.0%}": _room_normals(h) for h in (0.0, 0.5, 1.0)},
        "normals of another scene": _other_frame("normals"),
    },
    "semantic": {
        "one label everywhere": _constant(1),
        "stripes of all labels": _stripes,
        "disc in the middle": _disc(0.25),
        **{f"most frequent label, objects × {w}": _frequent(w, False) for w in (1, 8)},
        **{f"the same by kind, objects × {w}": _frequent(w, True) for w in (4, 8)},
    },
    "referring": {
        "everything": _constant(1),
        **{f"disc in the middle, radius {r}": _disc(r) for r in (0.1, 0.2, 0.35)},
        "disc by words of direction": _sides,
        "frequent place of the noun": _noun_masks,
        "mask of another scene": _another("referring"),
    },
    "edges": {
        "everything": _constant(1),
        **{f"grid, {s:.0%} of the diagonal": _grid(s) for s in (0.015, 0.04, 0.1)},
        "contours of another scene": _another("edges"),
    },
    "keypoints": {"all discs around the middle": _dots, "points of another scene": _another("keypoints")},
}


def _values(job: tuple[str, str]) -> dict[str, dict[str, list[Any]]]:
    """Metric values of every floor and every answer without a look, by name."""
    task, source_name = job
    bench = Arena(task=task, detail="lean")
    source: Any = open_source(source_name, None, task, size=_SIDE)
    painting = bench.painting
    found: dict[str, dict[str, list[Any]]] = {}
    for place, case in enumerate(islice(source.cases(_SEED), _COUNTS[task])):
        frame = source.load(case, photo=False)
        if task == "keypoints":  # its size is that of the image
            frame = replace(frame, photo=np.zeros((_SIDE, _SIDE, 3), np.uint8))
        opened = (case, frame, source)
        item = Item(str(place), {})
        controls = {
            name: control
            for name, control in make_controls(painting, lambda item, opened=opened: opened).items()
            if name.startswith("floor-") and name != "floor-copy"
        }
        pictures = {name: control(item, np.random.default_rng(place)) for name, control in controls.items()}
        painted = {name: read_image(a.images[0]) for name, a in pictures.items() if a.images}
        for name, answer in _ATTACKS.get(task, {}).items():
            pixels = np.asarray(answer(case, frame.shape))
            painted[name] = pixels if pixels.ndim == 3 else case.palette.array[pixels.astype(int)]
        for name, rgb in painted.items():
            numbers = painting.measure(Submission(AnswerImage(rgb, rgb)), case, frame, source).numbers
            for metric in _METRICS[task]:
                found.setdefault(name, {}).setdefault(metric, []).append(numbers.get(metric))
    return found


def _total(metric: str, values: list[Any]) -> float:
    kept = [value for value in values if value is not None]
    pool = next(one for one in Arena.metrics if one.name == metric).pool
    return float(pool(np.sum(kept, axis=0))) if pool else float(np.mean(kept))


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The text, and the claims that fail."""
    jobs = [(task, "world") for task in _COUNTS] + [(task, "collage") for task in ("semantic", "referring")]
    rows, failed = [], []
    for (task, source), found in zip(jobs, pool.map(_values, jobs, chunksize=1), strict=True):
        for metric in _METRICS[task]:
            row, broken = _row(metric, found)
            rows.append([f"{task}, {source}", f"`{metric}`", *row])
            failed += [f"{metric} on {source}: {problem}" for problem in broken]
    text = (
        f"Scenes of a seed ({_SEED}) on which no floor was fitted, {_SIDE} × {_SIDE} pixels, "
        f"{', '.join(f'{n} {task}' for task, n in _COUNTS.items())} items per source. The claim fails if an "
        "answer beats the best floor by more than two standard errors (pooled metrics: by more than a tenth)."
    )
    head = ["task, source", "metric", "blank, guess or noise", "best floor", "best of the other answers without a look"]
    return f"{text}\n\n{table(head, rows)}", failed


def _row(metric: str, found: dict[str, dict[str, list[Any]]]) -> tuple[list[str], list[str]]:
    """Simple floor, best floor and best attack of a metric, and the claim if the attack wins."""
    sign = -1.0 if metric in _LOWER else 1.0
    totals = {name: _total(metric, values[metric]) for name, values in found.items()}
    floors = {name: value for name, value in totals.items() if name.startswith("floor-")}
    attacks = {name: value for name, value in totals.items() if name not in floors}
    best = max(floors, key=lambda name: sign * floors[name])
    simple = max((n for n in floors if "prior" not in n and "kind" not in n), key=lambda name: sign * floors[name])
    worst = max(attacks, key=lambda name: sign * attacks[name])
    # Two standard errors of the paired difference; a tenth of the value for pooled metrics.
    slack = 0.1 * floors[best]
    if next(one for one in Arena.metrics if one.name == metric).pool is None:
        pairs = np.array(found[worst][metric], float) - np.array(found[best][metric], float)
        slack = 2 * float(pairs.std()) / math.sqrt(len(pairs))
    wins = sign * (attacks[worst] - floors[best]) > slack
    return (
        [f"{floors[simple]:.3f}", f"{floors[best]:.3f} (`{best}`)", f"{attacks[worst]:.3f} ({worst})"],
        [f"{worst} has {attacks[worst]:.3f}, floor {floors[best]:.3f}"] if wins else [],
    )
