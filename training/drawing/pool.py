"""Drawings on the canvas, ready to be learnt from or tested on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle

import numpy as np
import numpy.typing as npt

from pixelproof.nets import SIDE, fit
from pixelproof.stats import generator
from pixelproof.store import Progress, digest, executor_for
from training.drawing import negatives
from training.drawing.compose import as_given, compose, recoloured, simplified
from training.drawing.foreign import Figure, is_validation
from training.drawing.grounds import with_bands
from training.drawing.hand import VIEWS, hand_drawings
from training.drawing.labels import NOTHING
from training.drawing.ours import PATTERNS, SUBJECTS, draw

Pixels = npt.NDArray[np.uint8]

CLASSES = (*SUBJECTS, NOTHING)
_BANDED = 0.25  # share of all pictures, those of nothing too, whose ground becomes a gradient


@dataclass(frozen=True)
class Task:
    """One drawing to make; its chances depend on nothing but itself and the seed."""

    way: str
    """`ours`, `tested` (from regions kept for the test), one of VIEWS, `given`, `composed`, `empty` or `scrambled`."""
    name: str
    index: int
    subject: str
    figure: Figure | None = None


@dataclass(frozen=True, eq=False)
class Pool:
    """Drawings on the canvas with the colour of their ground, their subject and where they are from."""

    cells: Pixels
    grounds: Pixels
    labels: npt.NDArray[np.int64]
    tasks: Sequence[Task]

    def __len__(self) -> int:
        return len(self.labels)

    def where(self, chosen: Callable[[Task], bool]) -> Pool:
        """The drawings whose task is chosen."""
        kept = np.array([chosen(task) for task in self.tasks], dtype=np.bool_)
        return Pool(
            self.cells[kept],
            self.grounds[kept],
            self.labels[kept],
            [task for task, keep in zip(self.tasks, kept, strict=True) if keep],
        )

    @property
    def digest(self) -> str:
        """Hash of all drawings and their labels."""
        return digest([self.cells, self.grounds, self.labels])


def picture(task: Task, seed: int) -> Pixels:
    """The drawing of a task."""
    rng = generator(seed, f"recogniser/{task.way}/{task.name}", task.index)
    if task.way in VIEWS:
        return VIEWS[task.way](hand_drawings()[task.name])
    if task.figure is not None and task.way == "given":
        return as_given(task.figure)
    drawing = _drawing(task, rng)
    return with_bands(drawing, rng) if task.way != "tested" and rng.random() < _BANDED else drawing


def _drawing(task: Task, rng: np.random.Generator) -> Pixels:
    if task.way == "empty":
        return next(pattern for pattern in negatives.PATTERNS if pattern.__name__ == task.name)(rng)
    drawing = compose(task.figure, rng) if task.figure else draw(task.name, rng, test=task.way == "tested")
    if task.way == "scrambled":
        return negatives.scrambled(drawing, rng)
    coloured = task.way == "ours" or (task.figure is not None and not task.figure.ink)
    style = rng.random() if coloured else 1.0
    return simplified(drawing, rng) if style < 0.25 else recoloured(drawing, rng) if style < 0.35 else drawing


def render(tasks: Sequence[Task], seed: int, progress: Progress, workers: int | None = None) -> Pool:
    """All drawings of some tasks."""
    cells = np.empty((len(tasks), SIDE, SIDE, 3), dtype=np.uint8)
    grounds = np.empty((len(tasks), 3), dtype=np.uint8)
    with executor_for(workers) as pool:
        for index, made in enumerate(pool.map(partial(_fitted, seed=seed), tasks, chunk=64)):
            cells[index], grounds[index] = made
            if index % 500 == 0:
                progress(index, len(tasks))
    progress(len(tasks), len(tasks))
    return Pool(cells, grounds, np.array([CLASSES.index(task.subject) for task in tasks]), tasks)


def training_tasks(figures: Sequence[Figure], share: float = 1.0) -> list[Task]:
    """What the network learns from; `share` makes it a smaller set of the same kind."""

    def of(count: int) -> range:
        return range(max(1, round(count * share)))

    learnt = [figure for figure in figures if not is_validation(figure)]
    tasks = [Task("ours", name, index, name) for name in SUBJECTS for index in of(1200)]
    for source, subject, members in _by_subject(learnt):
        if subject == NOTHING:
            wanted = 18_000 if source == "quick-draw" else 3 * len(members)
            members = [members[int(i)] for i in generator(0, source).permutation(len(members))]
        else:
            wanted = {"quick-draw": 765, "unifont": 180}.get(source, 36 * min(len(members), 10))
        tasks += [_composed(figure, index) for index, figure in zip(of(wanted), cycle(members), strict=False)]
    for pattern in negatives.PATTERNS:
        wanted = {"plain_forms": 9000, "letters": 6000}.get(pattern.__name__, 1500)
        tasks += [Task("empty", pattern.__name__, index, NOTHING) for index in of(wanted)]
    tasks += [Task("ours", name, index, NOTHING) for name in PATTERNS for index in of(240)]
    tasks += [Task("scrambled", name, index, NOTHING) for name in SUBJECTS for index in of(135)]
    return sorted(tasks, key=lambda task: (task.way, task.name, task.index))


def validation_tasks(figures: Sequence[Figure]) -> list[Task]:
    """What the calibration and the threshold are chosen on: no drawing of it is in the training set."""
    fresh = range(1_000_000, 1_000_030)
    tasks = [Task("ours", name, index, name) for name in SUBJECTS for index in fresh]
    for pattern in negatives.PATTERNS:
        tasks += [Task("empty", pattern.__name__, fresh[0] + index, NOTHING) for index in range(100)]
    tasks += [Task("scrambled", name, index, NOTHING) for name in SUBJECTS for index in fresh[:5]]
    kept = [figure for figure in figures if is_validation(figure)]
    for _, subject, members in _by_subject(kept):
        tasks += [_composed(figure, 0) for figure in (members[:300] if subject == NOTHING else members)]
    return tasks


def exam_tasks(trained: Sequence[Figure], unseen: Sequence[Figure]) -> list[Task]:
    """What is reported: drawings from kept regions of our drawers, and pictures of others as they are given."""
    tasks = [Task("tested", name, index, name) for name in SUBJECTS for index in range(40)]
    tasks += [Task("tested", name, index, NOTHING) for name in PATTERNS for index in range(25)]
    tasks += [Task(view, name, 0, name) for view in VIEWS for name in hand_drawings()]
    kept = [figure for figure in trained if is_validation(figure) and figure.subject != NOTHING]
    return tasks + [Task("given", figure.name, 0, figure.subject, figure) for figure in [*kept, *unseen]]


def _composed(figure: Figure, index: int) -> Task:
    return Task("composed", f"{figure.source}/{figure.name}", index, figure.subject, figure)


def _by_subject(figures: Iterable[Figure]) -> list[tuple[str, str, list[Figure]]]:
    groups: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for figure in figures:
        groups[figure.source, figure.subject].append(figure)
    return [(*key, members) for key, members in sorted(groups.items())]


def _fitted(task: Task, seed: int) -> tuple[Pixels, Pixels]:
    return fit(picture(task, seed))
