"""kill -9 while a run is going on: nothing that was answered is asked again, and the results are the same."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

KILLS = int(os.environ.get("PIXELPROOF_SOAK", "3"))
SAMPLES = 12
ASKS = 7 * SAMPLES
CONNECTIONS = {"fn": 1, "pp": 5}
MODEL = """
import os, time
from pixelproof.contract import Answer

def draw(prompt, item_id, sample, seed):
    with open(os.environ["ASKED"], "a") as log:
        log.write(f"{item_id}#{sample}\\n")
    time.sleep(0.01)
    grid = [[(seed >> ((r * 5 + c) % 24)) % 4 for c in range(24)] for r in range(24)]
    rows = ",".join('"' + "".join(map(str, row)) + '"' for row in grid)
    return '{"palette":["000000","ff0000","00ff00","0000ff"],"grid":[' + rows + "]}"
"""


def command(model: str, out: Path, *flags: str) -> list[str]:
    program = [sys.executable, "-m", "pixelproof", "run", "pixelart", "--source", "published"]
    asking = ["--model", model, "--samples", str(SAMPLES), "--connections", str(CONNECTIONS[model[:2]])]
    return [*program, *asking, "--out", str(out), "--json", *flags]


@pytest.fixture
def env(tmp_path):
    (tmp_path / "drawer.py").write_text(MODEL)
    asked, cache = str(tmp_path / "asked"), str(tmp_path / "cache")
    return {**os.environ, "ASKED": asked, "PYTHONPATH": str(tmp_path), "PIXELPROOF_CACHE": cache}


def run_to_the_end(model, out, env, cwd):
    return subprocess.run(command(model, out, "--resume"), env=env, cwd=cwd, capture_output=True, text=True, check=True)


def kill_and_resume(
    model: str, in_flight: int, kills: int, tmp_path: Path, env: dict[str, str], longest: float
) -> None:
    out = tmp_path / "killed"
    log = Path(env["ASKED"])
    rng = random.Random(7)
    for _ in range(kills):
        begun = len(log.read_text().splitlines()) if log.exists() else 0
        process = subprocess.Popen(
            command(model, out, "--resume"), env=env, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:  # wait until it is at work
            if log.exists() and len(log.read_text().splitlines()) > begun:
                break
            time.sleep(0.02)
        time.sleep(rng.uniform(0, longest))
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed = run_to_the_end(model, out, env, tmp_path)
    asked = Counter(log.read_text().splitlines())
    assert len(asked) == ASKS
    assert sum(asked.values()) <= ASKS + kills * in_flight
    whole = run_to_the_end(model, tmp_path / "whole", env, tmp_path)
    assert killed.stdout == whole.stdout
    for table in ("results", "items", "controls"):
        a, b = (pq.read_table(tmp_path / name / f"{table}.parquet") for name in ("killed", "whole"))
        assert a.equals(b), table
    texts = [pq.read_table(tmp_path / name / "answers.parquet")["text"] for name in ("killed", "whole")]
    assert texts[0].equals(texts[1])


@pytest.mark.soak
def test_native(tmp_path, env):
    kill_and_resume("fn/drawer:draw", 1, KILLS, tmp_path, env, longest=0.4)


@pytest.mark.soak
def test_through_inspect(tmp_path, env):
    # A call that ends frees its connection while its answer is on the way to the disk: twice as many are in flight.
    kill_and_resume("pp-fn/drawer:draw", 2 * CONNECTIONS["pp"], max(1, KILLS // 2), tmp_path, env, longest=1.0)
