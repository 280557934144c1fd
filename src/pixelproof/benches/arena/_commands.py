"""`pixelproof arena`: palettes and contamination tests for segmentation by painting."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from pixelproof.cli.exit_codes import CANNOT_TELL, GATE_FIRED
from pixelproof.contract import Artefact, PixelProofError, Source

_PATH = click.Path(path_type=Path)


@click.group("arena")
def arena_group() -> None:
    """Palettes and contamination tests for segmentation by painting."""


@arena_group.command("contamination")
@click.option("--model", "-m", required=True, help="The model, as in 'run arena'.")
@click.option("--source", default="world", show_default=True, help="Where items come from: see 'run arena --help'.")
@click.option("--data", type=_PATH, help="Directory of a data set source.")
@click.option("--photos", type=_PATH, help="Source folder: the photographs, named like the masks.")
@click.option("--palette", type=_PATH, help="Source folder: JSON file {label: [r, g, b]} in index order.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of items, answers and colours.")
@click.option("--limit", type=int, default=20, show_default=True, help="Use the first N items.")
@click.option("--permuted", type=click.IntRange(0), default=3, show_default=True, help="Runs with permuted colours.")
@click.option("--fresh", type=click.IntRange(0), default=3, show_default=True, help="Runs with new colours.")
@click.option("--renamed", type=click.IntRange(0), default=1, show_default=True, help="Runs with other names.")
@click.option("--out", type=_PATH, required=True, help="Directory of all runs; existing runs are resumed.")
@click.option(
    "--fail-if-contaminated",
    is_flag=True,
    help=f"Exit with {GATE_FIRED} if the colours are memorised, with {CANNOT_TELL} if that cannot be told.",
)
@click.option("--json", "as_json", is_flag=True, help="Print tests and verdict as JSON.")
def contamination_command(
    model: str,
    source: str,
    data: Path | None,
    photos: Path | None,
    palette: Path | None,
    seed: int,
    limit: int,
    permuted: int,
    fresh: int,
    renamed: int,
    out: Path,
    fail_if_contaminated: bool,
    as_json: bool,
) -> int:
    """Test whether a model has memorised the published colours.

    Asks the same items again with permuted colours, with new colours, and with other names, and tests two things: does
    the model still paint labels in their published colours, and does the accuracy fall? The first is called memorised.
    The second alone is called a difference, because some colours are easier to paint than others.
    """
    from pixelproof import harness
    from pixelproof.benches import get_bench
    from pixelproof.benches.arena.contamination import judge_contamination
    from pixelproof.cli.helpers import echo, output

    wanted = {"permuted": permuted, "fresh": fresh, "renamed": renamed}
    conditions = [("own", 0), *((kind, n) for kind, count in wanted.items() for n in range(count))]
    if len(conditions) == 1:
        raise PixelProofError("There is nothing to compare with: set at least one of --permuted, --fresh, --renamed.")
    files = {"photos": str(photos or ""), "palette": str(palette or "")}
    runs = {}
    for kind, n in conditions:
        colours_seed = n + seed * max(wanted.values())  # another seed draws other colours
        bench = get_bench("arena", colours=kind, colours_seed=colours_seed, **files)
        runs[kind, n] = _run(model, harness.Plan(bench, Source(source, data), seed, limit), _directory(out, kind, n))
    judgement = judge_contamination(_evidence(runs))
    faults = {_directory(out, *condition).name: _faults(run) for condition, (_, run) in runs.items()}
    message = judgement.message
    if judgement.verdict == "not testable" and (named := _name_faults(run for _, run in runs.values())):
        message += f" {named}"
    if as_json:
        echo(harness.dump({"model": model, **judgement.to_json(), "message": message, "faults": faults}))
    else:
        _print_tests(output(), model, judgement, faults, message)
    if not fail_if_contaminated:
        return 0
    return {"memorised": GATE_FIRED, "no alarm": 0}.get(judgement.verdict, CANNOT_TELL)


def _directory(out: Path, kind: str, n: int) -> Path:
    return out / (kind if kind == "own" else f"{kind}-{n}")


def _run(model: str, plan: Any, path: Path) -> tuple[Any, Any]:
    """Run one condition; floors and ceilings are not needed."""
    from pixelproof import harness
    from pixelproof.cli.helpers import progress

    resume = (path / "card.json").exists()
    settings = harness.Settings(out=path, resume=resume, calibrate=0)
    return plan, harness.run(plan, model, settings=settings, progress=progress())


def _evidence(runs: Mapping[tuple[str, int], tuple[Any, Any]]) -> list[Any]:
    """What the answers to each item show; items are equal in all runs but for their palettes."""
    from pixelproof.benches.arena.contamination import ItemEvidence

    keys, collected = list(runs), []
    benches = [plan.bench.for_model(run.about.model) for plan, run in runs.values()]
    answers = [{item: (answer, blobs) for item, _, answer, blobs in run.answers()} for _, run in runs.values()]
    for row in zip(*(plan.items() for plan, _ in runs.values()), strict=True):
        items = [item for _, item in row]
        try:
            _, frame, _ = benches[0].frame_of(items[0])
        except PixelProofError:  # an instrument fault in all runs
            continue
        painted = [
            (item.inputs["case"].palette, _image(bench, item, run, stored.get(item.id), frame.shape))
            for bench, item, (_, run), stored in zip(benches, items, runs.values(), answers, strict=True)
        ]
        others = {
            kind: [one for key, one in zip(keys, painted, strict=True) if key[0] == kind]
            for kind in dict.fromkeys(kind for kind, _ in keys[1:])
        }
        collected.append(ItemEvidence.of(items[0].cluster or items[0].id, frame.labels, painted[0], others))
    if not collected:
        raise PixelProofError("No reference can be read: check the masks of the source.")
    return collected


def _image(bench: Any, item: Any, run: Any, stored: tuple[Any, list[str]] | None, shape: tuple[int, int]) -> Any:
    """The pixels of an answer in the reference's size; None without an image."""
    from pixelproof.pixels import AnswerImage, media_type_of, read_answer

    if stored is None:
        return None
    answer, blobs = stored
    files = [run.blob(key) for key in blobs[-1:]]
    answer = replace(answer, images=tuple(Artefact(data, media_type_of(data)) for data in files))
    policy = "nearest" if bench.fit == "auto" else bench.fit
    image = read_answer(answer, shape, palette=item.inputs["case"].palette, form=bench.form, policy=policy)
    return image.rgb if isinstance(image, AnswerImage) else None


