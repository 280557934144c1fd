"""What stays: blobs by content, keyed tables that survive kill -9, atomic files, locks; and who does the work."""

from ._blobs import BlobStore
from ._digest import digest
from ._executors import Executor, executor
from ._files import plain, write_json, write_parquet
from ._lock import Lock
from ._records import Records

__all__ = ["BlobStore", "Executor", "Lock", "Records", "digest", "executor", "plain", "write_json", "write_parquet"]
