"""The web kit and its pages: self-contained HTML, made by plain functions from data to markup.

The kit: `tag` (markup that escapes by itself), `page` (the shell with theme and content policy), charts (numbers in,
SVG out), `gallery` with its lightbox. The first page made of it: `write_report`.
"""

from ._gallery import GalleryRow, Shot, gallery
from ._html import Html, data_block, fragment, tag
from ._intervals import Part, interval_strip, stacked_bar, strip_axis
from ._matrix import matrix
from ._page import masthead, page, section
from ._pictures import Album, data_uri, evenly
from ._radar import radar
from ._report import write_report
from ._scale import Scale
from ._scatter import Point, scatter
from ._table import table, wide

__all__ = [
    "Album",
    "GalleryRow",
    "Html",
    "Part",
    "Point",
    "Scale",
    "Shot",
    "data_block",
    "data_uri",
    "evenly",
    "fragment",
    "gallery",
    "interval_strip",
    "masthead",
    "matrix",
    "page",
    "radar",
    "scatter",
    "section",
    "stacked_bar",
    "strip_axis",
    "table",
    "tag",
    "wide",
    "write_report",
]