def _faults(run: Any) -> dict[str, int]:
    counts = run.summary["counts"]
    return {"planned": counts["planned"], "faults": counts["planned"] - counts["completed"] + counts["model_faults"]}


def _name_faults(runs: Iterable[Any]) -> str:
    """How many answers of all runs are faults, and which, with an example of each; empty without a fault."""
    names: Counter[str] = Counter()
    examples: dict[str, str] = {}
    planned = 0
    for run in runs:
        planned += run.summary["counts"]["planned"]
        names.update(run.summary["failures"])
        examples = run.failure_examples() | examples
    if not names:
        return ""
    listed = [
        f"{name} ({count}{', for example: ' + examples[name][:200] if examples.get(name) else ''})"
        for name, count in names.most_common()
    ]
    return f"{names.total()} of {planned} answers are faults: {'; '.join(listed)}."


def _print_tests(
    console: Any, model: str, judgement: Any, faults: Mapping[str, Mapping[str, int]], message: str
) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import interval, new_table, number, percent

    table = new_table(f"{escape(model)}: other colours and names, against the published ones")
    for name in ("condition", "evidence"):
        table.add_column(name)
    for name in ("runs", "items", "faults: own → other", "compared", "effect", "p", ""):
        table.add_column(name, justify="right")
    for test in judgement.tests:
        shares = " → ".join(percent(_share(faults, kind)) for kind in ("own", test.kind))
        effect = "" if test.effect is None else interval(asdict(test.effect), sign=True)
        p = "" if test.p_holm is None else f"{test.p_holm:.2g}"
        mark = "[red]alarm[/]" if test.alarm else "not testable" if test.reason else ""
        kind = (test.kind, test.evidence, str(test.runs), str(test.clusters))
        table.add_row(*kind, shares, number(test.compared), effect, p, mark)
    console.print(table)
    console.print(
        "accuracy: fall against the published palette. colours: share painted in the published colour of the true\n"
        "label instead of the one asked for, beyond chance. compared: share of the pixels that lie in flat areas of\n"
        "both answers.\n",
        style="dim",
    )
    console.print(escape(message), style="bold")
    if judgement.verdict != "not testable":  # whose message has the reasons
        for reason in dict.fromkeys(test.reason for test in judgement.tests if test.reason):
            console.print(escape(reason), style="yellow")


def _share(faults: Mapping[str, Mapping[str, int]], kind: str) -> float:
    counts = [one for name, one in faults.items() if name.partition("-")[0] == kind]
    return sum(one["faults"] for one in counts) / max(1, sum(one["planned"] for one in counts))


@arena_group.command("palette")
@click.option("--labels", help="Labels in index order, separated by commas.")
@click.option("--check", "existing", type=_PATH, help="Check an existing palette instead: JSON {label: [r, g, b]}.")
@click.option("--out", type=_PATH, help="Write the palette here, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print palette and geometry as JSON.")
def palette_command(labels: str | None, existing: Path | None, out: Path | None, as_json: bool) -> None:
    """Design a palette that can be decoded, or check one.

    Colours are as far apart as possible, and no third colour lies where two others blend at an edge. The ceiling is the
    score of a perfect mask in these colours after anti-aliasing and JPEG.
    """
    from pixelproof.benches.arena import palettes
    from pixelproof.cli.helpers import echo, output
    from pixelproof.pixels import Palette
    from pixelproof.store import write_json

    if (labels is None) == (existing is None):
        raise PixelProofError("Pass either --labels to design a palette, or --check with the file of one.")
    if existing is not None:
        palette = Palette.read(existing)
    else:
        palette = palettes.design([label.strip() for label in (labels or "").split(",")])
    geometry = palettes.geometry(palette)
    if out is not None:
        write_json(out, palette.to_json())
    if as_json:
        echo(json.dumps({"palette": palette.to_json(), "geometry": asdict(geometry)}, indent=2))
        return
    _print_palette(output(), palette, geometry, palettes.measurable(palette))
    if out is not None:
        echo(f"Written to {out}.")


def _print_palette(console: Any, palette: Any, geometry: Any, warning: str) -> None:
    from rich.markup import escape

    for label, colour in zip(palette.labels, palette.colours, strict=True):
        console.print(f"[on rgb({colour[0]},{colour[1]},{colour[2]})]    [/] {escape(label)}  [dim]{list(colour)}[/]")
    console.print()
    console.print(f"least distance: {geometry.least:.0f}, of {' and '.join(map(repr, geometry.nearest))}")
    console.print(f"pairs whose blend is taken for a third label: {geometry.crossed} of {geometry.pairs}")
    if warning:
        console.print(f"[yellow]{escape(warning)}[/]")
