"""`report`: a page about runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(),  # not a Path, which would lose the slash at the end
    default="report.html",
    show_default=True,
    help="The page, or a directory (DIR/), in which it becomes report.html. Only an older report is replaced.",
)
@click.option("--open", "open_it", is_flag=True, help="Show it in the browser.")
def report_command(runs: tuple[Path, ...], out: str, open_it: bool) -> None:
    """Write one HTML page about one or several RUNS of the same bench.

    It has the leaderboard with intervals, floors and ceilings, the gallery of all answers, the analysis and the run
    cards. It needs no network and no other file.
    """
    from pixelproof.report import write_report

    page = write_report(runs, out)
    click.echo(f"{page} ({page.stat().st_size / 1e6:.1f} MB)")
    if open_it:
        click.launch(page.resolve().as_uri())
