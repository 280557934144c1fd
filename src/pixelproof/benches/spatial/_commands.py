"""`pixelproof spatial`: sets of pairs before and after edits, with instructions."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.cli.helpers import with_workers
from pixelproof.contract import PixelProofError

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
@click.option("--out", type=_PATH, required=True, help="Folder of the set.")
@with_workers
def make_command(n: int, size: int, layers: str, out: Path, workers: Workers, **given: Any) -> int:
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

    recipe = PairRecipe("pair", width=size, height=size, **given)
    count = len(recipe.names)
    places = [(index + number) * count + place for place in range(count) for number in range(n)]
    pairs = [recipe.item(place) for place in places]
    for pair in pairs:
        row = {name: plain(getattr(pair, name)) for name in ("operation", "text", "steps", "why_not", "level")}
        echo(json.dumps(row, ensure_ascii=False) if as_json else caption_of(pair))
    if out is not None:
        from PIL import Image

        if out.suffix.lower() not in (".png", ".jpg", ".jpeg"):
            raise PixelProofError(f"{out} is not the name of an image: end it in .png or .jpg.")
        Image.fromarray(pair_sheet(recipe, pairs)).save(out, quality=88)
        echo(str(out), err=as_json)


@spatial_group.command("export")
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--out", type=_PATH, required=True, help="Folder to write.")
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


RELATING = """Compare a model's edits with its answers to questions about the same scenes, scene by scene.

EDITS is a run of the bench with --task editing, ANSWERS one with --task understanding, of the same source and seed.
Faults of the model count as 0 in both. Printed are the means, their difference, the rank correlation over scenes, and
how many scenes were edited well (at least --edited), answered well (at least --answered), both, or neither.

\b
pixelproof run spatial --model openai/MODEL --seed 7 --out runs/edits
pixelproof run spatial --model openai/MODEL --seed 7 --task understanding --out runs/answers
pixelproof spatial relate runs/edits runs/answers
"""


@spatial_group.command("relate", help=RELATING, short_help="Compare edits with answers about the same scenes.")
@click.argument("edits", type=_PATH)
@click.argument("answers", type=_PATH)
@click.option("--metric", default="ic", show_default=True, help="Score of the edits: ic, sa, ac, el or joint.")
@click.option(
    "--edited", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Least score of a good edit."
)
@click.option("--answered", type=click.FloatRange(0, 1), default=0.75, show_default=True, help="Of good answers.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def relate_command(edits: Path, answers: Path, metric: str, edited: float, answered: float, as_json: bool) -> None:
    """Compare edits with answers."""
    from pixelproof.benches.spatial._metrics import SCORES
    from pixelproof.benches.spatial.understanding import relate_tasks
    from pixelproof.cli.helpers import echo
    from pixelproof.contract import unknown_name
    from pixelproof.store import plain

    if metric not in SCORES:
        raise unknown_name("score of edits", metric, SCORES)
    made, said = _scores(edits, "editing", (f"micro.{metric}",)), _scores(answers, "understanding", ("accuracy", "mra"))
    relation = relate_tasks(made[0], said[0], made[1], made[2], edited, answered)
    if as_json:
        echo(json.dumps(plain(relation), ensure_ascii=False))
        return
    cell = relation.table
    echo(f"{relation.scenes} scenes: {metric} {relation.edits:.3f}, answers {relation.answers:.3f}")
    echo(f"difference {_shown(relation.difference)}; rank correlation {_shown(relation.correlation)}")
    echo("; ".join(f"{name} {count}" for name, count in cell.items()))
    for name, (count, edit, answer) in relation.by_operation.items():
        echo(f"  {name:<12} {count:>4} scenes   {metric} {edit:.3f}   answers {answer:.3f}")


def _shown(estimate: Any) -> str:
    return f"{estimate.value:+.3f} [{estimate.lo:+.3f}, {estimate.hi:+.3f}]"


def _scores(path: Path, task: str, names: tuple[str, ...]) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Mean score, cluster and operation of every item of a run; faults of the model count as 0."""
    from pixelproof.contract import Fault
    from pixelproof.harness import Run

    run = Run.open(path)
    if run.card["bench"] != "spatial" or run.card["options"].get("task", "editing") != task:
        raise PixelProofError(f"{path} is not a run of spatial with --task {task}: give EDITS first, then ANSWERS.")
    values: dict[str, list[float]] = {}
    for result in run.results():
        numbers = [float(result.metrics[name]) for name in names if name in result.metrics]  # type: ignore[arg-type]
        if numbers:
            values.setdefault(result.item, []).append(numbers[0])
        elif result.failure is not None and result.failure.fault is Fault.MODEL:
            values.setdefault(result.item, []).append(0.0)
    items = list(run.items())
    means = {item: sum(given) / len(given) for item, given in values.items()}
    return means, {item.id: item.cluster for item in items}, {item.id: item.tags.get("operation", "") for item in items}


