"""The report: one page about runs of one or several benches."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import Run
from pixelproof.store import local_path, origin_of, replacing, with_origins
from pixelproof.web import Child, Html, Page, fragment, header, plural, section, static, tag

from . import _notes as notes
from ._find import run_directories
from ._groups import Group, open_groups
from ._missing import missing_images
from ._overview import overview
from ._panels import Panel, installed_panels
from ._sections import Layout, group_sections, notice_list, section_id

MARK = b"PixelProof"
"""In the title of every report."""
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
MAX_BYTES = 40_000_000
"""About how large a page may become; a larger one has fewer images, and says so."""


def write_report(
    runs: Sequence[Run | str | Path],
    out: str | Path = "report.html",
    bench: Bench | None = None,
    max_bytes: int = MAX_BYTES,
    warn: Callable[[str], None] = lambda notice: None,
) -> Path:
    """Write the page about runs, of one bench or of several.

    Args:
        runs: Runs, run directories, and folders that contain some.
        out: The file to write, or a directory (an existing one, or any name that ends in a slash), in which it becomes
            `report.html`; an older report is replaced.
        bench: The bench of the runs with its name, if it is not an installed one.
        max_bytes: About how large the page may become.
        warn: Called with each notice at the top of the page, such as of a run that is left out.

    Raises:
        PixelProofError: A run cannot be shown, or the file cannot be written.
    """
    folder = Path(out).is_dir() or str(out).endswith(_SEPARATORS)
    path = Path(out) / "report.html" if folder else Path(out)
    named = [run.path if isinstance(run, Run) else local_path(run) for run in runs]
    directories = run_directories(named)
    _check_out(path, directories)
    skipped = Skipped(named)
    groups = open_groups(directories, bench, skipped)
    notices = [*skipped.notices, *missing_images(groups)]
    document = render(groups, max_bytes, notices=notices).html()
    try:
        with replacing(path, sync=False) as temporary:
            temporary.write_bytes(document.encode("utf-8", "replace"))
    except PixelProofError as error:  # its message is about runs and --resume
        raise PixelProofError(f"Cannot write {path} ({error.__cause__}): choose another --out.") from error
    for notice in notices:
        warn(notice)
    return path


class Skipped:
    """Collects runs of a folder that cannot be shown; an error of a run that was named itself is raised."""

    def __init__(self, named: Sequence[str | Path]) -> None:
        self.notices: list[str] = []
        self._named = {Path(path).resolve() for path in named}

    def __call__(self, path: Path, error: PixelProofError) -> None:
        """Handle a run that cannot be shown."""
        if path.resolve() in self._named:
            raise error
        # A page does not contain the paths of run directories.
        reason = with_origins(str(error)).replace(origin_of(path), path.name)
        self.notices.append(f"The run {path.name} is left out. {reason}")


def _check_out(path: Path, runs: Sequence[Path]) -> None:
    """Refuse to replace anything but an older report."""
    if any(path.absolute().is_relative_to(run.absolute()) for run in runs):
        raise PixelProofError(f"{path} is inside a run directory: choose another --out.")
    if path.is_dir():
        raise PixelProofError(f"{path} is a directory: choose another --out.")
    if path.is_file() and MARK not in path.read_bytes()[:4096]:
        raise PixelProofError(f"{path} exists and is not a report: choose another --out.")


def render(
    groups: Sequence[Group],
    max_bytes: int = MAX_BYTES,
    link: Callable[[str], str] | None = None,
    scripts: Sequence[str] = (),
    notices: Sequence[str] = (),
) -> Page:
    """The page about opened runs; the same runs give the same page.

    Args:
        groups: What `open_groups` returned.
        max_bytes: About how large the page may become.
        link: From the key of a blob to its address, for pages with a server; None: images are embedded.
        scripts: JavaScript of a server's own.
        notices: Sentences that stand before everything else.
    """
    panels = installed_panels()
    budgets = _budgets(groups, max_bytes)
    if len(groups) == 1:
        (group,) = groups
        sections = group_sections(group, Layout(max_bytes=max_bytes, link=link), panels)
        links = [(section_id(name, content), name) for name, content in sections.items()]
        title, name = group.bench.title, group.bench.name
        main = tag("main", notice_list(notices), list(sections.values()), data_gallery_scope=True)
    else:
        anchors = [f"bench-{i + 1}" for i in range(len(groups))]
        links = [("overview", "Overview"), *((a, g.name) for a, g in zip(anchors, groups, strict=True))]
        title, name = "Leaderboard", ", ".join(dict.fromkeys(group.bench.name for group in groups))
        boards = section("overview", "Models by bench", overview(groups, anchors), note=notes.OVERVIEW)
        parts = [
            _group(group, anchor, Layout(f"{anchor}-", 3, budget, link), panels)
            for group, anchor, budget in zip(groups, anchors, budgets, strict=True)
        ]
        main = tag("main", notice_list(notices), boards, parts)
    footer = f"{_origin(groups)} The page needs no network and sends nothing." if link is None else _origin(groups)
    body = fragment(header(title, _page_summary(groups), links), main, tag("footer", tag("p", footer)))
    return report_page(f"{name} · PixelProof", body, scripts)


def report_page(title: str, body: Child, scripts: Sequence[str] = ()) -> Page:
    """A page with the styles of reports."""
    return Page(title, body, styles=[static("report.css", __package__)], scripts=scripts)


def _group(group: Group, anchor: str, layout: Layout, panels: Sequence[Panel]) -> Html:
    """One of several groups: a section of sections, with links to them."""
    sections = group_sections(group, layout, panels)
    links = [tag("a", name, href=f"#{section_id(name, content)}") for name, content in sections.items()]
    nav = tag("nav", links, aria_label=f"Sections of {group.title}")
    content = tag("div", nav, list(sections.values()), data_gallery_scope=True, class_="bench")
    return section(anchor, group.title, content, note=_page_summary([group]))


def _budgets(groups: Sequence[Group], max_bytes: int) -> list[int]:
    """Each group's share of the page, by its number of answers."""
    sizes = [1 + sum(int(view.summary["counts"]["planned"]) for view in group.views) for group in groups]
    return [max_bytes * size // sum(sizes) for size in sizes]


def _origin(groups: Sequence[Group]) -> str:
    views = [view for group in groups for view in group.views]
    versions = sorted({str(view.card["software"].get("pixelproof", "?")) for view in views})
    return f"Made of {plural(len(views), 'run')} of PixelProof {', '.join(versions)}."


def _page_summary(groups: Sequence[Group]) -> str:
    views = [view for group in groups for view in group.views]
    benches = dict.fromkeys(f"{g.bench.name} {g.views[0].summary['version']}" for g in groups)
    sources = dict.fromkeys(str(view.card["source"]["name"]) for view in views)
    items = sum(max(len(view.items) for view in group.views) for group in groups)
    parts = [", ".join(benches), f"source {', '.join(sources)}", plural(len(views), "run"), plural(items, "item")]
    return " · ".join([*parts, plural(sum(view.summary["counts"]["completed"] for view in views), "answer")])
