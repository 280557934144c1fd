"""Reading of Parquet files: every byte is verified before any value is returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pixelproof.contract import PixelProofError

from ._damage import DamagedFile
from ._sealed import Damage, verify


class VerifiedTable:
    """A table whose checksums are right; its columns are read as they are needed.

    Raises:
        DamagedFile: The file is damaged, has no checksums, or is not Parquet.
        PixelProofError: The file was deleted, or may not be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _explain_errors(path):
            verify(path)
            self._file = pq.ParquetFile(path)
        self.names: list[str] = self._file.schema_arrow.names

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The table, or some of its columns."""
        with _explain_errors(self._path):
            return self._file.read(columns=None if columns is None else list(columns))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose checksums are right; raises as `VerifiedTable` does."""
    with _explain_errors(path):
        verify(path)
        with pq.ParquetFile(path) as file:
            yield file


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    """Explain what is wrong with a file that cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise PixelProofError(
            f"The file {path} is missing, or was deleted while it was read: try again when its writer has finished, or "
            "restore it from a backup."
        ) from error
    except PermissionError as error:
        raise PixelProofError(f"Cannot read {path} ({error.strerror}): check its permissions.") from error
    except (Damage, pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise DamagedFile(path, str(error).partition("\n")[0]) from error


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """A whole table, or some of its columns; raises as `VerifiedTable` does."""
    with closing(VerifiedTable(path)) as table:
        return table.read(columns)
