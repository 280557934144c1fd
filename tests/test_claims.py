"""Pages about the claims of papers: versions of benches, tables from committed rows, and their length."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pixelproof.benches import available, get_bench

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs" / "claims").glob("*.md"))

pytestmark = pytest.mark.skipif(not PAGES, reason="the documentation is not here")


def versions(text):
    """Every bench that a page names with a version."""
    return [(name, version) for name, version in re.findall(r"`(\w+)` (\d+\.\d+)", text) if name in available()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_the_versions_of_the_code(page):
    named = versions(page.read_text("utf-8"))
    assert named, "a page says which version of a bench it is about"
    assert {(name, get_bench(name).version) for name, _ in named} == set(named)


def test_another_version_would_be_noticed():
    assert versions("`arena` 1.7 and `nothing` 2.0") == [("arena", "1.7")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_sixty_lines_at_most(page):
    assert len(page.read_text("utf-8").splitlines()) <= 60


def test_every_page_is_listed():
    listed = (ROOT / "docs" / "claims" / "README.md").read_text("utf-8")
    assert all(f"({page.name}" in listed for page in PAGES if page.name != "README.md")


@pytest.mark.slow
@pytest.mark.parametrize("name", [page.stem for page in PAGES if page.name != "README.md"])
def test_the_tables_are_those_of_the_committed_rows(name):
    printed = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "claims.py", name], capture_output=True, text=True, check=True
    )
    page = (ROOT / "docs" / "claims" / f"{name}.md").read_text("utf-8")
    rows = [line for line in printed.stdout.splitlines() if line]
    assert rows and all(line in page.splitlines() for line in rows)
