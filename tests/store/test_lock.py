import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock, is_held
from pixelproof.store._holder import Holder

HOLD = """
import sys
from pathlib import Path
from pixelproof.store import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def holder(directory):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdout.readline() == b"held\n"
    return process


def test_one_at_a_time(tmp_path):
    with Lock(tmp_path / "run"):
        with pytest.raises(
            PixelProofError, match=rf"Another process \(pid {os.getpid()} on \S+, since .*\) is working in .*run: wait"
        ):
            Lock(tmp_path / "run")
        Lock(tmp_path / "other").release()
    lock = Lock(tmp_path / "run")
    lock.release()
    lock.release()
    Lock(tmp_path / "run").release()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_held_against_other_processes_and_freed_by_a_kill(tmp_path):
    with holder(tmp_path) as process:
        with pytest.raises(PixelProofError, match=rf"\(pid {process.pid} on "):
            Lock(tmp_path)
        process.send_signal(signal.SIGKILL)
        process.wait()
    Lock(tmp_path).release()


def test_a_directory_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PixelProofError, match="Cannot write"):
        Lock(tmp_path / "file")


def test_a_lock_whose_directory_was_deleted_meanwhile_is_acquired_anew(tmp_path, monkeypatch):
    """Between opening and locking the file, its holder deletes the directory: the open file is nobody's lock."""
    from pixelproof.store import _lock as module

    lock, directory = module._lock, tmp_path / "run"

    def late(descriptor):
        if not deleted:
            deleted.append(True)
            shutil.rmtree(directory)
        lock(descriptor)

    deleted = []
    monkeypatch.setattr(module, "_lock", late)
    with Lock(directory), pytest.raises(PixelProofError, match="Another process"):
        Lock(directory)


def foreign(directory, age=0.0, **changes):
    """Leave the lock file of a process on another machine, which did not release it."""
    holder = dataclasses.replace(Holder.here(), host="node-7", machine="other/pid:[1]", **changes)
    directory.mkdir(exist_ok=True)
    (directory / ".lock").write_bytes(holder.encoded())
    os.utime(directory / ".lock", (time.time() - age,) * 2)
    return directory / ".lock"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("pixelproof.store._lock.SILENCE_S", 0.6)
    monkeypatch.setattr("pixelproof.store._lock._POLL_S", 0.02)


def test_a_process_of_another_machine_that_lives_is_respected_without_its_lock(tmp_path, quick, capsys):
    """The file system does not share locks, so this machine gets one; the other process has the number of this one."""
    path, done = foreign(tmp_path / "run"), threading.Event()

    def beat():
        while not done.wait(0.05):
            os.utime(path)

    threading.Thread(target=beat, daemon=True).start()
    try:
        with pytest.raises(PixelProofError, match=r"\(pid \d+ on node-7.*wait until it ends.*shares locks"):
            Lock(tmp_path / "run")
        assert "waiting up to" in capsys.readouterr().err
        assert is_held(tmp_path / "run") and Holder.parse(path.read_text()).host == "node-7"
    finally:
        done.set()


def test_a_process_of_another_machine_counts_as_killed_only_after_silence_and_with_a_message(tmp_path, quick, capsys):
    foreign(tmp_path / "run")
    assert is_held(tmp_path / "run")
    begun = time.monotonic()
    Lock(tmp_path / "run").release()
    assert time.monotonic() - begun > 0.4
    assert "node-7" in capsys.readouterr().err
    foreign(tmp_path / "long", age=1000)
    assert not is_held(tmp_path / "long")
    Lock(tmp_path / "long").release()
    said = capsys.readouterr().err
    assert "no sign of life" in said and "waiting" not in said


def test_a_lock_that_is_released_while_another_machine_waits_is_acquired(tmp_path, quick):
    path = foreign(tmp_path / "run")
    threading.Timer(0.1, lambda: path.write_bytes(b"")).start()
    Lock(tmp_path / "run").release()


def test_holders_show_that_they_live(tmp_path, monkeypatch):
    monkeypatch.setattr("pixelproof.store._lock.BEAT_S", 0.02)
    with Lock(tmp_path):
        os.utime(tmp_path / ".lock", (0, 0))
        until = time.monotonic() + 10
        while not (tmp_path / ".lock").stat().st_mtime and time.monotonic() < until:
            time.sleep(0.02)
        assert (tmp_path / ".lock").stat().st_mtime


def test_a_released_lock_names_nobody(tmp_path):
    lock = Lock(tmp_path)
    assert is_held(tmp_path) and Holder.parse((tmp_path / ".lock").read_text()).pid == os.getpid()
    lock.release()
    assert not is_held(tmp_path) and not (tmp_path / ".lock").read_text()


@pytest.mark.parametrize("text", ["", "pid 1", "{}", "[1]", "null", '{"pid": 1, "more": 2}', "\0" * 20])
def test_lock_files_that_name_nobody_are_free(tmp_path, text):
    (tmp_path / ".lock").write_text(text)
    assert not is_held(tmp_path)
    Lock(tmp_path).release()


def test_processes_are_told_apart(tmp_path):
    here = Holder.here()
    assert here.runs() and not here.elsewhere and Holder.parse(here.encoded().decode()) == here
    assert not dataclasses.replace(here, pid=999_999_999).runs()
    if here.started:
        assert not dataclasses.replace(here, started="1").runs(), "another process had this number"
    for other in ({"host": "node-7"}, {"machine": "x/pid:[7]"}):
        assert dataclasses.replace(here, **other).elsewhere and not dataclasses.replace(here, **other).runs()


def test_a_process_from_before_a_restart_of_this_machine_is_dead(monkeypatch):
    monkeypatch.setattr("pixelproof.store._holder._machine", lambda: "second/pid:[4026531836]")
    earlier = dataclasses.replace(Holder.here(), machine="first/pid:[4026531836]")
    assert not earlier.elsewhere and not earlier.runs()
