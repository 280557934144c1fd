"""A disk that takes no more, or nothing at all: a sentence, and everything before is safe."""

import os
import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, Records, write_json

SCHEMA = pa.schema([("order", pa.int64()), ("text", pa.string())])
SENTENCE = r"^Cannot write .*{name} \({reason}\): everything stored before is safe, .* run again with --resume\.$"

LIMITED = """
import resource, sys
from pathlib import Path
import pyarrow as pa
from pixelproof.contract import PixelProofError
from pixelproof.store import Records

sys.dont_write_bytecode = True  # the limit would cut off compiled modules
directory, shard_rows, limit = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
schema = pa.schema([("order", pa.int64()), ("text", pa.string())])
records = Records(directory, "a", schema, shard_rows)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
errors, stored = [], []
for order in range(40):
    try:
        records.put({"order": order, "text": "x" * (10 * order)})
        stored.append(order)
    except PixelProofError as error:
        errors.append(str(error))
again = Records(directory, "a", schema, shard_rows)
assert set(stored) <= set(again), (stored, list(again))
assert list(again) == list(records) == [row["order"] for row in again.rows()]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for order in range(40, 60):
    records.put({"order": order, "text": "later"})
records.compact()
rows = list(Records(directory, "a", schema).rows())
assert set(stored) | set(range(40, 60)) <= {row["order"] for row in rows}
assert all(row["text"] == ("later" if row["order"] >= 40 else "x" * (10 * row["order"])) for row in rows)
print(len(stored), len(rows), errors[0], sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits on files")
@pytest.mark.parametrize(("shard_rows", "name"), [(4096, "journal.jsonl"), (5, r"part-\d*.parquet")])
def test_a_file_that_cannot_grow(tmp_path, shard_rows, name):
    limit = 2_000 if name == "journal.jsonl" else 900
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LIMITED, str(tmp_path), str(shard_rows), str(limit)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    stored, rows, error = run.stdout.splitlines()
    assert 0 < int(stored) < 40 and int(rows) < 60
    assert not list(tmp_path.rglob("*.tmp"))
    assert re.match(SENTENCE.format(name=name, reason="File too large"), error)


@pytest.fixture
def tiny_disk(tmp_path):
    """A real file system of 64 KiB, and a function to make it read-only."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no permission to mount a file system")
    try:
        yield disk, lambda: subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("shard_rows", [4096, 3])
def test_a_full_disk(tiny_disk, shard_rows):
    disk, _ = tiny_disk
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(40_000))
    records = Records(disk, "a", SCHEMA, shard_rows)
    stored = []
    with pytest.raises(PixelProofError, match=SENTENCE.format(name=r"a\.p.*", reason="No space left on device")):
        for order in range(100):
            records.put({"order": order, "text": os.urandom(400).hex()})
            stored.append(order)
    with pytest.raises(PixelProofError, match="No space left"):
        records.put({"order": 1000, "text": os.urandom(8_000).hex()})
    with pytest.raises(PixelProofError, match="No space left"):
        BlobStore(disk / "blobs").put(os.urandom(60_000))
    with pytest.raises(PixelProofError, match="No space left"):
        write_json(disk / "card.json", os.urandom(60_000).hex())
    assert len(stored) > 3 and set(stored) <= set(Records(disk, "a", SCHEMA))
    ballast.unlink()
    records.put({"order": 2000, "text": "room again"})
    rows = {row["order"]: row for row in Records(disk, "a", SCHEMA).rows()}
    assert {*stored, 2000} <= rows.keys() <= {*stored, len(stored), 1000, 2000}
    assert not list(disk.rglob("*.tmp"))


def test_a_read_only_disk(tiny_disk):
    disk, make_read_only = tiny_disk
    with Records(disk, "a", SCHEMA, shard_rows=2) as records:
        for order in range(3):
            records.put({"order": order, "text": "before"})
    make_read_only()
    records = Records(disk, "a", SCHEMA)
    assert [row["order"] for row in records.rows()] == [0, 1, 2]
    read_only = SENTENCE.format(name="a.*", reason="Read-only file system")
    for change in (lambda: records.put({"order": 5}), records.compact, lambda: records.replace([])):
        with pytest.raises(PixelProofError, match=read_only):
            change()
    with pytest.raises(PixelProofError, match="Read-only file system"):
        BlobStore(disk / "blobs").put(b"pixels")
    assert list(records) == [0, 1, 2]


def test_a_file_where_the_directory_should_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PixelProofError, match=r"Cannot read .*journal.jsonl \(Not a directory\)"):
        Records(tmp_path / "file", "a", SCHEMA)
    records = Records(tmp_path, "a", SCHEMA)
    (tmp_path / "a.parts").write_text("in the way")
    with pytest.raises(PixelProofError, match=SENTENCE.format(name="journal.jsonl", reason="File exists")):
        records.put({"order": 1})
    assert 1 not in records


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind root")
def test_a_directory_without_permission(tmp_path):
    records = Records(tmp_path, "a", SCHEMA)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PixelProofError, match=SENTENCE.format(name="journal.jsonl", reason="Permission denied")):
            records.put({"order": 1})
    finally:
        tmp_path.chmod(0o700)
