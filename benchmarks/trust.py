"""Simulations behind every claim that PixelProof makes about its own numbers: the tables of docs/methods.

    python benchmarks/trust.py                     all simulations; exits with 1 if a claim fails
    python benchmarks/trust.py --scale 0.1         a tenth of the repetitions
    python benchmarks/trust.py --only calibrated   the sections whose page or heading contains a word
    python benchmarks/trust.py --write             write the sections that were made into their pages
    python benchmarks/trust.py --check             simulate nothing; exits with 1 if a page lacks a section

Cells are independent streams of one seed, so any of them can be made again alone.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import time
from pathlib import Path

import trust_channels
import trust_contamination
import trust_correlations
import trust_drawings
import trust_floors
import trust_gate
import trust_intervals
import trust_language
import trust_masks
import trust_recolouring
import trust_spatial
import trust_understanding
from trust_tables import Section

MODULES = {
    "channels": (trust_channels, trust_masks),
    "contamination": (trust_contamination, trust_recolouring),
    "floors": (trust_floors,),
    "drawings": (trust_drawings,),
    "language": (trust_language,),
    "correlations": (trust_correlations,),
    "spatial": (trust_spatial, trust_understanding),
}
"""Page → modules with a TITLE and `section(scale, pool)`, which returns the text and the claims that failed."""
PAGES: dict[str, tuple[Section, ...]] = {
    "intervals": trust_intervals.SECTIONS,
    "gate": trust_gate.SECTIONS,
    **{page: tuple(Section(module.TITLE, module.section) for module in MODULES[page]) for page in MODULES},
}
METHODS = Path(__file__).parents[1] / "docs" / "methods"
START, END = "<!-- figures: made by make trust -->", "<!-- end of figures -->"


def main() -> int:
    """Run the simulations, print the tables, check the claims."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the repetitions")
    parser.add_argument("--only", default="", help="run the sections whose page or heading contains this")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--write", action="store_true", help="write the sections that were made into docs/methods")
    parser.add_argument("--check", action="store_true", help="compare the headings of docs/methods with the sections")
    arguments = parser.parse_args()
    if arguments.check:
        problems = check()
        print("\n".join(problems) or "All pages have their sections.")
        return 1 if problems else 0
    names = {f"{page}: {section.title}": (page, section) for page, sections in PAGES.items() for section in sections}
    chosen = [names[name] for name in names if arguments.only.lower() in name.lower()]
    if not chosen:
        parser.error(f"No page or heading contains {arguments.only!r}; there are: {'; '.join(names)}")
    started = time.perf_counter()
    failed: list[str] = []
    with multiprocessing.Pool(arguments.processes) as pool:
        for page, section in chosen:
            text, broken = section.make(arguments.scale, pool)
            failed += broken
            print(f"## {section.title}\n\n{text}\n\n[{time.perf_counter() - started:.0f} s]\n", flush=True)
            if arguments.write:
                write(page, section.title, text)
    print(f"{time.perf_counter() - started:.0f} s on {arguments.processes} processes.")
    for claim in failed:
        print(f"FAILED {claim}")
    return 1 if failed else 0


def read(page: str) -> tuple[str, dict[str, str], str]:
    """The text before the figures of a page, its sections by heading, and the text after them."""
    before, rest = (METHODS / f"{page}.md").read_text("utf-8").split(START)
    figures, after = rest.split(END)
    parts = re.split(r"^## (.*)\n", figures, flags=re.MULTILINE)
    return before, dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True)), after


def write(page: str, title: str, text: str) -> None:
    """Replace the text of one section of a page; the others stay, in the order of PAGES."""
    before, texts, after = read(page)
    texts[title] = text.strip()
    kept = (f"## {name}\n\n{texts[name]}\n" for name, _ in PAGES[page] if name in texts)
    (METHODS / f"{page}.md").write_text(before + START + "\n\n" + "\n".join(kept) + "\n" + END + after, "utf-8")


def check() -> list[str]:
    """Pages without the markers, and pages whose headings are not those of PAGES."""
    problems = []
    for page, sections in PAGES.items():
        try:
            headings = list(read(page)[1])
        except (OSError, ValueError) as error:
            problems.append(f"{page}.md has not exactly one pair of markers: {error}")
            continue
        expected = [section.title for section in sections]
        if headings != expected:
            problems.append(f"{page}.md has the sections {headings}, not {expected}")
    return problems


if __name__ == "__main__":
    raise SystemExit(main())
