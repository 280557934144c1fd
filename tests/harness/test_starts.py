"""Two processes that start one run: one goes on, the other is refused and changes nothing."""

import json
import os
import subprocess

import pytest

from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.store import Lock
from support import Guess


@pytest.mark.attack("two processes that start one run: the loser deletes")
@pytest.mark.parametrize("files", [[], ["items.parquet"], ["items.parquet", "card.json"]])
def test_the_loser_of_a_start_deletes_nothing(tmp_path, files):
    """The winner is between any two of its first steps."""
    out = tmp_path / "run"
    with Lock(out):
        for name in files:
            (out / name).write_text("{}")
        with pytest.raises(PixelProofError, match="Another process"):
            run(Plan(Guess(), Source("digits")), "control/floor-five", settings=Settings(out=out))
        assert sorted(path.name for path in out.iterdir()) == sorted([".lock", *files])


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.attack("two processes that start one run: the loser deletes")
def test_two_starts_at_once(tmp_path, record_property, programs):
    tries = max(2, int(os.environ.get("PIXELPROOF_SOAK", "2")) // 5)
    record_property("tries", tries)
    for number in range(tries):
        words = [programs / "pixelproof", "run", "pixelart", "--model", "control/floor-noise"]
        words += ["--limit", "9", "--calibrate", "0", "--out", f"run{number}"]
        both = [subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in "ab"]
        told = [process.communicate()[1].decode() for process in both]
        codes = sorted(process.returncode for process in both)
        assert codes == [0, 3], told  # the second was refused: the run goes on, or is there already
        assert json.loads((tmp_path / f"run{number}" / "card.json").read_text())["state"] == "complete"
