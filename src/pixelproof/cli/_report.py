"""`report`: a page about runs."""

from __future__ import annotations

from pathlib import Path

import click

from ._completion import RunPath
from ._echo import echo


@click.command("report", short_help="Write a page with tables, plots and every image of runs.")
@click.argument("runs", nargs=-1, required=True, type=RunPath())
@click.option(
    "--out",
    type=click.Path(),  # not a Path, which would lose the slash at the end
    default="report.html",
    show_default=True,
    help="The page, or a directory (DIR/), in which it becomes report.html. Only an older report is replaced.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open it in the browser.")
def report_command(runs: tuple[Path, ...], out: str, open_browser: bool) -> None:
    """Write one HTML page about RUNS: run directories, and folders that contain some.

    The page begins with what the runs show, in sentences, bars and images; below are leaderboard, gallery of all
    answers, analysis and run cards. It needs no network. With --out DIR/ and more than 200 answers, each of several
    benches gets a page of its own.
    """
    from pixelproof.report import write_report

    sentences: list[str] = []
    page = write_report(runs, out, warn=lambda notice: echo(notice, err=True), say=sentences.append)
    for sentence in sentences:
        echo(f"  • {sentence}")
    echo(f"{page} ({page.stat().st_size / 1e6:.1f} MB)")
    if open_browser:
        click.launch(page.resolve().as_uri())
