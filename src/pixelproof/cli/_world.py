"""`pixelproof world`: generate, show, describe, check and freeze sets of scenes with exact ground truth."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pixelproof.contract import PixelProofError

from ._echo import echo
from ._places import InputPlace, OutputPlace
from ._workers import with_workers
from ._world_ask import ask_command
from ._world_edit import edit_command
from ._world_recipes import COLLAGE_OPTIONS, SPLIT_HELP, make_recipe, recipe_of_file
from ._world_views import (
    check_file,
    print_problems,
    require_picture,
    show_many,
    show_one,
    show_stored,
    warn_of_compiling,
)

if TYPE_CHECKING:
    from pixelproof.store import Workers

FAILED, INTERRUPTED = 6, 130
_PATH = click.Path(path_type=Path)
_KIND = "tabletop, room, shelf, flat, collage; clips: tabletop-clip, room-clip, shelf-clip, clip (flat)."
_SHIFT = "Flat kinds: font, palette, prior or jitter, with a strength from 0 to 1. Can be repeated."
_FILE_OPTIONS: dict[str, tuple[str, ...]] = {"flat": (), "clip": (), "collage": ("size", "cutouts", "photographs")}
"""Kind → options that can be combined with the file of a scene; for solid kinds: size and quality."""
_QUALITY = "Solid kinds: draft (fast, for training) or beauty (smooth shadows, finer edges, three times slower)."


class _Size(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer versions alone
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Parse `512` or `640x480` to width and height."""
        if isinstance(value, tuple):
            return value
        width, _, height = str(value).lower().partition("x")
        try:
            return int(width), int(height or width)
        except ValueError:
            self.fail(f"{value!r} is not a size: write 512 for a square, or 640x480.", param, ctx)


def _scene_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that describe a recipe, in the order in which the help shows them."""
    for option in reversed(
        [
            click.option("--kind", default="tabletop", show_default=True, help=_KIND),
            click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same bytes."),
            click.option("--size", type=_Size(), help="Image size: 512 (default) or 640x480. Flat kinds are square."),
            click.option("--things", type=int, help="Number of things; default: depends on the kind."),
            click.option(
                "--clutter", type=float, help="How densely things are placed, 0 to 1; default 0.5. Not for flat kinds."
            ),
            click.option(
                "--occlusion",
                type=float,
                help="How much things may occlude each other, 0 to 1; default 0.5. Not for flat kinds.",
            ),
            click.option("--split", help=SPLIT_HELP),
            click.option("--frames", type=int, help="Clips: number of frames; default 16, for solid clips 24."),
            click.option("--movers", type=int, help="Clips: number of moving things."),
            click.option("--motion", help="Solid clips: what moves: object (default), camera or both."),
            click.option("--shift", "shifts", multiple=True, metavar="NAME=STRENGTH", help=_SHIFT),
            *COLLAGE_OPTIONS,
        ]
    ):
        command = option(command)
    return command


ABOUT = """Generate scenes with exact ground truth from a seed; show, describe, check and freeze them.

\b
pixelproof world show --seed 7                             one scene with all its layers, as world.png
pixelproof world show --kind clip --seed 7 --out c.webp    a clip, as an animation
pixelproof world ask --seed 7                              questions about a scene, with answers
pixelproof world edit --seed 7 --out edits.jpg             edits that are carried out, with change masks
pixelproof world make --n 1000 --seed 7 --out DIR          a set: images, layers, tables
pixelproof world check DIR                                 verify every hash, layer and physical rule
pixelproof world freeze DIR --name tabletop-v1             a manifest with the hash of every scene
pixelproof world verify tabletop-v1.json                   generate the scenes again and compare

\b
Kinds:
  tabletop, room, shelf    3-D scenes: depth, normals, masks, poses in metres
  flat, clip               2-D shapes and codes; clip: moving, with tracks
  tabletop-clip, …         3-D scenes with moving things or a moving camera
  collage                  cut-outs in front of a background

The solid kinds need pip install 'pixelproof[world]'.
"""


MAKING = """Generate a set of scenes, clips or collages: images, ground-truth layers and tables of their content.

