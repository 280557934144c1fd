"""`pixelproof arena`: palettes and contamination tests for segmentation by painting."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import PixelProofError

_PATH = click.Path(path_type=Path)


@click.group("arena")
def arena_group() -> None:
    """Palettes and contamination tests for segmentation by painting."""


@arena_group.command("contamination")
@click.option("--model", "-m", required=True, help="The model, as in 'run arena'.")
@click.option("--source", default="world", show_default=True, help="Where items come from: see 'run arena --help'.")
@click.option("--data", type=_PATH, help="Directory of a data set source.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of items and answers.")
@click.option("--limit", type=int, default=20, show_default=True, help="Use the first N items.")
@click.option("--permuted", type=click.IntRange(0), default=3, show_default=True, help="Runs with permuted colours.")
@click.option("--fresh", type=click.IntRange(0), default=3, show_default=True, help="Runs with new colours.")
@click.option("--renamed", type=click.IntRange(0), default=1, show_default=True, help="Runs with other names.")
@click.option("--metric", "metrics", multiple=True, help="Metric or family (repeatable); the headline if none.")
@click.option("--out", type=_PATH, required=True, help="Directory of all runs; existing runs are resumed.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def contamination_command(
    model: str,
    source: str,
    data: Path | None,
    seed: int,
    limit: int,
    permuted: int,
    fresh: int,
    renamed: int,
    metrics: tuple[str, ...],
    out: Path,
    as_json: bool,
) -> None:
    """Test whether a model has memorised the published colours.

    Asks the same items again with permuted colours, with new colours, and with other names, and compares after
    calibration: every palette has its own floor and ceiling, because palettes differ in what can be decoded.
    """
    from pixelproof import harness
    from pixelproof.benches import get_bench
    from pixelproof.cli.helpers import output, progress
    from pixelproof.contract import Source

    wanted = {"permuted": permuted, "fresh": fresh, "renamed": renamed}
    groups = {kind: [(kind, n) for n in range(count)] for kind, count in wanted.items() if count}
    if not groups:
        raise PixelProofError("There is nothing to compare with: set at least one of --permuted, --fresh, --renamed.")
    for kind, n in [("own", 0), *(run for group in groups.values() for run in group)]:
        bench = get_bench("arena", colours=kind, colours_seed=n)
        plan = harness.Plan(bench, Source(source, data), seed, limit)
        path = _directory(out, kind, n)
        settings = harness.Settings(path, resume=(path / "card.json").exists(), workers=None, progress=progress())
        harness.run(plan, model, settings=settings)
    found = harness.shifts(
        _directory(out, "own", 0),
        {kind: [_directory(out, *run) for run in runs] for kind, runs in groups.items()},
        metrics or bench.display.headline,
    )
    if as_json:
        click.echo(json.dumps([asdict(shift) for shift in found], indent=2))
    else:
        _print_shifts(output(), model, found)


def _directory(out: Path, kind: str, n: int) -> Path:
    return out / (kind if kind == "own" else f"{kind}-{n}")


def _print_shifts(console: Any, model: str, found: Sequence[Any]) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import interval, new_table, number

    table = new_table(f"{escape(model)}: other colours and names, against the source's own")
    table.add_column("metric")
    table.add_column("condition")
    for name in ("runs", "difference", "ceilings: own → other", "calibrated difference", "n"):
        table.add_column(name, justify="right")
    for shift in found:
        ceilings = " → ".join(number(value) for value in shift.ceilings)
        raw, calibrated = (interval(_plain(value), sign=True) for value in (shift.raw, shift.calibrated))
        table.add_row(shift.metric, shift.group, str(shift.runs), raw, ceilings, calibrated, str(shift.n))
    console.print(table)
    console.print(
        "difference: raw scores, which differ between palettes for any model.\n"
        "calibrated difference: each palette by its own floor and ceiling; below 0 if the model does worse with\n"
        "colours that it has not seen.\n",
        style="dim",
    )


def _plain(value: Any) -> Mapping[str, float]:
    return asdict(value)


@arena_group.command("palette")
@click.option("--labels", help="Labels in index order, separated by commas.")
@click.option("--check", "existing", type=_PATH, help="Check an existing palette instead: JSON {label: [r, g, b]}.")
@click.option("--out", type=_PATH, help="Write the palette here, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print palette and geometry as JSON.")
def palette_command(labels: str | None, existing: Path | None, out: Path | None, as_json: bool) -> None:
    """Design a palette that can be decoded, or check one.

    Colours are as far apart as possible, and no third colour lies where two others blend at an edge. The ceiling is the
    score of a perfect mask in these colours after anti-aliasing and JPEG.
    """
    from pixelproof.benches.arena import palettes
    from pixelproof.cli.helpers import output
    from pixelproof.pixels import Palette
    from pixelproof.store import write_json

    if (labels is None) == (existing is None):
        raise PixelProofError("Pass either --labels to design a palette, or --check with the file of one.")
    if existing is not None:
        palette = Palette.read(existing)
    else:
        palette = palettes.design([label.strip() for label in (labels or "").split(",")])
    geometry = palettes.geometry(palette)
    if out is not None:
        write_json(out, palette.to_json())
    if as_json:
        click.echo(json.dumps({"palette": palette.to_json(), "geometry": asdict(geometry)}, indent=2))
        return
    _print_palette(output(), palette, geometry, palettes.measurable(palette))
    if out is not None:
        click.echo(f"Written to {out}.")


def _print_palette(console: Any, palette: Any, geometry: Any, warning: str) -> None:
    from rich.markup import escape

    for label, colour in zip(palette.labels, palette.colours, strict=True):
        console.print(f"[on rgb({colour[0]},{colour[1]},{colour[2]})]    [/] {escape(label)}  [dim]{list(colour)}[/]")
    console.print()
    console.print(f"least distance: {geometry.least:.0f}, of {' and '.join(map(repr, geometry.nearest))}")
    console.print(f"pairs whose blend is taken for a third label: {geometry.crossed} of {geometry.pairs}")
    if warning:
        console.print(f"[yellow]{escape(warning)}[/]")
