"""What a perfect mask scores once it has come through soft edges and JPEG, by palette, decoder and protocol.

    python benchmarks/arena_audit.py                     faces, mosaics, world scenes and collages
    python benchmarks/arena_audit.py --coco DIR          real masks of COCO panoptic val2017, too
    python benchmarks/arena_audit.py --coco-colours FILE colours of COCO, if neither DIR nor the asset has them

Nothing here looks at a model: every loss is the instrument's own. The tables of docs/benches/arena-palettes.md are its
output. CPU-minutes: about four.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from pixelproof.benches.arena.palettes import FACES, design, geometry, mosaic, permuted
from pixelproof.benches.arena.sources import official_colours, open_source
from pixelproof.metrics import SegmentationCounts, pixelarena, robust
from pixelproof.pixels import DECODERS, VOID, ImageChannel, Palette, read_image
from pixelproof.stats import generator

Labels = npt.NDArray[np.uint8]
SIDE = 1024
SQUARES = (3, 4, 5, 6, 8)


def face(index: int, parts: int, side: int = SIDE) -> Labels:
    """A face of ellipses in the 19 labels: 16 of them, or the 11 without ears, ring, mouth and neck."""
    draw = generator(0, "face", index)
    image = Image.new("L", (side, side), 0)
    pen = ImageDraw.Draw(image)
    x, y = draw.uniform(0.45, 0.55), draw.uniform(0.46, 0.54)
    wide, high = draw.uniform(0.17, 0.23), draw.uniform(0.24, 0.30)

    def oval(label: str, across: float, down: float, width: float, height: float) -> None:
        box = [x + across - width, y + down - height, x + across + width, y + down + height]
        pen.ellipse([value * side for value in box], fill=FACES.index(label))

    oval("hair", 0, -0.08, wide * 1.35, high * 1.2)
    oval("cloth", 0, high * 2.1, wide * 2.2, high)
    oval("neck", 0, high * 1.05, wide * 0.5, high * 0.4)
    if parts == 16:
        for label, place in (("right_ear", -wide), ("left_ear", wide)):
            oval(label, place, 0.01, 0.03, 0.055)
        oval("ear_ring", wide + 0.01, 0.08, 0.008, 0.016)
    oval("skin", 0, 0, wide, high)
    for side_name, place in (("right", -0.45), ("left", 0.45)):
        oval(f"{side_name}_eyebrow", wide * place, -high * 0.36, wide * 0.26, 0.011)
        oval(f"{side_name}_eye", wide * place, -high * 0.2, wide * 0.18, 0.017)
    oval("nose", 0, high * 0.08, wide * 0.16, high * 0.2)
    oval("upper_lip", 0, high * 0.46, wide * 0.34, 0.018)
    oval("lower_lip", 0, high * 0.46 + 0.016, wide * 0.32, 0.02)
    if parts == 16:
        oval("mouth", 0, high * 0.46 + 0.006, wide * 0.26, 0.007)
        return np.asarray(image)
    found = np.asarray(image).copy()
    found[found == FACES.index("neck")] = FACES.index("skin")
    return found


def dealt(labels: Labels, offered: int, index: int) -> Labels:
    """The same regions under random labels of a larger palette; the first label, the background, stays the first."""
    table = np.full(256, VOID, np.uint8)
    used = np.setdiff1d(np.unique(labels), [0, VOID])
    table[0] = 0
    table[used] = 1 + generator(0, f"dealt/{offered}", index).permutation(offered - 1)[: len(used)]
    return table[labels]


def scenes(name: str, count: int, data: Path | None = None) -> list[Labels]:
    """Label maps of a source, in the indices of its own palettes."""
    source = open_source(name, data)
    return [labels for case in islice(source.cases(1), count) if (labels := source.load(case).labels) is not None]


def like_coco() -> Palette:
    """134 random colours with the least distance of COCO's, for want of COCO's own."""
    draw, colours = generator(0, "like-coco"), [(0, 0, 0)]
    while len(colours) < 134:
        colour = draw.integers(0, 256, 3)
        if min(np.sqrt(((np.array(colours) - colour) ** 2).sum(-1))) >= 19.4:
            colours.append((int(colour[0]), int(colour[1]), int(colour[2])))
    return Palette(tuple(f"class {place}" for place in range(134)), tuple(colours))


def coco_palette(colours: Mapping[str, tuple[int, int, int]]) -> Palette:
    return Palette(("other", *colours), ((0, 0, 0), *colours.values()))


def scores(maps: list[Labels], palette: Palette) -> Iterator[tuple[str, float, float, float]]:
    """Decoder, mean macro F1 by the published protocol, by the robust one, and labels invented per picture."""
    pictures = [read_image(ImageChannel().send(palette.paint(labels))) for labels in maps]
    for name, decoder in DECODERS.items():
        counts = [
            SegmentationCounts.of(decoder.decode(rgb, palette).labels, labels, len(palette))
            for rgb, labels in zip(pictures, maps, strict=True)
        ]
        invented = [int(((one.predicted > 0) & (one.actual == 0)).sum()) for one in counts]
        yield (
            name,
            float(np.mean([pixelarena(one)["f1"] for one in counts])),
            float(np.mean([robust(one)["f1"] for one in counts])),
            float(np.mean(invented)),
        )


def table(kinds: Mapping[str, tuple[list[Labels], Palette]]) -> None:
    """One line per kind of mask and palette, one column per decoder: pixelarena / robust."""
    print("| masks | palette | " + " | ".join(DECODERS) + " | invented by nearest |")
    print("| --- | --- |" + " --- |" * (len(DECODERS) + 1))
    for name, (maps, palette) in kinds.items():
        masks, _, colours = name.partition(" | ")
        found = list(scores(maps, palette))
        cells = " | ".join(f"{published:.3f} / {sturdy:.3f}" for _, published, sturdy, _ in found)
        print(f"| {masks} | {colours} | {cells} | {found[0][3]:.1f} |", flush=True)


def shuffles(maps: list[Labels], times: int = 40) -> str:
    """What dealing out the 19 colours anew does to a perfect mask."""
    nearest = DECODERS["nearest"]

    def ceiling(palette: Palette) -> float:
        found = []
        for labels in maps:
            seen = nearest.decode(read_image(ImageChannel().send(palette.paint(labels))), palette).labels
            found.append(pixelarena(SegmentationCounts.of(seen, labels, len(palette)))["f1"])
        return float(np.mean(found))

    standard, others = ceiling(FACES), np.array([ceiling(permuted(FACES, seed)) for seed in range(times)])
    return (
        f"| {standard:.3f} | {others.mean():.3f} | {others.std(ddof=1):.3f} | {others.min():.3f}–{others.max():.3f} "
        f"| {(others > standard).mean():.0%} | {others.mean() / standard - 1:+.0%} |"
    )


def squares(palettes: Mapping[str, Palette], trials: int = 96) -> None:
    """Small painted squares beside an edge: how many of them, by at least half of their pixels, decoding keeps."""
    channels = {"lossless": None, "soft edges, lossless": ImageChannel(0.7, None), "soft edges, JPEG": ImageChannel()}
    print("| palette | channel | " + " | ".join(f"{side} × {side}" for side in SQUARES) + " |")
    print("| --- | --- |" + " --- |" * len(SQUARES))
    for name, palette in palettes.items():
        for channel, image_channel in channels.items():
            cells = []
            for side in SQUARES:
                draw, kept = generator(0, f"squares/{side}", 0), np.zeros(2, int)
                for trial in range(trials):
                    ground, beside, label = draw.permutation(len(palette))[:3].tolist()
                    truth = np.full((56, 56), ground, np.uint8)
                    truth[:, 36:] = beside
                    y, x = 16 + trial % 8, 12 + int(draw.integers(16))
                    here = slice(y, y + side), slice(x, x + side)
                    truth[here] = label
                    rgb = palette.paint(truth)
                    rgb = rgb if image_channel is None else read_image(image_channel.send(rgb))
                    labels = [DECODERS[decoder].decode(rgb, palette).labels[here] for decoder in ("nearest", "robust")]
                    kept += [2 * int((found == label).sum()) >= found.size for found in labels]
                cells.append(f"{kept[0]} / {kept[1]}")
            print(f"| {name} | {channel} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coco", type=Path, help="COCO in its official layout")
    parser.add_argument("--coco-colours", type=Path, help="panoptic_coco_categories.json")
    parser.add_argument("--count", type=int, default=8, help="pictures per kind")
    asked = parser.parse_args()
    file = asked.coco_colours or (asked.coco and asked.coco / "annotations/panoptic_coco_categories.json")
    own = official_colours(file)
    coco, coco_name = (coco_palette(own), "COCO's 134") if own else (like_coco(), "134 like COCO's")
    nineteen, many = design(FACES.labels), design(coco.labels)

    print("| palette | least distance | pairs with a third label between | labels that lie between |")
    print("| --- | --- | --- | --- |")
    for name, palette in {"faces' 19": FACES, "designed 19": nineteen, coco_name: coco, "designed 134": many}.items():
        found = geometry(palette)
        print(f"| {name} | {found.least:.1f} | {found.crossed} of {found.pairs} | {found.thirds} |")
    print()

    squares({"faces' 19": FACES, coco_name: coco, "designed 134": many})
    print()

    kinds: dict[str, tuple[list[Labels], Palette]] = {}
    faces = {parts: [face(index, parts) for index in range(asked.count)] for parts in (16, 11)}
    for parts, maps in faces.items():
        kinds[f"faces, {parts} labels | faces' 19"] = maps, FACES
        kinds[f"faces, {parts} labels | designed 19"] = maps, nineteen
    for present in (4, 8, 14):
        maps = [mosaic(134, present, index, SIDE) for index in range(asked.count)]
        kinds[f"mosaics, {present} labels | {coco_name}"] = maps, coco
        kinds[f"mosaics, {present} labels | designed 134"] = maps, many
    for source, data in (("world", None), ("collage", None), ("coco", asked.coco)):
        if source == "coco" and data is None:
            continue
        maps = scenes(source, asked.count, data)
        offered = 1 + max(int(labels[labels != VOID].max()) for labels in maps)
        if offered <= 19:
            kinds[f"{source} | faces' 19"] = [dealt(one, 19, place) for place, one in enumerate(maps)], FACES
            kinds[f"{source} | designed 19"] = [dealt(one, 19, place) for place, one in enumerate(maps)], nineteen
            names = [f"label {place}" for place in range(offered)]
            kinds[f"{source} | designed {offered}"] = maps, design(names)
        kinds[f"{source} | {coco_name}"] = [dealt(one, 134, place) for place, one in enumerate(maps)], coco
        kinds[f"{source} | designed 134"] = [dealt(one, 134, place) for place, one in enumerate(maps)], many
    table(kinds)

    print("\n| faces | standard | mean of 40 shuffles | sd | range | better than standard | gain |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for parts, maps in faces.items():
        print(f"| {parts} labels {shuffles(maps[:2])}")


if __name__ == "__main__":
    main()
