"""Two charts for the card, drawn with Pillow so that nothing else is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

_INK, _GRID, _PAPER = (30, 30, 36), (222, 222, 226), (255, 255, 255)
_LINES = ((31, 119, 180), (214, 98, 20), (44, 140, 60), (150, 60, 160))

_STEP = 0.05  # between the lines of the scale of errors


def coverage_chart(curves: Mapping[str, Sequence[tuple[float, float, float]]], threshold: float) -> Image.Image:
    """Share of drawings named against the share of names that are wrong; a dot where the threshold is."""
    chart = Image.new("RGB", (760, 460), _PAPER)
    pen, font = ImageDraw.Draw(chart), ImageFont.load_default(15)
    left, top, right, bottom = 70, 20, 740, 400
    highest = max((risk for points in curves.values() for _, share, risk in points if share > 0.1), default=0.0)
    steps = max(2, int(np.ceil(highest / _STEP)))
    tallest = steps * _STEP

    def place(share: float, risk: float) -> tuple[float, float]:
        return left + share * (right - left), bottom - min(risk, tallest) / tallest * (bottom - top)

    for step in range(6):
        x, _ = place(step / 5, 0)
        pen.line((x, top, x, bottom), _GRID)
        pen.text((x, bottom + 8), f"{step * 20} %", _INK, font, "ma")
    for step in range(steps + 1):
        _, y = place(0, step * _STEP)
        pen.line((left, y, right, y), _GRID)
        pen.text((left - 8, y), f"{step * _STEP:.0%}".replace("%", " %"), _INK, font, "rm")
    pen.text(((left + right) / 2, bottom + 34), "drawings that get a name", _INK, font, "ma")
    pen.text((left + 8, top + 4), "names that are wrong (dot: at the threshold)", _INK, font)
    for number, (name, points) in enumerate(curves.items()):
        colour = _LINES[number % len(_LINES)]
        pen.line([place(share, risk) for _, share, risk in points], colour, 2)
        given = [(share, risk) for level, share, risk in points if level >= threshold]
        if given:
            x, y = place(*given[-1])
            pen.ellipse((x - 5, y - 5, x + 5, y + 5), colour)
        pen.text((left + 12, top + 26 + 20 * number), name, colour, font)
    return chart


def confusion_chart(counts: npt.NDArray[np.int64], names: Sequence[str]) -> Image.Image:
    """One row per true subject, one column per answer; the darker, the more of the row."""
    cell, margin = 14, 120
    height, width = counts.shape
    chart = Image.new("RGB", (margin + width * cell + 10, margin + height * cell + 10), _PAPER)
    pen, font = ImageDraw.Draw(chart), ImageFont.load_default(12)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    for row in range(height):
        pen.text((margin - 5, margin + (row + 0.5) * cell), names[row], _INK, font, "rm")
        for column in range(width):
            x, y = margin + column * cell, margin + row * cell
            good = row == column
            deep = np.array((20, 110, 60) if good else (190, 40, 30))
            shade = np.array(_PAPER) + (deep - np.array(_PAPER)) * float(shares[row, column]) ** 0.5
            pen.rectangle((x, y, x + cell - 2, y + cell - 2), tuple(int(part) for part in shade), _GRID)
    for column in range(width):
        label = Image.new("RGB", (margin, cell), _PAPER)
        ImageDraw.Draw(label).text((2, cell / 2), names[column], _INK, font, "lm")
        chart.paste(label.rotate(90, expand=True), (margin + column * cell, 0))
    return chart
