import os
import signal
import sys

import pytest
from hypothesis import settings

from browsers import browser  # noqa: F401
from pixelproof.pixels import compile_first

# Programs that a script starts in the background ignore SIGINT, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start several hundred interpreters; without bytecode, each compiles all that it imports, for three seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Tests are about the compiled loops, too, from the first call on.
compile_first()

# How long an example takes depends on what else the machine does, and says nothing about correctness.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Write the mark of an attack to the test's report, from which benchmarks/attacks.py makes a row of its table."""
    if mark := item.get_closest_marker("attack"):
        item.user_properties += [("attack", mark.args[0]), ("loss", mark.kwargs.get("lost", "nothing"))]
