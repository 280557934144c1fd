import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import collecting
import portable_blas  # noqa: F401
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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", default="1/1", metavar="K/N", help="run the tests of the K-th share of N of all files")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(collecting)


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
        facts = {
            "attack": mark.args[0],
            "loss": mark.kwargs.get("lost", "nothing"),
            "before": mark.kwargs.get("before", ""),
        }
        item.user_properties += facts.items()
