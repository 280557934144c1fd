"""The administrator's page: progress, agreement, raters, invitations, export."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from pixelproof.web import NOTHING, Child, Html, Page, fragment, header, number, percent, plural, section, static, tag
from pixelproof.web import table as make_table

from ._export import analysis_commands
from ._quality import Agreement, RaterReport, agreements, rater_reports
from ._study import Study
from ._votes import VoteStore

SECTIONS = [("progress", "Progress"), ("agreement", "Agreement"), ("raters", "Raters"), ("invite", "Invite"),
            ("export", "Export")]  # fmt: skip
ACTIONS = {"active": (("closed", "Close"), ("excluded", "Exclude"), ("link", "New link")),
           "closed": (("active", "Reopen"), ("excluded", "Exclude")), "excluded": (("active", "Include"),)}  # fmt: skip


def admin_page(store: VoteStore) -> Page:
    """The page, as of now."""
    study = store.study
    states = dict(store.raters())
    excluded = [name for name, state in states.items() if state == "excluded"]
    everything = store.counted(("rated", "repeat", "gold"), excluded=True)
    votes = [vote for vote in everything if vote.rater not in excluded]
    reports = rater_reports(study, votes, [name for name in states if name not in excluded])
    reports += rater_reports(study, everything, excluded)
    live = tag(
        "div",
        section("progress", "Progress", _progress(store, len(states)), note=_progress_note(study)),
        section("agreement", "Agreement", _agreement(agreements(study, votes)), note=AGREEMENT_NOTE),
        section("raters", "Raters", _raters(study, reports, states), note=RATERS_NOTE),
        id="live",
    )
    questions = ", ".join(question.id for question in study.questions)
    page_summary = f"{plural(len(study.items), 'pair' if study.pairs else 'image')}; {questions}"
    main = tag("main", live, _invite(), _export(study))
    scripts, styles = [static("admin.js", __package__)], [static("judging.css"), static("rate.css", __package__)]
    return Page(
        f"{study.title}: administration", fragment(header(study.title, page_summary, SECTIONS), main), styles, scripts
    )


def _progress_note(study: Study) -> str:
    what = "pair" if study.pairs else "image"
    if study.votes_per_item is None:
        return f"Every rater gets every {what}."
    return f"Every {what} is to get {plural(study.votes_per_item, 'vote')}."


def _progress(store: VoteStore, raters: int) -> Html:
    counts = Counter(store.finished().values())
    wanted = store.study.votes_per_item or max(1, raters)
    done = sum(min(votes, wanted) * items for votes, items in counts.items())
    needed = wanted * len(store.study.items)
    bar = tag("progress", max=str(needed), value=str(done), aria_label="Progress")
    rows = [[plural(votes, "vote"), f"{counts[votes]:,}"] for votes in sorted(counts)]
    line = tag("p", bar, f" {done:,} of {needed:,} ({percent(done / needed)})", class_="rate-progress")
    names = ["", "pairs" if store.study.pairs else "images"]
    return fragment(line, make_table(names, rows, "Items by number of votes", kind="plain compact"))


AGREEMENT_NOTE = (
    "ICC(1,1): reliability of one vote; ICC(1,k): of the mean of an image's votes. Krippendorff's alpha: interval for "
    "scales, nominal otherwise; 1 is perfect, 0 is chance. Excluded raters do not count."
)


def _agreement(agreements: Sequence[Agreement]) -> Html:
    rows = [
        [a.question.id, f"{a.votes:,}", f"{a.items:,}", number(a.icc), number(a.icc_mean), number(a.alpha)]
        for a in agreements
    ]
    names = ["question", "votes", "images with several votes", "ICC(1,1)", "ICC(1,k)", "alpha"]
    return make_table(names, rows, "Agreement of raters")


RATERS_NOTE = (
    "SRCC: with the mean of the others. Repeats: mean difference of answers to the same image. Warnings are hints: "
    "look before you exclude somebody. Close: no more votes, the given ones count. Exclude: the votes do not count, "
    "and others get the images. Both can be undone."
)


def _raters(study: Study, reports: Sequence[RaterReport], states: dict[str, str]) -> Html:
    if not reports:
        return tag("p", "Nobody yet: invite raters below.", class_="note")
    rows: list[list[Child]] = []
    for report in reports:
        state = states[report.name]
        warnings = (
            tag("ul", [tag("li", text) for text in report.warnings], class_="rate-warnings")
            if report.warnings
            else None
        )
        label = tag("small", state, class_="setting") if state != "active" else None
        buttons = [
            tag("button", text, type="button", class_="more", data_rater=report.name, data_action=action)
            for action, text in ACTIONS[state]
        ]
        gold = f"{report.gold[0]} of {report.gold[1]}" if report.gold[1] else NOTHING
        seconds = NOTHING if math.isnan(report.seconds) else f"{report.seconds:.1f} s"
        cells = [f"{report.answers:,}", seconds, number(report.agreement), gold, _repeats(study, report)]
        actions = tag("div", buttons, class_="rate-actions")
        rows.append([fragment(tag("bdi", report.name), label, warnings), *cells, actions])
    return make_table(["rater", "answers", "median time", "SRCC", "gold right", "repeats", ""], rows, "Raters")


def _repeats(study: Study, report: RaterReport) -> str:
    count, equal, apart = report.repeats
    if not count:
        return NOTHING
    if any(question.kind == "scale" for question in study.questions):
        return f"{apart:.1f} apart ({count})"
    return f"{percent(equal)} equal ({count})"


def _invite() -> Html:
    return section(
        "invite",
        "Invite",
        tag("label", "Names, one per line", for_="names", class_="unseen"),
        tag("textarea", "", id="names", rows="4", placeholder="Anna\nBen", maxlength="10000"),
        tag("p", tag("button", "Make links", type="button", id="make", class_="more")),
        tag("p", id="invite-status", role="status", class_="note"),
        tag("ul", id="links", class_="rate-links"),
        note="Every rater gets a separate link. It is shown once, here: only its hash is stored. Whoever has the "
        "link votes under the name.",
    )


def _export(study: Study) -> Html:
    return section(
        "export",
        "Export",
        tag("p", tag("a", "Download all tables (ZIP)", href="/admin/export", download="votes.zip")),
        tag("pre", "\n".join(analysis_commands(study, "votes")), class_="code"),
        note="The same tables as pixelproof rate export writes. Unpacked into the folder votes, they are read by:",
    )
