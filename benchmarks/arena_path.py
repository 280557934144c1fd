"""CPU time of an answer on its whole path through `pixelproof score arena --detail lean`, and of the summary.

`python benchmarks/arena.py --path` and `--summary` print these tables.
"""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from arena_masks import Array, label_maps, painted, palette_of
from pixelproof.contract import Source
from pixelproof.harness import Run, bench_of
from pixelproof.harness._summary import summarise
from pixelproof.metrics import confusions
from pixelproof.pixels import (
    DECODERS,
    Palette,
    detect_channel,
    encode_labels,
    encode_png,
    nearest,
    read_image,
    read_labels,
)
from pixelproof.store import read_parquet, write_parquet

FIXED = "what does not depend on pixels: items, checks, rows, summary"


def whole_path(few: int = 24, many: int = 144, repeats: int = 4) -> None:
    """Print the CPU time of an answer and of its steps: the mean, and the least.

    Whole: the CPU time of a process that scores many answers, minus that of one that scores few, per answer. One
    process, no floors. Steps: the same answers one after the other, each taking all steps, in this process. Both are
    repeated in turns, so that they meet the same conditions. Images of 24 × 24 pixels take the same path, and show
    what does not depend on pixels.
    """
    palette = palette_of(19)
    with tempfile.TemporaryDirectory() as large, tempfile.TemporaryDirectory() as small:
        cases = [label_maps(19, 200 + i) for i in range(few)]
        _make_answers(Path(large), palette, cases, many)
        tiny = [(prediction[:24, :24].copy(), reference[:24, :24].copy()) for prediction, reference in cases]
        _make_answers(Path(small), palette, tiny, 10 * many)
        ahead = [sys.executable, "-m", "pixelproof.pixels._compile_ahead", "pixelproof.pixels", "pixelproof.metrics"]
        subprocess.run(ahead, check=True)
        list(_steps(Path(large), palette, 2))  # loads machine code
        runs: dict[int, list[float]] = {few: [], many: []}
        tiny_runs: dict[int, list[float]] = {4 * many: [], 10 * many: []}
        rounds = []
        for _ in range(repeats):
            for count, seconds in runs.items():
                seconds.append(_score_seconds(Path(large), count))
                rounds.append(list(_steps(Path(large), palette, few)))
            for count, seconds in tiny_runs.items():
                seconds.append(_score_seconds(Path(small), count))
    _print_path(rounds, _per_answer(tiny_runs), _per_answer(runs))


def _per_answer(runs: dict[int, list[float]]) -> tuple[float, float]:
    """CPU-ms of each further answer, from the seconds of runs over few and over many: the mean, and the least."""
    few, many = runs
    mean, least = (1000 * (float(of(runs[many])) - float(of(runs[few]))) / (many - few) for of in (np.mean, np.min))
    return mean, least


def _print_path(rounds: list[list[dict[str, float]]], fixed: tuple[float, float], whole: tuple[float, float]) -> None:
    """Print the table; `rounds` has CPU-ms of the steps of every answer."""
    costs = {step: np.array([[answer[step] for answer in answers] for answers in rounds]) for step in rounds[0][0]}
    rows = {step: (float(cost.mean()), float(cost.min(axis=0).mean())) for step, cost in costs.items()}
    rows[FIXED] = fixed
    rest = [total - sum(row[place] for row in rows.values()) for place, total in enumerate(whole)]
    print("\n### The whole path of a noisy answer through score arena --detail lean\n")
    print("| step | CPU-ms, mean | least |\n| --- | ---: | ---: |")
    for name, (mean, least) in rows.items():
        print(f"| {name} | {mean:.2f} | {least:.2f} |")
    print(f"| the rest | {rest[0]:.2f} | {rest[1]:.2f} |")
    print(f"| **whole path** | **{whole[0]:.1f}** | **{whole[1]:.1f}** |", flush=True)


def _make_answers(root: Path, palette: Palette, cases: list[tuple[Array, Array]], many: int) -> None:
    """References and noisy answers; beyond the given ones, links to these."""
    (root / "palette.json").write_text(json.dumps(dict(zip(palette.labels, palette.colours, strict=True))))
    for name in ("reference", "generated"):
        (root / name).mkdir()
    for i, (prediction, reference) in enumerate(cases):
        (root / "reference" / f"{i:05d}.png").write_bytes(encode_labels(reference, palette).data)
        (root / "generated" / f"{i:05d}.png").write_bytes(encode_png(painted(prediction, palette, i)).data)
    for i in range(len(cases), many):
        for name in ("reference", "generated"):
            (root / name / f"{i:05d}.png").hardlink_to(root / name / f"{i % len(cases):05d}.png")


