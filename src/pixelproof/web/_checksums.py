"""Checksums of the rows of an SQLite file, kept by triggers: SQLite itself does not notice flipped bits in values."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from typing import Any

SUMS = "pixelproof_checksums"
"""Table → row → checksum."""


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the function that the triggers call."""
    connection.create_function("pixelproof_crc", -1, _crc, deterministic=True)


def _crc(*values: Any) -> int:
    return zlib.crc32(repr(values).encode("utf-8", "surrogatepass"))


def has_checksums(connection: sqlite3.Connection) -> bool:
    """Whether the rows of a file have checksums."""
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (SUMS,)).fetchone())


def tables_of(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Table → columns, without those of SQLite and of the checksums."""
    names = [
        row[0]
        for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        if row[0] != SUMS and not row[0].startswith("sqlite_")
    ]
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})")] for name in names}


def add_checksums(connection: sqlite3.Connection) -> None:
    """Compute the checksums of all rows, and install the triggers that keep them; after every change of the schema."""
    columns = "name TEXT, row INTEGER, crc INTEGER, PRIMARY KEY (name, row)"
    connection.execute(f"CREATE TABLE IF NOT EXISTS {SUMS} ({columns}) WITHOUT ROWID")
    connection.execute(f"DELETE FROM {SUMS}")
    for table, fields in tables_of(connection).items():
        name = table.replace("'", "''")
        new = f"'{name}', NEW.rowid, pixelproof_crc({', '.join(f'NEW.{_quoted(column)}' for column in fields)})"
        old = f"DELETE FROM {SUMS} WHERE name = '{name}' AND row = OLD.rowid"
        put = f"INSERT OR REPLACE INTO {SUMS} VALUES ({new})"
        for event, action in (("INSERT", put), ("UPDATE", f"{old}; {put}"), ("DELETE", old)):
            trigger = _quoted(f"{SUMS}_{table}_{event}")
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            connection.execute(f"CREATE TRIGGER {trigger} AFTER {event} ON {_quoted(table)} BEGIN {action}; END")
        values = ", ".join(map(_quoted, fields))
        connection.execute(f"INSERT INTO {SUMS} SELECT '{name}', rowid, pixelproof_crc({values}) FROM {_quoted(table)}")

    connection.execute(f"INSERT INTO {SUMS} VALUES ('', 0, ?)", (_schema_crc(connection),))


def _schema_crc(connection: sqlite3.Connection) -> int:
    """Checksum of the schema, with the triggers, and of its version."""
    schema = [
        tuple(row) for row in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 2")
    ]
    return _crc(schema, connection.execute("PRAGMA user_version").fetchone()[0])


def damage(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with a file: its schema, its structure, or rows that do not match their checksums."""
    known = connection.execute(f"SELECT crc FROM {SUMS} WHERE name = '' AND row = 0").fetchone()
    if known is None or known[0] != _schema_crc(connection):
        yield "its schema does not match its checksum"
        return
    for (problem,) in connection.execute("PRAGMA integrity_check(3)"):
        if problem != "ok":
            yield str(problem)
    for table, columns in tables_of(connection).items():
        values = ", ".join(f"t.{_quoted(column)}" for column in columns)
        rows = connection.execute(
            f"SELECT t.rowid, s.crc IS pixelproof_crc({values}) FROM {_quoted(table)} t "
            f"LEFT JOIN {SUMS} s ON s.name = ? AND s.row = t.rowid",
            (table,),
        )
        yield from (f"row {row} of {table} does not match its checksum" for row, right in rows if not right)
        missing = connection.execute(
            f"SELECT row FROM {SUMS} WHERE name = ? AND row NOT IN (SELECT rowid FROM {_quoted(table)})", (table,)
        )
        yield from (f"row {row} of {table} is missing" for (row,) in missing)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
