"""What it costs per answer to survive a power cut: CPU and wall time of storing answers with and without fsync.

`python benchmarks/durability.py --at DIR` measures on the disk of a directory, and prints the first table of
docs/methods/overhead.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from pixelproof.benches import get_bench
from pixelproof.contract import Answer, Artefact, Item
from pixelproof.harness._plan import Ask
from pixelproof.harness._rundir import RunDirectory


def answers(count: int, size: int) -> list[Answer]:
    """Answers of a short text, or with an image of so many bytes."""
    rng = np.random.default_rng(1)
    return [Answer("x" * 500, (Artefact(rng.bytes(size), "image/png"),) if size else ()) for _ in range(count)]


def measure(folder: Path, given: list[Answer], sync: bool) -> tuple[float, float, float]:
    """CPU ms, mean wall ms and 99 % quantile of the wall ms per answer."""
    walls = []
    with RunDirectory(folder, get_bench("pixelart")) as run:
        cpu = time.process_time()
        for index, answer in enumerate(given):
            start = time.perf_counter()
            run.keep_answer(Ask(index, Item(f"a/b/1/{index}", {}), 0, 0), answer, sync=sync)
            walls.append(time.perf_counter() - start)
        cpu = time.process_time() - cpu
    return 1e3 * cpu / len(given), 1e3 * float(np.mean(walls)), 1e3 * float(np.quantile(walls, 0.99))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", type=Path, default=Path.cwd())
    parser.add_argument("--answers", type=int, default=500)
    arguments = parser.parse_args()
    kind = subprocess.run(["stat", "-f", "-c", "%T", arguments.at], capture_output=True, text=True).stdout.strip()
    print(f"{arguments.answers} answers per line; file system {kind}, {os.cpu_count()} cores\n")
    print("| answer | fsync | CPU ms | wall ms, mean | wall ms, 99 % |\n| --- | --- | ---: | ---: | ---: |")
    for name, size in (("500 characters", 0), ("and an image of 60 KB", 60_000), ("and an image of 1 MB", 1_000_000)):
        given = answers(arguments.answers if size < 1e6 else arguments.answers // 5, size)
        for sync in (False, True):
            with tempfile.TemporaryDirectory(dir=arguments.at) as folder:
                cpu, mean, tail = measure(Path(folder) / "run", given, sync)
            print(f"| {name} | {'yes' if sync else 'no'} | {cpu:.2f} | {mean:.2f} | {tail:.2f} |")


if __name__ == "__main__":
    main()
