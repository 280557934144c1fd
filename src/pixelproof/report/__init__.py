"""Pages about runs, made of the web kit.

`write_report` writes a page. A bench may add sections of its own through the entry-point group `pixelproof.panels`:
`Panel`, `View` and `who` are what they are made of, with `pixelproof.web`.
"""

from ._find import run_directories
from ._groups import Group, open_groups
from ._leaderboard import who
from ._panels import Panel
from ._report import render, write_report
from ._views import Rows, View

__all__ = ["Group", "Panel", "Rows", "View", "open_groups", "render", "run_directories", "who", "write_report"]