def _steps(root: Path, palette: Palette, count: int) -> Iterator[dict[str, float]]:
    """CPU-ms of the steps of some answers, one answer after the other."""
    for number in range(count):
        answer, reference = (root / name / f"{number:05d}.png" for name in ("generated", "reference"))
        marks = [time.thread_time_ns()]

        def mark(marks: list[int] = marks) -> None:
            marks.append(time.thread_time_ns())

        data = answer.read_bytes()
        mark()
        rgb = read_image(data)
        mark()
        hashlib.sha256(data).digest()
        mark()
        detect_channel(data, rgb)
        mark()
        truth = read_labels(reference, palette)
        mark()
        labels = nearest(rgb, palette)
        mark()
        robust = DECODERS["robust"].decode(rgb, palette, labels).labels
        mark()
        confusions(labels, robust, truth, len(palette))
        mark()
        names = (
            "answer: read the file",
            "answer: decompress and unfilter the PNG",
            "answer: SHA-256",
            "answer: channel detection",
            "reference: read the file, decompress, check the labels",
            "nearest colours",
            "edge rule of `robust`",
            "confusion, of both protocols",
        )
        yield {name: (end - start) / 1e6 for name, start, end in zip(names, marks, marks[1:], strict=False)}


def summary_cost(root: Path) -> None:
    """CPU time of the summary of lean results, per item; rows are those of a few answers, drawn again and again."""
    palette = palette_of(19)
    (root / "palette.json").write_text(json.dumps(dict(zip(palette.labels, palette.colours, strict=True))))
    for i in range(12):
        prediction, reference = (labels[::8, ::8].copy() for labels in label_maps(19, 300 + i))
        for name, file in (
            ("reference", encode_labels(reference, palette)),
            ("generated", encode_png(painted(prediction, palette))),
        ):
            (root / name).mkdir(exist_ok=True)
            (root / name / f"{i:05d}.png").write_bytes(file.data)
    _score_seconds(root, 12, keep=True)
    done = Run.open(root / "run")
    print(
        "\n### Summary of lean results, 19 classes\n\n| items | CPU-s | CPU-ms per item |\n| ---: | ---: | ---: |",
        flush=True,
    )
    for count in (100, 1_000, 10_000, 100_000):
        folder = _drawn_run(done, root / str(count), count)
        start = time.process_time()
        summarise(folder, bench_of(done.card), done.card["model"], count, {}, Source("folder"))
        spent = time.process_time() - start
        print(f"| {count:,} | {spent:.2f} | {1000 * spent / count:.2f} |", flush=True)
        shutil.rmtree(folder)


def _drawn_run(done: Run, folder: Path, count: int) -> Path:
    """The tables of a run with many items, whose results are drawn from those of another."""
    drawn = np.random.default_rng(0).integers(0, done.card["planned"], count)
    names = pa.array([f"arena/folder/1/{i:07d}" for i in range(count)])
    folder.mkdir()
    for table, columns in (("items", {"item": names, "cluster": names}), ("results", {"item": names})):
        rows = read_parquet(done.path / f"{table}.parquet")
        if table == "results":
            columns["order"] = pa.array(np.arange(count) * (rows["order"][1].as_py() - rows["order"][0].as_py()))
        rows = rows.take(pa.array(drawn))
        for name, values in columns.items():
            rows = rows.set_column(rows.column_names.index(name), name, values)
        write_parquet(folder / f"{table}.parquet", rows)
    return folder


def _score_seconds(root: Path, count: int, keep: bool = False) -> float:
    """CPU seconds of a run over some answers, in a process of its own."""
    options = {"reference": root / "reference", "generated": root / "generated", "palette": root / "palette.json"}
    fixed = [
        "--detail",
        "lean",
        "--calibrate",
        "0",
        "--workers",
        "1",
        "--limit",
        str(count),
        "--out",
        str(root / "run"),
    ]
    command = [sys.executable, "-m", "pixelproof", "score", "arena", *fixed]
    for name, path in options.items():
        command += [f"--{name}", str(path)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not keep:
        shutil.rmtree(root / "run")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
