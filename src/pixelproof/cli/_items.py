"""`items`: the prompts of a bench and the file names of their answers, for `score --answers`."""

from __future__ import annotations

import json
from typing import Any

import click

from pixelproof.contract import Artefact, Bench
from pixelproof.options import ItemOptions, RunOptions

from ._bench_options import BenchGroup, GroupedCommand, option_flags, split_options
from ._echo import echo
from ._flags import flag_groups


def _items_command(bench: type[Bench]) -> click.Command:
    as_json = click.Option(["--json", "as_json"], is_flag=True, help="One JSON object per item: id, file, prompt, …")
    return GroupedCommand(
        {f"Options of {bench.name}": option_flags(bench), **flag_groups(ItemOptions, bench), "Output": [as_json]},
        callback=lambda **given: _items(bench, **given),
        help=f"{bench.title}.\n\nShows the prompt of every item, and the file name that "
        f"'pixelproof score {bench.name} --answers DIR' expects for its answer.",
        short_help=bench.title,
    )


items_group = BenchGroup(_items_command, name="items", help="Show the prompts of a bench, item by item.")


def _items(bench: type[Bench], **given: Any) -> None:
    from pixelproof import harness
    from pixelproof.benches import get_bench
    from pixelproof.benches.sources import answer_suffix

    options, rest = split_options(bench, given)
    chosen = get_bench(bench.name, **options)
    as_json = rest.pop("as_json")
    plan = harness.plan_run(chosen, RunOptions(**rest))
    for ask in plan.asks():
        prompt = plan.bench.prompt(ask.item)
        row = {
            "item": ask.item.id,
            "sample": ask.sample,
            "seed": ask.seed,
            "file": ask.item.id.replace("/", "__") + (f".{ask.sample}" if ask.sample else ""),
            "wants": prompt.wants,
            "system": prompt.system,
            "prompt": prompt.text,
            "pictures": sum(isinstance(part, Artefact) for part in prompt.parts),
            "max_tokens": prompt.max_tokens,
        }
        if as_json:
            echo(json.dumps(row))
        else:
            echo(f"{row['item']}  →  {row['file']}{answer_suffix(prompt)}", bold=True)
            echo(f"{prompt.text}\n")
