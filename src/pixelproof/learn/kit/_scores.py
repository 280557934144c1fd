"""Scores of a net by the real bench: on a few items during training, and as a run of the exported file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, Item
from pixelproof.harness import RunOptions, plan_run, run
from pixelproof.nets import Net
from pixelproof.stats import generator

Json = Any
"""A JSON value."""


def mean_scores(bench: Bench, items: Sequence[Item], net: Net, seed: int) -> dict[str, float]:
    """Mean of each metric over the items that have it; pooled metrics are left out.

    Args:
        bench: The bench, which scores as in a run.
        items: Items of the training split: those of evaluation are for the end.
        net: The net.
        seed: Of its answers.
    """
    values: dict[str, list[float]] = {}
    for index, item in enumerate(items):
        answer = net.answer(bench.prompt(item), generator(seed, "training/score", index))
        for name, value in bench.score(item, answer, {}).metrics.items():
            if isinstance(value, int | float):
                values.setdefault(name, []).append(value)
    return {name: sum(numbers) / len(numbers) for name, numbers in values.items()}


def score_file(net: Path, bench: str, source: str, limit: int, metrics: Sequence[str]) -> dict[str, Json]:
    """Run the bench on an exported net, on the evaluation split, beside the file.

    Returns:
        The command, and for each metric its value, interval and number of items.
    """
    options = RunOptions(source=source, limit=limit, split="eval", out=net.parent / "eval", resume=True, workers=1)
    summary = run(plan_run(bench, options), f"nets/{net}", settings=options).summary
    command = f"pixelproof run {bench} --model nets/{net} --source {source} --split eval --limit {limit}"
    return {
        "command": command,
        "counts": summary["counts"],
        "metrics": {
            name: {key: summary["metrics"][name][key] for key in ("value", "lo", "hi", "n")}
            for name in metrics
            if name in summary["metrics"]
        },
    }
