"""The structural ladder: how far a reply can be parsed towards a drawing, strictly and leniently."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import ImageColor

from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._reply import LONGEST, Found, Object, Problem, Stop, find, show

RUNGS = ("parses", "keys", "palette", "rectangular", "size", "indices", "renders")
KEYS = ("palette", "grid")

Colour = tuple[int, int, int]

_DIGITS = {str(digit): digit for digit in range(10)}  # ASCII only: str.isdigit and int() accept many more


@dataclass
class Reading:
    """State of one way of parsing: what was parsed, and how far it got."""

    outcome: str = "ok"
    detail: str = ""
    held: int = 0
    """Number of rungs reached."""
    repairs: list[str] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)
    """The raw grid, if it is a list."""
    palette: list[Colour] = field(default_factory=list)
    grid: npt.NDArray[np.int64] | None = None
    """Indices of a rectangular grid; −1 for cells without an index."""


def read(text: str, form: Format) -> tuple[Reading, Reading]:
    """Read a reply strictly (the whole reply, exactly as asked) and leniently (with named repairs).

    >>> reply = '```{"palette": ["#000", "white"], "grid": [[0, 1], [1, 1]]}```'
    >>> strict, lenient = read(reply, Format("original", 2, 10))
    >>> strict.outcome, lenient.outcome, lenient.repairs
    ('text-around', 'ok', ['fence-removed', 'colours-respelled', 'rows-from-lists'])
    """
    strict, lenient = find(text, max(LONGEST, 64 * form.size**2), form.size)
    return _climb(strict, form, lenient=False), _climb(lenient, form, lenient=True)


def _climb(found: Found, form: Format, lenient: bool) -> Reading:
    reading = Reading(repairs=list(found.repairs) if lenient else [])
    try:
        if isinstance(found.value, Problem):
            raise Stop(*found.value)
        reading.held = 1
        reading.repairs += _check_keys(found.value, lenient)
        reading.held = 2
        reading.rows = grid if isinstance(grid := found.value["grid"], list) else []
        reading.palette, repairs = _read_palette(found.value["palette"], form, lenient)
        reading.repairs += repairs
        reading.held = 3
        reading.repairs += _check_rows(grid, form, lenient)
        reading.grid = cells(grid).reshape(len(grid), -1)
        reading.held = 4
        _check_size(reading.grid, form)
        reading.held = 5
        _check_indices(reading.grid, len(reading.palette), grid)
        reading.held = len(RUNGS)  # a palette and legal indices can be drawn
    except Stop as stop:
        reading.outcome, reading.detail = stop.problem
    return reading


def _check_keys(value: Object, lenient: bool) -> list[str]:
    missing = [key for key in KEYS if key not in value]
    if missing:
        raise Stop("missing-keys", f"The object has no {' and no '.join(map(show, missing))}.")
    twice = [key for key in KEYS if key in value.repeated]
    if twice:  # ambiguous
        raise Stop("duplicate-keys", f"The object has {show(twice[0])} more than once.")
    extra = [key for key in value if key not in KEYS]
    if extra and not lenient:
        raise Stop("extra-keys", f"The object has the key {show(extra[0])} too.")
    return ["extra-keys-ignored"] if extra else []


def _read_palette(value: Any, form: Format, lenient: bool) -> tuple[list[Colour], list[str]]:
    if not isinstance(value, list):
        raise Stop("bad-palette", f"The palette is {show(value)}, not a list.")
    if not form.fewest <= len(value) <= form.colours:
        raise Stop("bad-palette", f"The palette has {len(value)} colours, not {form.fewest} to {form.colours}.")
    as_asked = {"", "colours-respelled"} if form.family == "lite" else {""}
    colours, repairs = [], set()
    for place, spelling in enumerate(value):
        colour, repair = _read_colour(spelling)
        if colour is None or (not lenient and repair not in as_asked):
            raise Stop("bad-palette", f"Colour {place} is {show(spelling)}.")
        colours.append(colour)
        repairs.add(repair)
    return colours, sorted(repairs - as_asked)


def _read_colour(value: Any) -> tuple[Colour | None, str]:
    """Parse a colour; return it with the name of the repair that was needed."""
    if isinstance(value, list):
        if len(value) == 3 and all(type(part) is int and 0 <= part <= 255 for part in value):
            return (value[0], value[1], value[2]), "colours-respelled"
        return None, ""
    if not isinstance(value, str) or not value.isascii() or len(value) > 40:
        return None, ""
    if re.fullmatch("[0-9A-Fa-f]{6}", value):
        red, green, blue = bytes.fromhex(value)
        return (red, green, blue), ""
    spelling = value.strip()
    try:
        parts = ImageColor.getrgb(f"#{spelling}" if re.fullmatch("[0-9A-Fa-f]{3}", spelling) else spelling)
    except ValueError:
        return None, ""
    if not all(0 <= part <= 255 for part in parts):
        return None, ""
    return parts[:3], "colours-respelled" if len(parts) == 3 else "alpha-dropped"


def _check_rows(rows: Any, form: Format, lenient: bool) -> list[str]:
    if not isinstance(rows, list) or not rows:
        raise Stop("bad-rows", "The grid is empty." if rows == [] else f"The grid is {show(rows)}, not a list of rows.")
    kinds = (str, list) if lenient else (form.rows,)
    for place, row in enumerate(rows):
        if not isinstance(row, kinds) or not row:
            raise Stop("bad-rows", f"Row {place} is {show(row) if row else 'empty'}.")
    for place, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise Stop("ragged", f"Row {place} has {len(row)} cells, row 0 has {len(rows[0])}.")
    other = "rows-from-lists" if form.rows is str else "rows-from-strings"
    return [] if all(isinstance(row, form.rows) for row in rows) else [other]


def _check_size(grid: npt.NDArray[np.int64], form: Format) -> None:
    if grid.shape != (form.size, form.size):
        height, width = grid.shape
        raise Stop("wrong-size", f"The grid has {height} rows of {width} cells, not {form.size} of {form.size}.")


def _check_indices(grid: npt.NDArray[np.int64], colours: int, rows: list[Any]) -> None:
    illegal = np.argwhere((grid < 0) | (grid >= colours))
    if len(illegal):
        row, column = (int(place) for place in illegal[0])
        cell = show(rows[row][column])
        raise Stop("illegal-index", f"Row {row}, cell {column} is {cell}; the palette has {colours} colours.")


def cells(rows: list[Any]) -> npt.NDArray[np.int64]:
    """The cells of rows of digits or integers, concatenated; −1 for cells that are no index.

    >>> cells(["01x", [2, True, 1.0, -7]]).tolist()
    [0, 1, -1, 2, -1, -1, -1]
    """
    flat: list[int] = []
    for row in rows:
        if isinstance(row, str):
            flat += [_DIGITS.get(cell, -1) for cell in row]
        elif isinstance(row, list):
            flat += [cell if type(cell) is int and cell >= 0 else -1 for cell in row]
    return np.array(flat, dtype=np.int64)


def diagnose(reading: Reading, form: Format) -> dict[str, float]:
    """Deviations of a drawing from the format, as far as it can be parsed, even if it is ragged.

    A reply without rows lacks all of them, and cells without a palette have no colour: a reply of nonsense is not one
    without deviations.
    """
    rows = [row for row in reading.rows if isinstance(row, str | list)]
    if not rows:
        return {"rows_off": float(form.size), "width_off": float(form.size), "illegal_share": 1.0}
    misses = {
        "illegal_share": 1.0,
        "rows_off": float(abs(len(reading.rows) - form.size)),
        "width_off": float(np.mean([abs(len(row) - form.size) for row in rows])),
    }
    flat, colours = cells(rows), len(reading.palette)
    if colours and flat.size:
        legal = flat[(flat >= 0) & (flat < colours)]
        misses["illegal_share"] = 1.0 - legal.size / flat.size
        misses["unused_colours"] = float(colours - len(np.unique(legal)))
        misses["repeated_colours"] = float(colours - len(set(reading.palette)))
    return misses
