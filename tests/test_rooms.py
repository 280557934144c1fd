"""The rooms stand in an order, and a room imports only rooms above it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pixelproof

ROOT = Path(pixelproof.__file__).parent
ROOMS = [
    "contract", "pixels", "metrics", "stats", "store", "world", "tools", "nets", "benches", "models", "harness",
    "learn", "report", "cli",
]  # fmt: skip
# The order holds for `tools`, too, before there is such a folder.
ABOVE_ALL = {"_api", "__init__", "__main__"}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module or ""]
        found |= {name.split(".")[1] for name in names if name.startswith("pixelproof.") and name.count(".") >= 1}
    return found & set(ROOMS)


SOURCES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_upwards(path):
    room = room_of(path)
    if room in ABOVE_ALL:
        return
    assert room in ROOMS, f"{room} is not a room of the design"
    below = {name for name in imported_rooms(path) if ROOMS.index(name) > ROOMS.index(room)}
    assert not below, f"{room} must not import {below}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_inspect_has_one_door(path):
    if room_of(path) == "harness":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(name.split(".")[0] in ("inspect_ai", "torch") for name in names)


def test_every_room_is_found_by_the_test():
    rooms = {room_of(path) for path in SOURCES} - ABOVE_ALL
    assert rooms <= set(ROOMS)
    assert {"contract", "stats", "store", "harness", "cli"} <= rooms


def modules_after(code: str) -> set[str]:
    code += "; import sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_is_light():
    assert not modules_after("import pixelproof") & {"numpy", "pyarrow", "inspect_ai", "torch", "rich"}


def test_the_harness_does_without_inspect_and_torch():
    assert not modules_after("import pixelproof.harness, pixelproof.cli") & {"inspect_ai", "torch"}
