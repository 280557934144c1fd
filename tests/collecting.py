"""Which files pytest imports: those with tests to run. A plug-in, as hooks of a conftest do not apply to src/."""

from __future__ import annotations

import gc
import os
import re
import zlib
from collections.abc import Generator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
_ALL_SLOW = re.compile(r"^pytestmark = .*\bmark\.(slow|soak)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import what has no test to run: files without tests, and of slow tests where only fast ones are wanted.

    Inspect AI, pandas and others take seconds to import, in each of the two processes of `make check`.
    """
    if collection_path.suffix != ".py":
        return None
    share, _, shares = config.option.share.partition("/")
    if shares != "1" and zlib.crc32(os.path.relpath(collection_path, TESTS).encode()) % int(shares) != int(share) - 1:
        return True
    if TESTS not in collection_path.parents:
        return ">>>" not in collection_path.read_text("utf-8") or None  # of the package, only doctests are run
    if not collection_path.name.startswith("test_"):
        return True
    only_fast = config.option.markexpr == "not slow and not soak"
    return (only_fast and bool(_ALL_SLOW.search(collection_path.read_text("utf-8")))) or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Do not look for doctests in files of tests."""
    collectors = yield
    return [part for part in collectors if type(part) is pytest.Module] if TESTS in file_path.parents else collectors


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what collection imports, which stays: a full pass takes a third of a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
