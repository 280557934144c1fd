"""Ten faults of one line each, applied to a copy of the source: the golden records must notice every one.

`python -m tests.golden.mutants` prints a line per mutant; the exit code is the number of those that survive.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Mutant:
    """A replacement in one file, and the run that notices it soonest."""

    name: str
    file: str
    old: str
    new: str
    run: str


MUTANTS = (
    Mutant(
        "the worst floor instead of the best",
        "harness/_columns.py",
        "max(known, key=known.__getitem__)",
        "min(known, key=known.__getitem__)",
        "answers_of_all_kinds",
    ),
    Mutant(
        "controls draw the same for all samples",
        "models/_control.py",
        'f"{self._purpose}/{item.id}", sample)',
        'f"{self._purpose}/{item.id}", 0)',
        "pixelart_noise",
    ),
    Mutant(
        "the seed of an answer does not depend on the item",
        "harness/_plan.py",
        '"answer", order_of(index, sample))',
        '"answer", order_of(0, sample))',
        "answers_of_all_kinds",
    ),
    Mutant(
        "floors are measured on one item fewer",
        "harness/_controls.py",
        "np.linspace(0, count - 1, most)",
        "np.linspace(0, count - 1, most - 1)",
        "calibrated_on_some_items",
    ),
    Mutant(
        "content is hashed under other names",
        "store/_digest.py",
        '_leaf(b"dataclass", ',
        '_leaf(b"record", ',
        "arena_folder_lean",
    ),
    Mutant(
        "items of a cluster count as independent",
        "harness/_table.py",
        '_codes(items["cluster"])[0][self.index]',
        "self.index",
        "answers_of_all_kinds",
    ),
    Mutant(
        "a model's fault does not count as the floor",
        "harness/_columns.py",
        "return self.faulted | self.abstained",
        "return self.abstained",
        "answers_of_all_kinds",
    ),
    Mutant(
        "the trace of an episode is lost",
        "harness/_conversation.py",
        "if self._episode is not None and not answer.trace:",
        "if False:",
        "episode_without_a_trace",
    ),
    Mutant(
        "a model does not receive its own earlier turns",
        "harness/_conversation.py",
        "history=(*turns, *answered),",
        "history=(*answered,),",
        "episode_without_a_trace",
    ),
    Mutant(
        "replies are reserved as one token",
        "harness/_ledger.py",
        "output_tokens=max_tokens,",
        "output_tokens=1,",
        "stopped_by_the_budget",
    ),
)


def is_caught(mutant: Mutant, place: Path) -> bool:
    """Apply a mutant to the copy, compare its run with the record, and undo it.

    Raises:
        LookupError: The line is no longer there, or not once: the mutant must be adapted.
    """
    file = place / "src" / "pixelproof" / mutant.file
    text = file.read_text()
    if text.count(mutant.old) != 1:
        raise LookupError(f"{mutant.file} has {text.count(mutant.old)} places {mutant.old!r}: adapt the mutant.")
    file.write_text(text.replace(mutant.old, mutant.new))
    environment = {**os.environ, "PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        command = [sys.executable, "-m", "tests.golden", mutant.run]
        outcome = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    finally:
        file.write_text(text)
    if outcome.returncode and f"{mutant.run}: " not in outcome.stdout:
        raise RuntimeError(f"{mutant.name}: the run failed.\n{outcome.stderr[-2000:]}")
    return outcome.returncode != 0


def main() -> int:
    """Try all mutants; the number of those that no record noticed."""
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, place / name)
        shutil.copy(ROOT / "pyproject.toml", place)
        for mutant in MUTANTS:
            caught = is_caught(mutant, place)
            survivors += not caught
            print(f"{'caught' if caught else 'SURVIVED':8}  {mutant.name}", flush=True)
    print(f"{len(MUTANTS) - survivors} of {len(MUTANTS)} mutants caught")
    return survivors


if __name__ == "__main__":
    sys.exit(main())
