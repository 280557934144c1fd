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

A fault in a score, a gate, money or a server says with `before` what it did when it was reported, and
may record what is measured now. Such rows are a table of their own:

    @pytest.mark.attack("one right mask of six", before="mean 1.00", lost="the worst end")
    def test_trust4_torn_files(record_property):
        record_property("now", "mean 0.17")
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
HEADERS = (
    ("| attack | tries | what was lost |", "| - | -: | - |"),
    ("| attack | tries | before | now |", "| - | -: | - | - |"),
)
"""Of attacks on what is kept, and of faults that reviewers reported."""


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
    before: str = ""
    """What the attack did when it was reported; empty for attacks on what is kept."""

    def cells(self) -> list[str]:
        """Attack, tries, what it did before if it was reported, what was lost or is measured now."""
        lost = f"**{self.failed} tests failed**" if self.failed else self.loss.format(lost=f"{self.lost:,}")
        return [self.title, f"{self.tries:,}", *([self.before] if self.before else []), lost]


def read_rows(report: Path) -> list[Row]:
    """The rows of a JUnit report, in the order of the tests; skipped tests do not count."""
    rows: dict[str, Row] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        properties = list(_properties(case))
        facts = dict(properties)
        if "attack" not in facts or case.find("skipped") is not None:
            continue
        row = rows.setdefault(facts["attack"], Row(facts["attack"], facts["loss"], before=facts.get("before", "")))
        row.loss = facts.get("now", row.loss)
        tries = [int(value) for name, value in properties if name == "tries"]
        row.tries += sum(tries) if tries else 1
        row.lost += sum(int(value) for name, value in properties if name == "lost")
        row.failed += case.find("failure") is not None or case.find("error") is not None
    return list(rows.values())


def _properties(case: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for entry in case.iter("property"):
        yield entry.attrib["name"], entry.attrib["value"]


def table(rows: Iterable[Row]) -> str:
    """The tables in Markdown: what was lost, then faults that were reported."""
    lines = {
        bool(row.before): list(HEADERS[bool(row.before)]) for row in sorted(rows, key=lambda row: bool(row.before))
    }
    for row in rows:
        lines[bool(row.before)].append(f"| {' | '.join(row.cells())} |")
    return "\n\n".join("\n".join(part) for part in lines.values())


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
    tables = []
    for header in HEADERS:
        lines = [
            line
            for text in (old, new)
            for part in text.split("\n\n")
            if header[0] in part
            for line in part.splitlines()
        ]
        tables.append("\n".join({line.split(" | ")[0]: line for line in lines if line.startswith("|")}.values()))
    return "\n\n".join(filter(None, tables))


if __name__ == "__main__":
    sys.exit(main())
