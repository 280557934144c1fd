"""`spatial relate`: a model's edits beside its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import PixelProofError

_PATH = click.Path(path_type=Path)


RELATING = """Compare a model's edits with its answers to questions about the same scenes, scene by scene.

EDITS is a run of the bench with --task editing, ANSWERS one with --task understanding, of the same source and seed.
Faults of the model count as 0 in both. Printed are the means, their difference, the rank correlation over scenes, and
how many scenes were edited well (at least --edited), answered well (at least --answered), both, or neither.

\b
pixelproof run spatial --model openai/MODEL --seed 7 --out runs/edits
pixelproof run spatial --model openai/MODEL --seed 7 --task understanding --out runs/answers
pixelproof spatial relate runs/edits runs/answers
"""


@click.command("relate", help=RELATING, short_help="Compare edits with answers about the same scenes.")
@click.argument("edits", type=_PATH)
@click.argument("answers", type=_PATH)
@click.option("--metric", default="ic", show_default=True, help="Score of the edits: ic, sa, ac, el or joint.")
@click.option(
    "--edited", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Least score of a good edit."
)
@click.option("--answered", type=click.FloatRange(0, 1), default=0.75, show_default=True, help="Of good answers.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def relate_command(edits: Path, answers: Path, metric: str, edited: float, answered: float, as_json: bool) -> None:
    """Compare edits with answers."""
    from pixelproof.benches.spatial._metrics import SCORES
    from pixelproof.benches.spatial.understanding import relate_tasks
    from pixelproof.cli.helpers import echo
    from pixelproof.contract import unknown_name
    from pixelproof.store import plain

    if metric not in SCORES:
        raise unknown_name("score of edits", metric, SCORES)
    made, said = _scores(edits, "editing", (f"micro.{metric}",)), _scores(answers, "understanding", ("accuracy", "mra"))
    relation = relate_tasks(made[0], said[0], made[1], made[2], edited, answered)
    if as_json:
        echo(json.dumps(plain(relation), ensure_ascii=False))
        return
    cell = relation.table
    echo(f"{relation.scenes} scenes: {metric} {relation.edits:.3f}, answers {relation.answers:.3f}")
    echo(f"difference {_shown(relation.difference)}; rank correlation {_shown(relation.correlation)}")
    echo("; ".join(f"{name} {count}" for name, count in cell.items()))
    for name, (count, edit, answer) in relation.by_operation.items():
        echo(f"  {name:<12} {count:>4} scenes   {metric} {edit:.3f}   answers {answer:.3f}")


def _shown(estimate: Any) -> str:
    return f"{estimate.value:+.3f} [{estimate.lo:+.3f}, {estimate.hi:+.3f}]"


def _scores(path: Path, task: str, names: tuple[str, ...]) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Mean score, cluster and operation of every item of a run; faults of the model count as 0."""
    from pixelproof.contract import Fault
    from pixelproof.harness import Run

    run = Run.open(path)
    if run.about.bench != "spatial" or run.about.options.get("task", "editing") != task:
        raise PixelProofError(f"{path} is not a run of spatial with --task {task}: give EDITS first, then ANSWERS.")
    values: dict[str, list[float]] = {}
    for result in run.results():
        numbers = [float(result.metrics[name]) for name in names if name in result.metrics]  # type: ignore[arg-type]
        if numbers:
            values.setdefault(result.item, []).append(numbers[0])
        elif result.failure is not None and result.failure.fault is Fault.MODEL:
            values.setdefault(result.item, []).append(0.0)
    items = list(run.items())
    means = {item: sum(given) / len(given) for item, given in values.items()}
    return means, {item.id: item.cluster for item in items}, {item.id: item.tags.get("operation", "") for item in items}
