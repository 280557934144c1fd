"""`pixelproof world ask`: questions about a scene with answers, captions, facts and edit instructions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._echo import echo
from ._world_recipes import COLLAGE_OPTIONS, SPLIT_HELP, make_recipe

if TYPE_CHECKING:
    from pixelproof.world.language import Sentence


ABOUT = """Print questions about a scene with their answers; or captions, facts or edit instructions.

\b
pixelproof world ask --seed 7 --out scene.png              questions, and the image they are about
pixelproof world ask --seed 7 --what edits                 edit instructions in English
pixelproof world ask --seed 7 --language zh                questions in Chinese
pixelproof world ask --kind room-clip --seed 7             about the first frame of a clip

Sentences about flat scenes and collages are limited to what is present and what is to the left or right. Edit
instructions exist for tabletop, room and shelf. Sentences about these are tested by an independent checker.
"""


@click.command("ask", help=ABOUT)
@click.option(
    "--kind",
    default="tabletop",
    show_default=True,
    help="Kind of scene, as for world make; for clips: the first frame.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same scene and sentences."
)
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Index of the scene.")
@click.option("--split", help=SPLIT_HELP)
@COLLAGE_OPTIONS[0]
@COLLAGE_OPTIONS[1]
@click.option("--what", default="questions", show_default=True, help="questions, captions, facts or edits.")
@click.option("--language", default="en", show_default=True, help="en; for questions and edits also zh.")
@click.option("--n", type=click.IntRange(min=1), default=12, show_default=True, help="Maximum number of sentences.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object per sentence, with the ids of the things it is about.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Also render the scene to this PNG or JPEG.")
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
            echo(json.dumps(plain(sentence), ensure_ascii=False))
    elif sentences:
        _print(sentences, what)
    if not sentences:
        echo(f"No {what} about this {kind} is certain: try another --index.", err=True)
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
    for sentence in sentences:
        cells: tuple[str, ...] = (sentence.form, sentence.text)
        if what == "questions":
            choices = ", ".join(sentence.choices)
            cells = (f"{sentence.kind} {sentence.form}", sentence.text, choices, sentence.answer)
        table.add_row(*map(escape, cells))
    output().print(table)
