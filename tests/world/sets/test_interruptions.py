"""Killed makers and full disks."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.world.sets import check_set, make_set, recipe_class
from world.sets.samples import contents

pytestmark = pytest.mark.slow

FLAT = recipe_class("flat")("flat", 7, width=160, height=160, things=3)
COMMAND = """
import sys
from pathlib import Path
from pixelproof.world.sets import make_set, recipe_class
if __name__ == "__main__":
    make_set(recipe_class("flat")("flat", 7, width=160, height=160, things=3), 80, Path(sys.argv[1]), workers=2)
"""


def start(script: Path, directory: Path) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen([sys.executable, str(script), str(directory)], env=environment, stderr=subprocess.PIPE)


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.attack("kill -9 while a set of the world is made", lost="no finished file; the set is the same")
def test_killed_at_any_time_it_goes_on(tmp_path, record_property):
    script = tmp_path / "make.py"
    script.write_text(COMMAND)
    assert start(script, tmp_path / "straight").wait() == 0
    chance = random.Random(7)
    directory = tmp_path / "killed"
    kills = 0
    while kills < int(os.environ.get("PIXELPROOF_SOAK", "1")):
        before = len(list(directory.rglob("*.png")))
        process = start(script, directory)
        while len(list(directory.rglob("*.png"))) == before and process.poll() is None and chance.random() < 0.99:
            time.sleep(0.02)  # in most tries until it is at work
        time.sleep(chance.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:  # it was done before the kill: the next one starts from nothing
            assert contents(directory) == contents(tmp_path / "straight")
            shutil.rmtree(directory)
            continue
        kills += 1
        for shard in directory.glob("shard-*[0-9]"):
            assert shard.suffix == ".part" or len(list(shard.glob("*.png"))) in (64, 16)
    record_property("tries", kills)
    process = start(script, directory)
    assert process.wait() == 0, process.stderr.read()
    assert contents(directory) == contents(tmp_path / "straight")


def test_a_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no permission to mount a file system")
    try:
        with pytest.raises(PixelProofError, match=r"Cannot write in .*set \(No space left on device\): free disk"):
            make_set(FLAT, 30, disk / "set", workers=1)
        assert list((disk / "set").glob("shard-*")) == [disk / "set" / "shard-00000.part"]
        assert not list(disk.rglob("*.tmp"))
        done = len(list(disk.rglob("*.npz")))
        assert 0 < done < 30
        subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
        seen = []
        make_set(FLAT, 30, disk / "set", workers=1, progress=lambda done, total: seen.append(done))
        assert seen[0] in (done, done - 1) and list(check_set(disk / "set", workers=1)) == []
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
