"""Disks that are full, read-only or damaged: one sentence, and nothing that was answered is lost."""

import os
import resource
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.slow

SMALL = 40_000  # bytes that a file may grow to: some answers fit, not all


def pixelproof(tmp_path, *words, limit=None):
    def full_disk():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    env = {**os.environ, "PIXELPROOF_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "pixelproof", *map(str, words)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        preexec_fn=full_disk,
    )


def noise(out, *more):
    return (
        "run",
        "pixelart",
        "--source",
        "published",
        "--model",
        "control/floor-noise",
        "--samples",
        20,
        "--out",
        out,
        *more,
    )


def test_a_full_disk(tmp_path):
    full = pixelproof(tmp_path, *noise("run"), limit=SMALL)
    assert full.returncode == 3 and "Traceback" not in full.stderr
    assert "--resume" in full.stderr and "safe" in full.stderr
    assert pixelproof(tmp_path, *noise("run", "--resume")).returncode == 0
    assert pixelproof(tmp_path, *noise("whole")).returncode == 0
    for table in ("results", "answers"):
        columns = ["order", "item"] + (["text"] if table == "answers" else ["strict.renders"])
        a, b = (pq.read_table(tmp_path / name / f"{table}.parquet", columns=columns) for name in ("run", "whole"))
        assert a.equals(b)


@pytest.mark.slow
@pytest.mark.parametrize("table", ["answers", "results"])
def test_a_damaged_table(tmp_path, table):
    assert pixelproof(tmp_path, *noise("run")).returncode == 0
    path = tmp_path / "run" / f"{table}.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    told = pixelproof(tmp_path, *noise("run", "--resume"))
    assert told.returncode == 3 and f"{table}.parquet" in told.stderr and "Traceback" not in told.stderr
    assert path.read_bytes() == whole[: len(whole) // 2]  # nothing is touched
    path.write_bytes(whole)
    assert pixelproof(tmp_path, *noise("run", "--resume")).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["card.json", "summary.json", "items.parquet", "controls.parquet"])
def test_other_damaged_files(tmp_path, name):
    assert pixelproof(tmp_path, *noise("run")).returncode == 0
    (tmp_path / "run" / name).write_bytes(b"\0garbage")
    for words in (("show", "run"), ("compare", "run", "run"), ("rescore", "run"), noise("run", "--resume")):
        told = pixelproof(tmp_path, *words)
        assert told.returncode in (0, 3) and "Traceback" not in told.stderr, told.stderr


def test_a_directory_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    told = pixelproof(tmp_path, *noise("file/run"))
    assert told.returncode == 3 and "--out" in told.stderr


def test_two_writers(tmp_path):
    from pixelproof.store import Lock

    assert pixelproof(tmp_path, *noise("run")).returncode == 0
    with Lock(tmp_path / "run"):
        told = pixelproof(tmp_path, *noise("run", "--resume"))
    assert told.returncode == 3 and "another" in told.stderr.lower()
