"""The Ray executor on a cluster of this machine."""

import json
import math
import operator
import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import count, islice

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import pixelproof
from pixelproof.contract import PixelProofError
from pixelproof.harness import rescore
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


class Loading:
    """A function that is expensive to load; notes each load in a folder."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __setstate__(self, state):
        self.__dict__ |= state
        open(os.path.join(self.folder, f"{os.getpid()}-{time.monotonic_ns()}"), "w").close()

    def __call__(self, number):
        return 2 * number


def test_a_worker_loads_a_function_once(pool, tmp_path):
    assert list(pool.map(Loading(tmp_path), range(60), chunk=1)) == [2 * number for number in range(60)]
    processes = [name.partition("-")[0] for name in os.listdir(tmp_path)]
    assert processes and len(set(processes)) == len(processes), "not once per task"


def test_commands_give_the_results_of_one_process(tmp_path, shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    from pixelproof.world.sets import make_set, recipe_class

    cluster = Cluster(workers=2)
    pixelproof.run("pixelart", "control/ceiling-truth", limit=6, out=tmp_path / "serial", workers=1, calibrate=0)
    pixelproof.run("pixelart", "control/ceiling-truth", limit=6, out=tmp_path / "ray", workers=cluster, calibrate=0)
    tables = [pq.read_table(tmp_path / name / "results.parquet") for name in ("serial", "ray")]
    assert tables[0].equals(tables[1])
    rescore(tmp_path / "ray", workers=cluster)
    assert pq.read_table(tmp_path / "ray" / "results.parquet").equals(tables[0])
    recipe = recipe_class("flat")("flat", seed=7, width=192, height=192, things=3)
    digests = {make_set(recipe, 5, tmp_path / f"set-{n}", workers=w).digest for n, w in enumerate((1, cluster))}
    assert len(digests) == 1


def test_judge_meta_is_that_of_one_process(tmp_path, capsys):
    from pixelproof.cli import main

    def command(*words):
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        assert not ended.value.code
        return capsys.readouterr().out

    command("judge", "example", tmp_path / "data")
    words = ["judge", "meta", "--data", tmp_path / "data"]
    words += ["--scores", tmp_path / "data" / "scores.csv", "--resamples", "100", "--ceiling-images", "0", "--json"]
    serial = json.loads(command(*words, "--workers", "1"))
    assert json.loads(command(*words, "--workers", "2", "--executor", "ray")) == serial


def test_judge_score_is_that_of_one_process(tmp_path):
    from benches.evalmi.judged_images import write_images
    from pixelproof.benches.evalmi._commands import judge_group

    images = write_images(tmp_path, 12)
    for name, options in (("serial", ["--workers", "1"]), ("ray", ["--workers", "2", "--executor", "ray"])):
        words = ["score", images, "--judge", "fn/benches.evalmi.judged_images:brightness", "--out", tmp_path / name]
        done = CliRunner().invoke(judge_group, [*map(str, words), *options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "ray" / "scores.csv").read_bytes() == (tmp_path / "serial" / "scores.csv").read_bytes()


SLOW = """
import time
from pixelproof.store import Cluster, executor_for
with executor_for(Cluster(workers=1)) as pool:
    print("ready", flush=True)
    for _ in pool.map(time.sleep, [0.2] * 500, chunk=1):
        print("done", flush=True)
"""


def test_ctrl_c_ends_the_work_and_the_cluster():
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as driver:
        assert [driver.stdout.readline() for _ in range(3)] == [b"ready\n", b"done\n", b"done\n"]
        start = time.monotonic()
        driver.send_signal(signal.SIGINT)
        _, errors = driver.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors and time.monotonic() - start < 45


@pytest.fixture(scope="module")
def nodes():
    """A head with one CPU, to which tests add nodes, and a connection, so that they share its workers."""
    import ray
    from ray.cluster_utils import Cluster as RayCluster

    ray.shutdown()
    nodes = RayCluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        with executor_for(Cluster(nodes.address)):
            yield nodes
    finally:
        ray.shutdown()
        nodes.shutdown()


def test_the_loss_of_a_node_costs_nothing_but_time(nodes):
    lost = nodes.add_node(num_cpus=1)
    with executor_for(Cluster(nodes.address)) as pool:
        results = pool.map(_slowly, range(60), chunk=1)
        first = list(islice(results, 10))
        nodes.remove_node(lost, allow_graceful=False)
        assert first + list(results) == [number + 1 for number in range(60)]


def _slowly(number):
    time.sleep(0.05)
    return number + 1


class OnGpu:
    """A function that says where it runs, and which GPUs it may use."""

    def __init__(self, gpus):
        self.gpus = gpus

    def __call__(self, number):
        import ray

        context = ray.get_runtime_context()
        time.sleep(0.02)
        return context.get_node_id(), tuple(context.get_accelerator_ids()["GPU"]), os.getpid()


def test_a_declared_gpu_is_reserved_where_there_is_one(nodes):
    with executor_for(Cluster(nodes.address)) as pool:
        places = set(pool.map(OnGpu(1), range(6), chunk=1))
    assert {place[:2] for place in places} == {(nodes.head_node.node_id, ())}, "without GPUs, it runs on the CPU"
    with_gpu = nodes.add_node(num_cpus=2, num_gpus=1)
    nodes.wait_for_nodes()
    with executor_for(Cluster(nodes.address)) as pool:
        whole = list(pool.map(OnGpu(1), range(8), chunk=1))
        assert {place[:2] for place in whole} == {(with_gpu.node_id, ("0",))}
        halves = list(pool.map(OnGpu(0.5), range(20), chunk=1))
        assert {place[:2] for place in halves} == {(with_gpu.node_id, ("0",))}
        assert len({place[2] for place in halves}) <= 2, "two halves at once"
        assert () in {place[1] for place in pool.map(OnGpu(0), range(8), chunk=1)}
        with pytest.raises(PixelProofError, match="needs 2 GPUs per task, and the Ray cluster has 1"):
            pool.map(OnGpu(2), range(8))


def test_a_cluster_that_cannot_be_reached_is_a_sentence():
    import ray

    ray.shutdown()
    with pytest.raises(PixelProofError, match="Cannot reach a Ray cluster at 127.0.0.1:1"):
        executor_for(Cluster("127.0.0.1:1"))
