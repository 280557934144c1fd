"""With numba installed, nothing waits for the compiler: numpy is used until a process in the background is done."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pixelproof.pixels import _background

pytestmark = pytest.mark.slow

pytest.importorskip("numba")

PACKAGE = {
    "__init__.py": "",
    "_kernel.py": """
from pixelproof.pixels import compiled
from quickloops._factor import times

@compiled
def total(values):
    return times(values.sum())
""",
    "_factor.py": """
from pixelproof.pixels import compiled

@compiled
def times(value):
    return value * {factor}
""",
    "_rehearsal.py": """
import numpy as np
from pixelproof.pixels import kernels

def rehearse():
    for kind in (np.uint8, np.uint16):
        kernels("quickloops._kernel").total(np.ones(3, kind))
""",
}
USE = """
import sys, time
import numpy as np
from pixelproof.pixels import _compiled, kernels
_compiled.LOADING_S = 0.0
first = kernels("quickloops._kernel")
loops, deadline = first, time.monotonic() + 300
while loops is None and time.monotonic() < deadline:
    time.sleep(0.05)
    loops = kernels("quickloops._kernel")
totals = [int(loops.total(np.ones(3, kind))) for kind in (np.uint8, np.uint16)]
print("numpy" if first is None else "compiled", *totals, "compiled here:", sum(loops.total.stats.cache_misses.values()))
"""
COVERED = """
import json
import numpy as np
from pathlib import Path
import pixelproof as pp
from pixelproof import metrics, pixels
from pixelproof.metrics import _rehearsal as of_metrics
from pixelproof.pixels import _compiled, _rehearsal as of_pixels, compile_first
compile_first()
of_pixels.rehearse()
of_metrics.rehearse()

def signatures():
    modules = [loops for loops in _compiled._settled.values() if loops is not None]
    return {(loops.__name__, name, str(s)) for loops in modules for name, f in vars(loops).items()
            for s in getattr(f, "signatures", ())}

before, modules = signatures(), set(_compiled._settled)
names, colours = ("ground", "disc", "bar"), ((0, 0, 0), (250, 10, 10), (20, 200, 40))
palette = pixels.Palette(names, colours)
y, x = np.mgrid[:96, :128]
for folder, radius in (("masks", 30), ("answers", 28)):
    Path(folder).mkdir()
    labels = ((x - 60) ** 2 + (y - 48) ** 2 < radius**2).astype(np.uint8)
    labels[10:14] = 2
    painted = pixels.encode_png(palette.array[labels])
    for name, file in (("a", painted), ("b", pixels.encode_labels(labels, palette) if folder == "masks" else painted)):
        Path(folder, name + ".png").write_bytes(file.data)
Path("answers/b.png").unlink()
Path("answers/b.jpg").write_bytes(pixels.ImageChannel().send(palette.array[labels]).data)
Path("palette.json").write_text(json.dumps(dict(zip(names, colours))))
pp.score("arena", reference="masks", generated="answers", palette="palette.json", out="run", workers=1)
print(len(modules), sorted(signatures() - before), sorted(set(_compiled._settled) - modules))
"""


def write_package(folder: Path, factor: int) -> None:
    """The package; written again, its files keep their length and their time."""
    (folder / "quickloops").mkdir(exist_ok=True)
    for name, text in PACKAGE.items():
        file = folder / "quickloops" / name
        file.write_text(text.replace("{factor}", str(factor)))
        os.utime(file, (1_700_000_000, 1_700_000_000))


def use(folder: Path) -> tuple[str, str]:
    # Without bytecode: Python's own would be stale, since files keep their time.
    here = {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", USE], env=os.environ | here, capture_output=True, text=True, check=True
    )
    return done.stdout.strip(), done.stderr


def test_numpy_until_a_process_in_the_background_has_compiled(tmp_path):
    write_package(tmp_path, 2)
    said, line = use(tmp_path)
    assert said == "numpy 6 6 compiled here: 0"
    assert line.count("in the background") == 1 and line.count("\n") == 1
    assert use(tmp_path) == ("compiled 6 6 compiled here: 0", "")
    write_package(tmp_path, 5)  # another file than that of the kernel
    said, line = use(tmp_path)
    assert said == "numpy 15 15 compiled here: 0" and "in the background" in line


def test_small_work_does_not_load_numba():
    code = (
        "import sys, numpy as np; from pixelproof.pixels import Palette, nearest;"
        "nearest(np.zeros((8, 8, 3), np.uint8), Palette(('a',), ((0, 0, 0),))); print('numba' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_one_process_compiles_at_a_time_and_a_failure_is_said_once(tmp_path, caplog):
    stamp = tmp_path / "cache" / "x.ready"
    stamp.parent.mkdir()
    with open(stamp.with_name("compiling.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _background.start_compiling("nowhere", stamp)
        assert "nowhere" not in _background._children
    _background.start_compiling("nowhere", stamp)
    deadline = time.monotonic() + 60
    while _background._children["nowhere"].poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    for _ in range(2):
        _background.start_compiling("nowhere", stamp)
    assert caplog.text.count("cannot be made") == 1 and not stamp.exists()


def test_the_rehearsal_covers_what_scoring_uses(tmp_path):
    done = subprocess.run([sys.executable, "-c", COVERED], capture_output=True, text=True, cwd=tmp_path)
    count, rest = done.stdout.strip().split(" ", 1) if done.stdout else ("0", done.stderr)
    assert int(count) >= 6 and rest == "[] []", done.stderr
