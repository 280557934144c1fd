"""Images and tables of the `world` commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from pixelproof.contract import PixelProofError

from ._echo import echo

if TYPE_CHECKING:
    from pixelproof.store import Workers
    from pixelproof.world.sets import Problem, Recipe


def warn_of_compiling(recipe: Recipe) -> bool:
    """Print why the first image takes long, if the renderer has to be compiled; return whether it has."""
    if "solid" not in recipe.code:
        return False
    from pixelproof.world.solid.render import compiles

    if not compiles(recipe.layers):
        return False
    echo("Compiling the renderer for this processor, once per version of the package: half a minute.", err=True)
    return True


@contextmanager
def compiling(recipe: Recipe) -> Iterator[None]:
    """A context in which the renderer is compiled, if it has to be, with a bar of the functions that are done."""
    if not warn_of_compiling(recipe):
        yield
        return
    over = Event()
    watcher = Thread(target=_watch_compilation, args=(over,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch_compilation(over: Event) -> None:
    from pixelproof.world.solid.render import compilation

    from ._console import progress

    bar = progress()
    done, total = compilation()
    bar.begin("functions", total, done)
    while not over.wait(0.2):
        before, done = done, compilation()[0]
        for _ in range(done - before):
            bar.advance()
    bar.end()


def show_one(recipe: Recipe, index: int, source: Path | None, text: str | None, out: Path) -> None:
    """Render an item of a recipe, or of a file, with its ground truth."""
    from pixelproof.store import replacing

    require_picture(out, recipe.moving)
    with compiling(recipe):
        try:
            item = recipe.item(index) if text is None else recipe.parse(text)
        except PixelProofError as error:
            raise PixelProofError(f"{source}: {error}" if source else str(error)) from error
        rendered = recipe.render(index, item)
    _save_item(recipe, item, rendered.arrays, out)
    if source is None:
        with replacing(out.with_suffix(".json")) as temporary:
            temporary.write_text(rendered.json + "\n", "utf-8")
    _print_table(recipe.describe(item, rendered.parts))


def show_stored(directory: Path, index: int, n: int | None, out: Path) -> None:
    """Show a stored item with its ground truth, or a grid of images."""
    from pixelproof.world import counted
    from pixelproof.world.sets import read_set
    from pixelproof.world.sheets import picture_sheet

    stored = read_set(directory)
    recipe = stored.card.recipe
    require_picture(out, recipe.moving and n is None)
    if index + (n or 1) > len(stored):
        count = counted(len(stored), recipe.items.name)
        raise PixelProofError(f"{directory} has {count}: choose --index and --n within them.")
    if "rgb" not in recipe.layers:
        raise PixelProofError(f"{directory} has no rgb layer, only {', '.join(recipe.layers)}: make it again with rgb.")
    if n is not None:
        pictures = [stored.stored(place)[1]["rgb"] for place in range(index, index + n)]
        save_picture(out, picture_sheet([rgb[len(rgb) // 2] if recipe.moving else rgb for rgb in pictures]))
        return
    text, arrays = stored.stored(index)
    item = recipe.parse(text)
    _save_item(recipe, item, arrays, out)
    _print_table(recipe.describe(item, stored.parts(index)))


def show_many(
    work: list[tuple[Recipe, int]], out: Path, workers: Workers, progress: Callable[[int, int], None]
) -> None:
    """Render a grid of images, one per pair of a recipe and an index."""
    from pixelproof.store import executor_for
    from pixelproof.world.sets import picture_of
    from pixelproof.world.sheets import picture_sheet

    require_picture(out)
    pictures = []
    with executor_for(workers) as pool:
        for picture in pool.map(picture_of, work, chunk=1):
            pictures.append(picture)
            progress(len(pictures), len(work))
    save_picture(out, picture_sheet(pictures))


def require_picture(out: Path, moving: bool = False) -> None:
    """Raise an error for a file type that cannot be written, before anything is rendered."""
    if out.suffix.lower() not in (".png", ".jpg", ".jpeg", *([".webp"] if moving else [])):
        types = "PNG, JPEG or (clips) WebP" if moving else "PNG or JPEG"
        name = out.with_suffix(".png") if out.name else out / "world.png"
        raise PixelProofError(f"{out} is not a {types} file: call it {name}.")


def save_picture(out: Path, pixels: Any, *, quiet: bool = False) -> None:
    """Write an image and print its path."""
    from PIL import Image

    from pixelproof.store import replacing

    kind = "PNG" if out.suffix.lower() == ".png" else "JPEG"
    with replacing(out) as temporary:
        Image.fromarray(pixels).save(temporary, kind, quality=88)
    echo(out, err=quiet)


def _save_item(recipe: Recipe, item: Any, arrays: dict[str, Any], out: Path) -> None:
    from pixelproof.store import replacing
    from pixelproof.world.sets import encode_webp

    if out.suffix.lower() != ".webp":
        save_picture(out, recipe.sheet(item, arrays))
        return
    with replacing(out) as temporary:
        temporary.write_bytes(encode_webp(arrays["rgb"], getattr(item, "fps", 8.0)))
    echo(out)


def _print_table(rows: list[dict[str, str]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from ._console import output

    table = Table(box=None, pad_edge=False)
    for heading in rows[0] if rows else ():
        table.add_column(heading, justify="right" if heading in ("size in cm", "seen", "least") else "left")
    for row in rows:
        table.add_row(*map(escape, row.values()))
    output().print(table)


def check_file(path: Path) -> tuple[list[Problem], str]:
    """Check the file of a scene, clip or collage; returns the problems, and the verdict if there are none."""
    from pixelproof.world.sets import kind_of, read_bytes, recipe_class
    from pixelproof.world.solid import check_scene

    text = read_bytes(path).decode("utf-8", "replace")
    kind = kind_of(text)
    try:
        item = recipe_class(kind).parse(text)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error
    problems: list[Problem] = []
    if kind in ("flat", "clip", "collage"):
        words = {"flat": "flat scene", "clip": "flat clip"}
        return problems, f"a valid {words.get(kind, kind)}; physical rules exist for solid scenes only."
    for scene in (item.frame(0), item.frame(item.frames - 1)) if kind.endswith("-clip") else (item,):
        problems += check_scene(scene, path.name)
    return problems, "no problems."


def print_problems(problems: list[Problem]) -> None:
    """Print problems as a table."""
    from rich.markup import escape
    from rich.table import Table

    from pixelproof.world import counted

    from ._console import output

    table = Table(box=None, pad_edge=False)
    for heading in ("scene", "rule", "thing", "problem"):
        table.add_column(heading, overflow="fold")
    for problem in problems:
        table.add_row(*map(escape, (problem.scene, problem.rule, problem.thing, problem.message)))
    console = output()
    console.print(table)
    scenes = len({problem.scene for problem in problems} - {""})  # without a scene: a problem of the whole set
    where = f" in {counted(scenes, 'scenes')}" if scenes else ""
    console.print(f"\n{counted(len(problems), 'problems')}{where}.")
