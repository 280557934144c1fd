"""The tables of docs/claims, printed from committed rows or made again from scratch.

python benchmarks/claims.py pixelarena            print the tables from benchmarks/claims/pixelarena.csv
python benchmarks/claims.py pixelarena --again    make the rows first (about 80 CPU-seconds)

Rows are in benchmarks/claims, a file per page. Nothing here asks a model.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np

from arena_audit import FACES, SIDE, Labels, face, like_coco
from pixelproof.benches.arena.palettes import mosaic, permuted
from pixelproof.metrics import SegmentationCounts, pixelarena
from pixelproof.pixels import DECODERS, ImageChannel, Palette, read_image
from pixelproof.stats import mean_interval

Row = dict[str, str | int | float]
ROWS = Path(__file__).with_name("claims")
CHANNELS = {"soft edges": ImageChannel(0.7, None), "soft edges, JPEG": ImageChannel()}
"""A Gaussian of 0.7 pixels, alone or with JPEG of quality 90 and 4:2:0."""
PUBLISHED = {"faces": 0.708, "COCO": 0.269}
"""Data set → best macro F1 of a single answer, on the authors' page."""
MASKS, FACES_SHUFFLED, SHUFFLES = 24, 8, 40


def score(labels: Labels, palette: Palette, channel: ImageChannel) -> float:
    """Macro F1 by the published protocol of a perfect mask after a channel."""
    rgb = read_image(channel.send(palette.paint(labels)))
    found = DECODERS["nearest"].decode(rgb, palette).labels
    return pixelarena(SegmentationCounts.of(found, labels, len(palette)))["f1"]


def measure_pixelarena() -> Iterator[Row]:
    """Perfect masks in the published palettes, and faces in shuffled colours."""
    coco = like_coco()
    for index in range(MASKS):
        masks = {f"faces, {parts} labels": (face(index, parts), FACES) for parts in (16, 11)}
        masks |= {f"COCO, {present} labels": (mosaic(134, present, index, SIDE), coco) for present in (4, 8, 14)}
        for name, (labels, palette) in masks.items():
            for channel, image_channel in CHANNELS.items():
                f1 = score(labels, palette, image_channel)
                yield {"masks": name, "channel": channel, "index": index, "shuffle": "", "f1": round(f1, 4)}
    channel = "soft edges, JPEG"
    for parts, index, shuffle in product((16, 11), range(FACES_SHUFFLED), range(SHUFFLES)):
        f1, name = score(face(index, parts), permuted(FACES, shuffle), CHANNELS[channel]), f"faces, {parts} labels"
        yield {"masks": name, "channel": channel, "index": index, "shuffle": shuffle, "f1": round(f1, 4)}


def interval(values: list[float], sign: str = "") -> str:
    """A mean with its 95 % interval over masks."""
    estimate = mean_interval(values, None if sign else (0, 1))
    return f"{estimate.value:{sign}.2f} [{estimate.lo:{sign}.2f}, {estimate.hi:{sign}.2f}]"


def print_head(*names: str) -> None:
    """The head of a Markdown table."""
    print(f"| {' | '.join(names)} |\n|{' --- |' * len(names)}")


def print_pixelarena(rows: list[dict[str, str]]) -> None:
    """The two tables of docs/claims/pixelarena.md."""
    standard = {(row["masks"], row["channel"], row["index"]): float(row["f1"]) for row in rows if not row["shuffle"]}
    print_head("perfect masks", "published best of a model", *CHANNELS, "masks at or below the best", "n")
    for name in dict.fromkeys(name for name, _, _ in standard):
        best = PUBLISHED[name.partition(",")[0]]
        of = {channel: [f1 for (n, c, _), f1 in standard.items() if (n, c) == (name, channel)] for channel in CHANNELS}
        below = [f1 <= best for f1 in of["soft edges, JPEG"]]
        cells = " | ".join(interval(values) for values in of.values())
        print(f"| {name} | {best} | {cells} | {sum(below)} of {len(below)} | {len(below)} |")
    print()
    print_head("perfect faces", "gain of shuffled colours, mean", "5 % and 95 % of shuffles", "shuffles that gain", "n")
    for name in dict.fromkeys(row["masks"] for row in rows if row["shuffle"]):
        gains: dict[str, list[float]] = {}
        for row in rows:
            if row["shuffle"] and row["masks"] == name:
                before = standard[name, row["channel"], row["index"]]
                gains.setdefault(row["shuffle"], []).append(float(row["f1"]) / before - 1)
        of_face = np.array(list(gains.values())).mean(axis=0)
        of_shuffle = np.array(list(gains.values())).mean(axis=1)
        low, high = np.quantile(of_shuffle, (0.05, 0.95))
        more = f"{(of_shuffle > 0).sum()} of {len(of_shuffle)}"
        mean = interval(of_face.tolist(), "+")
        print(f"| {name} | {mean} | {low:+.2f}, {high:+.2f} | {more} | {len(of_face)} faces |")


CLAIMS: dict[str, tuple[Callable[[], Iterator[Row]], Callable[[list[dict[str, str]]], None]]] = {
    "pixelarena": (measure_pixelarena, print_pixelarena),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", choices=list(CLAIMS))
    parser.add_argument("--again", action="store_true", help="make the rows again before they are printed")
    asked = parser.parse_args()
    measure, print_tables = CLAIMS[asked.paper]
    path = ROWS / f"{asked.paper}.csv"
    if asked.again:
        rows = list(measure())
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    with path.open(newline="", encoding="utf-8") as file:
        print_tables(list(csv.DictReader(file)))


if __name__ == "__main__":
    main()
