"""An interpreter with the core alone: whatever only an extra installs cannot be imported, in child processes neither.

`core_environment` writes a `sitecustomize.py`, which every interpreter with this environment imports when it starts.
"""

from __future__ import annotations

import os
import re
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
BLOCK = """
import sys

class _Blocked:
    names = frozenset({names!r})

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {{name!r}}: it is not in the core", name=name)

sys.meta_path.insert(0, _Blocked())
"""
RUNNER = """
import contextlib, io, json, sys, traceback
from pixelproof.cli import main

if __name__ == "__main__":
    told = []
    for words in json.load(sys.stdin):
        out, err, code = io.StringIO(), io.StringIO(), 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(words)
            except SystemExit as end:
                code = end.code or 0
            except BaseException:
                code = traceback.format_exc()
        told.append([code, out.getvalue(), err.getvalue()])
    json.dump(told, sys.stdout)
"""


def blocked_modules() -> set[str]:
    """Top-level modules of all installed packages that the dependencies of the core do not bring."""
    core = _closure(_name(requirement) for requirement in PROJECT["dependencies"])
    found = packages_distributions()
    others = {module for module, owners in found.items() if not any(_normal(owner) in core for owner in owners)}
    return others | {"manifold3d"}  # its metadata name no module


def core_environment(folder: Path) -> dict[str, str]:
    """The environment of interpreters with the core alone; its files are written to a folder."""
    names = sorted(blocked_modules() - {"pixelproof", "_pixelproof", "_editable_impl_pixelproof"})
    (folder / "sitecustomize.py").write_text(BLOCK.format(names=names), "utf-8")
    (folder / "runner.py").write_text(RUNNER, "utf-8")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "PYTHONPATH": str(folder), "PIXELPROOF_CACHE": str(folder / "cache"), "COLUMNS": "200"}


def _closure(names: object) -> set[str]:
    wanted, known = list(names), set()  # type: ignore[call-overload]
    while wanted:
        name = wanted.pop()
        if name not in known:
            known.add(name)
            try:
                wanted += [_name(text) for text in requires(name) or () if "extra ==" not in text]
            except PackageNotFoundError:  # of another platform
                continue
    return known


def _name(requirement: str) -> str:
    return _normal(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])


def _normal(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()
