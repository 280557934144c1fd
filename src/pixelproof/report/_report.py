"""The report: one page about one or several runs of a bench."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.store import replacing
from pixelproof.web import Html, Page, fragment, gallery, masthead, plural, section, static, tag

from . import _notes as notes
from ._details import run_details
from ._failures import failure_taxonomy
from ._leaderboard import Ranges, answers_table, headline_metrics, leaderboard, who
from ._ranks import rank_ranges
from ._relations import correlations, descriptions, efforts
from ._sensitivity import sensitivity_panel
from ._shots import collect
from ._views import View, conditions, open_views

MARK = b"PixelProof"
"""In the title of every page of ours."""
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
MAX_BYTES = 40_000_000
"""About how large a page may become; then it has fewer pictures, and says so."""


def write_report(
    runs: Sequence[str | Path], out: str | Path, bench: Bench | None = None, max_bytes: int = MAX_BYTES
) -> Path:
    """Write the page about one or several runs of the same bench.

    Args:
        runs: Run directories.
        out: The file to be, or a directory (one that is there, or any name that ends in a slash), in which it becomes
            `report.html`; an older report is replaced.
        bench: The bench of the runs, if it is not an installed one.
        max_bytes: About how large the page may become.

    Raises:
        PixelProofError: A run cannot be shown, the runs do not belong together, or the file cannot be written.
    """
    folder = Path(out).is_dir() or str(out).endswith(_SEPARATORS)
    path = Path(out) / "report.html" if folder else Path(out)
    _check_out(path, [Path(run) for run in runs])
    document = render(open_views(runs, bench), max_bytes)
    try:
        with replacing(path, sync=False) as temporary:
            temporary.write_bytes(document.encode("utf-8", "replace"))
    except PixelProofError as error:  # it speaks of runs and --resume
        raise PixelProofError(f"Cannot write {path} ({error.__cause__}): choose another --out.") from error
    return path


def _check_out(path: Path, runs: Sequence[Path]) -> None:
    """Replace an older report, and nothing else."""
    if any(path.absolute().is_relative_to(run.absolute()) for run in runs):
        raise PixelProofError(f"{path} is inside a run directory: choose another --out.")
    if path.is_dir():
        raise PixelProofError(f"{path} is a directory: choose another --out.")
    if path.is_file() and MARK not in path.read_bytes()[:4096]:
        raise PixelProofError(f"{path} is there already and is not a report: choose another --out.")


def render(views: Sequence[View], max_bytes: int = MAX_BYTES) -> Html:
    """The page about runs that are open; the same runs give the same page."""
    bench = views[0].bench
    ranks, reason = _ranks(views)
    boards = section("leaderboard", "Leaderboard", leaderboard(views, ranks), answers_table(views),
                     note=notes.LEADERBOARD + (notes.RANKS if ranks else ""))  # fmt: skip
    found = {
        "Leaderboard": boards,
        "Gallery": _gallery(views, max_bytes),
        "Outcomes": section("outcomes", "What became of the answers", failure_taxonomy(views), note=notes.OUTCOMES),
        "Subject": _optional("subject", "Does the subject show?", sensitivity_panel(views), notes.SUBJECT),
        "Effort": _optional("effort", "Quality against length and cost", efforts(views), notes.EFFORT),
        "Profile": _optional("profile", "What the answers look like in numbers", descriptions(views), notes.PROFILE),
        "Correlations": _correlations(views),
        "Runs": section("runs", "Run by run", [run_details(view, len(views) == 1) for view in views]),
    }
    shown = {name: content for name, content in found.items() if content is not None}
    body = fragment(
        masthead(bench.title, _lede(views), [(_identity(name), name) for name in shown]),
        tag("main", _notices(views, reason), list(shown.values())),
        tag("footer", tag("p", f"{_origin(views)} The page needs no network and sends nothing.")),
    )
    return Page(f"{bench.name} · PixelProof", body, styles=[static("report.css", __package__)]).html()


def _identity(name: str) -> str:
    return "gallery-section" if name == "Gallery" else name.lower()


def _origin(views: Sequence[View]) -> str:
    versions = sorted({str(view.card["software"].get("pixelproof", "?")) for view in views})
    return f"Made of {plural(len(views), 'run')} of PixelProof {', '.join(versions)}."


def _lede(views: Sequence[View]) -> str:
    first = views[0]
    sources = dict.fromkeys(str(view.card["source"]["name"]) for view in views)
    told = [f"{first.bench.name} {first.summary['version']}", f"source {', '.join(sources)}", plural(len(views), "run")]
    told.append(plural(max(len(view.items) for view in views), "item"))
    return " · ".join([*told, plural(sum(view.summary["counts"]["completed"] for view in views), "answer")])


def _ranks(views: Sequence[View]) -> tuple[Mapping[str, Ranges], str | None]:
    """Rank ranges of the models, or the reason why there are none."""
    models = [view for view in views if not view.control]
    if len(models) < 2:
        return {}, None
    common = [m for m in headline_metrics(views) if all(m.name in v.summary["metrics"] for v in models)]
    try:
        return rank_ranges(models, common), None
    except PixelProofError as error:
        told = str(error)
        for view in models:  # a page does not tell where it was made
            told = told.replace(str(view.run.path), f"run {view.key}")
        return {}, f"No ranks are given. {told}"


def _notices(views: Sequence[View], reason: str | None) -> Html | None:
    """What a reader must know before the first number."""
    told = [reason] if reason else []
    for view in views:
        if view.card["state"] != "complete":
            told.append(f"Run {view.label} is {view.card['state']}: its numbers cover only what is there.")
    told += _differences(views)
    return tag("aside", tag("ul", [tag("li", one) for one in told]), class_="notices", role="note") if told else None


def _differences(views: Sequence[View]) -> list[str]:
    """Conditions in which the runs differ, other than by who answered and how it was decoded."""
    told = [conditions(view.card) for view in views]
    parts = []
    for name in ("source", "seed", "limit", "samples", "judge", *views[0].card["options"]):
        values = dict.fromkeys(one.get(name, "none") for one in told)
        if len(values) > 1:
            parts.append(f"{name} ({' / '.join(values)})")
    said = [f"These runs were not all made under the same conditions: {', '.join(parts)}."] if parts else []
    if len({view.card.get("scorer") for view in views}) > 1:
        said.append("These runs were not all scored by the same code: 'pixelproof rescore RUN' scores a run anew.")
    return said


def _gallery(views: Sequence[View], max_bytes: int) -> Html:
    shots = collect(views, max_bytes)
    runs = [(view.key, view.name) for view in views]
    names = [metric.name for metric in shots.metrics]
    models = [i for i, view in enumerate(views) if not view.control] or list(range(len(views)))
    ordered = shots.metrics[0].higher_is_better is not None
    content = gallery(
        runs,
        shots.rows,
        shots.pictures,
        names,
        len(headline_metrics(views)),
        judged=models if ordered else (),
        lower_is_better=shots.metrics[0].higher_is_better is False,
    )
    remarks = [tag("p", remark, class_="note remark") for remark in shots.remarks]
    script = tag("noscript", tag("p", "The gallery needs JavaScript; everything else on this page does not."))
    return section("gallery-section", "Gallery", remarks, script, content, note=notes.GALLERY)


def _correlations(views: Sequence[View]) -> Html | None:
    """A matrix for each run in which anything varies; that of the first model is open."""
    found = [(view, content) for view in views if (content := correlations(view)) is not None]
    if not found:
        return None
    first = next((view for view, _ in found if not view.control), found[0][0])
    blocks = [
        tag("details", tag("summary", who(view)), content, class_="inner", open=view is first)
        for view, content in found
    ]
    still = [view.key for view in views if all(view is not other for other, _ in found)]
    remark = tag("p", f"Nothing varies in {', '.join(still)}.", class_="note") if still else None
    return section("correlations", "What goes together", blocks, remark, note=notes.CORRELATIONS)


def _optional(identity: str, title: str, content: Html | None, note: str) -> Html | None:
    return None if content is None else section(identity, title, content, note=note)
