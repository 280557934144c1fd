"""The golden records on disk: hashes that a diff shows, and summaries that say which number changed."""

from __future__ import annotations

import gzip
import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from golden.records import FREE, differences, fingerprint, parts, rounded
from golden.runs import RUNS

HERE = Path(__file__).parent
HASHES, SUMMARIES = HERE / "expected.json", HERE / "summaries.json.gz"
TOLERANCE = 1e-9
"""Relative difference of rendered numbers between two kinds of processor."""


def machine() -> dict[str, str]:
    """What the last digits of rendered numbers depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    libraries = ("numpy", "scipy", "pillow", "mujoco", "embreex", "opencv-python-headless", "numba")
    return {"processor": processor or platform.processor(), **{name: version(name) for name in libraries}}


def read() -> tuple[dict[str, Any], dict[str, Any]]:
    """Hashes with their conditions, and summaries."""
    return json.loads(HASHES.read_text()), json.loads(gzip.decompress(SUMMARIES.read_bytes()))


def write(records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Replace the records of some runs; returns what changed.

    Raises:
        ValueError: More would be free to differ than before.
    """
    hashes, summaries = read() if HASHES.exists() else ({"free": FREE, "runs": {}}, {})
    if wider := wider_than(hashes["free"]):
        raise ValueError(f"these would no longer be compared: {', '.join(wider)}")
    changes = [line for name, record in records.items() for line in changed(name, record, hashes, summaries)]
    runs = {**hashes["runs"], **{name: hashes_of(record) for name, record in records.items()}}
    summaries |= {name: summaries_of(record) for name, record in records.items()}
    content = {"free": FREE, "machine": machine(), "runs": {name: runs[name] for name in RUNS if name in runs}}
    HASHES.write_text(json.dumps(content, indent=1) + "\n")
    text = json.dumps({name: summaries[name] for name in sorted(summaries) if name in RUNS}, sort_keys=True)
    SUMMARIES.write_bytes(gzip.compress(text.encode(), mtime=0))
    return changes


def wider_than(free: Mapping[str, list[str]]) -> list[str]:
    """What is free to differ now and was compared before."""
    return [f"{table}: {entry}" for table in FREE for entry in FREE[table] if entry not in free.get(table, ())]


def hashes_of(record: Mapping[str, Any]) -> dict[str, str]:
    """Part → hash; empty parts are left out."""
    return {name: fingerprint(value) for name, value in parts(record).items() if value or value == 0}


def summaries_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The parts that hold the numbers that users see."""
    shown = ("summary", "comparison", "estimate", "error")
    return {name: rounded(value) for name, value in parts(record).items() if name.split(".")[-1] in shown}


def changed(name: str, record: Mapping[str, Any], hashes: Mapping[str, Any], summaries: Mapping[str, Any]) -> list[str]:
    """How a run differs from its record: the parts, and the numbers of summaries; empty if it is equal."""
    old, new = hashes["runs"].get(name, {}), hashes_of(record)
    unequal = sorted(part for part in {*old, *new} if old.get(part) != new.get(part))
    if not unequal:
        return []
    lines = differences(summaries.get(name, {}), summaries_of(record), rtol=TOLERANCE)
    if not lines and RUNS[name].rendered and old and hashes.get("machine") != machine():
        return []  # the last digits of rendered scenes depend on the processor
    return [f"{name}: {', '.join(unequal)} changed", *(f"  {line}" for line in lines)]