REAL = """Propose edits of photographs, for review.

Frames are sampled, blurry ones left out, things lifted to boxes in space, edits proposed by rule, and the boxes before
and after drawn on the photograph. A gate (any model that reads images) may drop implausible ones. OUT then has the
images, proposals.jsonl for 'pixelproof review serve', and left-out.jsonl: what each step left out, and why.

\b
pixelproof spatial real --photos DIR --lifter transformers:DETECTOR,DEPTH --out batch
pixelproof spatial real --clips 4 --seed 7 --out batch       rendered clips, with their true boxes
pixelproof spatial real --collages 20 --out batch            collages, with true boxes and target pictures
pixelproof review serve batch
pixelproof spatial accept batch --out gsi-folder
pixelproof run spatial --source gsi --data gsi-folder --model …

DIR may have camera.json: fx, fy, cx and cy in pixels, down (gravity in the camera's frame), labels.
"""


@spatial_group.command("real", help=REAL, short_help="Propose edits of photographs, for review.")
@click.option("--photos", type=_PATH, help="Folder of photographs, or frames of a video.")
@click.option("--clips", type=click.IntRange(min=1), help="Number of generated clips, in place of photographs.")
@click.option("--collages", type=click.IntRange(min=1), help="Number of generated collages, with exact targets.")
@click.option("--cutouts", type=_PATH, help="Folder of cut-outs for collages.  [default: rendered things]")
@click.option("--backgrounds", type=_PATH, help="Folder of photographs behind collages.  [default: drawn grounds]")
@click.option("--lifter", default="oracle", show_default=True, help="oracle (clips), or transformers:DETECTOR,DEPTH.")
@click.option("--gate", help="Model that drops implausible proposals, such as openai/MODEL.  [default: none]")
@click.option("--every", type=click.IntRange(min=1), default=20, show_default=True, help="Take one frame in so many.")
@click.option("--sharpness", type=click.FloatRange(0, 1), default=0.6, show_default=True, help="Least; 0: any frame.")
@click.option("--per-frame", type=click.IntRange(1, 100), default=8, show_default=True, help="Proposals per frame.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of clips, frames and proposals.")
@click.option("--size", type=click.IntRange(64, 2048), default=512, show_default=True, help="Side of frames of clips.")
@click.option("--out", type=_PATH, required=True, help="Folder to write.")
def real_command(photos: Path | None, lifter: str, gate: str | None, seed: int, out: Path, **given: Any) -> None:
    """Propose edits of photographs."""
    from pixelproof.benches.spatial.real import Settings, find_candidates, open_lifter
    from pixelproof.cli.helpers import echo

    if sum(one is not None for one in (photos, given["clips"], given["collages"])) != 1:
        raise PixelProofError("Give one of --photos DIR, --clips N and --collages N.")
    if (out / "proposals.jsonl").exists():
        raise PixelProofError(f"{out} has proposals already: choose another --out.")
    frames = _real_frames(photos, seed, given)
    settings = Settings(seed, given["sharpness"], given["per_frame"])
    judge = _Gate(gate) if gate else None
    try:
        found = find_candidates(frames, open_lifter(lifter), settings, judge.ask if judge else None)
        proposed, left_out = _write_real(found, out)
    finally:
        if judge:
            judge.close()
    steps = ", ".join(f"{count} at {step}" for step, count in left_out.items()) or "nothing"
    echo(f"{out}: {proposed} proposals; left out: {steps}.")
    echo(f"Next: pixelproof review serve {shlex.quote(str(out))}")


