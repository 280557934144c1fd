"""The report: one page about runs of one or several benches."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import Run
from pixelproof.store import local_path, origin_of, replacing, with_origins
from pixelproof.web import Child, Html, Page, fold_section, fragment, header, plural, section, static, tag

from . import _notes as notes
from ._find import run_directories
from ._groups import Group, open_groups
from ._missing import missing_images
from ._overview import overview
from ._panels import Panel, installed_panels
from ._sections import Layout, Prepared, group_sections, notice_list, prepare, section_id

MARK = b"PixelProof"
"""In the title of every report."""
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
MAX_BYTES = 40_000_000
"""About how large a page may become; a larger one has fewer images, and says so."""
ONE_PAGE = 200
"""Answers of several benches that a single page holds where there may be one page per bench."""
MAIN_FINDINGS = 3


def write_report(
    runs: Sequence[Run | str | Path],
    out: str | Path = "report.html",
    bench: Bench | None = None,
    max_bytes: int = MAX_BYTES,
    warn: Callable[[str], None] = lambda notice: None,
    say: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """Write the page about runs, of one bench or of several.

    In a directory, runs of several benches with many answers get a page per bench beside it, to which it leads.

    Args:
        runs: Runs, run directories, and folders that contain some.
        out: The file to write, or a directory (an existing one, or any name that ends in a slash), in which it becomes
            `report.html`; an older report is replaced.
        bench: The bench of the runs with its name, if it is not an installed one.
        max_bytes: About how large the page may become.
        warn: Called with each notice at the top of the page, such as of a run that is left out.
        say: Called with at most three sentences, the main findings.

    Raises:
        PixelProofError: A run cannot be shown, or the file cannot be written.
    """
    folder = Path(out).is_dir() or str(out).endswith(_SEPARATORS)
    path = Path(out) / "report.html" if folder else Path(out)
    named = [run.path if isinstance(run, Run) else local_path(run) for run in runs]
    directories = run_directories(named)
    _check_out(path, directories)  # before the work
    skipped = Skipped(named)
    groups = open_groups(directories, bench, skipped)
    notices = [*skipped.notices, *missing_images(groups)]
    answers = sum(int(view.summary["counts"]["completed"]) for group in groups for view in group.views)
    if folder and len(groups) > 1 and answers > ONE_PAGE:
        prepared = [prepare(group, Layout(max_bytes=max_bytes)) for group in groups]
        addresses = [f"{slug}.html" for slug in _slugs(groups)]
        pages = {path.with_name(a): _bench_page([p], back=path.name) for a, p in zip(addresses, prepared, strict=True)}
        pages[path] = _index(prepared, addresses, notices)
    else:
        prepared = _prepare_all(groups, max_bytes, None)
        pages = {path: _bench_page(prepared, notices)}
    for place in pages:
        _check_out(place, directories)
    for place, page in pages.items():
        _write(place, page.html())
    for notice in notices:
        warn(notice)
    for sentence in main_findings(prepared):
        say(sentence)
    return path


def main_findings(prepared: Sequence[Prepared]) -> list[str]:
    """At most three sentences: what the first groups show, and the first thing that cannot be told."""
    certain, uncertain = (
        [texts[0] for p in prepared if (texts := [f.text for f in p.findings if f.certain is sure])]
        for sure in (True, False)
    )
    return [*certain[: MAIN_FINDINGS - bool(uncertain)], *uncertain][:MAIN_FINDINGS]


def _slugs(groups: Sequence[Group]) -> list[str]:
    """A file name for each group: its bench, with a number where the bench has several."""
    names = [group.bench.name for group in groups]
    return [name if names.count(name) == 1 else f"{name}-{names[: i + 1].count(name)}" for i, name in enumerate(names)]


def _write(path: Path, document: str) -> None:
    try:
        with replacing(path, sync=False) as temporary:
            temporary.write_bytes(document.encode("utf-8", "replace"))
    except PixelProofError as error:  # its message is about runs and --resume
        raise PixelProofError(f"Cannot write {path} ({error.__cause__}): choose another --out.") from error


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
    return _bench_page(_prepare_all(groups, max_bytes, link), notices, scripts)


def _prepare_all(groups: Sequence[Group], max_bytes: int, link: Callable[[str], str] | None) -> list[Prepared]:
    """The groups of one page, which share its size."""
    if len(groups) == 1:
        return [prepare(groups[0], Layout(max_bytes=max_bytes, link=link))]
    budgets = _budgets(groups, max_bytes)
    layouts = [Layout(f"bench-{i + 1}-", 3, budget, link) for i, budget in enumerate(budgets)]
    return [prepare(group, layout) for group, layout in zip(groups, layouts, strict=True)]


def _bench_page(
    prepared: Sequence[Prepared], notices: Sequence[str] = (), scripts: Sequence[str] = (), back: str = ""
) -> Page:
    """One page about all groups."""
    panels = installed_panels()
    groups = [p.group for p in prepared]
    linked = prepared[0].layout.link is not None
    if len(groups) == 1:
        sections = group_sections(prepared[0], panels)
        links = [("findings", "Findings"), *((section_id(name, content), name) for name, content in sections.items())]
        title, parts = groups[0].bench.title, list(sections.values())
        leads = prepared[0].lead("What these runs show")
    else:
        anchors = [p.layout.prefix.removesuffix("-") for p in prepared]
        links = [("findings", "Findings"), *((a, g.name) for a, g in zip(anchors, groups, strict=True))]
        title, leads = "What these runs show", _leads(prepared, [f"#{anchor}" for anchor in anchors])
        boards = fold_section(
            "overview", "Models by bench", overview(groups, [f"#{anchor}" for anchor in anchors]), note=notes.OVERVIEW
        )
        parts = [boards, *(_group(p, anchor, panels) for p, anchor in zip(prepared, anchors, strict=True))]
    up = [(back, "All benches")] if back else []
    head = header(title, _page_summary(groups), [*up, *links])
    return _document(
        groups, head, tag("main", leads, notice_list(notices), parts, data_gallery_scope=True), scripts, linked
    )


def _index(prepared: Sequence[Prepared], addresses: Sequence[str], notices: Sequence[str]) -> Page:
    """A page of what each group shows, with links to the pages of the groups."""
    groups = [p.group for p in prepared]
    links = [(address, group.name) for address, group in zip(addresses, groups, strict=True)]
    boards = fold_section("overview", "Models by bench", overview(groups, addresses), note=notes.OVERVIEW)
    main = tag("main", _leads(prepared, addresses), notice_list(notices), boards)
    return _document(groups, header("What these runs show", _page_summary(groups), links), main)


def _leads(prepared: Sequence[Prepared], addresses: Sequence[str]) -> Html:
    titles = [tag("a", p.group.title, href=address) for p, address in zip(prepared, addresses, strict=True)]
    leads = [p.lead(title) for p, title in zip(prepared, titles, strict=True)]
    return tag("div", leads, class_="leads", id="findings")


def _document(
    groups: Sequence[Group], head: Html, main: Html, scripts: Sequence[str] = (), linked: bool = False
) -> Page:
    names = ", ".join(dict.fromkeys(group.bench.name for group in groups))
    footer = _origin(groups) if linked else f"{_origin(groups)} The page needs no network and sends nothing."
    return report_page(f"{names} · PixelProof", fragment(head, main, tag("footer", tag("p", footer))), scripts)


def report_page(title: str, body: Child, scripts: Sequence[str] = ()) -> Page:
    """A page with the styles of reports."""
    return Page(title, body, styles=[static("report.css", __package__)], scripts=scripts)


def _group(prepared: Prepared, anchor: str, panels: Sequence[Panel]) -> Html:
    """One of several groups: a section of sections, with links to them."""
    sections = group_sections(prepared, panels)
    links = [tag("a", name, href=f"#{section_id(name, content)}") for name, content in sections.items()]
    nav = tag("nav", links, aria_label=f"Sections of {prepared.group.title}")
    content = tag("div", nav, list(sections.values()), data_gallery_scope=True, class_="bench")
    return section(anchor, prepared.group.title, content, note=_page_summary([prepared.group]))


def _budgets(groups: Sequence[Group], max_bytes: int) -> list[int]:
    """Each group's share of the page, by its number of answers."""
    sizes = [1 + sum(int(view.summary["counts"]["planned"]) for view in group.views) for group in groups]
    return [max_bytes * size // sum(sizes) for size in sizes]


def _origin(groups: Sequence[Group]) -> str:
    views = [view for group in groups for view in group.views]
    versions = sorted({str(view.about.software.get("pixelproof", "?")) for view in views})
    return f"Made of {plural(len(views), 'run')} of PixelProof {', '.join(versions)}."


def _page_summary(groups: Sequence[Group]) -> str:
    views = [view for group in groups for view in group.views]
    benches = dict.fromkeys(f"{g.bench.name} {g.views[0].summary['version']}" for g in groups)
    sources = dict.fromkeys(str(view.about.source) for view in views)
    items = sum(max(len(view.items) for view in group.views) for group in groups)
    parts = [", ".join(benches), f"source {', '.join(sources)}", plural(len(views), "run"), plural(items, "item")]
    return " · ".join([*parts, plural(sum(view.summary["counts"]["completed"] for view in views), "answer")])
