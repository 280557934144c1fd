"""The Ray executor on a cluster of this machine."""

import math
import operator
import os
import signal
from functools import partial
from itertools import count, islice

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.pixels import ImageError, read_image
from pixelproof.store import Cluster, executor_for

pytest.importorskip("ray", reason="the extra ray is not installed")
pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def pool():
    with executor_for(Cluster(workers=2)) as pool:
        yield pool


def die_once(path):
    """Kill this process on the first call, as a node that fails would."""
    if not os.path.exists(path):
        with open(path, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return os.path.basename(path)


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_results_come_in_order(pool, chunk):
    assert list(pool.map(partial(operator.mul, 3), range(100), chunk=chunk)) == [3 * number for number in range(100)]
    assert list(pool.map(abs, [], chunk=chunk)) == []


def test_items_are_consumed_as_needed(pool):
    results = pool.map(math.sqrt, count(), chunk=5)
    assert list(islice(results, 12)) == [math.sqrt(number) for number in range(12)]
    results.close()
    assert list(pool.map(abs, [-1])) == [1]


def test_exceptions_are_those_of_the_function(pool):
    with pytest.raises(ValueError, match="invalid literal"):
        list(pool.map(int, ["1", "x"], chunk=1))
    with pytest.raises(ImageError, match="no bytes") as caught:
        list(pool.map(read_image, [b""]))
    assert caught.value.name == "empty"
    assert list(pool.map(abs, [-1])) == [1]


def test_work_of_a_worker_that_dies_is_done_again(pool, tmp_path):
    paths = [str(tmp_path / name) for name in "abc"]
    assert list(pool.map(die_once, paths, chunk=1)) == ["a", "b", "c"]


def test_a_cluster_that_cannot_be_reached_is_a_sentence():
    import ray

    ray.shutdown()
    with pytest.raises(PixelProofError, match="Cannot reach a Ray cluster at 127.0.0.1:1"):
        executor_for(Cluster("127.0.0.1:1"))
