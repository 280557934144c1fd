"""Runs to be damaged: one with every kind of file, one that was interrupted, and all that can be read of them."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pixelproof
from pixelproof.contract import Answer, PixelProofError, Prompt, Usage
from pixelproof.harness import Run, comparison_to_json
from pixelproof.harness import _rows as rows
from pixelproof.pixels import encode_png
from pixelproof.store import Records
from support import Guess

BENCH = Guess(n=9)
_VARYING = ("ledger", "created", "software", "files")
"""Entries of a card that differ between equal runs."""
STOP_AT: list[int] = []
"""Item at which the model is interrupted."""


def painting(prompt: Prompt, item_id: str, sample: int, seed: int) -> Answer:
    """A model with a reply, a picture, a trace with a picture, and for the first item a long reply."""
    if int(item_id[-1]) in STOP_AT:
        raise KeyboardInterrupt
    picture = encode_png(np.random.default_rng(seed).integers(0, 256, (6, 6, 3), np.uint8))
    text = "7" if item_id[-1] != "0" else " " * 70_000 + "7"
    return Answer(text, (picture,), trace=({"step": "look", "shown": picture},), usage=Usage(output_tokens=3))


def make(path: Path, **changes: Any) -> Run:
    settings = {"samples": 2, "judge": "fn/support:rude", "out": path} | changes
    return pixelproof.run(BENCH, "fn/harness.damaged_runs:painting", **settings)


def make_interrupted(path: Path) -> None:
    """A run that was interrupted at its eighth item: a sealed shard and a journal."""
    STOP_AT.append(7)
    original = Records.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Records, "__init__", lambda self, *given: original(self, *given, shard_rows=5))
        with suppress(KeyboardInterrupt):
            make(path)
    STOP_AT.clear()


def contents(path: Path, other: Path | None = None) -> dict[str, Any]:
    """All that PixelProof reads of a run, and of its comparison with another."""
    run = Run.open(path)
    read: dict[str, Any] = {
        "card": {name: value for name, value in run.card.items() if name not in _VARYING},
        "items": list(run.items()),
        "answers": [(item, sample, answer.text, answer.trace, keys) for item, sample, answer, keys in run.answers()],
        "images": [run.blob(key) for *_, keys in run.answers() for key in keys],
        "prompts": run.prompts(),
        "results": list(run.results(BENCH)),
        "rows": [{k: v for k, v in row.items() if k != "seconds"} for row in run.rows(BENCH)],
        "judgements": list(Records(path, "judgements", rows.JUDGEMENT_SCHEMA).rows(["item", "sample"])),
        "blobs": list(run.blobs(BENCH)),
    }
    if other is not None:
        run.check_whole()
        read["summary"] = run.summary
        read["comparison"] = comparison_to_json(pixelproof.compare(path, other, bench=BENCH))
    return read


def files_of(path: Path) -> dict[str, list[Path]]:
    """The files of a run by kind."""
    names = [*sorted(path.glob("*.json")), *sorted(path.glob("*.parquet")), *sorted(path.glob("*.parts/*"))]
    kinds: dict[str, list[Path]] = {file.relative_to(path).as_posix(): [file] for file in names}
    blobs = sorted(file for file in path.glob("blobs/*/*") if file.is_file())
    return kinds | {"blobs": blobs}


def copy_run(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(source, target))


__all__ = ["BENCH", "PixelProofError", "contents", "copy_run", "files_of", "make", "make_interrupted"]