\b
pixelproof world make --kind room --n 500 --seed 7 --out rooms
pixelproof world make --kind flat --n 10000 --seed 7 --shift font=0.5 --out flat
pixelproof world make --kind clip --n 200 --seed 7 --size 256 --out clips
pixelproof world make --kind tabletop-clip --motion camera --n 20 --out orbits
pixelproof world make --kind collage --cutouts my-cut-outs --n 100 --out collages

Interrupted, the same command continues with the scenes that are missing. A larger --n extends the set. An option that
does not apply to the kind is an error.
"""


SHOWING = """Render one scene with all its layers, or with --n a grid of images.

The scene comes from a seed, from its JSON file, or from a set on disk. A clip is shown as a contact sheet of its
frames, or as an animation if --out ends in .webp. A grid can mix kinds: --kind tabletop,room,shelf. For one generated
scene, its JSON is written beside the image.

\b
pixelproof world show --kind room --seed 7 --out room.png
pixelproof world show --kind tabletop,room,shelf --n 24 --seed 7 --out grid.jpg
pixelproof world show room.json --size 1024 --out large.png
pixelproof world show DIR --index 12 --out twelve.png
"""


@click.group("world", help=ABOUT, short_help="Generate, show, describe and check scenes with exact truth.")
def world_group() -> None:
    """Group of the world commands."""


world_group.add_command(ask_command)
world_group.add_command(edit_command)


@world_group.command("make", help=MAKING)
@_scene_options
@click.option("--n", type=int, required=True, help="Number of scenes or clips.")
@click.option("--quality", help=f"{_QUALITY} Default: draft.")
@click.option("--layers", default="all", show_default=True, help="Layers to store, such as rgb,depth,ids.")
@click.option("--out", type=OutputPlace(), required=True, help="Folder of the set, or a URL.")
@with_workers
def make_command(n: int, layers: str, out: str | Path, workers: Workers, kind: str, **given: Any) -> int:
    """Generate a set, or continue it."""
    from pixelproof.world import counted
    from pixelproof.world.sets import make_set

    from ._console import output

    if layers != "all":
        given["layers"] = tuple(word.strip() for word in layers.split(",") if word.strip())
    recipe = make_recipe(kind, given)
    try:
        with _bar(recipe.items.name) as progress:
            warn_of_compiling(recipe)
            card = make_set(recipe, n, out, workers=workers, progress=progress)
    except KeyboardInterrupt:
        echo("\nInterrupted. Finished scenes are kept: run the same command again to continue.", err=True)
        return INTERRUPTED
    console = output()
    count = counted(card.n, recipe.items.name)
    console.print(f"{out}: {count}, content {card.digest[:16]}", soft_wrap=True, markup=False)
    console.print(f"\nNext: pixelproof world check {shlex.quote(str(out))}", soft_wrap=True, markup=False)
    return 0


@world_group.command("show", help=SHOWING)
@click.argument("source", type=InputPlace(), required=False, metavar="[SCENE.json | DIR]")
@_scene_options
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Index of the (first) scene.")
@click.option(
    "--n", type=click.IntRange(min=1), help="Show a grid of this many images instead of the layers of one scene."
)
@click.option("--quality", help=f"{_QUALITY} Default: beauty.")
@click.option(
    "--out", type=_PATH, default="world.png", show_default=True, help="Image file: PNG or JPEG; for a clip also WebP."
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of processes; default: one per core.")
def show_command(
    source: Path | None, index: int, n: int | None, out: Path, workers: int | None, kind: str, **given: Any
) -> None:
    """Render a scene, or a grid of images."""
    require_picture(out, moving=True)
    if source is not None and source.is_dir():
        _require_options(source, ("index", "n"))
        show_stored(source, index, n, out)
        return
    from pixelproof.world.sets import kind_of, read_bytes

    text = None if source is None else read_bytes(source).decode("utf-8", "replace")
    kinds = [word.strip() for word in kind.split(",")] if text is None else [kind_of(text)]
    if source is not None and text is not None:
        _require_options(source, _FILE_OPTIONS.get(kinds[0], ("size", "quality")))
        recipes = [recipe_of_file(source, text, given)]
    else:
        recipes = [make_recipe(word, given, quality="beauty") for word in kinds]
    if source is None and n is not None:
        with _bar("images") as progress:
            work = [(recipes[k % len(recipes)], index + k // len(recipes)) for k in range(n)]
            warn_of_compiling(work[0][0])
            show_many(work, out, workers, progress)
    elif len(recipes) > 1:
        raise PixelProofError("One scene has one kind: give one --kind, or --n for a grid of several.")
    else:
        show_one(recipes[0], index, source, text, out)


def _require_options(source: Path, specific: tuple[str, ...]) -> None:
    """Raise an error for options of a recipe that cannot be combined with an existing scene or set."""
    context = click.get_current_context()
    allowed = {"source", "out", "workers", *specific}
    for option in context.command.params:
        name = option.name or ""
        if name not in allowed and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            flags = ", ".join(f"--{word}" for word in sorted(allowed - {"source"}))
            raise PixelProofError(f"{option.opts[0]} does not apply to {source}, which takes {flags}: leave it out.")


@world_group.command("check")
@click.argument("source", type=InputPlace(), metavar="DIR | SCENE.json")
@with_workers
def check_command(source: Path, workers: Workers) -> int:
    """Check a set, or the file of one scene; print what is wrong.

    Compares every file with its hash, every layer with the others and the tables with the layers, and tests the
    physical rules of solid scenes (no overlap, stable, visible …). Exit code 6 if something is wrong.
    """
    from pixelproof.world.sets import check_set

    if source.is_dir():
        with _bar() as progress:
            problems, verdict = list(check_set(source, workers=workers, progress=progress)), "no problems."
    else:
        problems, verdict = check_file(source)
    if problems:
        print_problems(problems)
        return FAILED
    echo(f"{source}: {verdict}")
    return 0


@world_group.command("freeze")
@click.argument("directory", type=InputPlace(), metavar="DIR")
@click.option("--name", required=True, help="Name to cite the set by, such as tabletop-v1.")
@click.option("--out", type=_PATH, help="Manifest file; default: NAME.json.")
def freeze_command(directory: Path, name: str, out: Path | None) -> None:
    """Write the manifest of a set: its recipe, the edition of its world, and the hash of each scene.

    With the manifest, anyone can generate the set again (world make) and verify it (world verify).
    """
    from pixelproof.world import counted
    from pixelproof.world.sets import freeze_set, load_manifest

    path = out or Path(f"{name}.json")
    frozen = freeze_set(directory, name, path)
    echo(f"{path}: {counted(len(frozen), load_manifest(path)[1].items.name)}, {frozen.digest}")


@world_group.command("verify")
@click.argument("manifest", type=_PATH)
@click.option("--sample", type=click.IntRange(min=1), help="Verify this many scenes, chosen at random; default: all.")
@click.option("--cutouts", help="Collages: folder of the cut-outs, if it was moved.")
@click.option("--photographs", help="Collages: folder of the photographs, if it was moved.")
@with_workers
def verify_command(manifest: Path, sample: int | None, workers: Workers, **given: str | None) -> int:
    """Generate the scenes of a frozen set again and compare them with the manifest. Exit code 6 if some differ."""
    from pixelproof.world import counted
    from pixelproof.world.sets import changed_software, load_manifest, verify_manifest

    frozen, recipe = load_manifest(manifest)
    changed = changed_software(manifest)
    if changed:
        echo(f"Other versions than in the manifest: {', '.join(changed)}. Scenes may differ.", err=True)
    items = recipe.items.name
    folders = {name: place for name, place in given.items() if place is not None}
    with _bar(items) as progress:
        mismatches = list(verify_manifest(manifest, folders=folders, sample=sample, workers=workers, progress=progress))
    count = min(sample or len(frozen), len(frozen))
    if mismatches:
        shown = ", ".join(mismatches[:5]) + (" …" if len(mismatches) > 5 else "")
        echo(
            f"Error: {len(mismatches)} of {counted(count, items)} differ from the manifest {frozen.name} ({shown}): "
            "install the versions it names.",
            err=True,
        )
        return FAILED
    echo(f"{manifest}: {count} of {counted(len(frozen), items)} generated again, all equal to the manifest.")
    return 0


@contextmanager
def _bar(what: str = "scenes") -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr that starts with the first report."""
    from ._console import progress

    bar = progress()
    started = False

    def report(done: int, total: int) -> None:
        nonlocal started
        if started:
            bar.advance()
        else:
            bar.begin(what, total, done)
            started = True

    try:
        yield report
    finally:
        bar.end()
