"""`pixelproof spatial`: sets of pairs before and after edits, with instructions."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.cli.helpers import OutputPlace, with_workers
from pixelproof.contract import PixelProofError

from ._real import accept_command, real_command
from ._relate import relate_command

if TYPE_CHECKING:
    from pixelproof.store import Workers

_PATH = click.Path(path_type=Path)
_INTERRUPTED = 130
_OPERATION = "Operation; can be repeated. Default: those of the preset, in turn."
_SPLIT = "train, test, or test-… for one held-out aspect (see docs/world/solid.md)."


ABOUT = """Pairs of scenes before and after edits, with instructions and exact truth.

\b
pixelproof spatial make --n 10500 --preset gsi --out train   pairs with truth, for training and tests
pixelproof spatial show --seed 7 --out operations.jpg        a pair of each operation, as a sheet
pixelproof spatial export train --out gsi-folder             the set in the files of GSI-Bench
pixelproof world check train                                 verify hashes, masks, edits and rules
pixelproof spatial relate runs/edits runs/answers            a model's edits beside its answers about the same scenes
pixelproof spatial real --photos DIR --out batch             proposals of edits of photographs, for review
pixelproof spatial accept batch --out gsi-folder             accepted proposals in the files of GSI-Bench
"""

MAKING = """Make a set of pairs, or continue it.

Each pair has both pictures, the instruction and the truth: poses, masks, depths, 2-D and 3-D boxes, cameras, and the
change mask. Interrupted, the same command continues; a larger --n extends the set.

\b
pixelproof spatial make --n 1200 --seed 7 --split test --out test
pixelproof spatial make --n 10500 --preset gsi --layers before,after --out train
"""


@click.group("spatial", help=ABOUT, short_help="Make, show and export pairs of scenes before and after edits.")
def spatial_group() -> None:
    """Group of the spatial commands."""


def _pair_options(command: Any) -> Any:
    for option in reversed(
        [
            click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same bytes."),
            click.option("--split", default="train", show_default=True, help=_SPLIT),
            click.option("--preset", default="all", show_default=True, help="all, or gsi: GSI-Bench's amounts."),
            click.option("--operation", "operations", multiple=True, help=_OPERATION),
            click.option("--room", default="", help="tabletop, room or shelf; default: all kinds."),
            click.option("--language", default="en", show_default=True, help="en or zh."),
            click.option("--quality", default="draft", show_default=True, help="draft or beauty."),
        ]
    ):
        command = option(command)
    return command


@spatial_group.command("make", help=MAKING)
@click.option("--n", type=int, required=True, help="Number of pairs.")
@_pair_options
@click.option("--size", type=int, default=512, show_default=True, help="Side of the pictures in pixels.")
@click.option("--layers", default="all", show_default=True, help="Layers to store, such as before,after,change.")
@click.option("--out", type=OutputPlace(), required=True, help="Folder of the set, or a URL.")
@with_workers
def make_command(n: int, size: int, layers: str, out: str | Path, workers: Workers, **given: Any) -> int:
    """Make a set of pairs."""
    from pixelproof.cli.helpers import echo, output, progress
    from pixelproof.world.pairs import PairRecipe
    from pixelproof.world.sets import make_set

    if layers != "all":
        given["layers"] = tuple(word.strip() for word in layers.split(",") if word.strip())
    recipe = PairRecipe("pair", width=size, height=size, **given)
    bar, begun = progress(), False

    def show(done: int, total: int) -> None:
        nonlocal begun
        if not begun:
            bar.begin("pairs", total, done)
            begun = True
        else:
            bar.advance()

    try:
        card = make_set(recipe, n, out, workers=workers, progress=show)
    except KeyboardInterrupt:
        echo("\nInterrupted. Finished pairs are kept: run the same command again to continue.", err=True)
        return _INTERRUPTED
    finally:
        if begun:
            bar.end()
    console = output()
    console.print(f"{out}: {card.n} pairs, content {card.digest[:16]}", soft_wrap=True, markup=False)
    console.print(f"\nNext: pixelproof world check {shlex.quote(str(out))}", soft_wrap=True, markup=False)
    return 0


@spatial_group.command("show")
@_pair_options
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Index of the first pair.")
@click.option("--n", type=click.IntRange(min=1), default=1, show_default=True, help="Number of pairs per operation.")
@click.option("--size", type=click.IntRange(32, 2048), default=256, show_default=True, help="Side of the pictures.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per pair.")
@click.option("--out", type=_PATH, help="Write a sheet to this PNG or JPEG: before, after, change mask.")
def show_command(index: int, n: int, size: int, as_json: bool, out: Path | None, **given: Any) -> None:
    """Print instructions, and draw pairs of each operation: before, after, and which pixels changed.

    In the right column, edited things are orange, their edges yellow, and changes of light blue.
    """
    from pixelproof.cli.helpers import echo
    from pixelproof.store import plain
    from pixelproof.world.pairs import PairRecipe, caption_of, pair_sheet

    if out is not None and (out.suffix.lower() not in (".png", ".jpg", ".jpeg") or not out.parent.is_dir()):
        raise PixelProofError(f"{out} is not an image in an existing folder: choose a name that ends in .png or .jpg.")
    recipe = PairRecipe("pair", width=size, height=size, **given)
    count = len(recipe.names)
    places = [(index + number) * count + place for place in range(count) for number in range(n)]
    pairs = [recipe.item(place) for place in places]
    for pair in pairs:
        row = {name: plain(getattr(pair, name)) for name in ("operation", "text", "steps", "why_not", "level")}
        echo(json.dumps(row, ensure_ascii=False) if as_json else caption_of(pair))
    if out is not None:
        from PIL import Image

        Image.fromarray(pair_sheet(recipe, pairs)).save(out, quality=88)
        echo(str(out), err=as_json)


@spatial_group.command("export")
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--out", type=_PATH, required=True, help="New or empty folder to write.")
def export_command(directory: Path, out: Path) -> None:
    """Write a set of pairs in the files of GSI-Bench: images, targets, and one JSON file per edit.

    Operations that GSI-Bench does not have are left out and counted.
    """
    from pixelproof.benches.spatial._gsi_export import export_gsi
    from pixelproof.cli.helpers import echo

    written, left = export_gsi(directory, out)
    echo(
        f"{out}: {written} pairs"
        + (f"; {left} of operations that GSI-Bench does not have were left out" if left else "")
    )


for command in (relate_command, real_command, accept_command):
    spatial_group.add_command(command)
