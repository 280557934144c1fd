"""`pixelproof judge score`: scores of images by a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.cli.helpers import InputPlace, OutputPlace, with_workers

if TYPE_CHECKING:
    from pixelproof.store import Workers


@click.command("score", short_help="Score a table of images with a judge.")
@click.argument("images", type=InputPlace())
@click.option("--judge", required=True, help="nets/NAME, fn/MODULE:FUNCTION, chat/…, gemini/… or a name of Inspect AI.")
@click.option("--folder", type=OutputPlace(), help="Folder or URL of the image files; default: the folder of IMAGES.")
@click.option("--out", type=OutputPlace(), required=True, help="Folder or URL of the scores; continued if it exists.")
@click.option("--price", help="US dollars per million tokens of a service: 'input=2.5,output=10'.")
@click.option("--max-cost", type=float, help="Stop before all calls for OUT cost more than this many US dollars.")
@with_workers
@click.option("--json", "as_json", is_flag=True, help="Print the numbers of images as JSON.")
def score_command(
    images: Path,
    judge: str,
    folder: str | Path | None,
    out: str | Path,
    workers: Workers,
    as_json: bool,
    **budget: Any,
) -> int:
    """Ask a judge how good and how faithful images are, and write OUT/scores.csv.

    IMAGES is a CSV, Parquet or JSONL table with the columns image_id (file name) and prompt, a run of evalmi or a
    folder of some, or a rated data set, as for 'judge meta', which measures these scores against people. The same
    command again asks about images without a score only.
    """
    from pixelproof.benches.evalmi._commands._judge_images import ImageJudge, judge_images, read_images
    from pixelproof.cli.exit_codes import NOT_COMPLETE
    from pixelproof.cli.helpers import echo, progress
    from pixelproof.harness import Prices, dump
    from pixelproof.store import is_url

    rows = read_images(images)
    place = folder if folder is not None else images if images.is_dir() else images.parent
    prices = Prices.parse(budget["price"]) if budget["price"] else None
    where = str(place) if is_url(place) else str(Path(place).absolute())
    asked = ImageJudge(judge, where, prices, budget["max_cost"])
    bar = progress()
    bar.begin(judge, len(rows))
    try:
        counts = judge_images(rows, asked, out, workers, bar.advance)
    finally:
        bar.end()
    missing = counts["planned"] - counts["scored"]
    code = NOT_COMPLETE if missing else 0
    if as_json:
        echo(dump(counts))
        return code
    why = f"; {missing:,} have none, see the column note" if missing else ""
    echo(f"{counts['scored']:,} of {counts['planned']:,} images have scores ({counts['asked']:,} asked now{why}).")
    if "cost" in counts:
        echo(f"Cost of all calls: ${counts['cost']:.4f}.")
    echo(f"Written to {out}/scores.csv.")
    return code
