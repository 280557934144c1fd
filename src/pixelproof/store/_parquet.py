"""Reading of Parquet files: every byte is verified before any value is returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pixelproof.contract import PixelProofError

from ._damage import DamagedFile
from ._sealed import Damage, verify


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose checksums are right.

    Raises:
        DamagedFile: The file is damaged, has no checksums, or is not Parquet.
        PixelProofError: The file was deleted, or may not be read.
    """
    try:
        verify(path)
        with pq.ParquetFile(path) as file:
            yield file
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
    """A whole table, or some of its columns; raises as `open_parquet` does."""
    with open_parquet(path) as file:
        return file.read(columns=None if columns is None else list(columns))
