"""`rate`: collect votes on images from people."""

from __future__ import annotations

from pathlib import Path

import click

from pixelproof.contract import PixelProofError

from ._address_options import address_options
from ._completion import RunPath
from ._echo import echo

_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
_ABOUT = """Collect votes on images from people, in a browser.

\b
pixelproof rate serve DIR            the server; prints the address of the administrator's page
pixelproof rate from-runs DIR RUN …  make a study of the images that runs have stored
pixelproof rate invite DIR ANNA BEN  a link for each rater (the administrator's page makes them, too)
pixelproof rate export DIR           tables of votes, for judge mos, judge pairs and judge meta

DIR has images, and may have a table of them: images.csv (or .tsv, .jsonl, .parquet) with a column image (the path
inside of DIR), and any of image_id, model, prompt, prompt_id, question. Without a table all image files are rated;
MODEL/NAME.png then belongs to the model MODEL. What is asked is in DIR/study.json, which serve writes at the first
start. The votes are in DIR/votes.db.
"""
_SERVE = """Serve the study in DIR until Ctrl+C.

The printed address is yours alone: it shows progress, agreement and warnings, makes a link for each rater, and gives
the tables. Raters judge by keys (1 to 5, Y and N, arrows; Backspace takes the last answer back) or by touch. Every
image gets the same number of votes. When the page shows the next image, the answer before is on the disk.

\b
pixelproof rate serve photos                               perception, 5 votes per image
pixelproof rate serve photos --ask preference --votes 3    compare models in pairs
pixelproof rate serve photos --host 192.168.0.7 --public   for other machines of a network that you trust

After the first start, edit DIR/study.json: your own questions, gold items, a training page.
"""
_EXPORT = """Write the votes of the study in DIR as tables, and print the commands that read them.

\b
votes-QUESTION.csv   one row per vote: rater, image_id, score …         for judge mos
pairs-QUESTION.csv   one row per compared pair: left, right, winner …   for judge pairs
images.csv           mean of each image, with model and prompt          for judge meta
checks.csv           answers to gold items and repetitions
raters.csv           speed, agreement and warnings of each rater

The server may run meanwhile. Votes of excluded raters are left out.
"""


_ASK = (
    "At the first start: perception, correspondence (1 to 5), qa (yes/no, from the column question) or preference "
    "(pairs); repeat for several.  [default: perception, and correspondence if there are prompts]"
)
_VOTES = "At the first start: votes per image or pair; 0: every rater gets all of them.  [default: 5]"
_REPEATS = (
    "At the first start: share of images that a rater gets twice, to measure how consistent the rater is.  "
    "[default: 0.05]"
)


@click.group("rate", help=_ABOUT)
def rate_group() -> None:
    """Collect votes."""


@rate_group.command("serve", help=_SERVE)
@_FOLDER
@click.option("--ask", multiple=True, metavar="QUESTION", help=_ASK)
@click.option("--votes", type=click.IntRange(0), help=_VOTES)
@click.option("--repeats", type=click.FloatRange(0, 1), help=_REPEATS)
@address_options
@click.option("--port", type=click.IntRange(0, 65535), default=8766, show_default=True,
              help="Port; it is part of the raters' links. 0 for any free one.")  # fmt: skip
@click.option("--open/--no-open", "open_browser", default=False, help="Open the administrator's page in the browser.")
def rate_serve_command(
    folder: Path,
    ask: tuple[str, ...],
    votes: int | None,
    repeats: float | None,
    host: str,
    port: int,
    public: bool,
    url: str,
    open_browser: bool,
) -> None:
    """Serve a study."""
    from pixelproof.apps.rate import (
        SETTINGS,
        Study,
        default_settings,
        read_study,
        serve_study,
        write_settings,
    )
    from pixelproof.web.server import check_address

    check_address(host, public, url)
    if (folder / SETTINGS).exists():
        if ask or votes is not None or repeats is not None:
            raise PixelProofError(f"{folder / SETTINGS} exists: edit it in place of --ask, --votes and --repeats.")
        study = read_study(folder)
    else:
        wanted = Study.votes_per_item if votes is None else votes or None
        settings = default_settings(folder, ask, wanted, Study.repeats if repeats is None else repeats)
        study = read_study(folder, settings)
        echo(f"Wrote {write_settings(folder, settings)}: edit it to change the study.")
    serve_study(study, host, port, public, url, open_browser, echo)


@rate_group.command("from-runs")
@_FOLDER
@click.argument("runs", nargs=-1, required=True, type=RunPath())
def rate_from_runs_command(folder: Path, runs: tuple[Path, ...]) -> None:
    """Make a study folder DIR of the images in RUNS.

    RUNS are run directories, or folders with some. Every answer's last image is copied, with model and prompt; images
    of different models for the same item can be compared in pairs.
    """
    from pixelproof.apps.rate import study_from_runs

    taken = study_from_runs(folder, runs)
    echo(f"Copied {taken.images:,} images to {folder}: run pixelproof rate serve {folder}.")
    if taken.without_image:
        echo(f"{taken.without_image:,} answers have no image.")
    if taken.without_prompt:
        echo(f"{taken.without_prompt:,} images have no prompt: controls and folders store none.")


@rate_group.command("invite")
@_FOLDER
@click.argument("names", metavar="NAME…", nargs=-1, required=True)
@click.option("--url", default="http://127.0.0.1:8766", show_default=True, help="Address that raters open.")
def rate_invite_command(folder: Path, names: tuple[str, ...], url: str) -> None:
    """Add raters to the study in DIR, and print a link for each.

    A link is printed once: only a hash of it is stored. It works as long as the study has the same address; a lost one
    is replaced on the administrator's page. The server may run meanwhile.
    """
    from pixelproof.apps.rate import VoteStore, invite_raters, read_study

    store = VoteStore(read_study(folder))
    try:
        for name in names:
            for _, link in invite_raters(store, [name], url):
                echo(f"{name}\t{link}")
    finally:
        store.close()


@rate_group.command("export", help=_EXPORT)
@_FOLDER
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the tables.  [default: DIR/export]")
def rate_export_command(folder: Path, out: Path | None) -> None:
    """Write the votes as tables."""
    from pixelproof.apps.rate import VoteStore, analysis_commands, left_out, read_study, write_export

    if not VoteStore.exists(folder):
        raise PixelProofError(f"{folder} has no votes yet: run pixelproof rate serve {folder}.")
    store = VoteStore(read_study(folder))
    try:
        target = out or folder / "export"
        for path in write_export(store, target):
            echo(f"Wrote {path}.")
        if gone := left_out(store):
            echo(f"{gone:,} votes on images or questions that the study no longer has are left out.")
        echo("\n".join(analysis_commands(store.study, str(target))))
    finally:
        store.close()
