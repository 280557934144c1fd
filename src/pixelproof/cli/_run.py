"""`run` asks a model; `score` measures existing answers."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import Bench

from ._bench_options import BenchGroup, GroupedCommand, option_flags, split_options
from ._completion import ModelName, SourceName
from ._echo import echo
from ._places import InputPlace, OutputPlace
from ._workers import worker_flags, workers_of

WRONG_USAGE, NOT_COMPLETE = 2, 4


def item_flags(bench: type[Bench]) -> list[click.Parameter]:
    sources = "; ".join(f"{name}: {about}" for name, about in bench.sources.items())
    return [
        click.Option(["--source"], type=SourceName(bench), help=f"Source of the items; default: the first. {sources}."),
        click.Option(["--data"], type=InputPlace(), help="Directory, file or URL of a data set."),
        click.Option(["--seed"], type=int, default=0, show_default=True, help="Seed of items, controls and answers."),
        click.Option(
            ["--split"],
            type=click.Choice(["all", "train", "eval"]),
            default="all",
            show_default=True,
            help="eval: items kept out of training; train: items for it, which have seeds of their own.",
        ),
        click.Option(["--limit"], type=click.IntRange(min=1), help="Use the first N items only."),
        click.Option(
            ["--samples"],
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="Answers per item, each with its own seed.",
        ),
    ]


def _outcome() -> list[click.Parameter]:
    return [
        click.Option(
            ["--out"],
            type=OutputPlace(),
            help="Run directory, or a URL such as s3://bucket/run. Default: runs/BENCH/MODEL-HASH.",
        ),
        click.Option(
            ["--resume"], is_flag=True, help="Continue the run in that directory: ask only for missing answers."
        ),
        click.Option(
            ["--shard"],
            metavar="K/N",
            help="Ask only part K of N of the items, such as 1/8; 'pixelproof runs merge' puts the parts together.",
        ),
        click.Option(
            ["--judge"], type=ModelName(), help="Model that judges the answers, for benches with questions to a judge."
        ),
        *worker_flags("Processes that score existing answers. Default: one per core, if there is enough work."),
        click.Option(
            ["--calibrate"],
            type=int,
            help="Measure floors and ceilings on N items, evenly chosen; 0: not at all. Default: on all items, or as "
            "many as the bench sets.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print only summary.json to stdout."),
    ]


def _decoding() -> list[click.Parameter]:
    arms = click.Choice(["free", "schema", "grammar"])
    held = "Local models: decode freely, or constrained by the bench's JSON schema or grammar."
    return [
        click.Option(["--decoding"], type=arms, default="free", show_default=True, help=held),
        click.Option(
            ["--temperature"], type=float, help="Sampling temperature. Default: the model's own; 0 for gguf/."
        ),
        click.Option(
            ["--max-tokens"], type=int, help="Maximum length of a reply. Default: the limit of the bench's prompt."
        ),
        click.Option(["--threads"], type=int, default=1, show_default=True, help="Threads of a local model."),
        click.Option(["--connections"], type=int, help="Maximum number of concurrent requests."),
    ]


def _costs() -> list[click.Parameter]:
    price = "US dollars per million tokens and per image: 'input=2.5,output=10,image=0.04'."
    return [
        click.Option(["--price"], help=price),
        click.Option(["--max-cost"], type=float, help="Stop before the cost exceeds this many US dollars."),
        click.Option(
            ["--dry-run"], is_flag=True, help="Print the number of requests and the maximum cost; ask nothing."
        ),
    ]


def _run_command(bench: type[Bench]) -> click.Command:
    model = click.Option(
        ["--model", "-m"], type=ModelName(bench), help="Model that answers; omit it to list the kinds of models."
    )
    return GroupedCommand(
        {
            "Model": [model, *_decoding()],
            f"Options of {bench.name}": option_flags(bench),
            "Items": item_flags(bench),
            "Run": _outcome(),
            "Costs": _costs(),
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
    return GroupedCommand(
        {
            "Answers": [answers],
            f"Options of {bench.name}": option_flags(bench),
            "Items": item_flags(bench),
            "Run": _outcome(),
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

    options, rest = split_options(bench, given)
    as_json, dry_run = rest.pop("as_json"), rest.pop("dry_run", False)
    chosen = get_bench(bench.name, **options)
    if not model:
        print_choices(output(), chosen)
        return WRONG_USAGE
    rest["workers"] = workers_of(rest)
    request = harness.Request(chosen, model, progress=progress(), announce=lambda text: echo(text, err=True), **rest)
    if dry_run:
        print_estimate(output(), request.estimate(), as_json)
        return 0
    with redirect_stdout(sys.stderr):  # stdout is for results; a user's function may print
        run = request.run()
    if as_json:
        echo(harness.dump(run.summary))
    else:
        print_result(output(), run, chosen)
    return 0 if run.complete else NOT_COMPLETE
