"""Pages about runs, made of the web kit.

`write_report` writes a page. A bench may add sections of its own through the entry-point group `pixelproof.panels`:
`Panel`, `View`, `run_label` and `rank_ranges` are what they are made of, with `pixelproof.web`.
"""

import sys
from pathlib import Path
from types import ModuleType

from pixelproof.contract import Bench
from pixelproof.harness import Run

from ._find import run_directories
from ._groups import Group, open_groups
from ._leaderboard import rank_text, run_label
from ._panels import Panel
from ._ranks import ordered, rank_ranges
from ._report import Skipped, render, report_page, write_report
from ._views import Rows, View

__all__ = [
    "Group",
    "Panel",
    "Rows",
    "Skipped",
    "View",
    "open_groups",
    "ordered",
    "rank_ranges",
    "rank_text",
    "render",
    "report_page",
    "run_directories",
    "run_label",
    "write_report",
]


class _CallableModule(ModuleType):
    """This package shares its name with the function `pixelproof.report`, so it can be called like it."""

    def __call__(self, *runs: Run | str | Path, out: str | Path = "report.html", bench: Bench | None = None) -> Path:
        return write_report(runs, out, bench)


sys.modules[__name__].__class__ = _CallableModule
