"""The hashed requirements: every dependency in an allowed version, with hashes and without addresses."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "requirements"
SETS = ("core", "all", "dev", "smollm2")


def pinned(name):
    """Package → its pinned versions, one per marker."""
    lines = re.findall(r"^([a-z0-9._-]+)==([^\s;]+)", (FOLDER / f"{name}.txt").read_text(), re.MULTILINE)
    versions = {}
    for package, version in lines:
        versions.setdefault(package, set()).add(version)
    return versions


def required(extra):
    """The requirements of the core, or of an extra with all extras that it names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = [Requirement(text) for text in project["dependencies"]]
    extras = [extra] if extra != "core" else []
    while extras:
        for text in project["optional-dependencies"][extras.pop()]:
            requirement = Requirement(text)
            if requirement.name == "pixelproof":
                extras += requirement.extras
            else:
                found.append(requirement)
    return found


@pytest.mark.parametrize("name", ["core", "all", "dev"])
def test_every_dependency_is_pinned_to_an_allowed_version(name):
    versions = pinned(name)
    for requirement in required(name):
        assert requirement.name in versions, f"{requirement.name} is missing: make lock"
        wrong = [v for v in versions[requirement.name] if not requirement.specifier.contains(v, prereleases=True)]
        assert not wrong, f"{requirement} does not allow {wrong}: make lock"


@pytest.mark.parametrize("name", SETS)
def test_every_pin_has_hashes_and_no_file_has_an_address(name):
    text = (FOLDER / f"{name}.txt").read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert all("--hash=sha256:" in entry and "==" in entry for entry in entries)
    assert "://" not in text and "--index" not in text and "--find-links" not in text
