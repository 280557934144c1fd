"""The code blocks of README, CONTRIBUTING and docs run, each in a fresh directory; all share a cache.

Their commands are forks of a process that has imported the package (tests/forks.py), or with PIXELPROOF_FRESH=1
interpreters of their own. `make docs-test` does the latter, runs all blocks, and lists those that are skipped, with
reasons. Directives: tests/markdown_blocks.py.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from markdown_blocks import PARSED, SKIP_REASONS, MarkdownError, commands, read_blocks, read_units

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TIMEOUT_S = 900
_KEYS = re.compile(r".*(_API_KEY|_BASE_URL|_TOKEN)$")

pytestmark = pytest.mark.skipif(not PAGES[-1].exists(), reason="the documentation is not here")


def _all():
    units, skipped = [], []
    for page in PAGES:
        of_page, skipped_of_page = read_units(page, ROOT)
        units += of_page
        skipped += skipped_of_page
    return units, skipped


try:
    UNITS, SKIPPED = _all()
    BAD = None
except MarkdownError as error:
    UNITS, SKIPPED, BAD = [], [], error


def environment(directory, cache, programs):
    """Ours without keys, with a home inside of the directory, and with this Python's commands first."""
    kept = {name: value for name, value in os.environ.items() if not _KEYS.match(name)}
    return kept | {
        "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PIXELPROOF_CACHE": str(cache),
        "HOME": str(directory / "home"),
        "PYTHONPATH": str(directory / "work"),
        "COLUMNS": "120",
    }


def _execute(program, script, environment, directory, exit_code, place):
    done = subprocess.run(
        [*program, script],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    said = f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert done.returncode == exit_code, f"{place}: exit code {done.returncode}, not {exit_code}\n{script}\n{said}"


def test_pages_can_be_read():
    assert BAD is None, str(BAD)
    assert len(UNITS) > 10


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_block(unit, tmp_path, shared_cache, programs):
    def execute(program, script, exit_code, place):
        variables = environment(tmp_path, shared_cache, programs)
        _execute(program, script, variables, tmp_path / "work", exit_code, place)

    for folder in ("work", "home"):
        (tmp_path / folder).mkdir()
    python = ""
    for position, block in enumerate(unit.blocks):
        if block.file:
            target = tmp_path / "work" / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.code + "\n", "utf-8")
        if block.language in PARSED:
            {"toml": tomllib.loads, "json": json.loads}[block.language](block.code)
        elif block.language == "python" and not block.file:
            python += f"{block.before}\n{block.code}\n"
            following = unit.blocks[position + 1 : position + 2]
            if not following or following[0].language != "python" or following[0].file:
                execute([programs / "python", "-c"], python, block.exit_code, block.place)
                python = ""
        elif block.language in ("console", "bash"):
            if block.before:
                execute(["bash", "-euo", "pipefail", "-c"], block.before, 0, block.place)
            if not block.file:
                execute(["bash", "-euo", "pipefail", "-c"], commands(block), block.exit_code, block.place)


@pytest.mark.slow
@pytest.mark.parametrize("block", SKIPPED, ids=lambda block: block.place)
def test_skipped(block):
    reason, _, detail = block.skip.partition(":")
    pytest.skip(f"{block.place} needs {SKIP_REASONS[reason]}{';' * bool(detail)}{detail}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        assert there.exists(), f"{target} does not exist"
        if anchor and there.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert anchor in anchors, f"{target}: no such heading"


def test_tables_are_not_broken_by_blank_lines():
    for page in PAGES:
        lines = page.read_text("utf-8").splitlines()
        for number, line in enumerate(lines[1:-1], start=1):
            if not line and lines[number - 1].startswith("|") and lines[number + 1].startswith("|"):
                assert re.fullmatch(r"[|: -]{3,}", lines[number + 2]), f"{page.name}:{number + 1} breaks a table"


def test_figures_of_the_promises_are_in_the_tables_of_the_methods():
    def figures(page):
        return set(re.findall(r"\d+\.\d+|\d{1,3}(?:,\d{3})+", page.read_text("utf-8")))

    tables = set().union(*map(figures, (ROOT / "docs" / "methods").glob("*.md")))
    promised = figures(ROOT / "docs" / "trust.md")
    assert promised and promised <= tables, f"not on a page of docs/methods: {sorted(promised - tables)}"


@pytest.mark.slow
def test_pages_of_the_methods_have_the_sections_of_their_script():
    command = [sys.executable, ROOT / "benchmarks" / "trust.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_page_of_the_methods_is_listed():
    folder = ROOT / "docs" / "methods"
    listed = re.findall(r"^(?:\| )?\[[\w ]+\]\(([\w-]+\.md)\)", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(["README.md", *listed]) == sorted(page.name for page in folder.iterdir())


@pytest.mark.slow
def test_pages_that_the_code_names_exist():
    files = [ROOT / "Makefile", ROOT / "pyproject.toml"]
    files += [path for folder in ("src", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    named = {(name, path) for path in files for name in re.findall(r"\bdocs/[\w/-]+\.md", path.read_text("utf-8"))}
    assert named and not [f"{path}: {name}" for name, path in named if not (ROOT / name).exists()]


def block_of(text):
    return read_blocks(text, "page.md")[0]


def test_directives():
    page = """
<!-- docs-test: before
mkdir a

touch a/b
-->
<!-- docs-test: exit 4 -->
<!-- docs-test: replace --n 1000 | --n 3 -->
```console
$ make --n 1000   # many
output
$ second \\
> line
```
"""
    block = block_of(page)
    assert block.before == "mkdir a\n\ntouch a/b\n" and block.exit_code == 4 and block.line == 9
    assert commands(block) == "make --n 3   # many\nsecond \\\nline"
    skipped = block_of("<!-- docs-test: skip needs-key: is paid for -->\n```bash\nx\n```\n")
    assert skipped.skip == "needs-key: is paid for"
    nested = block_of("- item:\n\n  ```csv\n  a,b\n  ```\n")
    assert nested.code == "a,b" and nested.language == "csv"


@pytest.mark.parametrize(
    "page",
    [
        "```\nno language\n```\n",
        "```cobol\nx\n```\n",
        "text\n\n    indented code\n",
        "<!-- docs-test: skip because -->\n```bash\nx\n```\n",
        "<!-- docs-test: dance -->\n```bash\nx\n```\n",
        "<!-- docs-test: replace a | b -->\n```bash\nx\n```\n",
        "<!-- docs-test: continue -->\ntext\n",
        "```bash\nnever closed\n",
    ],
)
def test_what_cannot_be_tested_is_refused(page):
    with pytest.raises(MarkdownError):
        read_blocks(page, "page.md")
