"""How often `pixelproof rate` warns of honest and of careless raters, in simulated panels: a table of docs/rating.md.

    python benchmarks/rating.py                  200 panels of each size
    python benchmarks/rating.py --panels 20      a quick look

A panel has 8 honest raters (with a bias and a noise of their own, 2 to 6 s per answer), one who clicks at random at
their pace, one who always answers 3, and one honest rater who answers in half a second. All rate all images once, 10 %
of them twice, and 5 gold items whose right answers are 4 and 5.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from pixelproof.apps.rate import PRESETS, Counted, Study, StudyImage, StudyItem, rater_reports
from pixelproof.stats import generator

HONEST = [f"honest {number}" for number in range(8)]
OTHERS = ["random", "same", "fast"]
GOLD, REPEATS = 5, 0.1


def make_study(images: int) -> Study:
    """A study without files."""

    def item(name: str) -> StudyItem:
        return StudyItem((StudyImage(name, Path(), "0" * 64),))

    items = {f"i{k}": item(f"i{k}") for k in range(images)}
    gold = {f"g{k}": item(f"g{k}") for k in range(GOLD)}
    answers = {name: {"perception": frozenset({4, 5})} for name in gold}
    return Study(Path(), "simulated", (PRESETS["perception"],), items, gold, answers)


def simulate(study: Study, panel: int) -> list[Counted]:
    """The votes of one panel."""
    rng = generator(0, "rating panels", panel)
    truth = dict(zip(study.items, rng.uniform(1, 5, len(study.items)), strict=True)) | dict.fromkeys(study.gold, 4.8)
    shown = [*((name, "rated") for name in study.items), *((name, "gold") for name in study.gold)]
    again = list(study.items)[: int(REPEATS * len(study.items))]
    votes = []
    for rater in [*HONEST, *OTHERS]:
        bias, noise = rng.normal(0, 0.25), rng.uniform(0.4, 0.8)
        for name, role in [*shown, *((name, "repeat") for name in again)]:
            value = int(np.clip(np.rint(truth[name] + bias + noise * rng.normal()), 1, 5))
            value = {"random": int(rng.integers(1, 6)), "same": 3}.get(rater, value)
            seconds = 0.5 if rater == "fast" else float(rng.uniform(2, 6))
            votes.append(Counted(rater, name, role, "perception", value, False, seconds, 0.0))
    return votes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=200)
    panels = parser.parse_args().panels
    print("| images | honest | random | always the same | fast |\n| --: | --: | --: | --: | --: |")
    for images in (20, 50, 200):
        study, warned = make_study(images), Counter[str]()
        for panel in range(panels):
            for report in rater_reports(study, simulate(study, panel), [*HONEST, *OTHERS]):
                warned[report.name.split()[0]] += bool(report.warnings)
        shares = [warned["honest"] / len(HONEST), *(warned[name] for name in OTHERS)]
        print(f"| {images} | {' | '.join(f'{100 * share / panels:.1f} %' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
