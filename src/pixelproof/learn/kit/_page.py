"""The page of a run: curves, what their columns mean, and sheets of samples."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import encode_png
from pixelproof.store import replacing
from pixelproof.web import Html, Page, Scale, Series, header, line_chart, number, section, tag

from ._log import Row

_MOST_POINTS = 200
_MOST_SHEETS = 6
_ZOOM, _GAP = 4, 1


def write_samples(out: Path, step: int, images: Sequence[npt.NDArray[np.uint8]], across: int = 10) -> None:
    """Write images of one size as a sheet, `out/samples/STEP.png`."""
    height, width = images[0].shape[:2]
    rows = -(-len(images) // across)
    sheet = np.full((rows * (height + _GAP), across * (width + _GAP), 3), 255, np.uint8)
    for place, image in enumerate(images):
        top, left = place // across * (height + _GAP), place % across * (width + _GAP)
        sheet[top : top + height, left : left + width] = image
    with replacing(out / "samples" / f"{step:07d}.png") as temporary:
        temporary.write_bytes(encode_png(sheet.repeat(_ZOOM, 0).repeat(_ZOOM, 1)).data)


def write_page(out: Path, title: str, rows: Sequence[Row], columns: Mapping[str, str]) -> None:
    """Write `out/index.html`: a curve for each column, and the newest sheets of samples.

    Args:
        out: Directory of the run.
        title: Heading.
        rows: The log.
        columns: Column → what it means.
    """
    charts = [_chart(name, about, rows) for name, about in columns.items() if name != "step"]
    sheets = sorted((out / "samples").glob("*.png"))[-_MOST_SHEETS:]
    body = [
        header(title, f"{len(rows)} rows of log.jsonl", [("curves", "Curves"), ("samples", "Samples")]),
        section("curves", "Curves", *charts),
        section("samples", "Samples", [_figure(sheet) for sheet in reversed(sheets)], note="The newest first."),
    ]
    with replacing(out / "index.html") as temporary:
        temporary.write_text(Page(title, body).html(), "utf-8")


def _chart(name: str, about: str, rows: Sequence[Row]) -> Html:
    """A curve over the steps; of many rows, means of neighbours."""
    points = [(row["step"], row[name]) for row in rows if name in row]
    chunks = np.array_split(np.array(points).reshape(-1, 2), max(1, min(len(points), _MOST_POINTS)))
    means = [(float(chunk[-1, 0]), float(chunk[:, 1].mean())) for chunk in chunks if len(chunk)]
    caption = tag(
        "figcaption", tag("b", name), f": {about}", f"; last {number(means[-1][1])}" if means else "; no value yet"
    )
    steps, values = Scale.of_amounts([0.0, *(a for a, _ in means)]), Scale.of_amounts([0.0, *(b for _, b in means)])
    return tag("figure", line_chart([Series("", name, means)], steps, values, "step", name), caption)


def _figure(sheet: Path) -> Html:
    uri = "data:image/png;base64," + base64.b64encode(sheet.read_bytes()).decode()
    caption = tag("figcaption", f"after {int(sheet.stem)} steps")
    return tag("figure", tag("img", src=uri, alt=f"Samples after {int(sheet.stem)} steps"), caption)
