"""The source distribution has every tracked file, and the wheel every file of the package."""

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]


def tracked():
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return listed.stdout.split("\n")[:-1]


def test_the_source_distribution_is_complete():
    included = {name.strip("/") for name in BUILD["sdist"]["include"]} | {"pyproject.toml"}
    assert {name.split("/")[0] for name in tracked()} <= included
    assert "exclude" not in BUILD["sdist"]


def test_the_wheel_has_the_whole_package():
    assert BUILD["wheel"] == {"packages": ["src/pixelproof"]}, "no include or exclude, so data files are in"
    assert all(name.startswith("src/pixelproof/") for name in tracked() if name.startswith("src/"))
