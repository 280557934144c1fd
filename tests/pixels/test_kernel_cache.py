"""The disk cache of compiled functions follows every file that is compiled into them."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")

CALLER = """
from pixelproof.pixels import compiled
from {called} import OFFSET, inner

@compiled
def outer(x):
    return inner(x) + OFFSET
"""
CALLED = """
from pixelproof.pixels import compiled

OFFSET = {offset}

@compiled
def inner(x):
    return x * {factor}
"""


def write(folder: Path, name: str, factor: int, offset: int) -> None:
    """Two modules; files written again keep their length and their time."""
    for file, text in (
        (f"{name}_outer.py", CALLER.format(called=f"{name}_inner")),
        (f"{name}_inner.py", CALLED.format(factor=factor, offset=offset)),
    ):
        (folder / file).write_text(text)
        os.utime(folder / file, (1_700_000_000, 1_700_000_000))


def stamp_of(folder: Path, name: str, factor: int, offset: int, monkeypatch) -> str:
    from pixelproof.pixels._kernel_cache import _content, source_stamp

    write(folder, name, factor, offset)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    _content.cache_clear()
    for module in (f"{name}_outer", f"{name}_inner"):
        sys.modules.pop(module, None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return source_stamp(importlib.import_module(f"{name}_outer").outer.py_func)


def test_the_stamp_changes_with_what_is_called_in_another_file(tmp_path, monkeypatch):
    first = stamp_of(tmp_path, "callee", 2, 1, monkeypatch)
    assert stamp_of(tmp_path, "callee", 2, 1, monkeypatch) == first
    assert stamp_of(tmp_path, "callee", 3, 1, monkeypatch) != first


def test_the_stamp_changes_with_a_constant_of_another_file(tmp_path, monkeypatch):
    assert stamp_of(tmp_path, "constant", 2, 1, monkeypatch) != stamp_of(tmp_path, "constant", 2, 5, monkeypatch)


@pytest.mark.slow
def test_no_stale_machine_code_is_run_after_a_change_in_another_file(tmp_path):
    code = (
        "import kernels_outer as k; from pixelproof.pixels import is_compiled; print(is_compiled(k.outer), k.outer(10))"
    )
    for factor, expected in ((2, "False 21"), (2, "True 21"), (3, "False 31")):
        write(tmp_path, "kernels", factor, 1)
        env = {**os.environ, "PYTHONPATH": "."}
        said = subprocess.check_output([sys.executable, "-B", "-c", code], text=True, cwd=tmp_path, env=env)
        assert said.strip() == expected


@pytest.mark.slow
def test_the_first_use_says_that_it_compiles_and_the_second_says_nothing(tmp_path, monkeypatch, caplog):
    from pixelproof.pixels import kernels
    from pixelproof.pixels._compiled import _announce

    _announce.cache_clear()
    write(tmp_path, "said", 2, 1)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    module = kernels("said_outer")
    assert "Compiling loops over pixels" in caplog.text
    assert module.outer(10) == 21
    caplog.clear()
    kernels("said_outer")
    assert not caplog.text
