"""`world`: make, look at, check and freeze sets of scenes with exact truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import PixelProofError

from ._world_views import print_problems, show_many, show_one, show_stored

if TYPE_CHECKING:
    from pixelproof.world.solid.sets import Recipe

FAILED, INTERRUPTED = 1, 130
_PATH = click.Path(path_type=Path)


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


def _scene_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options by which scenes are described, in the order in which help shows them."""
    for option in reversed(
        [
            click.option("--kind", default="tabletop", show_default=True, help="tabletop, room or shelf."),
            click.option("--seed", type=int, default=0, show_default=True, help="The same seed: the same bytes."),
            click.option(
                "--split",
                default="train",
                show_default=True,
                help="train, test or test-…: see the docs.",
            ),
            click.option("--things", type=int, help="How many things; left to the kind of scene unless given."),
            click.option("--clutter", type=float, default=0.5, show_default=True, help="How close together, 0 to 1."),
            click.option("--occlusion", type=float, default=0.5, show_default=True, help="How hidden at most, 0 to 1."),
            click.option("--size", type=_Size(), default="512", show_default=True, help="512, or 640x480."),
        ]
    ):
        command = option(command)
    return command


_QUALITY = "draft: for training; beauty: smooth shadows, finer edges, about three times the work."
_WORKERS = click.option("--workers", type=click.IntRange(min=1), help="Processes; as many as cores unless given.")


ABOUT = """Scenes with exact truth: make sets of them, look at them, check them, freeze them.

\b
pixelproof world show --seed 7                             one scene with all its layers
pixelproof world make --n 1000 --seed 7 --out DIR          a set of scenes
pixelproof world check DIR                                 is every rule kept?
pixelproof world freeze DIR --name tabletop-v1             a manifest to cite it by
"""


@click.group("world", help=ABOUT, short_help="Scenes with exact truth: make, show, check and freeze them.")
def world_group() -> None:
    """Do nothing by itself: the commands do."""


@world_group.command("make")
@_scene_options
@click.option("--n", type=int, required=True, help="How many scenes.")
@click.option("--quality", default="draft", show_default=True, help=_QUALITY)
@click.option("--layers", default="all", show_default=True, help="Those to store, such as rgb,depth,ids.")
@click.option("--out", type=_PATH, required=True, help="The folder of the set.")
@_WORKERS
def make_command(n: int, layers: str, out: Path, workers: int | None, **given: Any) -> int:
    """Make a set of scenes: pictures, layers of truth, and tables of everything in them.

    Killed or interrupted, the same command goes on from the scenes that are done.
    """
    from pixelproof.world.solid.sets import LAYERS, make_set

    from ._console import output

    wanted = LAYERS if layers == "all" else tuple(word.strip() for word in layers.split(",") if word.strip())
    recipe = _recipe(given | {"layers": wanted})
    try:
        with _bar() as progress:
            card = make_set(recipe, n, out, workers=workers, progress=progress)
    except KeyboardInterrupt:
        click.echo("\nInterrupted. The scenes that are done are kept: the same command goes on from there.", err=True)
        return INTERRUPTED
    console = output()
    console.print(f"{out}: {card.n} scenes, content {card.digest[:16]}", soft_wrap=True, markup=False)
    console.print(f"\nNext: pixelproof world check {out}", soft_wrap=True, markup=False)
    return 0


@world_group.command("show")
@click.argument("source", type=_PATH, required=False, metavar="[SCENE.json | DIR]")
@_scene_options
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which scene, or the first.")
@click.option("--n", type=click.IntRange(min=1), help="A sheet of so many pictures instead of one scene's layers.")
@click.option("--quality", default="beauty", show_default=True, help=_QUALITY)
@click.option("--out", type=_PATH, default="world.png", show_default=True, help="The sheet: PNG or JPEG.")
@_WORKERS
def show_command(
    source: Path | None, index: int, n: int | None, out: Path, workers: int | None, kind: str, **given: Any
) -> None:
    """Draw one scene with all its layers, or with --n a sheet of many; of a seed, a scene's file, or a set.

    A sheet of many may mix kinds: --kind tabletop,room,shelf. The JSON of one scene is written beside its sheet.
    """
    if out.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise PixelProofError(f"A sheet is a PNG or JPEG: call it {out.with_suffix('.png')}.")
    if source is not None and source.is_dir():
        show_stored(source, index, n, out)
        return
    recipes = [_recipe(given | {"kind": word.strip()}) for word in kind.split(",")]
    if source is None and n is not None:
        with _bar() as progress:
            work = [(recipes[k % len(recipes)], index + k // len(recipes)) for k in range(n)]
            show_many(work, out, workers, progress)
    elif n is not None or len(recipes) > 1:
        raise PixelProofError("This is one scene: leave --n out and name one --kind, or give no file.")
    else:
        show_one(recipes[0], index, source, out)


@world_group.command("check")
@click.argument("source", type=_PATH, metavar="DIR | SCENE.json")
@_WORKERS
def check_command(source: Path, workers: int | None) -> int:
    """Check every rule of every scene, every hash, and every layer against the others; say what fails."""
    from pixelproof.world.solid.sets import check_scene, check_set, read_scene

    if source.is_dir():
        with _bar() as progress:
            problems = list(check_set(source, workers=workers, progress=progress))
    else:
        problems = check_scene(read_scene(source), source.name)
    if problems:
        print_problems(problems)
        return FAILED
    click.echo(f"{source}: every rule is kept.")
    return 0


@world_group.command("freeze")
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--name", required=True, help="By which it is cited, such as tabletop-v1.")
@click.option("--out", type=_PATH, help="The manifest; NAME.json unless given.")
def freeze_command(directory: Path, name: str, out: Path | None) -> None:
    """Write the manifest of a set: its recipe, and the hash of each scene."""
    from pixelproof.world.solid.sets import freeze_set

    path = out or Path(f"{name}.json")
    frozen = freeze_set(directory, name, path)
    click.echo(f"{path}: {len(frozen)} scenes, {frozen.digest}")


@world_group.command("verify")
@click.argument("manifest", type=_PATH)
@click.option("--sample", type=click.IntRange(min=1), help="Make so many scenes again, instead of all.")
@_WORKERS
def verify_command(manifest: Path, sample: int | None, workers: int | None) -> int:
    """Make the scenes of a frozen set again, and compare them with the manifest."""
    from pixelproof.world.solid.sets import load_manifest, verify_manifest

    frozen, _ = load_manifest(manifest)
    with _bar() as progress:
        wrong = list(verify_manifest(manifest, sample=sample, workers=workers, progress=progress))
    count = min(sample or len(frozen), len(frozen))
    if wrong:
        shown = ", ".join(wrong[:5]) + (" …" if len(wrong) > 5 else "")
        click.echo(
            f"Error: {len(wrong)} of {count} scenes of {frozen.name} come out otherwise here ({shown}): install the "
            "versions that the manifest names.",
            err=True,
        )
        return FAILED
    click.echo(f"{manifest}: {count} of {len(frozen)} scenes made again, all as they were frozen.")
    return 0


def _recipe(given: dict[str, Any]) -> Recipe:
    from pixelproof.world.solid.sets import Recipe

    width, height = given["size"]
    rest = {key: value for key, value in given.items() if key != "size"}
    return Recipe(**rest, width=width, height=height)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr that begins with the first report."""
    from ._console import progress

    bar = progress()
    begun = False

    def report(done: int, total: int) -> None:
        nonlocal begun
        if begun:
            bar.advance()
        else:
            bar.begin("scenes", total, done)
            begun = True

    try:
        yield report
    finally:
        bar.end()
