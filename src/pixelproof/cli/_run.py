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

WRONG_USAGE, NOT_COMPLETE = 2, 4


def item_flags(bench: type[Bench]) -> list[click.Parameter]:
    sources = "; ".join(f"{name}: {about}" for name, about in bench.sources.items())
    return [
        click.Option(
            ["--source"], type=SourceName(bench), help=f"Where items come from; the first if not given. {sources}."
        ),
        click.Option(["--data"], type=click.Path(path_type=Path), help="Directory or file of a data set source."),
        click.Option(["--seed"], type=int, default=0, show_default=True, help="Of items, controls and answers."),
        click.Option(["--limit"], type=int, help="Use the first N items only."),
        click.Option(["--samples"], type=int, default=1, show_default=True, help="Answers per item, a seed each."),
    ]


def _outcome() -> list[click.Parameter]:
    return [
        click.Option(["--out"], type=click.Path(path_type=Path), help="Run directory. Default: runs/BENCH/MODEL-HASH."),
        click.Option(["--resume"], is_flag=True, help="Continue the run in that directory: ask only what is missing."),
        click.Option(["--judge"], type=ModelName(), help="Model that answers the bench's questions about answers."),
        click.Option(
            ["--workers"], type=int, help="Processes to score what exists with. Default: all cores, if there is work."
        ),
        click.Option(
            ["--calibrate"],
            type=int,
            help="Measure floors and ceilings on so many items, evenly chosen; 0: not at all. Default: on all items.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print summary.json to stdout, and nothing else."),
    ]


def _decoding() -> list[click.Parameter]:
    arms = click.Choice(["free", "schema", "grammar"])
    held = "Local models: free, or held to the bench's JSON schema or grammar."
    return [
        click.Option(["--decoding"], type=arms, default="free", show_default=True, help=held),
        click.Option(["--temperature"], type=float, help="Of sampling. Default: the model's own; 0 for gguf/."),
        click.Option(["--max-tokens"], type=int, help="Longest reply. Default: what the bench's prompt allows."),
        click.Option(["--threads"], type=int, default=1, show_default=True, help="Of a local model."),
        click.Option(["--connections"], type=int, help="Requests in flight at once."),
    ]


def _money() -> list[click.Parameter]:
    price = "Dollars per million tokens and per picture: 'input=2.5,output=10,image=0.04'."
    return [
        click.Option(["--price"], help=price),
        click.Option(["--max-cost"], type=float, help="Stop before more than this many dollars are spent."),
        click.Option(["--dry-run"], is_flag=True, help="Say what would be asked and what it may cost; ask nothing."),
    ]


def _run_command(bench: type[Bench]) -> click.Command:
    model = click.Option(["--model", "-m"], type=ModelName(bench), help="Who answers; leave it out to see the choices.")
    return GroupedCommand(
        {
            "Model": [model, *_decoding()],
            f"Options of {bench.name}": option_flags(bench),
            "Items": item_flags(bench),
            "Run": _outcome(),
            "Money": _money(),
        },
        callback=lambda **given: _run(bench, **given),
        help=f"{bench.title}.\n\nExample: pixelproof run {bench.name} --model gguf/smollm2 --limit 7",
        short_help=bench.title,
    )


def _score_command(bench: type[Bench]) -> click.Command:
    answers = click.Option(
        ["--answers"],
        type=click.Path(path_type=Path),
        help="Folder of answers: ITEM[.SAMPLE].png|jpg|webp|json|txt, with '/' of the item id as '__'; or with a "
        "manifest.csv (item, sample, file, failure). Not needed for a source that carries its own answers.",
    )
    return GroupedCommand(
        {
            "Answers": [answers],
            f"Options of {bench.name}": option_flags(bench),
            "Items": item_flags(bench),
            "Run": _outcome(),
        },
        callback=lambda **given: _score(bench, **given),
        help=f"{bench.title}.\n\nMeasures answers that exist; no model is called.",
        short_help=bench.title,
    )


run_group = BenchGroup(
    _run_command, name="run", help="Ask a model, measure its answers, and show the table.", no_args_is_help=True
)
score_group = BenchGroup(
    _score_command, name="score", help="Measure answers that exist; no model is called.", no_args_is_help=True
)


def _score(bench: type[Bench], answers: Path | None, **given: Any) -> int:
    code = _run(bench, model="recorded" if answers is None else f"folder/{answers}", **given)
    if code == NOT_COMPLETE and answers is not None:
        click.echo(f"The names that files should have: pixelproof items {bench.name}", err=True)
    return code


def _run(bench: type[Bench], model: str | None, **given: Any) -> int:
    from pixelproof import harness
    from pixelproof.benches import get_bench

    from ._console import output, progress
    from ._tables import print_choices, print_estimate, print_summary

    options, rest = split_options(bench, given)
    as_json, dry_run = rest.pop("as_json"), rest.pop("dry_run", False)
    chosen = get_bench(bench.name, **options)
    if not model:
        print_choices(output(), chosen)
        return WRONG_USAGE
    request = harness.Request(chosen, model, progress=progress(), **rest)
    if dry_run:
        print_estimate(output(), request.estimate(), as_json)
        return 0
    with redirect_stdout(sys.stderr):  # stdout is for results; a user's function may print
        run = request.run()
    if as_json:
        click.echo(harness.dump(run.summary))
    else:
        print_summary(output(), run, chosen)
    return 0 if run.complete else NOT_COMPLETE
