"""The database of servers: concurrent writers lose nothing, and neither does kill -9 after an acknowledged write."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.web import Database

SCHEMA = ["CREATE TABLE votes (id INTEGER PRIMARY KEY, voter TEXT NOT NULL, choice INTEGER NOT NULL);"]


@pytest.fixture
def database(tmp_path):
    with Database(tmp_path / "new" / "votes.db", SCHEMA) as opened:
        yield opened


def choices(database):
    return [row["choice"] for row in database.read("SELECT choice FROM votes ORDER BY id")]


def add(database, choice, voter="a"):
    with database.write() as connection:
        connection.execute("INSERT INTO votes (voter, choice) VALUES (?, ?)", (voter, choice))


def test_a_write_can_be_read(database):
    add(database, 3)
    assert choices(database) == [3]
    assert database.read("SELECT voter FROM votes WHERE choice = :c", {"c": 3})[0]["voter"] == "a"


def test_every_thread_waits_for_the_disk(database):
    found = []

    def ask():
        settings = ("journal_mode", "synchronous", "foreign_keys")
        found.append([database.read(f"PRAGMA {name}")[0][0] for name in settings])

    ask()
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found == [["wal", 2, 1]] * 2  # 2 is FULL


def test_an_error_in_the_block_undoes_all_of_it(database):
    with pytest.raises(RuntimeError), database.write() as connection:
        connection.execute("INSERT INTO votes (voter, choice) VALUES ('a', 1)")
        raise RuntimeError
    with pytest.raises(sqlite3.IntegrityError), database.write() as connection:
        connection.execute("INSERT INTO votes (voter, choice) VALUES ('a', 1)")
        connection.execute("INSERT INTO votes (voter, choice) VALUES (NULL, 1)")
    assert choices(database) == []
    add(database, 2)
    assert choices(database) == [2]


@pytest.mark.slow
def test_threads_that_count_together_lose_nothing(database):
    add(database, 0)

    def count():
        for _ in range(25):
            with database.write() as connection:
                (value,) = connection.execute("SELECT choice FROM votes WHERE id = 1").fetchone()
                connection.execute("UPDATE votes SET choice = ? WHERE id = 1", (value + 1,))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert choices(database) == [200]


WRITER = """
import sys
from pixelproof.web import Database
database = Database(sys.argv[1], [open(sys.argv[2]).read()])
for number in range(int(sys.argv[4])):
    with database.write() as connection:
        connection.execute("INSERT INTO votes (voter, choice) VALUES (?, ?)", (sys.argv[3], number))
    print(number, flush=True)
