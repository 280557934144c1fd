"""What `world show` draws and `world` prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.world.solid import Scene
    from pixelproof.world.solid.sets import Problem, Recipe


def show_one(recipe: Recipe, index: int, source: Path | None, out: Path) -> None:
    """All layers of a scene of a recipe, or of a file."""
    from pixelproof.world.solid.sets import read_scene, write_scene
    from pixelproof.world.solid.sheets import truth_sheet

    scene = read_scene(source) if source else recipe.scene(index)
    layers = recipe.picture(scene)
    _save(out, truth_sheet(scene, layers))
    if source is None:
        write_scene(out.with_suffix(".json"), scene)
    _print_things(scene, layers.visible.tolist())


def show_stored(directory: Path, index: int, n: int | None, out: Path) -> None:
    """All layers of a stored scene, or many pictures."""
    from pixelproof.world.solid.sets import read_set
    from pixelproof.world.solid.sheets import picture_sheet, truth_sheet

    stored = read_set(directory)
    if index + (n or 1) > len(stored):
        raise PixelProofError(f"{directory} has {len(stored)} scenes: choose --index and --n within them.")
    if n is not None:
        pairs = [stored[place] for place in range(index, index + n)]
        _save(out, picture_sheet([layers.rgb for _, layers in pairs]))
        return
    scene, layers = stored[index]
    _save(out, truth_sheet(scene, layers))
    _print_things(scene, layers.visible.tolist())


def show_many(
    work: list[tuple[Recipe, int]], out: Path, workers: int | None, progress: Callable[[int, int], None]
) -> None:
    """A sheet of the pictures that recipes have at indices."""
    from pixelproof.store import executor
    from pixelproof.world.solid.sets import picture_of
    from pixelproof.world.solid.sheets import picture_sheet

    pictures = []
    with executor("serial" if workers == 1 else "processes", workers) as pool:
        for picture in pool.map(picture_of, work, chunk=1):
            pictures.append(picture)
            progress(len(pictures), len(work))
    _save(out, picture_sheet(pictures))


def _save(out: Path, pixels: Any) -> None:
    from PIL import Image

    from pixelproof.store import replacing

    kind = "PNG" if out.suffix.lower() == ".png" else "JPEG"
    with replacing(out) as temporary:
        Image.fromarray(pixels).save(temporary, kind, quality=88)
    click.echo(out)


def _print_things(scene: Scene, visible: list[float]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from ._console import output

    table = Table(box=None, pad_edge=False)
    for heading, side in (
        ("thing", "left"),
        ("what", "left"),
        ("on", "left"),
        ("size in cm", "right"),
        ("seen", "right"),
    ):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    for thing, share in zip(scene.things, visible, strict=True):
        if not thing.fixed:
            what = " ".join(word for word in (thing.colour, thing.material, thing.category.replace("_", " ")) if word)
            what += f" “{thing.text}”" if thing.text else ""
            size = " × ".join(f"{100 * side:.1f}" for side in thing.size)
            table.add_row(thing.id, escape(what), thing.support or "", size, f"{share:.0%}")
    output().print(table)


def print_problems(problems: list[Problem]) -> None:
    """What fails, in a table."""
    from rich.markup import escape
    from rich.table import Table

    from ._console import output

    table = Table(box=None, pad_edge=False)
    for heading in ("scene", "rule", "thing", "what fails"):
        table.add_column(heading, overflow="fold")
    for problem in problems:
        table.add_row(*map(escape, (problem.scene, problem.rule, problem.thing, problem.message)))
    console = output()
    console.print(table)
    scenes = len({problem.scene for problem in problems})
    console.print(f"\n{len(problems)} problem{'s' * (len(problems) > 1)} in {scenes} scene{'s' * (scenes > 1)}.")
