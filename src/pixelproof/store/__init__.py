"""Storage: blobs by content, tables that survive `kill -9`, reading of tables, atomic files, locks, assets."""

from ._assets import asset_folder, asset_path, find_on_disk, get_asset, trusted_asset, verify_asset
from ._blobs import BlobStore, LostReference
from ._cache import cache_root
from ._catalogue import Asset, Carrier, assets, find_asset
from ._damage import DamagedFile
from ._digest import digest
from ._executor import Executor
from ._executors import Cluster, Workers, executor, executor_for
from ._extras import MissingExtra, can_import, import_extra
from ._files import (
    StorageError,
    plain,
    read_sealed_json,
    replacing,
    sync_ancestors,
    write_json,
    write_parquet,
    write_sealed_json,
)
from ._frozen import FrozenSet, freeze
from ._inside import leaves_folder, require_inside
from ._journal import journal_damage, zeroed_reason, zeroed_tail
from ._lock import Lock, is_held
from ._parquet import VerifiedTable, read_parquet
from ._places import local_path, origin_of, place_of, view_problem, with_origins, writable
from ._progress import Progress, no_progress
from ._records import Records
from ._repair import Attic, FileRepair, repair_parquet, repair_table
from ._scrub import printable, refresh_secrets, register_secret, scrub
from ._sealed import seal_id
from ._tables import Columns, as_numbers, as_texts, read_jsonl, read_table, table_column
from ._urls import file_path, is_url, require_path

__all__ = [
    "Asset",
    "Attic",
    "BlobStore",
    "Carrier",
    "Cluster",
    "Columns",
    "DamagedFile",
    "Executor",
    "FileRepair",
    "FrozenSet",
    "Lock",
    "LostReference",
    "MissingExtra",
    "Progress",
    "Records",
    "StorageError",
    "VerifiedTable",
    "Workers",
    "as_numbers",
    "as_texts",
    "asset_folder",
    "asset_path",
    "assets",
    "cache_root",
    "can_import",
    "digest",
    "executor",
    "executor_for",
    "file_path",
    "find_asset",
    "find_on_disk",
    "freeze",
    "get_asset",
    "import_extra",
    "is_held",
    "is_url",
    "journal_damage",
    "leaves_folder",
    "local_path",
    "no_progress",
    "origin_of",
    "place_of",
    "plain",
    "printable",
    "read_jsonl",
    "read_parquet",
    "read_sealed_json",
    "read_table",
    "refresh_secrets",
    "register_secret",
    "repair_parquet",
    "repair_table",
    "replacing",
    "require_inside",
    "require_path",
    "scrub",
    "seal_id",
    "sync_ancestors",
    "table_column",
    "trusted_asset",
    "verify_asset",
    "view_problem",
    "with_origins",
    "writable",
    "write_json",
    "write_parquet",
    "write_sealed_json",
    "zeroed_reason",
    "zeroed_tail",
]
