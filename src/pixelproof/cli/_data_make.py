"""`data make`: training data of a bench."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import Bench

from ._bench_options import BenchGroup, GroupedCommand, option_flags, split_options
from ._console import progress
from ._echo import echo
from ._workers import worker_flags, workers_of

_INTERRUPTED = 130
_FORMATS = ("parquet", "webdataset", "jsonl")


def _make_command(bench: type[Bench]) -> click.Command:
    first = 1 << 32
    flags: list[click.Parameter] = [
        click.Option(["--n"], type=click.IntRange(min=1), required=True, help="Number of rows."),
        click.Option(["--out"], type=click.Path(path_type=Path), required=True, help="Folder of the data set."),
        click.Option(["--source"], help="A generated source; default: the first that training may use."),
        click.Option(
            ["--seed"], type=int, default=0, show_default=True, help=f"Training seed, counted from {first} (2^32)."
        ),
        click.Option(["--format"], type=click.Choice(_FORMATS), default="parquet", show_default=True, help="Of files."),
        click.Option(["--shard-rows"], type=click.IntRange(min=1), default=250, show_default=True, help="Per file."),
        click.Option(["--shard"], metavar="K/N", help="Write part K of N of the files, for one of N machines."),
        click.Option(
            ["--like"],
            type=click.Path(path_type=Path, exists=True),
            help="More of what this run fails at.",
        ),
        *worker_flags(),
    ]
    return GroupedCommand(
        {"Data set": flags, f"Options of {bench.name}": option_flags(bench)},
        callback=lambda **given: _make(bench, **given),
        help=f"{bench.title}: rows to learn from.\n\nThe same command gives the same bytes. Interrupted, it continues; "
        "--shard spreads the files over machines. No row has the content of an evaluation item.",
        short_help=bench.title,
    )


make_data_group = BenchGroup(
    _make_command, name="make", help="Make training data of a bench: prompts and answers, edits, tool traces."
)


def _make(bench: type[Bench], **given: Any) -> int:
    from pixelproof.envs import Likeness, make_data, plan_data
    from pixelproof.harness import TRAINING_SEEDS, Run, Shard

    workers = workers_of(given)
    context = click.get_current_context()
    options, rest = split_options(bench, given)
    chosen = {
        name: value
        for name, value in options.items()
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    }
    like = None
    if rest["like"] is not None:
        run = Run.open(rest["like"])
        like = Likeness.of(run, bench())
    seed = rest["seed"] if rest["seed"] >= TRAINING_SEEDS else TRAINING_SEEDS + rest["seed"]
    settings = {"seed": seed, "format": rest["format"], "shard_rows": rest["shard_rows"], "like": like}
    recipe = plan_data(bench.name, rest["n"], rest["source"], chosen, **settings)
    part = None if rest["shard"] is None else Shard.parse(rest["shard"])
    bar, begun = progress(), False

    def show(done: int, total: int) -> None:
        nonlocal begun
        if begun:
            bar.advance()
        else:
            bar.begin("files", total, done)
            begun = True

    start = time.monotonic()
    try:
        written = make_data(recipe, rest["out"], part, workers, show)
    except KeyboardInterrupt:
        echo("\nInterrupted. Finished files are kept: run the same command again to continue.", err=True)
        return _INTERRUPTED
    finally:
        if begun:
            bar.end()
    rows = min(recipe.n, written.new * recipe.shard_rows)
    pace = f", {rows / (time.monotonic() - start):.1f} rows per second" if written.new else ""
    echo(f"{rest['out']}: {len(written.shards)} files, {written.new} of them new{pace}")
    echo(f"\nNext: see {shlex.quote(str(rest['out'] / 'README.md'))} for how to load them")
    return 0
