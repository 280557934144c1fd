import os
import shutil
import signal
import subprocess
import sys

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock

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
        with pytest.raises(PixelProofError, match=rf"Another process \(pid {os.getpid()}\) is working in .*run: wait"):
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
        with pytest.raises(PixelProofError, match=rf"\(pid {process.pid}\)"):
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
