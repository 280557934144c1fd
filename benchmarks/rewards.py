"""What cheats are paid on every bench with a reward: the table of docs/methods/rewards.md.

    python benchmarks/rewards.py --only pixelart           play one bench again
    python benchmarks/rewards.py --write                   write the table from all audits that there are

Audits are outputs of `pixelproof env audit BENCH --json`, kept in the folder of --keep.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "methods" / "rewards.md"
BEGIN, END = "<!-- begin -->", "<!-- end -->"
AUDITS = {
    "pixelart": ["pixelart", "--n", "200"],
    "agent": ["agent", "--n", "200"],
    "spatial, questions": ["spatial", "--task", "understanding", "--size", "128", "--quality", "draft", "--n", "200"],
    "arena": ["arena", "--detail", "lean", "--n", "8"],
    "spatial, edits": ["spatial", "--size", "64", "--quality", "draft", "--n", "12"],
}
CHEATS = ("one-answer", "format-only", "most-frequent", "words-only", "refuse", "copy", "delete", "look-everywhere")


def audit(name: str, folder: Path, again: bool) -> dict[str, Any] | None:
    """The audit of a name, from the folder or made again; None if there is none."""
    file = folder / f"{name.replace(', ', '-')}.json"
    if again:
        words = [sys.executable, "-m", "pixelproof", "env", "audit", *AUDITS[name], "--json"]
        file.write_text(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return json.loads(file.read_text()) if file.exists() else None


def rows(name: str, report: dict[str, Any]) -> list[str]:
    """A line per metric and strategy that is no floor."""
    lines = []
    for metric in dict.fromkeys(pay["metric"] for pay in report["payments"]):
        paid = {pay["strategy"]: pay for pay in report["payments"] if pay["metric"] == metric}
        floors = [pay for pay in paid.values() if pay["kind"] == "floor"]
        best = max(floors, key=lambda pay: pay["calibrated"])
        lines.append(f"| {name} | `{metric}` | {best['n']} | `{best['strategy']}` {best['exact']:.3f} | | |")
        for cheat in (paid[strategy] for strategy in paid if paid[strategy]["kind"] == "cheat"):
            interval = f"{cheat['lo']:+.3f} to {cheat['hi']:+.3f}"
            lines.append(
                f"| | | {cheat['n']} | {cheat['strategy']} {cheat['exact']:.3f} | {cheat['calibrated']:+.3f} "
                f"| {interval} |"
            )
    return lines


def main() -> None:
    """Make the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=tuple(AUDITS))
    parser.add_argument("--keep", type=Path, default=Path("runs/audits"))
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    chosen.keep.mkdir(parents=True, exist_ok=True)
    reports = {name: audit(name, chosen.keep, chosen.only == name) for name in AUDITS}
    head = [
        "| bench | metric | items | strategy, exact reward | calibrated | 95 % interval |",
        "| --- | --- | ---: | --- | ---: | --- |",
    ]
    table = "\n".join([*head, *(line for name, report in reports.items() if report for line in rows(name, report))])
    text = PAGE.read_text("utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    if chosen.write:
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")
    print(table)


if __name__ == "__main__":
    main()
