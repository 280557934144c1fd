"""Kill -9 at random moments, and the state of the disk before every single step."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from pixelproof.store import Records

SCHEMA = pa.schema([("order", pa.int64()), ("turn", pa.int64()), ("text", pa.string())])

WRITER = """
import os, random, sys
from pathlib import Path
import pyarrow as pa
from pixelproof.store import Lock, Records

directory, turn = Path(sys.argv[1]), int(sys.argv[2])
schema = pa.schema([("order", pa.int64()), ("turn", pa.int64()), ("text", pa.string())])
with Lock(directory):
    records = Records(directory, "a", schema, shard_rows=7)
    start = len(records)
    for number in range(100_000):
        # Mostly new rows, slightly out of order; now and then an old one again, or a compaction.
        order = random.randrange(start) if start and random.random() < 0.1 else start + (number ^ 3)
        records.put({"order": order, "turn": turn, "text": "x" * random.randrange(300)})
        os.write(1, b"%d\\n" % order)
        if random.random() < 0.02:
            records.compact()
"""


def kill_once(directory: Path, turn: int, expected: dict[int, int]) -> None:
    """Let a writer live for a moment; then all that it reported must be there, and one row more at most."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WRITER, str(directory), str(turn)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
        reported = [int(writer.stdout.readline())]
        threading.Timer(random.uniform(0, 0.4), writer.send_signal, [signal.SIGKILL]).start()
        reported += [int(line) for line in writer.stdout if line.endswith(b"\n")]
    assert writer.returncode == -signal.SIGKILL
    expected |= dict.fromkeys(reported, turn)
    records = Records(directory, "a", SCHEMA, shard_rows=7)
    stored = {row["order"]: row["turn"] for row in records.rows()}
    orders = [row["order"] for row in records.rows()]
    assert orders == sorted(set(orders)) == list(records) and len(records) == len(orders)
    in_flight = {order: value for order, value in stored.items() if expected.get(order) != value}
    assert len(in_flight) <= 1 and set(in_flight.values()) <= {turn}
    assert expected.keys() <= stored.keys()
    expected |= in_flight


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_kill(tmp_path):
    expected: dict[int, int] = {}
    kill_once(tmp_path, 0, expected)
    assert expected


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.attack("kill -9 while a table is written", lost="no acknowledged row")
def test_kill_again_and_again(tmp_path, record_property):
    expected: dict[int, int] = {}
    kills = int(os.environ.get("PIXELPROOF_SOAK", "3"))
    record_property("tries", kills)
    for turn in range(kills):
        kill_once(tmp_path, turn, expected)


class Snapshots:
    """Copies of a directory as it was before each step that the system was asked to make in it."""

    STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate")

    def __init__(self) -> None:
        self.source: Path | None = None
        self.taken: list[Path] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.source is not None and event in self.STEPS and str(self.source) in str(arguments):
            source, self.source = self.source, None
            target = source.parent / f"snapshot-{len(self.taken)}"
            shutil.copytree(source, target)
            self.taken.append(target)
            self.source = source


SNAPSHOTS = Snapshots()
sys.addaudithook(SNAPSHOTS)


def before_every_step(directory: Path, action) -> list[Path]:
    SNAPSHOTS.source, SNAPSHOTS.taken = directory, []
    try:
        action()
    finally:
        SNAPSHOTS.source = None
    return SNAPSHOTS.taken


def contents(directory: Path) -> list[tuple[int, int]]:
    records = Records(directory, "a", SCHEMA, shard_rows=4)
    rows = [(row["order"], row["turn"]) for row in records.rows()]
    assert list(records) == [order for order, _ in rows]
    return rows


def put(records: Records, *orders: int, turn: int) -> None:
    for order in orders:
        records.put({"order": order, "turn": turn})


def seal(records: Records) -> None:
    put(records, 10, turn=2)  # the fourth row of the journal


def compact(records: Records) -> None:
    records.compact()


def replace(records: Records) -> None:
    records.replace([{"order": order, "turn": 9} for order in (1, 4, 50)])


@pytest.mark.slow
@pytest.mark.parametrize("action", [seal, compact, replace])
def test_a_kill_before_any_step_leaves_the_old_rows_or_the_new(tmp_path, action):
    directory = tmp_path / "run"
    records = Records(directory, "a", SCHEMA, shard_rows=4)
    put(records, 1, 2, 3, 4, 5, turn=0)
    records.compact()
    put(records, 9, 2, 6, 7, turn=1)
    put(records, 6, 3, 8, turn=2)
    old = contents(directory)
    snapshots = before_every_step(directory, lambda: action(records))
    new = contents(directory)
    assert new != old or action is compact
    states = [contents(snapshot) for snapshot in snapshots]
    assert len(states) > 5 and all(state in (old, new) for state in states)
    assert states == sorted(states, key=lambda state: state == new)  # once new, never old again
    for snapshot, state in zip(snapshots, states, strict=True):
        # And after each of these kills the work goes on.
        again = Records(snapshot, "a", SCHEMA, shard_rows=4)
        put(again, 100, turn=3)
        assert contents(snapshot) == [*state, (100, 3)]
        again.compact()
        assert contents(snapshot) == [*state, (100, 3)]
        assert [path.name for path in snapshot.iterdir()] == ["a.parquet"]


def test_a_compaction_cut_short_within_the_process_is_ended_before_the_next_row(tmp_path, monkeypatch):
    records = Records(tmp_path, "a", SCHEMA)
    put(records, 1, 2, turn=0)

    rename = os.replace

    def interrupted(source, target):
        if Path(target).name == "a.parquet":  # the last step, after whole.parquet is in place
            raise KeyboardInterrupt
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            records.compact()
    put(records, 3, turn=1)
    assert contents(tmp_path) == [(1, 0), (2, 0), (3, 1)]


def test_a_row_that_is_interrupted_while_it_waits_for_the_disk_is_kept(tmp_path, monkeypatch):
    records = Records(tmp_path, "a", SCHEMA)
    put(records, 1, turn=0)

    def interrupted(descriptor):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            records.put({"order": 2, "turn": 0}, sync=True)
    put(records, 3, turn=0)
    assert contents(tmp_path) == [(1, 0), (2, 0), (3, 0)]
