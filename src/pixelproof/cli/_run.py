"""`run` asks a model; `score` measures existing answers."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import Bench
from pixelproof.options import RunOptions

from ._bench_options import BenchGroup, GroupedCommand, option_flags, split_options
from ._completion import ModelName
from ._echo import echo
from ._flags import flag_groups
from ._places import OutputPlace
from ._workers import workers_of

WRONG_USAGE, NOT_COMPLETE = 2, 4


_AS_JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print only summary.json to stdout.")
_DRY_RUN = click.Option(
    ["--dry-run"], is_flag=True, help="Print the number of requests and the maximum cost; ask nothing."
)


def _run_command(bench: type[Bench]) -> click.Command:
    model = click.Option(
        ["--model", "-m"], type=ModelName(bench), help="Model that answers; omit it to list the kinds of models."
    )
    flags = flag_groups(RunOptions, bench)
    return GroupedCommand(
        {
            "Model": [model, *flags["Model"]],
            f"Options of {bench.name}": option_flags(bench),
            "Items": flags["Items"],
            "Run": [*flags["Run"], _AS_JSON],
            "Costs": [*flags["Costs"], _DRY_RUN],
        },
        callback=lambda **given: _run(bench, **given),
        help=f"{bench.title}.\n\nExample: pixelproof run {bench.name} --model folder/answers --limit 7",
        short_help=bench.title,
    )


def _score_command(bench: type[Bench]) -> click.Command:
    answers = click.Option(
        ["--answers"],
        type=OutputPlace(),
        help="Folder or URL of answers: ITEM[.SAMPLE].png|jpg|webp|json|txt, with '/' of the item id as '__'; or with "
        "a manifest.csv (item, sample, file, failure). Not needed for a source that contains answers.",
    )
    flags = flag_groups(RunOptions, bench)
    return GroupedCommand(
        {
            "Answers": [answers],
            f"Options of {bench.name}": option_flags(bench),
            "Items": flags["Items"],
            "Run": [*flags["Run"], _AS_JSON],
        },
        callback=lambda **given: _score(bench, **given),
        help=f"{bench.title}.\n\nScores existing answers; calls no model.",
        short_help=bench.title,
    )


run_group = BenchGroup(_run_command, name="run", help="Run a model on a bench, and score its answers.")
score_group = BenchGroup(_score_command, name="score", help="Score existing answers; calls no model.")


def _score(bench: type[Bench], answers: str | Path | None, **given: Any) -> int:
    code = _run(bench, model="recorded" if answers is None else f"folder/{answers}", **given)
    if code == NOT_COMPLETE and answers is not None:
        echo(f"'pixelproof items {bench.name}' lists the expected file names.", err=True)
    return code


def _run(bench: type[Bench], model: str | None, **given: Any) -> int:
    from pixelproof import harness
    from pixelproof.benches import get_bench

    from ._console import output, progress
    from ._tables import print_choices, print_estimate, print_result

    of_bench, rest = split_options(bench, given)
    as_json, dry_run = rest.pop("as_json"), rest.pop("dry_run", False)
    chosen = get_bench(bench.name, **of_bench)
    if not model:
        print_choices(output(), chosen)
        return WRONG_USAGE
    rest["workers"] = workers_of(rest)
    options = RunOptions(**rest)
    plan = harness.plan_run(chosen, options)
    if dry_run:
        print_estimate(output(), harness.estimate(plan, model, options, options, options.judge), as_json)
        return 0
    with redirect_stdout(sys.stderr):  # stdout is for results; a user's function may print
        run = harness.run(plan, model, options, options.judge, options, progress())
    if as_json:
        echo(harness.dump(run.summary))
    else:
        print_result(output(), run, chosen)
    return 0 if run.complete and not run.only_faults else NOT_COMPLETE
