"""`world ask`: what can be said of a scene, and what is asked about it, with answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.world.language import Sentence


ABOUT = """Print the questions of a scene with their answers; or captions, facts, or instructions to edit it.

\b
pixelproof world ask --seed 7 --out scene.png              questions, and the picture to try them on
pixelproof world ask --seed 7 --what edits                 what to change, in English
pixelproof world ask --seed 7 --what edits --language zh   or in Chinese

Every sentence is of a form that is proven by a checker which shares nothing with the writer.
"""


@click.command("ask", help=ABOUT)
@click.option("--kind", default="tabletop", show_default=True, help="tabletop, room or shelf.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed: the same scene and sentences.")
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which scene of the seed.")
@click.option("--split", default="train", show_default=True, help="train, test or test-…: see the docs.")
@click.option("--what", default="questions", show_default=True, help="questions, captions, facts or edits.")
@click.option("--language", default="en", show_default=True, help="en; edits also zh.")
@click.option("--n", type=click.IntRange(min=1), default=12, show_default=True, help="How many sentences, at most.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per sentence, with what it is about.")
@click.option("--out", type=click.Path(path_type=Path), help="Also draw the scene: PNG or JPEG.")
def ask_command(
    kind: str, seed: int, index: int, split: str, what: str, language: str, n: int, as_json: bool, out: Path | None
) -> None:
    """Print sentences about a scene."""
    from pixelproof.store import plain
    from pixelproof.world.language import ask
    from pixelproof.world.sets import KINDS, picture_of, recipe_class

    from ._world_views import require_picture, save_picture

    solid = [name for name, where in KINDS.items() if where == KINDS["tabletop"]]
    if kind not in solid:
        raise PixelProofError(f"Language speaks of solid scenes, and not of {kind!r}: choose from {', '.join(solid)}.")
    if out is not None:
        require_picture(out)
    sentences = ask(kind, seed, index, n, split, what, language)
    if as_json:
        for sentence in sentences:
            click.echo(json.dumps(plain(sentence), ensure_ascii=False))
    else:
        _print(sentences, what)
    if out is not None:
        recipe = recipe_class(kind)(kind, seed, split, quality="beauty")
        save_picture(out, picture_of((recipe, index)), quiet=as_json)


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
