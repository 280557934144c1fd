"""`pixelproof world edit`: edits that are carried out, as images with instructions and change masks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import PixelProofError, unknown_name

from ._echo import echo
from ._world_recipes import SPLIT_HELP, make_recipe

if TYPE_CHECKING:
    from pixelproof.world.edits import FlatOutcome, Outcome


ABOUT = """Carry out edits of a scene: before, after, and which pixels changed.

\b
pixelproof world edit --seed 7 --out edits.jpg                    one edit of each action, with its instruction
pixelproof world edit --kind room --action swap --n 4             four swaps
pixelproof world edit --seed 7 --json                             edits with what changed, as JSON

Edits are drawn at random among those that can be carried out. In the right column, edited things are orange, their
edges yellow, and changes of light (shadows, reflections) blue.
"""


@click.command("edit", help=ABOUT)
@click.option("--kind", default="tabletop", show_default=True, help="tabletop, room, shelf or flat.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same scene and edits.")
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Index of the scene.")
@click.option("--split", help=SPLIT_HELP)
@click.option("--action", "actions", multiple=True, help="Action of the edits; can be repeated. Default: each of them.")
@click.option("--n", type=click.IntRange(min=1), default=1, show_default=True, help="Number of edits per action.")
@click.option("--language", default="en", show_default=True, help="Language of the instructions: en or zh.")
@click.option("--size", type=click.IntRange(32, 2048), default=320, show_default=True, help="Side of the pictures.")
@click.option("--quality", type=click.Choice(("draft", "beauty")), default="draft", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per edit.")
@click.option("--out", type=click.Path(path_type=Path), help="Write a sheet to this PNG or JPEG.")
def edit_command(
    kind: str, actions: tuple[str, ...], as_json: bool, out: Path | None, size: int, quality: Any, **given: Any
) -> None:
    """Print edits of a scene with their instructions, and write a sheet of them."""
    from ._world_views import require_picture, save_picture

    if out is not None:
        require_picture(out)
    language, n, index = given.pop("language"), given.pop("n"), given.pop("index")
    made: list[tuple[str, Any]] = []
    if kind == "flat":
        made += _flat(kind, given, index, actions, n, size)
    else:
        made += _solid(kind, given, index, actions, n, language)
    for text, outcome in made:
        echo(json.dumps(_row(text, outcome), ensure_ascii=False) if as_json else text)
    if not made:
        raise PixelProofError(f"No such edit of this {kind} was found: try another --index or --action.")
    if out is not None:
        from pixelproof.world.edits import edit_panels
        from pixelproof.world.sheets import captioned_rows

        rows = [edit_panels(outcome, size, quality) for _, outcome in made]
        save_picture(out, captioned_rows(rows, [text for text, _ in made]), quiet=as_json)


def _solid(
    kind: str, given: dict[str, Any], index: int, actions: tuple[str, ...], n: int, language: str
) -> list[tuple[str, Outcome]]:
    """Edits of a solid scene with their instructions."""
    from pixelproof.stats import generator
    from pixelproof.world.edits import WAYS
    from pixelproof.world.language import instruct, propose_outcome, view_of
    from pixelproof.world.solid import KINDS
    from pixelproof.world.solid.render import render

    if kind not in KINDS:
        raise unknown_name("kind of scene with edits", kind, (*KINDS, "flat"))
    scene: Any = make_recipe(kind, given).item(index)
    shares = render(scene, 256, quality="draft", layers=("visible",)).visible.tolist()
    view = view_of(scene, dict(zip((thing.id for thing in scene.things), shares, strict=True)))
    made: dict[str, tuple[str, Outcome]] = {}
    for action in actions or tuple(WAYS):
        rng, wanted = generator(given["seed"], f"edit/{kind}/{action}", index), len(made) + n
        for _ in range(10 * n):
            outcome = propose_outcome(scene, view, rng, (action,))
            sentence = outcome and instruct(view, outcome.edit, rng, language)
            if outcome and sentence and len(made) < wanted:
                made.setdefault(sentence.text, (sentence.text, outcome))
            if len(made) == wanted:
                break
    return list(made.values())


def _flat(
    kind: str, given: dict[str, Any], index: int, actions: tuple[str, ...], n: int, size: int
) -> list[tuple[str, FlatOutcome]]:
    """Edits of a flat scene, described by their fields: there are no instructions for them."""
    from pixelproof.stats import generator
    from pixelproof.world.edits import FLAT_WAYS, propose_flat

    scene: Any = make_recipe(kind, given | {"size": (size, size)}).item(index)
    made: dict[str, tuple[str, FlatOutcome]] = {}
    for action in actions or tuple(FLAT_WAYS):
        rng, wanted = generator(given["seed"], f"edit/{kind}/{action}", index), len(made) + n
        for _ in range(10 * n):
            outcome = propose_flat(scene, rng, (action,))
            if outcome and len(made) < wanted:
                made.setdefault(_described(outcome), (_described(outcome), outcome))
    return list(made.values())


def _described(outcome: FlatOutcome) -> str:
    edit = outcome.edit
    amount = f"{edit.amount:g}" + {"move": " of the side", "turn": "°", "scale": " times"}.get(edit.action, "")
    new = f"{edit.sprite.colour} {edit.sprite.shape}" if edit.sprite else ""
    parts = (edit.action, edit.target, edit.anchor, new, edit.way, amount if edit.amount else "", edit.colour)
    return " ".join(filter(None, parts))


def _row(text: str, outcome: Outcome | FlatOutcome) -> dict[str, Any]:
    from pixelproof.store import plain

    return {"text": text, "edit": plain(outcome.edit), "changes": plain(dict(outcome.changes))} | (
        {"camera": plain(outcome.camera)} if hasattr(outcome, "camera") else {}
    )
