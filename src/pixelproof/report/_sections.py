"""The sections about one group of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pixelproof.contract import PixelProofError
from pixelproof.stats import Finding
from pixelproof.web import Html, fold_section, gallery, section, tag

from . import _notes as notes
from ._details import run_details
from ._failures import failure_taxonomy
from ._findings import find, lead, leading_metric
from ._groups import Group
from ._leaderboard import answers_table, has_abstentions, headline_metrics, leaderboard, legend, run_label
from ._panels import Panel, panel_content
from ._ranks import Pairs, compare_pairs, rank_ranges
from ._relations import correlations, descriptions, efforts
from ._shots import Collected, collect
from ._views import View, conditions

_MOST_RANKED = 30
"""Models; the test compares every pair."""


@dataclass(frozen=True)
class Layout:
    """How the sections of a group stand in the page."""

    prefix: str = ""
    """Before the ids of its sections, where the page has several groups."""
    level: int = 2
    """Of the headings."""
    max_bytes: int = 0
    """About how large its gallery may become."""
    link: Callable[[str], str] | None = None
    """From the key of a blob to its address, for pages with a server."""


@dataclass(frozen=True)
class Prepared:
    """A group of runs with what several sections need: gallery, paired differences and sentences."""

    group: Group
    layout: Layout
    collected: Collected
    ranked: Sequence[View]
    """The models that are compared pair by pair; fewer than two are not."""
    pairs: Pairs
    reason: str | None
    """Why there are no ranks."""
    findings: Sequence[Finding]

    def lead(self, title: Html | str) -> Html:
        """What the runs show: sentences, bars, and three answers."""
        return lead(title, self.group.views, self.findings, self.collected)


def prepare(group: Group, layout: Layout) -> Prepared:
    """Read the answers of a group, compare its models, and find what may be said of them."""
    models, pairs, reason = _pairs(group.views)
    try:
        findings = find(group.views, pairs)
    except Exception as error:  # of a bench's rules: a sentence instead of no report
        findings = [Finding(f"The rules of {group.bench.name} failed ({type(error).__name__}: {error}).", False)]
    collected = collect(group.views, layout.max_bytes, layout.link)
    return Prepared(group, layout, collected, models, pairs, reason, findings)


def group_sections(prepared: Prepared, panels: Sequence[Panel]) -> dict[str, Html]:
    """Short name of each section → the section; all but gallery and leaderboard are folded."""
    views, layout, reason = prepared.group.views, prepared.layout, prepared.reason
    common = [m for m in headline_metrics(views) if all(m.name in v.summary["metrics"] for v in prepared.ranked)]
    ranks = rank_ranges(prepared.ranked, common, pairs=prepared.pairs) if prepared.pairs else {}
    note = notes.LEADERBOARD + (notes.RANKS if ranks else "") + (notes.ABSTENTIONS if has_abstentions(views) else "")

    def make(identity: str, title: str, content: Html | None, note: str = "", fold: bool = True) -> Html | None:
        if content is None:
            return None
        place = fold_section if fold else section
        return place(f"{layout.prefix}{identity}", title, content, note=note or None, level=layout.level)

    boards = tag("div", _notices(views, reason), leaderboard(views, ranks, leading_metric(views)), answers_table(views))
    sections = {
        "Leaderboard": make("leaderboard", "Leaderboard", boards, note, fold=False),
        "Gallery": make("gallery-section", "Gallery", _gallery(prepared), notes.GALLERY, fold=False),
        "Outcomes": make("outcomes", "Outcomes", failure_taxonomy(views), notes.OUTCOMES),
    }
    contents = {panel: panel_content(panel, views) for panel in panels}
    shown = [panel for panel, content in contents.items() if content is not None]
    for place, panel in enumerate(shown, start=1):
        sections[panel.title] = make(f"panel-{place}", panel.title, contents[panel], panel.note)
    sections |= {
        "Effort": make("effort", "Quality against length and cost", _efforts(views), notes.EFFORT),
        "Profile": make("profile", "Descriptive metrics", descriptions(views), notes.PROFILE),
        "Correlations": make("correlations", "Correlations", _correlations(views), notes.CORRELATIONS),
        "Runs": make("runs", "Run by run", tag("div", [run_details(view, len(views) == 1) for view in views])),
    }
    return {name: content for name, content in sections.items() if content is not None}


def section_id(name: str, content: Html) -> str:
    """The id of a section."""
    return content.partition('id="')[2].partition('"')[0] or name.lower()


def _pairs(views: Sequence[View]) -> tuple[Sequence[View], Pairs, str | None]:
    """The models with their paired differences, or the reason why there are none."""
    models = [view for view in views if not view.control and not view.in_progress]
    if len(models) < 2:
        return models, {}, None
    if len(models) > _MOST_RANKED:
        return models, {}, f"No ranks are given: there are more than {_MOST_RANKED} models."
    common = [m for m in headline_metrics(views) if all(m.name in v.summary["metrics"] for v in models)]
    try:
        return models, compare_pairs(models, common), None
    except PixelProofError as error:
        message = str(error)
        for view in models:  # a page does not contain the paths of run directories
            message = message.replace(str(view.run.path), f"run {view.key}")
        return models, {}, f"No ranks are given. {message}"


def _notices(views: Sequence[View], reason: str | None) -> Html | None:
    """What a reader must know before the first number."""
    sentences = [reason] if reason else []
    for view in views:
        state, counts = view.state.state, view.summary["counts"]
        if view.in_progress:
            done = counts["completed"] + counts["unscored"] + counts["errored"]
            sentences.append(notes.IN_PROGRESS.format(view.label, state, f"{done:,}", f"{counts['planned']:,}"))
        elif state != "complete":
            sentences.append(f"Run {view.label} is {state}: its numbers cover only the answers that exist.")
    sentences += _differences(views)
    return notice_list(sentences)


def notice_list(sentences: Sequence[str]) -> Html | None:
    """Sentences that a reader must not miss; None without any."""
    if not sentences:
        return None
    return tag("aside", tag("ul", [tag("li", text) for text in sentences]), class_="notices", role="note")


def _differences(views: Sequence[View]) -> list[str]:
    """Conditions in which the runs differ, other than model and decoding."""
    values = [conditions(view.about) for view in views]
    parts = []
    for name in ("limit", "samples", "judge", *views[0].about.options):
        distinct = dict.fromkeys(value.get(name, "none") for value in values)
        if len(distinct) > 1:
            parts.append(f"{name} ({' / '.join(distinct)})")
    sentences = [f"These runs were not all made under the same conditions: {', '.join(parts)}."] if parts else []
    if len({view.about.scorer for view in views}) > 1:
        sentences.append("These runs were not all scored by the same code: 'pixelproof runs rescore RUN' updates one.")
    return sentences


def _gallery(prepared: Prepared) -> Html:
    views, collected, layout = prepared.group.views, prepared.collected, prepared.layout
    models = [i for i, view in enumerate(views) if not view.control] or list(range(len(views)))
    first = collected.metrics[0]
    content = gallery(
        [(view.key, view.name) for view in views],
        collected.rows,
        collected.images,
        [metric.name for metric in collected.metrics],
        name=f"{layout.prefix}gallery",
        headline=len(headline_metrics(views)),
        prompts=collected.prompts,
        judged=models if first.higher_is_better is not None else (),
        lower_is_better=first.higher_is_better is False,
    )
    remarks = [tag("p", remark, class_="note remark") for remark in collected.remarks]
    script = tag("noscript", tag("p", "The gallery needs JavaScript; everything else on this page does not."))
    return tag("div", remarks, script, content)


def _efforts(views: Sequence[View]) -> Html | None:
    plots = efforts(views)
    return None if plots is None else tag("div", legend(views), plots)


def _correlations(views: Sequence[View]) -> Html | None:
    """A matrix for each model in which anything varies (for each control, if there is no model); the first is open."""
    shown = [view for view in views if not view.control] or list(views)
    matrices = [(view, content) for view in shown if (content := correlations(view)) is not None]
    if not matrices:
        return None
    blocks = [
        tag("details", tag("summary", run_label(view)), content, class_="inner", open=i == 0)
        for i, (view, content) in enumerate(matrices)
    ]
    constant = [view.key for view in shown if all(view is not other for other, _ in matrices)]
    remark = tag("p", f"Nothing varies in {', '.join(constant)}.", class_="note") if constant else None
    return tag("div", blocks, remark)
