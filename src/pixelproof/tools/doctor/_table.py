"""Findings as a table of a page."""

from __future__ import annotations

from collections.abc import Sequence

from pixelproof.web import Html, section, tag

from ._finding import Finding


def findings_table(findings: Sequence[Finding]) -> Html:
    """A row for each finding: check, status, what was found and what to do."""
    rows = [
        tag(
            "tr",
            tag("th", finding.check),
            tag("td", str(finding.status)),
            tag("td", finding.message, tag("span", finding.advice, class_="setting") if finding.advice else None),
        )
        for finding in findings
    ]
    return section("findings", "Findings", tag("table", tag("tbody", rows), class_="plain"))
