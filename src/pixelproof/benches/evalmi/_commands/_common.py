"""What the commands share: options, loading of ratings, and plain JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import PixelProofError

PATH = click.Path(path_type=Path)
WHERE = {
    "": "overall",
    "within_prompt": "within prompts",
    "within_generator": "within generators",
    "within_task": "within tasks",
    "between_generators": "between generators",
}


def data_options(command: Any) -> Any:
    command = click.option(
        "--map", "mapping", help="Columns of any other table: image_id=COL,model=COL,prompt=COL,perception=COL,qa=COL."
    )(command)
    return click.option(
        "--data", type=PATH, required=True, help="EvalMi-50K, AGIQA-3K or GenAI-Bench directory; a file with --map."
    )(command)


def load_ratings(data: Path, mapping: str | None) -> Any:
    from pixelproof.benches.evalmi.data import load

    if mapping is None:
        return load(data)
    pairs = [part.partition("=") for part in mapping.split(",")]
    if any(not name or not column for name, _, column in pairs):
        raise PixelProofError("--map is a list such as image_id=file,model=generator,prompt=text,perception=mos.")
    return load(data, {name.strip(): column.strip() for name, _, column in pairs})


def plain(value: Any) -> Any:
    """A structure as JSON takes it: dataclasses as mappings, arrays as lists, nan as null, 9 significant digits."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(member) for name, member in vars(value).items()}
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        # Sums of threads and fits differ in the last digits; equal seeds give equal output.
        return float(f"{value:.9g}") if math.isfinite(value) else None
    return value
