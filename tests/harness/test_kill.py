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

from pixelproof.cli import main

KILLS = int(os.environ.get("PIXELPROOF_SOAK", "1"))
SAMPLES = 4 + 3 * KILLS  # too many for the process to finish between the kills
ASKS = 7 * SAMPLES
CONNECTIONS = {"fn": 1, "pp": 5}
MODEL = """
import os, time
from pixelproof.contract import Answer

def draw(prompt, item_id, sample, seed):
    with open(os.environ["ASKED"], "a") as log:
        log.write(f"{item_id}#{sample}\\n")
    time.sleep(0.05)
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


@pytest.fixture
def run_to_the_end(env, tmp_path, monkeypatch, capsys):
    """Run in this process, which imports once, and return what is printed."""
    for name in ("ASKED", "PIXELPROOF_CACHE"):
        monkeypatch.setenv(name, env[name])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "drawer", raising=False)
    monkeypatch.chdir(tmp_path)

    def end(model, out):
        with pytest.raises(SystemExit) as ended:
            main(command(model, out, "--resume")[3:])
        assert not ended.value.code
        return capsys.readouterr().out

    return end


def kill_and_resume(model: str, in_flight: int, tmp_path: Path, env: dict[str, str], longest: float, end) -> int:
    """Kill a run again and again, let it end, and compare it with a run in one go; the number of repeated asks."""
    kills = KILLS
    out = tmp_path / "killed"
    log = Path(env["ASKED"])
    rng = random.Random(7)
    done = 0
    while done < kills:
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
        assert process.wait() == -signal.SIGKILL, "the run must be long enough for all kills"
        done += 1
    killed = end(model, out)
    asked = Counter(log.read_text().splitlines())
    assert len(asked) == ASKS
    assert sum(asked.values()) <= ASKS + kills * in_flight
    assert killed == end(model, tmp_path / "whole")
    for table in ("results", "items", "controls"):
        a, b = (pq.read_table(tmp_path / name / f"{table}.parquet") for name in ("killed", "whole"))
        assert a.equals(b), table
    texts = [pq.read_table(tmp_path / name / "answers.parquet")["text"] for name in ("killed", "whole")]
    assert texts[0].equals(texts[1])
    return sum(asked.values()) - ASKS


@pytest.mark.soak
@pytest.mark.attack("kill -9 during a run, natively", lost="{lost} answers in flight; the results are the same")
def test_native(tmp_path, env, record_property, run_to_the_end):
    record_property("lost", kill_and_resume("fn/drawer:draw", 1, tmp_path, env, 0.4, run_to_the_end))
    record_property("tries", KILLS)


@pytest.mark.soak
@pytest.mark.attack(
    "kill -9 during a run through Inspect AI", lost="{lost} answers in flight; the results are the same"
)
def test_through_inspect(tmp_path, env, record_property, run_to_the_end):
    # A call that ends frees its connection while its answer is on the way to the disk: twice as many are in flight.
    lost = kill_and_resume("pp-fn/drawer:draw", 2 * CONNECTIONS["pp"], tmp_path, env, 0.5, run_to_the_end)
    record_property("lost", lost)
    record_property("tries", KILLS)
