"""The soak tests, and the table of docs/methods/attacks.md, which they make.

    python benchmarks/attacks.py                  all soak tests and attacks; exits with 1 if one fails
    python benchmarks/attacks.py --only kill      those whose name contains a word; other rows stay as they are
    python benchmarks/attacks.py --write          put the table into docs/methods/attacks.md

A test joins the table by its mark, and says how often it attacked:

    @pytest.mark.attack("kill -9 while rows are written", lost="{lost} rows in flight")
    def test_kill_again_and_again(tmp_path, record_property):
        record_property("tries", 50)
        record_property("lost", 3)

Tests with the same title are one row: their tries (1 per test if it records none) and their losses add up. `lost` is
what the test permits, with `{lost}` for the number; the default is "nothing". PIXELPROOF_SOAK sets the number of tries.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "methods" / "attacks.md"
START, END = "<!-- attacks: made by make soak -->", "<!-- end of attacks -->"


@dataclass
class Row:
    """An attack, summed over its tests."""

    title: str
    loss: str
    """What may be lost; `{lost}` stands for the number."""
    tries: int = 0
    lost: int = 0
    failed: int = 0
    """Tests that failed: something else was lost."""

    def cells(self) -> tuple[str, str, str]:
        """Attack, tries, what was lost."""
        lost = self.loss.format(lost=f"{self.lost:,}")
        return self.title, f"{self.tries:,}", f"**{self.failed} tests failed**" if self.failed else lost


def read_rows(report: Path) -> list[Row]:
    """The rows of a JUnit report, in the order of the tests; skipped tests do not count."""
    rows: dict[str, Row] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        properties = list(_properties(case))
        facts = dict(properties)
        if "attack" not in facts or case.find("skipped") is not None:
            continue
        row = rows.setdefault(facts["attack"], Row(facts["attack"], facts["loss"]))
        tries = [int(value) for name, value in properties if name == "tries"]
        row.tries += sum(tries) if tries else 1
        row.lost += sum(int(value) for name, value in properties if name == "lost")
        row.failed += case.find("failure") is not None or case.find("error") is not None
    return list(rows.values())


def _properties(case: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for entry in case.iter("property"):
        yield entry.attrib["name"], entry.attrib["value"]


def table(rows: Iterable[Row]) -> str:
    """The table in Markdown."""
    lines = ["| attack | tries | what was lost |", "| - | -: | - |"]
    return "\n".join([*lines, *(f"| {' | '.join(row.cells())} |" for row in rows)])


def main() -> int:
    """Run the tests, print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tests whose name contains this (pytest's -k)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/methods/attacks.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-m", "soak or attack", f"--junitxml={report}", "tests"]
        os.environ.setdefault("PIXELPROOF_SOAK", "50")
        code = subprocess.run([*command, *(["-k", arguments.only] if arguments.only else [])], cwd=ROOT).returncode
        rows = read_rows(report) if report.exists() else []
    print(table(rows))
    if arguments.write and code == 0:
        before, _, rest = PAGE.read_text().partition(START)
        old, _, after = rest.partition(END)
        text = merged(old, table(rows)) if arguments.only else table(rows)
        PAGE.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}")
    return code


def merged(old: str, new: str) -> str:
    """The rows of an older table with those of a new one in their place; further rows follow."""
    rows = {line.split(" | ")[0]: line for line in [*old.splitlines(), *new.splitlines()] if line.startswith("|")}
    return "\n".join(rows.values())


if __name__ == "__main__":
    sys.exit(main())
