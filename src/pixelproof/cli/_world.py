"""`world`: make, look at, ask about, check and freeze sets of scenes with exact truth."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pixelproof.contract import PixelProofError

from ._world_ask import ask_command
from ._world_recipes import make_recipe, recipe_of_file
from ._world_views import (
    check_file,
    print_problems,
    require_picture,
    show_many,
    show_one,
    show_stored,
    warn_of_compiling,
)

FAILED, INTERRUPTED = 6, 130
_PATH = click.Path(path_type=Path)
_KIND = "tabletop, room, shelf; flat; clip (flat), tabletop-clip, room-clip, shelf-clip; collage."
_SHIFT = "Of flat scenes and clips: font, palette, prior or jitter, by 0 to 1; may be repeated."
_APT: dict[str, tuple[str, ...]] = {"flat": (), "clip": (), "collage": ("size", "cutouts", "photographs")}
"""Options that apply to the file of a scene that is not solid."""
_QUALITY = "Solid. draft: for training; beauty: smooth shadows, finer edges, about three times the work."


class _Size(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer versions alone
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """512, or 640x480."""
        if isinstance(value, tuple):
            return value
        width, _, height = str(value).lower().partition("x")
        try:
            return int(width), int(height or width)
        except ValueError:
            self.fail(f"{value!r} is neither a number of pixels, such as 512, nor two, such as 640x480.", param, ctx)


_FOLDERS = (
    click.option("--cutouts", help="Of collages: a folder of RGBA files, tuxpaint-stamps, or solid."),
    click.option("--photographs", help="Behind collages: a folder, or nature-photographs; else grounds."),
)


def _scene_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options by which scenes are described, in the order in which help shows them."""
    for option in reversed(
        [
            click.option("--kind", default="tabletop", show_default=True, help=_KIND),
            click.option("--seed", type=int, default=0, show_default=True, help="The same seed: the same bytes."),
            click.option("--size", type=_Size(), help="512 unless given; or 640x480. Flat scenes are square."),
            click.option("--things", type=int, help="How many things; left to the kind of scene unless given."),
            click.option("--clutter", type=float, help="How close together, 0 to 1; 0.5 unless given. Not flat."),
            click.option("--occlusion", type=float, help="How hidden at most, 0 to 1; 0.5 unless given. Not flat."),
            click.option("--split", help="Solid: train (unless given), test or test-…: see the docs."),
            click.option("--frames", type=int, help="Of clips: how many; 16 or, of solid scenes, 24 unless given."),
            click.option("--movers", type=int, help="Of clips: how many things move."),
            click.option("--motion", help="Of solid clips: object (unless given), camera or both."),
            click.option("--shift", "shifts", multiple=True, metavar="NAME=STRENGTH", help=_SHIFT),
            *_FOLDERS,
        ]
    ):
        command = option(command)
    return command


_WORKERS = click.option("--workers", type=click.IntRange(min=1), help="Processes; as many as cores unless given.")


ABOUT = """Scenes with exact truth: make sets of them, look at them, ask about them, check them, freeze them.

\b
pixelproof world show --seed 7                             one scene with all its layers
pixelproof world show --kind clip --seed 7 --out c.webp    a clip, moving
pixelproof world ask --seed 7                              questions about a scene, with answers
pixelproof world make --n 1000 --seed 7 --out DIR          a set of scenes
pixelproof world check DIR                                 is every rule kept?
pixelproof world freeze DIR --name tabletop-v1             a manifest to cite it by
"""


MAKING = """Make a set of scenes or clips: pictures, layers of truth, and tables of everything in them.

\b
pixelproof world make --kind room --n 500 --seed 7 --out rooms
pixelproof world make --kind flat --n 10000 --seed 7 --shift font=0.5 --out flat
pixelproof world make --kind clip --n 200 --seed 7 --size 256 --out clips
pixelproof world make --kind tabletop-clip --motion camera --n 20 --out orbits
pixelproof world make --kind collage --cutouts my-cut-outs --n 100 --out collages

Killed or interrupted, the same command goes on from the scenes that are done.
"""


@click.group("world", help=ABOUT, short_help="Scenes with exact truth: make, show, ask about, check and freeze them.")
def world_group() -> None:
    """Do nothing by itself: the commands do."""


world_group.add_command(ask_command)


@world_group.command("make", help=MAKING)
@_scene_options
@click.option("--n", type=int, required=True, help="How many scenes, or clips.")
@click.option("--quality", help=f"{_QUALITY} draft unless given.")
@click.option("--layers", default="all", show_default=True, help="Those to store, such as rgb,depth,ids.")
@click.option("--out", type=_PATH, required=True, help="The folder of the set.")
@_WORKERS
def make_command(n: int, layers: str, out: Path, workers: int | None, kind: str, **given: Any) -> int:
    """Make a set, or go on with it."""
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
        click.echo("\nInterrupted. The scenes that are done are kept: the same command goes on from there.", err=True)
        return INTERRUPTED
    console = output()
    many = counted(card.n, recipe.items.name)
    console.print(f"{out}: {many}, content {card.digest[:16]}", soft_wrap=True, markup=False)
    console.print(f"\nNext: pixelproof world check {shlex.quote(str(out))}", soft_wrap=True, markup=False)
    return 0


