"""Measuring a network on what it could not have seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.nets import Recogniser, load_recogniser
from pixelproof.stats import wilson
from pixelproof.store import Progress, write_json
from training.drawing.charts import confusion_chart, coverage_chart
from training.drawing.compose import on_ground
from training.drawing.foreign import TRAINED, UNSEEN, Figure, need, read_figures
from training.drawing.grounds import GROUNDS
from training.drawing.hand import VIEWS
from training.drawing.labels import NOTHING
from training.drawing.measures import (
    CONTROLS,
    abstention,
    accuracy,
    confusion,
    control_pool,
    coverage,
    judge,
    top_confusions,
)
from training.drawing.ours import SUBJECTS
from training.drawing.pool import CLASSES, Pool, exam_tasks, render

_PER_CONTROL = 1000
_CURVES = {"ours": "our drawers", "sketches": "sketches by people (validation set)", "unseen": "sources never seen"}


def evaluate(weights: Path, out: Path | None, seed: int, workers: int | None, progress: Progress) -> dict[str, Any]:
    """Measure a network; with `out`, write the measures and charts there.

    Raises:
        PixelProofError: An asset is missing, or the network is of other subjects than the bench has now.
    """
    recogniser = load_recogniser(weights)
    if recogniser.names != SUBJECTS:
        odd = sorted(set(recogniser.names) ^ set(SUBJECTS))
        raise PixelProofError(f"{weights} and the bench differ in their subjects ({', '.join(odd)}): train it again.")
    need((*TRAINED, *UNSEEN))
    pool = render(exam_tasks(read_figures(TRAINED), read_figures(UNSEEN)), seed, progress, workers)
    verdicts = {name: judge(recogniser, part) for name, part in _drawings(pool).items() if len(part)}
    strangers = {corpus.asset: _from(pool, [corpus.asset], shown=False) for corpus in UNSEEN}
    strangers["kinds that are checked exactly"] = _made(pool, "tested", shown=False)
    controls = {make.__name__: control_pool(seed, make.__name__, _PER_CONTROL) for make in CONTROLS}
    measures = {
        "card": recogniser.card,
        "test_data": pool.digest,
        "accuracy": {name: accuracy(part) for name, part in verdicts.items()},
        "strangers": {name: abstention(judge(recogniser, part)) for name, part in strangers.items() if len(part)},
        "controls": {name: abstention(judge(recogniser, part)) for name, part in controls.items()},
        "grounds": ground_costs(recogniser, read_figures(UNSEEN)),
        "confusions": {name: top_confusions(verdicts[name]) for name in ("ours", "unseen")},
    }
    if out is not None:
        write_json(out / "measures.json", measures)
        curves = {title: coverage(verdicts[name]) for name, title in _CURVES.items()}
        coverage_chart(curves, recogniser.threshold).save(out / "abstention.png")
        for name in ("ours", "unseen"):
            confusion_chart(confusion(verdicts[name]), CLASSES).save(out / f"confusion-{name}.png")
    return measures


def ground_costs(recogniser: Recogniser, figures: Sequence[Figure]) -> dict[str, dict[str, Any]]:
    """Background → share named rightly there, and on white, of the figures that stand out from both."""
    shown = [figure for figure in figures if figure.subject != NOTHING]
    right = {name: [_named_right(recogniser, figure, ground) for figure in shown] for name, ground in GROUNDS.items()}
    costs = {}
    for name, there in right.items():
        pairs = [(a, b) for a, b in zip(there, right["white"], strict=True) if a is not None and b is not None]
        costs[name] = {
            "n": len(pairs),
            "named_right": wilson(float(sum(a for a, _ in pairs)), len(pairs)),
            "on_white": wilson(float(sum(b for _, b in pairs)), len(pairs)),
        }
    return costs


def _named_right(recogniser: Recogniser, figure: Figure, ground: Any) -> bool | None:
    pixels = on_ground(figure, ground)
    if pixels is None:
        return None
    [seen] = recogniser.recognise([pixels])
    return seen.best == figure.subject and not seen.abstains


def _drawings(pool: Pool) -> dict[str, Pool]:
    """The drawings that show a subject, by where they are from."""
    assets = [corpus.asset for corpus in UNSEEN]
    return {
        "ours": _made(pool, "tested"),
        **{view: _made(pool, view) for view in VIEWS},
        "sketches": _from(pool, ["quick-draw"]),
        "tiles": _from(pool, ["crawl-tiles", "minetest-textures"]),
        "glyphs": _from(pool, ["unifont"]),
        "unseen": _from(pool, assets),
        **{asset: _from(pool, [asset]) for asset in assets},
    }


def _made(pool: Pool, way: str, shown: bool = True) -> Pool:
    """Drawings that were made in a way and show a subject, or do not."""
    return pool.where(lambda task: task.way == way and (task.subject != NOTHING) == shown)


def _from(pool: Pool, sources: Sequence[str], shown: bool = True) -> Pool:
    """Pictures of some sources that show a subject, or that do not."""
    return pool.where(
        lambda task: task.figure is not None and task.figure.source in sources and (task.subject != NOTHING) == shown
    )
