"""How exactly the scene of `spatial` is read from pixels: errors, faults told apart, abstentions, CPU time.

    python benchmarks/perception.py --seed 41 --scenes 2 --rows rows.jsonl      measure; continues where it stopped
    python benchmarks/perception.py --tables --rows rows.jsonl                  print the tables of what was measured

Answers are beauty renders at 512 × 512 as JPEG 90, unless their name says otherwise. Scenes of all kinds take turns,
and so do operations and channels: a measurement may be stopped at any time. Seeds 23, 41, 47 and 71 were used to
develop the method and to choose its thresholds; any other seed is held out.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from perception_cases import KINDS, SUITES, Case, cases
from pixelproof.benches.spatial.perception import Reading, read_outlines, read_scene
from pixelproof.benches.spatial.scores import score_edits
from pixelproof.pixels import compile_first
from pixelproof.stats import auc, risk_coverage
from pixelproof.world.edits import pivot
from pixelproof.world.solid import Scene

LIMITS = {"tabletop": 0.02, "room": 0.05, "shelf": 0.05}
READERS = {"render-and-compare": read_scene, "silhouette": read_outlines}
BASIN, WRONG, UNMOVED = 0.015, 0.1, 0.006
"""Metres within which a place is in the right basin; error of accuracy from which on a reading is wrong; metres within
which a thing has not moved."""
LEAST_VISIBLE = 40
"""Answers that show a named thing in fewer pixels, of 512 × 512, are counted apart: no picture tells where it is."""


def distance(one: Scene, other: Scene, id: str) -> float:
    """Metres between the places of a thing in two scenes; infinite if it is in one of them alone, 0 if in neither."""
    things = [[thing for thing in scene.things if thing.id == id] for scene in (one, other)]
    if not all(things):
        return 0.0 if not any(things) else math.inf
    return math.dist(pivot(things[0][0]), pivot(things[1][0]))


def is_told(case: Case, reading: Reading) -> bool | None:
    """Whether a fault was told apart from a correct edit; None for answers without a fault."""
    target = case.steps[0].target
    unmoved = distance(reading.scene, case.before, target) < UNMOVED
    nudge = math.dist(reading.scene.camera.position, case.after.camera.position)
    return {
        "wrong instance": unmoved and case.culprit in reading.changed,
        "camera nudged": unmoved and nudge < 0.01,
        "bystander moved": case.culprit in reading.changed and distance(reading.scene, case.after, target) < BASIN,
        "removed": all(thing.id != target for thing in reading.scene.things),
        "duplicated": target in reading.duplicated and unmoved,
        "repainted": unmoved and target in reading.repainted,
    }.get(case.name)


def measure(case: Case, reader: str) -> dict[str, Any]:
    """Read an answer, and compare with what is known."""
    start = time.process_time()
    reading = READERS[reader](case.before, case.picture, case.answer, case.steps)
    seconds = time.process_time() - start
    scores = [score_edits(case.steps, case.before, case.asked, scene) for scene in (reading.scene, case.after)]
    told = is_told(case, reading)
    return {
        "case": case.name,
        "metres": max((distance(reading.scene, case.after, id) for id in case.named), default=0.0),
        "visible": case.visible,
        "accuracy": scores[0].accuracy,
        "error": abs(scores[0].accuracy - scores[1].accuracy),
        "complied": scores[0].compliance,
        "doubts": list(reading.doubts),
        "confidence": 0.0 if reading.doubts else reading.confidence,
        "unexplained": reading.unexplained,
        "alarms": [*reading.changed, *reading.duplicated, *reading.repainted] if told is None else [],
        "told": told,
        "seconds": seconds,
    }


def run(given: argparse.Namespace) -> None:
    """Measure all answers that were not measured yet, and append a line for each."""
    known = {(row["suite"], row["kind"], row["seed"], row["index"], row["reader"]) for row in read_rows(given.rows)}
    compile_first()
    for index in range(given.first, given.first + given.scenes):
        for kind in given.kind or KINDS:
            for suite in given.suite or SUITES:
                if (suite, kind, given.seed, index, given.reader) in known:
                    continue
                where = {"suite": suite, "kind": kind, "seed": given.seed, "index": index, "reader": given.reader}
                rows = [where | measure(case, given.reader) for case in cases(suite, kind, given.seed, index)]
                with given.rows.open("a") as file:
                    file.writelines(json.dumps(row) + "\n" for row in rows)
                print(suite, kind, index, len(rows), flush=True)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; none if there is no such file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def table(title: str, rows: list[dict[str, Any]], groups: list[tuple[str, ...]]) -> None:
    """Errors of groups of answers: by kind of scene, or by name."""
    print(f"\n| {title} | n | abstained | median mm | 90 % mm | within 15 mm | sa within | alarms | CPU-s |")
    print("| --- |" + " ---: |" * 8)
    for group in groups:
        own = [row for row in rows if tuple(row[key] for key in ("kind", "case") if row[key] in group) == group]
        sure = [row for row in own if not row["doubts"]]
        if not sure:
            continue
        away = np.array([min(row["metres"], 9.999) for row in sure])
        exact = np.mean([row["error"] <= LIMITS[row["kind"]] for row in sure])
        print(
            f"| {', '.join(group)} | {len(own)} | {len(own) - len(sure)} | {1000 * np.median(away):.2f} | "
            f"{1000 * np.quantile(away, 0.9):.2f} | {np.mean(away < BASIN):.2f} | {exact:.2f} | "
            f"{sum(bool(row['alarms']) for row in own)} | {np.median([row['seconds'] for row in own]):.1f} |"
        )


def shares_table(rows: list[dict[str, Any]]) -> None:
    """Accuracy and compliance by the share of a move that was carried out."""
    print(
        "\n| share | expected sa | kind | n | mean sa | largest error | complied |\n| ---: | ---: | --- |"
        + " ---: |" * 4
    )
    for kind in KINDS:
        for name in dict.fromkeys(row["case"] for row in rows):
            own = [row for row in rows if row["kind"] == kind and row["case"] == name and not row["doubts"]]
            if own:
                values, errors = [row["accuracy"] for row in own], [row["error"] for row in own]
                expected, complied = max(0, 1 - abs(1 - float(name))), np.mean([row["complied"] for row in own])
                print(
                    f"| {name} | {expected:.2f} | {kind} | {len(own)} | {np.mean(values):.3f} | {max(errors):.3f} | "
                    f"{complied:.2f} |"
                )


def risk_table(rows: list[dict[str, Any]]) -> None:
    """Share of wrong readings among the most confident ones, by coverage; and areas."""
    wrong, confidence = np.array([row["error"] > WRONG for row in rows]), [row["confidence"] for row in rows]
    curve = risk_coverage(confidence, wrong)
    print(f"\n| coverage | wrong of {len(rows)} | confidence |\n| ---: | ---: | ---: |")
    for coverage in (0.5, 0.7, 0.8, 0.9, 0.95, 1.0):
        last = min(int(np.searchsorted(curve.coverage, coverage)), len(curve.coverage) - 1)
        print(f"| {curve.coverage[last]:.2f} | {curve.risk[last]:.3f} | {curve.thresholds[last]:.2f} |")
    sure = np.array([not row["doubts"] for row in rows])
    least = risk_coverage((~wrong).astype(float), wrong).area
    print(f"\nwith the rule for abstentions: coverage {sure.mean():.3f}, wrong {wrong[sure].mean():.3f}")
    print(f"area under the risk–coverage curve {curve.area:.4f} (best possible {least:.4f})")
    if 0 < wrong.sum() < len(wrong):
        area = auc(confidence, ~wrong, resamples=1).value
        print(f"area under the ROC curve of confidence for right readings {area:.3f}")


def tables(rows: list[dict[str, Any]], reader: str) -> None:
    """Print all tables; of answers in which a named thing is out of sight, only how they were read."""
    rows = [row for row in rows if row["reader"] == reader]
    unseen = [row for row in rows if row["visible"] < LEAST_VISIBLE]
    rows = [row for row in rows if row["visible"] >= LEAST_VISIBLE]
    doubted = sum(bool(row["doubts"]) for row in unseen)
    print(f"{len(unseen)} answers hide a named thing: {doubted} abstentions; the tables are of the other {len(rows)}")
    of = {suite: [row for row in rows if row["suite"] == suite] for suite in SUITES}
    table("edits", of["accuracy"] + of["shares"], [(kind,) for kind in KINDS])
    shares_table(of["shares"])
    names = list(dict.fromkeys(row["case"] for row in of["channels"]))
    table("channel", of["channels"], [(name,) for name in names])
    table("operation", of["operations"], [(name,) for name in dict.fromkeys(row["case"] for row in of["operations"])])
    print("\n| fault | n | told apart | complied | abstained | CPU-s |\n| --- |" + " ---: |" * 5)
    for name in dict.fromkeys(row["case"] for row in of["faults"]):
        own = [row for row in of["faults"] if row["case"] == name]
        told, complied = sum(row["told"] for row in own), sum(row["complied"] > 0 for row in own)
        doubted, seconds = sum(bool(row["doubts"]) for row in own), np.median([row["seconds"] for row in own])
        print(f"| {name} | {len(own)} | {told} | {complied} | {doubted} | {seconds:.1f} |")
    read = [row for suite in ("accuracy", "shares", "channels", "operations") for row in of[suite]]
    if read:
        risk_table(read)


def write_calibration(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the errors by reader and kind of scene, as the run card of `spatial` states them."""
    readers = {}
    for reader in READERS:
        kinds = {}
        for kind in KINDS:
            own = [row for row in rows if row["reader"] == reader and row["kind"] == kind]
            own = [row for row in own if row["suite"] in ("accuracy", "shares") and row["visible"] >= LEAST_VISIBLE]
            sure = [row for row in own if not row["doubts"]]
            if sure:
                kinds[kind] = {
                    "answers": len(own),
                    "abstained": len(own) - len(sure),
                    "median_mm": round(1000 * float(np.median([min(row["metres"], 9.999) for row in sure])), 3),
                    "right_place": round(float(np.mean([row["metres"] < BASIN for row in sure])), 4),
                    "accuracy_error": round(float(np.mean([row["error"] for row in sure])), 4),
                }
        if kinds:
            readers[reader] = {"seed": rows[0]["seed"], "kinds": kinds}
    path.write_text(json.dumps(readers, indent=1) + "\n")


def main() -> None:
    """Measure, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--scenes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--suite", choices=SUITES, action="append")
    parser.add_argument("--reader", choices=tuple(READERS), default="render-and-compare")
    parser.add_argument("--calibration", type=Path, help="write the errors to this file")
    given = parser.parse_args()
    if not given.tables:
        run(given)
    if given.calibration:
        write_calibration(read_rows(given.rows), given.calibration)
    tables(read_rows(given.rows), given.reader)


if __name__ == "__main__":
    main()
