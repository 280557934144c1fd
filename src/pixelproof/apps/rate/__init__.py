"""`pixelproof rate`: people judge images in a browser, and their votes become tables.

- `read_study`: a folder of images with `study.json` as a `Study`.
- `VoteStore`: raters, assignment and votes, in a database that survives kill -9 and power cuts.
- `serve_study`: the server. `invite_raters`, `write_export`: links and tables without it.
"""

from ._export import analysis_commands, export_archive, export_tables, left_out, write_export
from ._images import Taken, study_from_runs
from ._quality import Agreement, RaterReport, agreements, rater_reports
from ._reading import SETTINGS, default_settings, read_study, write_settings
from ._server import USUAL_PORT, invite_raters, serve_study
from ._study import PRESETS, Example, Question, Study, StudyImage, StudyItem
from ._votes import Counted, VoteStore

__all__ = [
    "PRESETS",
    "SETTINGS",
    "USUAL_PORT",
    "Agreement",
    "Counted",
    "Example",
    "Question",
    "RaterReport",
    "Study",
    "StudyImage",
    "StudyItem",
    "Taken",
    "VoteStore",
    "agreements",
    "analysis_commands",
    "default_settings",
    "export_archive",
    "export_tables",
    "invite_raters",
    "left_out",
    "rater_reports",
    "read_study",
    "serve_study",
    "study_from_runs",
    "write_export",
    "write_settings",
]
