"""Legal replies as a JSON Schema and as a grammar, for constrained decoding."""

from __future__ import annotations

from typing import Any

from pixelproof.benches.pixelart._format import Format


def schema(form: Format) -> dict[str, Any]:
    """JSON Schema of a legal reply. Unlike the grammar, it cannot limit indices to the length of the palette."""
    last = form.colours - 1
    if form.family == "original":
        colour = {"type": "string", "pattern": "^[0-9A-Fa-f]{6}$"}
        row: dict[str, Any] = {"type": "string", "pattern": f"^[0-{last}]{{{form.size}}}$"}
    else:
        colour = {"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}
        cell = {"type": "integer", "minimum": 0, "maximum": last}
        row = {"type": "array", "items": cell, "minItems": form.size, "maxItems": form.size}
    return {
        "type": "object",
        "properties": {
            "palette": {"type": "array", "items": colour, "minItems": form.fewest, "maxItems": form.colours},
            "grid": {"type": "array", "items": row, "minItems": form.size, "maxItems": form.size},
        },
        "required": ["palette", "grid"],
        "additionalProperties": False,
    }


def grammar(grid: int = 24, colours: int = 10, family: str = "original") -> str:
    r"""Lark grammar, in llguidance's dialect, of replies in which every index has a colour.

    The palette is a chain that can be left after k colours, and behind that exit the cells are 0 … k − 1. There is no
    optional white space: it costs tokens and lets a weak model wander.

    >>> print(grammar(grid=4, colours=3))
    start: "{\"palette\":[" COLOUR "," COLOUR after_2
    after_2: "],\"grid\":[" ROW_2 ("," ROW_2){3} "]}" | "," COLOUR after_3
    after_3: "],\"grid\":[" ROW_3 ("," ROW_3){3} "]}"
    ROW_2: /"[0-1]{4}"/
    ROW_3: /"[0-2]{4}"/
    COLOUR: /"[0-9A-Fa-f]{6}"/
    """
    form = Format(family, grid, colours)
    lengths = range(form.fewest, colours + 1)
    first = '"{\\"palette\\":[" ' + ' "," '.join(["COLOUR"] * form.fewest)
    rules = [f"start: {first} after_{form.fewest}"]
    for k in lengths:
        more = f' | "," COLOUR after_{k + 1}' if k < colours else ""
        rules.append(rf'after_{k}: "],\"grid\":[" ROW_{k} ("," ROW_{k}){{{grid - 1}}} "]}}"{more}')
    rules += [f"ROW_{k}: /{_row(form, k)}/" for k in lengths]
    mark = "" if family == "original" else "#"
    return "\n".join([*rules, f'COLOUR: /"{mark}[0-9A-Fa-f]{{6}}"/'])


def _row(form: Format, k: int) -> str:
    if form.family == "original":
        return f'"[0-{k - 1}]{{{form.size}}}"'
    index = _below(k)
    return rf"\[({index})(,({index})){{{form.size - 1}}}\]"


def _below(k: int) -> str:
    """Regular expression of the decimal numbers 0 … k − 1.

    >>> _below(25)
    '[0-9]|1[0-9]|2[0-4]'
    """
    parts = [f"[0-{min(k, 10) - 1}]"]
    for tens in range(1, (k - 1) // 10 + 1):
        parts.append(f"{tens}[0-{min(k - 10 * tens, 10) - 1}]")
    return "|".join(parts)
