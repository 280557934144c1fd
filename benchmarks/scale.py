"""What an executor costs per item, and what survives the loss of a node and of the driver.

    python benchmarks/scale.py overhead --n 100000   a function that does nothing: serial, processes, Ray
    python benchmarks/scale.py masks --n 1000        real masks: serial, processes, Ray; results compared
    python benchmarks/scale.py kill --n 100000       two raylets; one is removed, then the driver is killed; resumed
    python benchmarks/scale.py storage --n 1000      a run of that many masks at a URL: time and bytes (needs moto)

Masks are 200 pictures of 64 × 64 pixels under as many names as asked for, so that 100,000 are affordable. Times are CPU
seconds of this process and all that it started, sampled from /proc ten times a second; wall time is beside them.
`ray` needs the extra `ray`. Temporary files are in the folder of --folder, or a temporary one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy import ndimage

from pixelproof.pixels import Palette, encode_labels, encode_png
from pixelproof.store import Cluster, executor_for

PICTURES = 200
SIDE = 64
LABELS = 19
_TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """CPU seconds of this process and its descendants while it is on."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], float] = {}
        self._first: dict[tuple[int, str], float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Meter:
        self._first = _tree()
        self._wall = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()
        self._seen |= _tree()
        self.wall = time.perf_counter() - self._wall
        self.cpu = sum(seconds - self._first.get(key, 0.0) for key, seconds in self._seen.items())

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            self._seen |= _tree()


def _tree() -> dict[tuple[int, str], float]:
    """(process, its start) → CPU seconds, of this process and its descendants."""
    parents, times = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            times[int(folder.name)] = ((int(folder.name), fields[19]), (int(fields[11]) + int(fields[12])) / _TICKS)
    family, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return dict(times[pid] for pid in family if pid in times)


def overhead(most: int) -> None:
    """Cost per item of a function that does nothing, once the workers run."""
    print("\n| items | serial, µs | 2 processes, µs | Ray, 2 CPUs, µs |\n| ---: | ---: | ---: | ---: |", flush=True)
    with executor_for(2) as processes, executor_for(Cluster(workers=2)) as ray:
        for pool in (processes, ray):
            list(pool.map(abs, range(64), chunk=4))
        count = 100
        while count <= most:
            cells = []
            repeats = max(1, 20_000 // count)  # CPU time is known to a hundredth of a second
            for pool in (executor_for(1), processes, ray):
                with Meter() as meter:
                    for _ in range(repeats):
                        assert sum(pool.map(abs, range(count), chunk=4)) == count * (count - 1) // 2
                total = repeats * count
                cells.append(f"{1e6 * meter.cpu / total:.1f} ({1e6 * meter.wall / total:.1f} wall)")
            print(f"| {count:,} | {' | '.join(cells)} |", flush=True)
            count *= 10


def make_masks(root: Path, count: int) -> None:
    """References and painted answers; beyond the first 200, links to these."""
    if (root / "made").exists() and (root / "made").read_text() == str(count):
        return
    rng = np.random.default_rng(7)
    colours = tuple(tuple(int(level) for level in rng.integers(0, 256, 3)) for _ in range(LABELS))
    palette = Palette(tuple(f"label {index}" for index in range(LABELS)), colours)
    root.mkdir(parents=True, exist_ok=True)
    (root / "palette.json").write_text(json.dumps(dict(zip(palette.labels, palette.colours, strict=True))))
    for name in ("reference", "generated"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    for index in range(min(PICTURES, count)):
        smooth = ndimage.gaussian_filter(rng.normal(size=(LABELS, SIDE, SIDE)), (0, 6, 6))
        labels = smooth.argmax(axis=0).astype(np.uint8)
        (root / "reference" / f"{index:06d}.png").write_bytes(encode_labels(labels, palette).data)
        answer = np.roll(labels, (1, 2), axis=(0, 1))
        (root / "generated" / f"{index:06d}.png").write_bytes(encode_png(palette.paint(answer)).data)
    for index in range(PICTURES, count):
        for name in ("reference", "generated"):
            os.link(root / name / f"{index % PICTURES:06d}.png", root / name / f"{index:06d}.png")
    (root / "made").write_text(str(count))


def command(root: Path, out: str | Path, *options: str) -> list[str]:
    folders = {name: str(root / name) for name in ("reference", "generated")}
    words = [sys.executable, "-m", "pixelproof", "score", "arena", "--detail", "lean", "--calibrate", "0"]
    for name, path in (folders | {"palette": str(root / "palette.json"), "out": str(out)}).items():
        words += [f"--{name}", path]
    return [*words, "--json", *options]


def run(words: list[str]) -> Meter:
    with Meter() as meter:
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return meter


def results(path: Path) -> list[dict[str, object]]:
    return list(pq.read_table(path / "results.parquet").to_pylist())


def masks(root: Path, counts: list[int]) -> None:
    """The whole command, start-up included."""
    print("\n| masks | executor | CPU s | wall s | CPU-ms per mask |\n| ---: | --- | ---: | ---: | ---: |", flush=True)
    for count in counts:
        make_masks(root, count)
        first = None
        arms = {"serial": ["--workers", "1"], "2 processes": ["--workers", "2"]}
        arms["Ray, 2 CPUs"] = ["--workers", "2", "--executor", "ray"]
        for name, options in arms.items():
            if name == "serial" and count > 10_000:
                continue
            shutil.rmtree(root / "run", ignore_errors=True)
            meter = run(command(root, root / "run", *options))
            each = 1000 * meter.cpu / count
            print(f"| {count:,} | {name} | {meter.cpu:.1f} | {meter.wall:.1f} | {each:.2f} |", flush=True)
            first = first or results(root / "run")
            assert results(root / "run") == first, f"{name} gives other results"


@contextmanager
def two_raylets() -> Iterator[tuple[Any, Any]]:
    """A cluster of two nodes on this machine, with one CPU each; the head has none of the work."""
    from ray.cluster_utils import Cluster as RayCluster

    path = os.pathsep.join(entry for entry in sys.path if entry)
    os.environ["PYTHONPATH"] = path
    head = {"num_cpus": 0, "include_dashboard": False}
    cluster = _patiently(lambda: RayCluster(initialize_head=True, head_node_args=head))
    try:
        yield cluster, [_patiently(lambda: cluster.add_node(num_cpus=1)) for _ in range(2)]
    finally:
        cluster.shutdown()


def _patiently(start: Callable[[], Any]) -> Any:
    """Start a node, again if it was not ready in the 30 seconds that Ray grants: the machine may be busy."""
    for attempt in range(5):
        try:
            return start()
        except Exception as error:
            if attempt == 4 or "timed out during startup" not in str(error):
                raise
    raise AssertionError


def wait_for(out: Path, rows: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a run has so many results."""
    while process.poll() is None and _rows(out) < rows:
        time.sleep(0.5)


def _rows(out: Path) -> int:
    parts = sorted(out.glob("results.parts/part-*.parquet"))
    try:
        journal = (out / "results.parts" / "journal.jsonl").read_bytes().count(b"\n")
        return journal + sum(pq.read_metadata(part).num_rows for part in parts)
    except OSError:
        return 0


def kill(root: Path, count: int) -> None:
    """Remove a node at a third of the way, kill the driver at two thirds, resume, compare."""
    make_masks(root, count)
    out, plain = root / "killed", root / "serial"
    for folder in (out, plain):
        shutil.rmtree(folder, ignore_errors=True)
    # Masks repeat after 200, and a result does not depend on the name: one process need not score all of them.
    meter = run(command(root, plain, "--workers", "1", "--limit", str(min(count, PICTURES))))
    print(f"one process, {PICTURES} masks: {meter.cpu:.0f} CPU-s, {meter.wall:.0f} s", flush=True)
    with Meter() as meter, two_raylets() as (cluster, nodes):
        words = command(root, out, "--executor", "ray", "--address", cluster.address)
        start = time.perf_counter()
        driver = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        wait_for(out, count // 3, driver)
        print(f"{time.perf_counter() - start:.0f} s: {_rows(out):,} results; one of two nodes is removed", flush=True)
        cluster.remove_node(nodes[0], allow_graceful=False)
        wait_for(out, 2 * count // 3, driver)
        there = _rows(out)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        print(f"{time.perf_counter() - start:.0f} s: {there:,} results; the driver is killed", flush=True)
        subprocess.run([*words, "--resume"], stdout=subprocess.DEVNULL, check=True)
        print(f"{time.perf_counter() - start:.0f} s: resumed and done on the other node", flush=True)
    each = 1000 * meter.cpu / count
    print(f"Ray, with the start of the cluster: {meter.cpu:.0f} CPU-s, {each:.2f} CPU-ms per mask", flush=True)
    measured, expected = (_measurements(path) for path in (out, plain))
    same = len(measured) == count and all(row == expected[k % len(expected)] for k, row in enumerate(measured))
    print(f"{len(measured):,} results, each equal to that of its picture in one process: {same}")
    if not same:
        raise SystemExit(1)


def _measurements(path: Path) -> list[dict[str, object]]:
    """Results in the order of the masks, without what names the mask."""
    rows = sorted(results(path), key=lambda row: str(row["item"]))
    return [{name: value for name, value in row.items() if name not in ("order", "item")} for row in rows]


def storage(root: Path, count: int) -> None:
    """A run at a URL of moto's server on this machine, beside one in a folder."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ |= {"AWS_ACCESS_KEY_ID": "benchmark", "AWS_SECRET_ACCESS_KEY": "benchmark"}
    client = boto3.client("s3")
    client.create_bucket(Bucket="scale")
    make_masks(root, count)
    shutil.rmtree(root / "run", ignore_errors=True)
    local = run(command(root, root / "run", "--workers", "2"))
    remote = run(command(root, f"s3://scale/run-{time.time_ns()}", "--workers", "2"))
    objects = client.list_objects_v2(Bucket="scale")["Contents"]
    total = sum(entry["Size"] for entry in objects)
    print(f"folder: {local.cpu:.1f} CPU-s, {local.wall:.1f} s; URL: {remote.cpu:.1f} CPU-s, {remote.wall:.1f} s")
    print(f"{count:,} masks: {len(objects)} objects, {total / 1e6:.2f} MB ({total / count:.0f} bytes per mask)")
    server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["overhead", "masks", "kill", "storage"])
    parser.add_argument("--n", type=int, nargs="+", default=[1000])
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pixelproof-scale-") as temporary:
        root = given.folder or Path(temporary)
        if given.part == "overhead":
            overhead(max(given.n))
        elif given.part == "masks":
            masks(root, given.n)
        elif given.part == "kill":
            kill(root, given.n[-1])
        else:
            storage(root, given.n[-1])


if __name__ == "__main__":
    main()
