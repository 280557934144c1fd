"""SQLite for servers: a write that has returned survives kill -9 and a power cut."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from pixelproof.contract import PixelProofError

from ._checksums import add_checksums, damage, has_checksums, register

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""


class Database:
    """An SQLite file in WAL mode with `synchronous=FULL`; its rows have checksums, which are verified at opening.

    Any number of threads and processes may use the same file. Readers never wait for a writer; writers take turns.
    Every thread has a connection of its own.
    """

    def __init__(self, path: str | Path, migrations: Sequence[str]) -> None:
        """Open the file, or create it.

        Args:
            path: The file; its directory is created if necessary.
            migrations: SQL scripts that lead from an empty file to today's schema. Append new ones, never edit old
                ones: a file that exists gets those that it lacks.

        Raises:
            PixelProofError: The file cannot be opened, is damaged or no database, or was written by a newer version.
        """
        self.path = Path(path)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._opening = threading.Lock()
        with self._translated():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._verify()
            self._migrate(migrations)

    def read(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """The rows of a query; columns are found by number and by name."""
        with self._translated():
            return self._connection().execute(sql, parameters).fetchall()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed at the end of the block, rolled back if the block raises.

        When the block has ended without an error, its changes are on the disk.
        """
        with self._translated():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")  # a deferred transaction could fail half-way, at its first write
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # some errors, such as a full disk, have rolled back already
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close all connections; call it when no thread uses the database any more."""
        with self._opening:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
            self._local = threading.local()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            # Transactions are ours alone (isolation_level None); `close` runs in another thread than the work.
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            register(connection)
            with self._opening:
                self._connections.append(connection)
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            if mode != "wal":
                raise PixelProofError(f"{self.path} cannot use write-ahead logging here: put it on a local disk.")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA foreign_keys=ON")
            self._local.connection = connection
        return connection

    def _verify(self) -> None:
        """Raise if the file has checksums and does not match them."""
        try:
            connection = self._connection()
            problem = next(damage(connection), None) if has_checksums(connection) else None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            busy = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)
            if getattr(error, "sqlite_errorcode", None) in (*busy, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOTADB):
                raise
            problem = str(error)
        if problem:
            raise PixelProofError(f"{self.path} is damaged ({problem}): restore it from a backup.")

    def _migrate(self, migrations: Sequence[str]) -> None:
        with self.write() as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > len(migrations):
                raise PixelProofError(f"{self.path} was written by a newer version of PixelProof: update PixelProof.")
            for script in migrations[version:]:
                for statement in _statements(script):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={len(migrations)}")
            if version < len(migrations) or not has_checksums(connection):
                add_checksums(connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Errors of the file and the disk as messages; errors of a statement are bugs, and stay what they are."""
        try:
            yield
        except OSError as error:
            raise PixelProofError(f"Cannot open {self.path} ({error.strerror}): choose another path.") from error
        except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
            raise
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # SQL that does not parse, a missing table
                raise
            raise PixelProofError(
                f"Cannot use {self.path} ({error}): everything written before is safe; free some disk space, allow "
                "writing there, or stop the other program that uses it."
            ) from error
        except sqlite3.DatabaseError as error:
            raise PixelProofError(f"{self.path} is no usable database ({error}): restore it from a backup.") from error


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