def _real_frames(photos: Path | None, seed: int, given: dict[str, Any]) -> Any:
    """Sampled frames of a folder, or of generated clips of all kinds in turn; or collages."""
    from pixelproof.benches.spatial.real import clip_frames, collage_frames, photo_frames, sample_places
    from pixelproof.stats import generator

    every, size = given["every"], given["size"]
    if given["collages"] is not None:
        yield from collage_frames(seed, given["collages"], size, given["cutouts"], given["backgrounds"])
        return
    if photos is not None:
        known = list_photos(photos)
        taken = set(sample_places(len(known), every, generator(seed, "spatial/real/frames")))
        yield from (frame for place, frame in enumerate(photo_frames(photos)) if place in taken)
        return
    kinds, frames = ("tabletop", "room", "shelf"), 2 * every
    for index in range(given["clips"]):
        places = sample_places(frames, every, generator(seed, "spatial/real/frames", index))
        yield from clip_frames(kinds[index % len(kinds)], seed, index, places, frames, size)


def list_photos(folder: Path) -> list[Path]:
    """Image files of a folder, sorted by name."""
    from pixelproof.benches.sources import IMAGE_SUFFIXES

    files = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in files if path.suffix.lower() in IMAGE_SUFFIXES)


class _Gate:
    """A model as a function from prompts to answers."""

    def __init__(self, name: str) -> None:
        from pixelproof.benches.spatial import Spatial
        from pixelproof.harness import open_judge

        judge = open_judge(name, Spatial())
        assert judge is not None
        self._judge, self._count, self.close = judge, 0, judge.close

    def ask(self, prompt: Any) -> Any:
        """Answer a prompt."""
        from pixelproof.contract import Item
        from pixelproof.harness import Ask

        self._count += 1
        return self._judge.call(prompt, Ask(self._count, Item(f"gate/{self._count}", {}), 0, 0))


def _write_real(found: Any, out: Path) -> tuple[int, dict[str, int]]:
    """Write candidates as a batch for review, and what was left out; returns the numbers of both."""
    from collections import Counter
    from dataclasses import asdict

    from pixelproof.apps.review import Proposal, write_batch
    from pixelproof.benches.spatial.real import Rejected
    from pixelproof.pixels import encode_png

    (out / "images").mkdir(parents=True, exist_ok=True)
    proposals, left_out = [], []
    numbers: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Rejected):
            left_out.append(one)
            continue
        name, number = one.frame.name, numbers[one.frame.name]
        numbers[name] += 1
        images = {"photograph": f"images/{name}.png", "boxes": f"images/{name}-{number}.png"}
        if one.target is not None:
            images["target"] = f"images/{name}-{number}-target.png"
            (out / images["target"]).write_bytes(encode_png(one.target).data)
        if not number:
            (out / images["photograph"]).write_bytes(encode_png(one.frame.rgb).data)
        (out / images["boxes"]).write_bytes(encode_png(one.overlay).data)
        more = {"frame": name, "number": number, "annotation": one.annotation()}
        proposals.append(Proposal(f"{name}/{number}", one.text, images, one.facts(), more))
    write_batch(out, proposals)
    lines = [json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in left_out]
    (out / "left-out.jsonl").write_text("".join(lines), "utf-8")
    return len(proposals), dict(Counter(one.step for one in left_out))


@spatial_group.command("accept")
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--out", type=_PATH, required=True, help="Folder to write.")
def accept_command(directory: Path, out: Path) -> None:
    """Write the accepted and fixed proposals of a review in the files of GSI-Bench.

    DIR is what 'spatial real' wrote and 'review serve' decided; OUT is read by '--source gsi'.
    """
    from pixelproof.apps.review import DecisionStore, read_batch
    from pixelproof.benches.spatial._gsi_files import GsiAnnotation, write_gsi_item
    from pixelproof.cli.helpers import echo

    batch = read_batch(directory)
    store = DecisionStore(batch)
    try:
        decided = store.decisions()
    finally:
        store.close()
    written = 0
    for id, decision in decided.items():
        proposal = batch.proposals[id]
        if decision.verdict == "reject" or "annotation" not in proposal.more:
            continue
        fields = {**proposal.more["annotation"], "prompt": decision.text or proposal.text}
        photo = (batch.folder / proposal.images["photograph"]).read_bytes()
        target = (batch.folder / proposal.images["target"]).read_bytes() if "target" in proposal.images else None
        write_gsi_item(out, proposal.more["frame"], proposal.more["number"], GsiAnnotation(**fields), photo, target)
        written += 1
    if not written:
        raise PixelProofError(f"{directory} has no accepted proposals: run pixelproof review serve {directory}.")
    echo(f"{out}: {written} edits")