@world_group.command("show")
@click.argument("source", type=_PATH, required=False, metavar="[SCENE.json | DIR]")
@_scene_options
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which scene, or the first.")
@click.option("--n", type=click.IntRange(min=1), help="A sheet of so many pictures instead of one scene's layers.")
@click.option("--quality", help=f"{_QUALITY} beauty unless given.")
@click.option("--out", type=_PATH, default="world.png", show_default=True, help="PNG or JPEG; of a clip also WebP.")
@_WORKERS
def show_command(
    source: Path | None, index: int, n: int | None, out: Path, workers: int | None, kind: str, **given: Any
) -> None:
    """Draw one scene with all its layers, or with --n a sheet of many; of a seed, a scene's file, or a set.

    A clip is a sheet of its frames, or, if --out ends in .webp, an animation. A sheet of many may mix kinds: --kind
    tabletop,room,shelf. The JSON of one scene is written beside its sheet.
    """
    require_picture(out, moving=True)
    if source is not None and source.is_dir():
        _require_apt(source, ("index", "n"))
        show_stored(source, index, n, out)
        return
    from pixelproof.world.sets import kind_of, read_bytes

    text = None if source is None else read_bytes(source).decode("utf-8", "replace")
    kinds = [word.strip() for word in kind.split(",")] if text is None else [kind_of(text)]
    if source is not None and text is not None:
        _require_apt(source, _APT.get(kinds[0], ("size", "quality")))
        recipes = [recipe_of_file(source, text, given)]
    else:
        recipes = [make_recipe(word, given, quality="beauty") for word in kinds]
    if source is None and n is not None:
        with _bar("pictures") as progress:
            work = [(recipes[k % len(recipes)], index + k // len(recipes)) for k in range(n)]
            warn_of_compiling(work[0][0])
            show_many(work, out, workers, progress)
    elif len(recipes) > 1:
        raise PixelProofError("This is one scene: name one --kind, or give --n for a sheet of many.")
    else:
        warn_of_compiling(recipes[0])
        show_one(recipes[0], index, source, text, out)


def _require_apt(source: Path, own: tuple[str, ...]) -> None:
    """Refuse options that describe a scene where one that is there is shown, which nothing can change any more."""
    context = click.get_current_context()
    apt = {"source", "out", "workers", *own}
    for option in context.command.params:
        name = option.name or ""
        if name not in apt and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            flags = ", ".join(f"--{word}" for word in sorted(apt - {"source"}))
            raise PixelProofError(f"{option.opts[0]} means nothing for {source}, which takes {flags}: leave it out.")


@world_group.command("check")
@click.argument("source", type=_PATH, metavar="DIR | SCENE.json")
@_WORKERS
def check_command(source: Path, workers: int | None) -> int:
    """Check every rule of every scene, every hash, and every layer against the others; say what fails.

    Ends with exit code 6 if something does.
    """
    from pixelproof.world.sets import check_set

    if source.is_dir():
        with _bar() as progress:
            problems, kept = list(check_set(source, workers=workers, progress=progress)), "every rule is kept."
    else:
        problems, kept = check_file(source)
    if problems:
        print_problems(problems)
        return FAILED
    click.echo(f"{source}: {kept}")
    return 0


@world_group.command("freeze")
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--name", required=True, help="By which it is cited, such as tabletop-v1.")
@click.option("--out", type=_PATH, help="The manifest; NAME.json unless given.")
def freeze_command(directory: Path, name: str, out: Path | None) -> None:
    """Write the manifest of a set: its recipe, and the hash of each scene."""
    from pixelproof.world import counted
    from pixelproof.world.sets import freeze_set, load_manifest

    path = out or Path(f"{name}.json")
    frozen = freeze_set(directory, name, path)
    click.echo(f"{path}: {counted(len(frozen), load_manifest(path)[1].items.name)}, {frozen.digest}")


@world_group.command("verify")
@click.argument("manifest", type=_PATH)
@click.option("--sample", type=click.IntRange(min=1), help="Make so many scenes again, instead of all.")
@click.option("--cutouts", help="Of collages: where the cut-outs are now, if not where they were.")
@click.option("--photographs", help="Of collages: where the photographs are now, if not where they were.")
@_WORKERS
def verify_command(manifest: Path, sample: int | None, workers: int | None, **given: str | None) -> int:
    """Make the scenes of a frozen set again, and compare them with the manifest; exit code 6 if some differ."""
    from pixelproof.world import counted
    from pixelproof.world.sets import changed_software, load_manifest, verify_manifest

    frozen, recipe = load_manifest(manifest)
    changed = changed_software(manifest)
    if changed:
        click.echo(f"Versions differ: {', '.join(changed)}. Scenes may come out otherwise.", err=True)
    items = recipe.items.name
    folders = {name: place for name, place in given.items() if place is not None}
    with _bar(items) as progress:
        found = verify_manifest(manifest, folders=folders, sample=sample, workers=workers, progress=progress)
        wrong = list(found)
    count = min(sample or len(frozen), len(frozen))
    if wrong:
        shown = ", ".join(wrong[:5]) + (" …" if len(wrong) > 5 else "")
        click.echo(
            f"Error: {len(wrong)} of {counted(count, items)} of {frozen.name} come out otherwise here ({shown}): "
            "install the versions that the manifest names.",
            err=True,
        )
        return FAILED
    click.echo(f"{manifest}: {count} of {counted(len(frozen), items)} made again, all as they were frozen.")
    return 0


@contextmanager
def _bar(what: str = "scenes") -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr that begins with the first report."""
    from ._console import progress

    bar = progress()
    begun = False

    def report(done: int, total: int) -> None:
        nonlocal begun
        if begun:
            bar.advance()
        else:
            bar.begin(what, total, done)
            begun = True

    try:
        yield report
    finally:
        bar.end()
