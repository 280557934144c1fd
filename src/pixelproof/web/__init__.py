"""The web kit: pages, charts and galleries as plain functions from data to markup.

`tag` makes markup and escapes text; `Page` is a document with theme and content policy; charts take numbers and return
SVG; `gallery` shows images in rows and columns, with a lightbox. The kit knows nothing of benches and runs.
"""

from ._database import Database
from ._format import NOTHING, cut, duration, interval, money, number, percent, plural
from ._gallery import Entry, GalleryRow, Message, gallery
from ._gallery_sheet import EmbeddedSheet, GallerySheet, LinkedSheet, data_uri, evenly
from ._heatmap import heatmap
from ._html import Child, Html, breakable, data_block, fragment, tag
from ._intervals import Part, interval_bar, interval_bar_axis, stacked_bar
from ._judging import finished_section, judging_page
from ._line_chart import Series, line_chart
from ._matrix import matrix
from ._page import Page, fold_section, header, section, static
from ._radar import radar
from ._scale import Scale
from ._scatter import Point, scatter
from ._table import table, wide

__all__ = [
    "NOTHING",
    "GallerySheet",
    "Child",
    "Database",
    "EmbeddedSheet",
    "Entry",
    "GalleryRow",
    "Html",
    "LinkedSheet",
    "Message",
    "Page",
    "Part",
    "Point",
    "Scale",
    "Series",
    "breakable",
    "cut",
    "data_block",
    "data_uri",
    "duration",
    "evenly",
    "finished_section",
    "fold_section",
    "fragment",
    "gallery",
    "heatmap",
    "interval",
    "interval_bar",
    "judging_page",
    "line_chart",
    "header",
    "matrix",
    "money",
    "number",
    "percent",
    "plural",
    "radar",
    "scatter",
    "section",
    "stacked_bar",
    "static",
    "interval_bar_axis",
    "table",
    "tag",
    "wide",
]
