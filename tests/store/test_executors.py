import math
import operator
import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import count, islice
from pathlib import Path

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.pixels import ImageError, read_image
from pixelproof.store import executor


@pytest.fixture(scope="module")
def pool():
    with executor("processes", 2) as pool:
        yield pool


def test_unknown_names_are_a_sentence():
    with pytest.raises(PixelProofError, match="no executor 'dask'. Choose one of: serial, processes, ray"):
        executor("dask", None)


def test_serial_is_lazy():
    with executor("serial") as serial:
        assert list(islice(serial.map(math.sqrt, count()), 3)) == [0.0, 1.0, math.sqrt(2)]


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_results_come_in_order(pool, chunk):
    assert list(pool.map(partial(operator.mul, 3), range(100), chunk=chunk)) == [3 * number for number in range(100)]
    assert list(pool.map(abs, [], chunk=chunk)) == []


def test_items_are_consumed_as_needed(pool):
    taken = []

    def endless():
        for number in count():
            taken.append(number)
            yield number

    results = pool.map(math.sqrt, endless(), chunk=5)
    assert list(islice(results, 12)) == [math.sqrt(number) for number in range(12)]
    assert len(taken) <= 12 + 5 * 2 * 2 + 5
    results.close()
    assert list(pool.map(abs, [-1])) == [1]


def test_exceptions_come_with_the_traceback_of_the_worker(pool):
    results = pool.map(int, ["1", "2", "x", "3"], chunk=1)
    assert next(results) == 1 and next(results) == 2
    with pytest.raises(ValueError, match="invalid literal") as caught:
        next(results)
    assert "_apply" in str(caught.value.__cause__)
    with pytest.raises(ImageError, match="no bytes") as caught_image:
        list(pool.map(read_image, [b""]))
    assert caught_image.value.name == "empty"
    assert list(pool.map(abs, [-1])) == [1]


def test_exceptions_of_the_items_are_not_hidden(pool):
    def items():
        yield 1
        raise KeyError("source")

    with pytest.raises(KeyError, match="source"):
        list(pool.map(abs, items()))


@pytest.mark.slow
def test_functions_that_cannot_travel_are_a_sentence(pool):
    with pytest.raises(PixelProofError, match="Processes cannot run .*lambda.*top level of a module"):
        pool.map(lambda number: number, [1])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_death_of_a_worker_is_a_sentence():
    with executor("processes", 1) as pool:
        with pytest.raises(PixelProofError, match="worker process died .*fewer workers"):
            list(pool.map(signal.raise_signal, [0, signal.SIGKILL, 0], chunk=1))
        with pytest.raises(PixelProofError, match="worker process died"):
            list(pool.map(abs, [1]))


PARENT = """
import time
from pixelproof.store import executor
if __name__ == "__main__":
    pool = executor("processes", 2)
    slow = "__import__('time').sleep(0.01) or __import__('os').getpid()"
    print(*set(pool.map(eval, [slow] * 40, chunk=1)), flush=True)
    time.sleep(600)
"""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_workers_end_with_a_parent_that_is_killed():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=environment) as parent:
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert workers and all(alive(pid) for pid in workers)
        parent.kill()
    for _ in range(300):
        if not any(alive(pid) for pid in workers):
            return
        time.sleep(0.1)
    pytest.fail("workers outlived their parent by half a minute")


class Loading:
    """A function that is expensive to load; notes each load in a folder."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __setstate__(self, state):
        self.__dict__ |= state
        (Path(self.folder) / f"{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, number):
        return 2 * number


@pytest.mark.slow
def test_a_worker_loads_a_function_once(pool, tmp_path):
    for times in (1, 2):
        assert list(pool.map(Loading(tmp_path), range(40), chunk=1)) == [2 * number for number in range(40)]
        processes = [path.name.partition("-")[0] for path in tmp_path.iterdir()]
        assert max(map(processes.count, processes)) <= times, "once per call of map, not once per part"
