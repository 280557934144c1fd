"""A small data set of made-up ratings, and the real annotations where they are."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pixelproof.benches.evalmi._commands import judge_group
from pixelproof.benches.evalmi.data import load

REAL = Path(os.environ.get("PIXELPROOF_DATA", Path(__file__).parents[4] / "shared" / "data")) / "evalmi"
MODELS, PROMPTS = 6, 30


def write_csv(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
    return path


@pytest.fixture(scope="session")
def real():
    """EvalMi-50K in tidy form."""
    if not REAL.is_dir():
        pytest.skip(f"EvalMi-50K is not at {REAL}: set PIXELPROOF_DATA to the directory that has evalmi/")
    return load(REAL)


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory):
    """Six generators of different quality on 30 prompts, two of which have the same text, in tidy form."""
    folder = tmp_path_factory.mktemp("ratings")
    rng = np.random.default_rng(1)
    quality, ease = np.linspace(-10, 10, MODELS), rng.normal(0, 4, PROMPTS)
    rows = []
    for m in range(MODELS):
        for p in range(PROMPTS):
            perception = 50 + quality[m] + ease[p] / 2 + rng.normal(0, 4)
            correspondence = 50 + quality[m] / 3 + ease[p] + rng.normal(0, 5)
            parts = [int(correspondence + rng.normal(0, 5) > 50) for _ in range(2)] if p < 10 else ["", ""]
            rows.append(
                [
                    f"gen{m}/{p + 1:03d}.png",
                    f"gen{m}",
                    p + 1,
                    perception,
                    correspondence,
                    int(correspondence > 50),
                    *parts,
                ]
            )
    header = ["image_id", "model", "prompt_id", "perception", "correspondence", "qa", "sub_a1", "sub_a2"]
    write_csv(folder / "images.csv", header, rows)
    texts = [f"a photo of thing {p} " + "word " * (p % 12) for p in range(PROMPTS - 1)] + ["a photo of thing 0 "]
    tasks = ["short", "long"]
    write_csv(
        folder / "prompts.csv",
        ["prompt_id", "task", "prompt"],
        [[p + 1, tasks[p % 2], texts[p]] for p in range(PROMPTS)],
    )
    return folder


@pytest.fixture(scope="session")
def small(small_folder):
    return load(small_folder)


@pytest.fixture
def score_file(small, tmp_path):
    """Scores of the small data set: its correspondence with noise, and pure noise."""
    rng = np.random.default_rng(2)
    good = small.targets["correspondence"] + rng.normal(0, 3, len(small))
    rows = list(zip(small.image_ids, good, rng.normal(size=len(small)), strict=True))
    return write_csv(tmp_path / "scores.csv", ["image_id", "good", "noise"], rows)


@pytest.fixture
def judge(monkeypatch):
    """Calls `pixelproof judge` with words; returns what it prints."""
    monkeypatch.setattr("pixelproof.cli._console.WITHOUT_TERMINAL", 80)

    def call(*words):
        done = CliRunner().invoke(judge_group, [str(word) for word in words], standalone_mode=False)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.output

    return call
