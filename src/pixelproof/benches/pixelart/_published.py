"""The published scores, as the original code computes them and as the article describes them.

They are here so that published figures can be checked, not as a measure of drawing: noise reaches the top of them.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from typing import Any

import numpy as np

from pixelproof import metrics
from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._ladder import Reading, diagnose
from pixelproof.benches.pixelart._reply import LONGEST, too_deep

NAMES = ("json_validity", "render_success", "pixel_art_quality")


def coded(text: str, form: Format) -> tuple[dict[str, float], str]:
    """The three scores as in the original code; a note where that raises, which counts as 0.

    >>> coded('{"grid": [[7, true], [999, 0]]}', Format("lite", 2, 10))[0]
    {'json_validity': 1.0, 'render_success': 1.0, 'pixel_art_quality': 0.4}
    """
    data, note = _parse(text)
    scores = dict.fromkeys(NAMES, 0.0)
    if note:
        return scores, note
    scores["json_validity"] = 1.0
    if not isinstance(data, dict):
        return scores, "The original raises AttributeError where the reply is not an object."
    grid = data.get("grid", [])
    scores["render_success"] = float(_is_rendered(grid, form.size))
    scores["pixel_art_quality"] = min(_distinct(grid) / 10, 1.0)
    return scores, ""


def _parse(text: str) -> tuple[Any, str]:
    """The reply as Python's JSON parser reads it (NaN and repeated keys included), or a note."""
    if len(text) > LONGEST or too_deep(text, 400):
        return None, "The reply is too long or too deep for the original's reader."
    try:
        return json.loads(text), ""
    except json.JSONDecodeError:
        return None, "The reply is not JSON."
    except ValueError:
        return None, "The original raises ValueError at an integer of thousands of digits."


def _is_rendered(grid: Any, size: int) -> bool:
    if not isinstance(grid, list) or len(grid) != size:
        return False
    rows = all(isinstance(row, list) and len(row) == size for row in grid)
    return rows and all(isinstance(cell, int) for row in grid for cell in row)  # true is an int, as in the original


def _distinct(grid: Any) -> int:
    try:
        return len({cell for row in grid for cell in row})
    except TypeError:  # a row that is a number, a cell that is a list
        return 0


def described(strict: Reading, lenient: Reading, form: Format) -> dict[str, float]:
    """The three scores as the article describes them; the formulas are our interpretation.

    JSON validity: the whole reply is an object, and every cell's colour is in the palette. Render success: continuity
    of shapes times spatial alignment (overlap over union of the grid with the square asked for). Pixel-art quality:
    share of legal indices times share of the palette in use.
    """
    scores = dict.fromkeys(NAMES, 0.0)
    all_legal = diagnose(lenient, form).get("illegal_share") == 0.0
    scores["json_validity"] = float(strict.held >= 1 and all_legal)
    if lenient.grid is not None:
        height, width = lenient.grid.shape
        overlap = min(height, form.size) * min(width, form.size)
        alignment = overlap / (form.size**2 + height * width - overlap)
        colours = len(lenient.palette)
        scores["render_success"] = metrics.continuity(lenient.grid) * alignment
        scores["pixel_art_quality"] = metrics.palette_validity(lenient.grid, colours) * metrics.colour_efficiency(
            lenient.grid, colours
        )
    return scores


def descriptive_quality(text: str) -> float | None:
    """The weighted sum of the article's radar chart, as coded: unbounded; None where the original drops the row.

    >>> round(descriptive_quality('{"palette": ["000000", "ffffff"], "grid": ["0101", "1010", "0101", "1010"]}'), 2)
    8.5
    """
    data, note = _parse(text)
    if note or not isinstance(data, dict):
        return None
    palette, rows = _strings(data.get("palette")), _strings(data.get("grid"))
    if not palette or len({len(row) for row in rows}) != 1:
        return None
    values = [[unicodedata.decimal(cell, None) for cell in row] for row in rows]
    if any(value is None for row in values for value in row) or len(rows) < 2 or len(rows[0]) < 2:
        return None
    grid, colours = np.array(values, dtype=int), len(palette)
    shares = np.array(list(Counter(grid.ravel().tolist()).values())) / grid.size
    inner = grid[:-1, :-1]  # the original ignores the pairs of the last row and column
    edges = np.mean([inner != grid[1:, :-1], inner != grid[:-1, 1:]])
    entropy = -np.sum(shares * np.log(shares + 1e-9)) / np.log(colours + 1e-9)
    fill = 1 - abs(np.mean(grid != 0) - 0.5)
    return float(2 + 2 * np.mean(grid < colours) + 1.5 * edges + entropy + len(shares) / colours + fill)


def _strings(value: Any) -> list[str]:
    return value if isinstance(value, list) and all(isinstance(part, str) for part in value) else []
