"""A page of findings, and of the traces that have remarks."""

from __future__ import annotations

from collections.abc import Sequence

from pixelproof.tools._trace import Trace
from pixelproof.tools.episodes import TraceFile, trace_page
from pixelproof.web import Page, plural, section, tag

from ._checks import Checks, Status


def findings_page(file: TraceFile, traces: Sequence[Trace], checks: Checks) -> Page:
    """A table of the findings about the traces of a file, then every trace that has a remark."""
    rows = [
        tag(
            "tr",
            tag("th", finding.check),
            tag("td", str(finding.status)),
            tag("td", finding.message, tag("span", finding.advice, class_="setting") if finding.advice else None),
        )
        for finding in checks.findings
    ]
    table = section("findings", "Findings", tag("table", tag("tbody", rows), class_="plain"))
    marked = [trace for trace in traces if trace.id in checks.marks]
    return trace_page(file, marked, "Findings about traces", _page_summary(file, traces, checks), table, checks.marks)


def _page_summary(file: TraceFile, traces: Sequence[Trace], checks: Checks) -> str:
    """How many traces show a problem or a warning, and how many others have remarks."""
    serious = [finding for finding in checks.findings if finding.status in (Status.PROBLEM, Status.WARNING)]
    concerned = {id for finding in serious for id in finding.traces}
    others = len(checks.marks.keys() - concerned)
    page_summary = f"{len(concerned):,} of {plural(len(traces), 'trace')} in {file.path.name} show a problem or warning"
    return f"{page_summary}; {plural(others, 'other')} with remarks only" if others else page_summary
