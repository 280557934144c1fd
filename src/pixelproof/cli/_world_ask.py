"""`world ask`: what can be said of a scene, and what is asked about it, with answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._world_recipes import make_recipe

if TYPE_CHECKING:
    from pixelproof.world.language import Sentence


ABOUT = """Print the questions of a scene with their answers; or captions, facts, or instructions to edit it.

\b
pixelproof world ask --seed 7 --out scene.png              questions, and the picture to try them on
pixelproof world ask --seed 7 --what edits                 what to change, in English
pixelproof world ask --seed 7 --what edits --language zh   or in Chinese
pixelproof world ask --kind room-clip --seed 7             about the first frame of a clip

Of flat scenes and collages only what is there is asked, and what is to the left or to the right. Only tabletops, rooms
and shelves have instructions.
"""


@click.command("ask", help=ABOUT)
@click.option("--kind", default="tabletop", show_default=True, help="As for world make; of clips the first frame.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed: the same scene and sentences.")
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which scene of the seed.")
@click.option("--split", help="Solid: train (unless given), test or test-…: see the docs.")
@click.option("--cutouts", help="Of collages: a folder of RGBA files, tuxpaint-stamps, or solid.")
@click.option("--photographs", help="Behind collages: a folder, or nature-photographs; else grounds.")
@click.option("--what", default="questions", show_default=True, help="questions, captions, facts or edits.")
@click.option("--language", default="en", show_default=True, help="en; edits also zh.")
@click.option("--n", type=click.IntRange(min=1), default=12, show_default=True, help="How many sentences, at most.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per sentence, with what it is about.")
@click.option("--out", type=click.Path(path_type=Path), help="Also draw the scene: PNG or JPEG.")
def ask_command(
    kind: str, index: int, what: str, language: str, n: int, as_json: bool, out: Path | None, **given: Any
) -> None:
    """Print sentences about a scene."""
    from pixelproof.store import plain
    from pixelproof.world.language import ask_about, still_image

    from ._world_views import require_picture, save_picture

    if out is not None:
        require_picture(out)
    recipe = make_recipe(kind, given, quality="beauty")
    sentences = ask_about(recipe, index, n, what, language)
    if as_json:
        for sentence in sentences:
            click.echo(json.dumps(plain(sentence), ensure_ascii=False))
    elif sentences:
        _print(sentences, what)
    if not sentences:
        click.echo(f"No {what} can be made of this {kind} for sure: try another --index.", err=True)
    if out is not None:
        save_picture(out, still_image(recipe, index), quiet=as_json)


def _print(sentences: list[Sentence], what: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    from ._console import output

    table = Table(box=None, pad_edge=False)
    headings = ("kind", "question", "choices", "answer") if what == "questions" else ("form", what.removesuffix("s"))
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading in ("kind", "form"))
    for said in sentences:
        if what == "questions":
            cells: tuple[str, ...] = (f"{said.kind} {said.form}", said.text, ", ".join(said.choices), said.answer)
        else:
            cells = (said.form, said.text)
        table.add_row(*map(escape, cells))
    output().print(table)
