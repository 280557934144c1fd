"""A study folder of the images that runs have stored."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.pixels import media_type_of
from pixelproof.store import replacing

from ._images import TABLES

_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


@dataclass(frozen=True)
class Taken:
    """What was taken from runs."""

    images: int
    without_image: int
    """Answers without an image that a browser shows."""
    without_prompt: int
    """Images of items whose prompt no run has stored."""


def study_from_runs(folder: Path, paths: Sequence[str | Path]) -> Taken:
    """Copy the last image of every answer into a folder, and write its table of images.

    `image_id` is `MODEL/ITEM`, with `.SAMPLE` from the second sample on; `prompt_id` is the item, so that images of
    different models can be compared in pairs.

    Args:
        folder: The new study folder.
        paths: Run directories, or folders with some.

    Raises:
        PixelProofError: The folder has a table already, two runs have the same model, or no answer has an image.
    """
    from pixelproof.harness import Run  # not needed by the server, and slow to import
    from pixelproof.report import run_directories

    table = folder / TABLES[0]
    if table.exists():
        raise PixelProofError(f"{table} exists: choose another folder.")
    runs = [Run.open(path) for path in run_directories(paths)]
    models = [str(run.card["model"]) for run in runs]
    for model in models:
        if models.count(model) > 1:
            raise PixelProofError(f"Two of the runs are of {model}: name one of them.")
    prompts: dict[str, str] = {}
    for run in runs:
        for item, prompt in run.prompts().items():
            prompts.setdefault(item, _text(prompt))
    rows, missing = [], 0
    for model, run in zip(models, runs, strict=True):
        for item, sample, _, keys in run.answers():
            data = run.blob(keys[-1]) if keys else b""
            suffix = _SUFFIXES.get(media_type_of(data))
            if suffix is None:
                missing += 1
                continue
            name = f"images/{keys[-1]}{suffix}"
            if not (folder / name).exists():
                with replacing(folder / name, sync=False) as temporary:
                    temporary.write_bytes(data)
            identity = f"{model}/{item}" + (f".{sample}" if sample else "")
            rows.append([name, identity, model, prompts.get(item, ""), item])
    if not rows:
        raise PixelProofError("No answer of these runs has an image: choose runs of models that draw.")
    with replacing(table) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["image", "image_id", "model", "prompt", "prompt_id"])
        writer.writerows(rows)
    return Taken(len(rows), missing, sum(not row[3] for row in rows))


def _text(prompt: dict[str, Any]) -> str:
    return "\n".join(part for part in prompt["parts"] if isinstance(part, str)).strip()
