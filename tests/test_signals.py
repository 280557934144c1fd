"""SIGINT, SIGTERM and SIGHUP stop a run in order, however it was started."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pixelproof.harness import Run
from pixelproof.harness import _rows as rows
from pixelproof.store import Records

MODEL = """
import time

def slow(prompt):
    time.sleep(0.05)
    return "no drawing"
"""
FLAGS = "--model fn/slow_model:slow --samples 500 --source published --calibrate 0 --out run".split()

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def start(tmp_path, ignored=()):
    (tmp_path / "slow_model.py").write_text(MODEL)
    env = os.environ | {"PYTHONPATH": str(tmp_path), "PIXELPROOF_CACHE": str(tmp_path / "cache")}

    def ignore():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    words = [sys.executable, "-m", "pixelproof", "run", "pixelart", *FLAGS]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, cwd=tmp_path, env=env, stdout=pipe, stderr=pipe, text=True, preexec_fn=ignore)
    journal = tmp_path / "run" / "answers.parts" / "journal.jsonl"
    while not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


def check_stopped(process, tmp_path):
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and "--resume continues" in errors and "Traceback" not in errors
    assert Run.open(tmp_path / "run").card["state"] == "interrupted"
    assert len(Records(tmp_path / "run", "answers", rows.ANSWER_SCHEMA)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_a_run_in_order(tmp_path, number):
    process = start(tmp_path)
    process.send_signal(number)
    check_stopped(process, tmp_path)


@pytest.mark.slow
def test_what_is_ignored_at_the_start_stays_ignored_and_sigterm_stops(tmp_path):
    process = start(tmp_path, ignored=(signal.SIGINT, signal.SIGHUP))
    for number in (signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    check_stopped(process, tmp_path)


def test_these_tests_can_be_interrupted_however_they_were_started():
    assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN
