"""`spatial real` and `spatial accept`: edits of photographs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import PixelProofError

_PATH = click.Path(path_type=Path)


REAL = """Propose edits of photographs, for review.

Frames are sampled, blurry ones left out, things lifted to boxes in space, edits proposed by rule, and the boxes before
and after drawn on the photograph. A gate (any model that reads images) may drop implausible ones. OUT then has the
images, proposals.jsonl for 'pixelproof review serve', and left-out.jsonl: what each step left out, and why.

\b
pixelproof spatial real --photos DIR --lifter MODULE:CLASS:ARGUMENT --out batch
pixelproof spatial real --clips 4 --seed 7 --out batch       rendered clips, with their true boxes
pixelproof spatial real --collages 20 --out batch            collages, with true boxes and target pictures
pixelproof review serve batch
pixelproof spatial accept batch --out gsi-folder
pixelproof run spatial --source gsi --data gsi-folder --model …

DIR may have camera.json: fx, fy, cx and cy in pixels, down (gravity in the camera's frame), labels.
"""


@click.command("real", help=REAL, short_help="Propose edits of photographs, for review.")
@click.option("--photos", type=_PATH, help="Folder of photographs, or frames of a video.")
@click.option("--clips", type=click.IntRange(min=1), help="Number of generated clips, in place of photographs.")
@click.option("--collages", type=click.IntRange(min=1), help="Number of generated collages, with exact targets.")
@click.option("--cutouts", type=_PATH, help="Folder of cut-outs for collages.  [default: rendered things]")
@click.option("--backgrounds", type=_PATH, help="Folder of photographs behind collages.  [default: drawn grounds]")
@click.option("--lifter", default="oracle", show_default=True, help="oracle (clips), or MODULE:CLASS[:ARGUMENT].")
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

    for folder in ("boxes", "targets"):
        (out / "images" / folder).mkdir(parents=True, exist_ok=True)
    proposals, left_out = [], []
    numbers: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Rejected):
            left_out.append(one)
            continue
        name, number = one.frame.name, numbers[one.frame.name]
        numbers[name] += 1
        images = {"photograph": f"images/{name}.png", "boxes": f"images/boxes/{name}-{number}.png"}
        if one.target is not None:
            images["target"] = f"images/targets/{name}-{number}.png"
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


@click.command("accept")
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--out", type=_PATH, required=True, help="Folder to write.")
def accept_command(directory: Path, out: Path) -> None:
    """Write the accepted and fixed proposals of a review in the files of GSI-Bench.

    DIR is what 'spatial real' wrote and 'review serve' decided; OUT is read by '--source gsi'.
    """
    from pixelproof.apps.review import DecisionStore, read_batch
    from pixelproof.benches.spatial._gsi_files import GsiAnnotation, write_gsi_item
    from pixelproof.benches.spatial.real import says_the_same
    from pixelproof.cli.helpers import echo

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise PixelProofError(f"{out} exists and is not empty: choose another folder for --out.")
    batch = read_batch(directory)
    if not DecisionStore.exists(directory):
        raise PixelProofError(f"{directory} has no decisions: run pixelproof review serve {directory}.")
    store = DecisionStore(batch)
    try:
        decided = store.decisions()
    finally:
        store.close()
    written, contradicted = 0, []
    for id, decision in decided.items():
        proposal = batch.proposals[id]
        if decision.verdict == "reject" or "annotation" not in proposal.more:
            continue
        if decision.verdict == "fix" and not says_the_same(decision.text, proposal.text):
            contradicted.append(id)
            continue
        fields = {**proposal.more["annotation"], "prompt": decision.text or proposal.text}
        photo = (batch.folder / proposal.images["photograph"]).read_bytes()
        target = (batch.folder / proposal.images["target"]).read_bytes() if "target" in proposal.images else None
        write_gsi_item(out, proposal.more["frame"], proposal.more["number"], GsiAnnotation(**fields), photo, target)
        written += 1
    if contradicted:
        echo(
            "Left out, because the new text changes more than names of things, and the boxes are of the proposed text: "
            f"{', '.join(contradicted)}."
        )
    if not written:
        raise PixelProofError(f"{directory} has no accepted proposals: run pixelproof review serve {directory}.")
    echo(f"{out}: {written} edits")
