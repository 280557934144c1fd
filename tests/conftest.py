import gc
import os
import re
import signal
import sys
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from browsers import browser  # noqa: F401
from forks import AVAILABLE, fork_server
from pixelproof.pixels import compile_first

# Programs that a script starts in the background ignore SIGINT, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start several hundred interpreters; without bytecode, each compiles all that it imports, for three seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No power is cut while tests run, and synchronising costs milliseconds per file. What is synchronised, and when, is the
# matter of store/power.py, which records the calls; processes that tests start synchronise.
os.fsync = lambda descriptor: None

# Tests are about the compiled loops, too, from the first call on.
compile_first()

# How long an example takes depends on what else the machine does, and says nothing about correctness.
settings.register_profile("unhurried", deadline=None, max_examples=40)
settings.register_profile("soak", deadline=None)  # as many examples as Hypothesis proposes
settings.register_profile("quick", deadline=None, max_examples=10, database=None)  # `make check`
settings.load_profile("soak" if int(os.environ.get("PIXELPROOF_SOAK", "1")) > 1 else "unhurried")

TESTS = Path(__file__).parent
_ALL_SLOW = re.compile(r"^pytestmark = .*\bmark\.(slow|soak)\b", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", default="1/1", metavar="K/N", help="run the tests of the K-th share of N of all files")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import what has no test to run: support modules, and files of slow tests where only fast ones are wanted.

    Inspect AI, pandas and others take seconds to import, in each of the two processes of `make check`.
    """
    if collection_path.suffix != ".py":
        return None
    share, _, shares = config.option.share.partition("/")
    if shares != "1" and zlib.crc32(os.path.relpath(collection_path, TESTS).encode()) % int(shares) != int(share) - 1:
        return True
    if TESTS not in collection_path.parents:
        return None
    if not collection_path.name.startswith("test_"):
        return True  # doctests are in the package
    only_fast = config.option.markexpr == "not slow and not soak"
    return (only_fast and bool(_ALL_SLOW.search(collection_path.read_text("utf-8")))) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what collection imports, which stays: a full pass takes a third of a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all tests, and all workers, have in common: the same floors, ceilings and scenes are made once."""
    root = tmp_path_factory.getbasetemp()
    return (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "shared-cache"


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of `python` and `pixelproof`, which start quickly; with PIXELPROOF_FRESH=1 the installed ones."""
    if not AVAILABLE or os.environ.get("PIXELPROOF_FRESH"):
        yield Path(sys.executable).parent
        return
    with fork_server(tmp_path_factory.mktemp("forks")) as folder:
        yield folder


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Write the mark of an attack to the test's report, from which benchmarks/attacks.py makes a row of its table."""
    if mark := item.get_closest_marker("attack"):
        item.user_properties += [("attack", mark.args[0]), ("loss", mark.kwargs.get("lost", "nothing"))]