"""


def start_writer(database, tmp_path, voter, count):
    schema = tmp_path / "schema.sql"
    schema.write_text(SCHEMA[0])
    words = [sys.executable, "-c", WRITER, str(database.path), str(schema), voter, str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_processes_that_write_together_lose_nothing(database, tmp_path):
    writers = [start_writer(database, tmp_path, voter, 40) for voter in "abc"]
    assert all(writer.communicate()[0].split()[-1] == "39" and writer.returncode == 0 for writer in writers)
    for voter in "abc":
        rows = database.read("SELECT choice FROM votes WHERE voter = ? ORDER BY id", (voter,))
        assert [row[0] for row in rows] == list(range(40))


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 17, 60])
def test_kill_9_loses_no_acknowledged_write(database, tmp_path, after):
    kill_writer(database, tmp_path, after)


@pytest.mark.soak
@pytest.mark.attack("kill -9 while the database of a server is written", lost="no acknowledged write")
def test_kill_9_again_and_again(database, tmp_path, record_property):
    kills = int(os.environ.get("PIXELPROOF_SOAK", "3"))
    for turn in range(kills):
        with database.write() as connection:
            connection.execute("DELETE FROM votes")
        kill_writer(database, tmp_path, 1 + 7 * turn % 60)
    record_property("tries", kills)


def kill_writer(database, tmp_path, after):
    """Kill a writer after so many acknowledged writes; all of them, and one more at most, must be there."""
    writer = start_writer(database, tmp_path, "killed", 100_000)
    acknowledged = [int(writer.stdout.readline()) for _ in range(after)]
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    writer.wait()
    stored = choices(database)
    assert len(acknowledged) >= after and stored[: len(acknowledged)] == acknowledged
    assert len(stored) - len(acknowledged) in (0, 1)  # written, and killed before it could say so
    add(database, -1)
    assert database.read("PRAGMA integrity_check")[0][0] == "ok"


def test_an_older_file_gets_what_it_lacks_and_keeps_what_it_has(database):
    add(database, 5)
    database.close()
    newer = [*SCHEMA, "ALTER TABLE votes ADD COLUMN note TEXT DEFAULT 'none';\nCREATE INDEX by_voter ON votes (voter);"]
    with Database(database.path, newer) as opened:
        assert opened.read("SELECT choice, note FROM votes")[0][1] == "none"
    with Database(database.path, newer) as again:
        assert choices(again) == [5]
    with pytest.raises(PixelProofError, match="newer version"):
        Database(database.path, SCHEMA)


def test_a_migration_that_fails_changes_nothing(database):
    database.close()
    with pytest.raises(sqlite3.OperationalError):
        Database(database.path, [*SCHEMA, "CREATE TABLE more (id);\nCREATE TABLE votes (id);"])
    with Database(database.path, SCHEMA) as opened:
        assert not opened.read("SELECT * FROM sqlite_master WHERE name = 'more'")


def test_files_that_are_no_databases_are_named(tmp_path):
    (tmp_path / "text.db").write_text("I am not a database, and I am long enough to be noticed. " * 100)
    with pytest.raises(PixelProofError, match=r"text\.db is no usable database"):
        Database(tmp_path / "text.db", SCHEMA)
    (tmp_path / "file").write_text("")
    with pytest.raises(PixelProofError, match="choose another path"):
        Database(tmp_path / "file" / "votes.db", SCHEMA)


def test_a_writer_that_waits_too_long_says_what_to_do(database, monkeypatch):
    monkeypatch.setattr("pixelproof.web._database.BUSY_SECONDS", 0.1)
    with database.write(), Database(database.path.with_name("other.db"), SCHEMA) as other:
        other.path = database.path
        other.close()
        with pytest.raises(PixelProofError, match="stop the other program"):
            add(other, 1)


def filled(path, count=40):
    with Database(path, SCHEMA) as database, database.write() as connection:
        for number in range(count):
            values = (f"voter {number}", number * 1001)
            connection.execute("INSERT INTO votes (voter, choice) VALUES (?, ?)", values)
    return path


def votes(path):
    with Database(path, SCHEMA) as database:
        return [tuple(row) for row in database.read("SELECT id, voter, choice FROM votes ORDER BY id")]


def test_changes_keep_their_checksums(tmp_path):
    path = filled(tmp_path / "votes.db")
    with Database(path, SCHEMA) as database:
        with database.write() as connection:
            connection.execute("UPDATE votes SET choice = -1 WHERE id < 5")
            connection.execute("UPDATE votes SET id = 900 WHERE id = 7")
            connection.execute("DELETE FROM votes WHERE id > 30 AND id < 900")
        assert len(database.read("SELECT * FROM pixelproof_checksums WHERE name = 'votes'")) == 30
    assert len(votes(path)) == 30


def test_a_file_without_checksums_opens_and_gets_them(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        old.executescript(SCHEMA[0] + "INSERT INTO votes (voter, choice) VALUES ('a', 3); PRAGMA user_version=1;")
    old.close()
    assert votes(path) == [(1, "a", 3)]
    damaged = path.read_bytes().replace(b"a\x03", b"a\x02")
    assert damaged != path.read_bytes()
    path.write_bytes(damaged)
    with pytest.raises(PixelProofError, match=r"row 1 of votes does not match its checksum\): restore it"):
        votes(path)


@pytest.mark.soak
@pytest.mark.attack("a flipped bit in the database of a server", lost="nothing: refused")
def test_flips(tmp_path, record_property):
    path = filled(tmp_path / "votes.db")
    good, expected = path.read_bytes(), votes(path)
    rng = random.Random(5)
    tries = 4 * int(os.environ.get("PIXELPROOF_SOAK", "3"))
    for _ in range(tries):
        flipped = bytearray(good)
        flipped[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
        for other in tmp_path.glob("votes.db*"):
            other.unlink()
        path.write_bytes(bytes(flipped))
        try:
            assert votes(path) == expected  # a flip in unused space changes nothing
        except PixelProofError as error:
            assert "votes.db" in str(error)
    record_property("tries", tries)
