"""Disks that are full, read-only or damaged: one sentence, and nothing that was answered is lost."""

import os
import resource
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from pixelproof.cli import main
from pixelproof.store import Lock

pytestmark = pytest.mark.slow

SMALL = 12_000  # bytes that a file may grow to: some answers fit, not all


def noise(out, *more):
    words = ("run", "pixelart", "--source", "published", "--model", "control/floor-noise")
    return (*words, "--samples", 5, "--out", out, *more)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Floors and ceilings, measured once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def pixelproof(tmp_path, cache, monkeypatch, capsys):
    """The program, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIXELPROOF_CACHE", str(cache))

    def run(*words):
        with pytest.raises(SystemExit) as stopped:
            main([str(word) for word in words])
        return SimpleNamespace(returncode=stopped.value.code, stderr=capsys.readouterr().err)

    return run


@pytest.fixture(scope="module")
def finished(tmp_path_factory, cache):
    """A run directory, to be copied."""
    out = tmp_path_factory.mktemp("finished") / "run"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as stopped:
        patch.setenv("PIXELPROOF_CACHE", str(cache))
        main([str(word) for word in noise(out)])
    assert stopped.value.code == 0
    return out


@pytest.fixture
def run(finished, tmp_path, pixelproof):
    return shutil.copytree(finished, tmp_path / "run")


def test_a_full_disk(tmp_path, pixelproof, finished, cache):
    full = subprocess.run(
        [sys.executable, "-m", "pixelproof", *map(str, noise("run"))],
        # No bytecode: files of modules would be cut off as well.
        env={**os.environ, "PIXELPROOF_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL)),
    )
    assert full.returncode == 3 and "Traceback" not in full.stderr
    assert "--resume" in full.stderr and "safe" in full.stderr
    assert pixelproof(*noise("run", "--resume")).returncode == 0
    for table in ("results", "answers"):
        columns = ["order", "item"] + (["text"] if table == "answers" else ["strict.renders"])
        a, b = (pq.read_table(path / f"{table}.parquet", columns=columns) for path in (tmp_path / "run", finished))
        assert a.equals(b)


@pytest.mark.parametrize("table", ["answers", "results"])
def test_a_damaged_table(pixelproof, run, table):
    path = run / f"{table}.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused = pixelproof(*noise("run", "--resume"))
    assert refused.returncode == 3 and f"{table}.parquet" in refused.stderr and "Traceback" not in refused.stderr
    assert path.read_bytes() == whole[: len(whole) // 2]  # nothing is touched
    path.write_bytes(whole)
    assert pixelproof(*noise("run", "--resume")).returncode == 0


@pytest.mark.parametrize("name", ["card.json", "summary.json", "items.parquet", "controls.parquet"])
def test_other_damaged_files(pixelproof, run, name):
    (run / name).write_bytes(b"\0garbage")
    for words in (("show", "run"), ("compare", "run", "run"), ("runs", "rescore", "run"), noise("run", "--resume")):
        refused = pixelproof(*words)
        assert refused.returncode in (0, 3) and "Traceback" not in refused.stderr, refused.stderr


def test_a_directory_that_cannot_be_written(tmp_path, pixelproof):
    (tmp_path / "file").write_text("")
    refused = pixelproof(*noise("file/run"))
    assert refused.returncode == 3 and "--out" in refused.stderr


def test_two_writers(pixelproof, run):
    with Lock(run):
        refused = pixelproof(*noise("run", "--resume"))
    assert refused.returncode == 3 and "another" in refused.stderr.lower()
