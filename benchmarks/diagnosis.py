"""How well the audit and the registration tell faults of masks apart: tables of docs/benches/arena-diagnosis.md.

    python benchmarks/diagnosis.py             print the tables
    python benchmarks/diagnosis.py --write     put them into the page

Every answer is a mask with one known fault. CPU-minutes: about three.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from arena_audit import face, like_coco
from pixelproof.benches.arena.diagnosis import audit
from pixelproof.benches.arena.palettes import FACES, design
from pixelproof.benches.arena.sources import open_source
from pixelproof.metrics import register
from pixelproof.pixels import ImageChannel, Palette, read_image
from pixelproof.stats import generator

Labels = npt.NDArray[np.uint8]
Pixels = npt.NDArray[np.uint8]
PAGE = Path(__file__).parents[1] / "docs" / "benches" / "arena-diagnosis.md"
LEFT_AND_RIGHT = tuple(
    (FACES.index(f"left_{part}"), FACES.index(f"right_{part}")) for part in ("eye", "eyebrow", "ear")
)
SIDE = 512


@dataclass(frozen=True)
class Mask:
    """A label map, its palette and the photo that it belongs to."""

    labels: Labels
    palette: Palette
    photo: Pixels


def photograph(index: int, side: int = SIDE) -> Pixels:
    """A picture with detail at every scale."""
    draw = generator(0, "photograph", index)
    layers = [ndimage.zoom(draw.normal(size=(n, n, 3)), (side / n, side / n, 1), order=1) for n in (4, 16, 64, side)]
    weights = (40, 30, 20, 6)
    return to_levels(128 + sum(weight * layer for weight, layer in zip(weights, layers, strict=True)))


def to_levels(values: npt.NDArray[np.float64]) -> Pixels:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def drawn_scene(index: int, labels: int = 12, side: int = SIDE) -> Labels:
    """Two grounds and ten tilted ellipses and boxes."""
    draw = generator(0, "drawn", index)
    y, x = np.mgrid[:side, :side] / side
    scene = np.where(y > draw.uniform(0.45, 0.75), 1, 0).astype(np.uint8)
    for label in range(2, labels):
        (cy, cx), (a, b) = draw.uniform(0.15, 0.85, 2), draw.uniform(0.05, 0.16, 2)
        turn, power = draw.uniform(0, np.pi), draw.choice([2, 8])
        u, v = (x - cx) * np.cos(turn) + (y - cy) * np.sin(turn), (y - cy) * np.cos(turn) - (x - cx) * np.sin(turn)
        scene[np.abs(u / a) ** power + np.abs(v / b) ** power < 1] = label
    return scene


def world_masks(count: int) -> list[Mask]:
    """Segmentation masks of world scenes with their renders."""
    source = open_source("world", None)
    frames = ((case.palette, source.load(case)) for case in islice(source.cases(1), count))
    return [
        Mask(frame.labels, palette, frame.photo)
        for palette, frame in frames
        if frame.labels is not None and frame.photo is not None
    ]


def masks() -> list[Mask]:
    """Five faces, five drawn scenes in 12 designed colours, five in 134 random colours, five world scenes."""
    dense, designed = like_coco(), design(tuple(f"thing {i}" for i in range(12)))
    faces = [Mask(face(index, 16, SIDE), FACES, photograph(index)) for index in range(5)]
    drawn = [Mask(drawn_scene(index), designed, photograph(10 + index)) for index in range(5)]
    many = [Mask(drawn_scene(9 + i) * np.uint8(11), dense, photograph(20 + i)) for i in range(5)]
    return [*faces, *drawn, *many, *world_masks(5)]


# Faults of painting.


def with_lines(mask: Mask, colour: int, width: int) -> Pixels:
    picture = mask.palette.paint(mask.labels)
    picture[ndimage.maximum_filter(mask.labels, width) != ndimage.minimum_filter(mask.labels, width)] = colour
    return picture


def with_noise(mask: Mask, sigma: float) -> Pixels:
    return to_levels(mask.palette.paint(mask.labels) + generator(0, "noise").normal(0, sigma, mask.photo.shape))


def with_shading(mask: Mask, waves: float, least: float) -> Pixels:
    """Brightness that falls to `least` and returns `waves` times from top to bottom; 0: once, without a return."""
    y = np.linspace(0, 1, len(mask.labels))[:, None, None]
    depth = (1 - np.cos(2 * np.pi * waves * y)) / 2 if waves else y
    return to_levels(mask.palette.paint(mask.labels) * (1 - (1 - least) * depth))


def with_photo(mask: Mask, share: float) -> Pixels:
    return to_levels((1 - share) * mask.palette.paint(mask.labels) + share * mask.photo)


def with_detail(mask: Mask, share: float) -> Pixels:
    photo = mask.photo.astype(float)
    return to_levels(mask.palette.paint(mask.labels) + share * (photo - ndimage.gaussian_filter(photo, (8, 8, 0))))


def with_other_colours(mask: Mask) -> Pixels:
    draw = generator(0, "other colours")
    return draw.integers(0, 256, (256, 3), dtype=np.uint8)[mask.labels]


def with_absent_label(mask: Mask) -> Pixels | None:
    """A square of a label that is offered and absent; None where every label is present."""
    absent = np.setdiff1d(np.arange(len(mask.palette)), mask.labels)
    if not len(absent):
        return None
    labels, side = mask.labels.copy(), len(mask.labels)
    labels[side // 12 : side // 4, side // 12 : side // 4] = absent[-1]
    return mask.palette.paint(labels)


PAINTED: dict[str, Callable[[Mask], Pixels | None]] = {
    "none: the perfect mask": lambda mask: mask.palette.paint(mask.labels),
    "gain 0.94 and offset 12, 8, 4": lambda mask: to_levels(mask.palette.paint(mask.labels) * 0.94 + [12, 8, 4]),
    "black lines of 2 px": partial(with_lines, colour=0, width=2),
    "black lines of 4 px": partial(with_lines, colour=0, width=4),
    "white lines of 4 px": partial(with_lines, colour=255, width=4),
    "noise of 20 levels": partial(with_noise, sigma=20),
    "noise of 8 levels": partial(with_noise, sigma=8),
    "waves of shading, down to one half": partial(with_shading, waves=6, least=0.5),
    "slow shading from top to bottom, down to 0.6": partial(with_shading, waves=0, least=0.6),
    "30 % of the photo's fine detail added": partial(with_detail, share=0.3),
    "half photo, half mask": partial(with_photo, share=0.5),
    "the photo": lambda mask: mask.photo,
    "the photo in grey": lambda mask: to_levels(np.repeat(mask.photo.mean(axis=2, keepdims=True), 3, axis=2)),
    "another photo": lambda mask: photograph(99, len(mask.labels)),
    "random colours instead of the palette's": with_other_colours,
    "a square of a label that the truth lacks": with_absent_label,
    "one colour everywhere": lambda mask: np.full_like(mask.photo, 200),
}


def painting() -> Iterator[str]:
    """Per fault, how many masks raise each flag after the channel."""
    sample = masks()
    yield "| fault | masks | flags raised |"
    yield "| --- | --: | --- |"
    for name, paint in PAINTED.items():
        flags: Counter[str] = Counter()
        pictures = [(mask, picture) for mask in sample if (picture := paint(mask)) is not None]
        for mask, picture in pictures:
            answer = read_image(ImageChannel().send(picture))
            flags.update(audit(answer, mask.palette, mask.photo, mask.labels).flags.keys())
        raised = ", ".join(f"{flag} {count}" for flag, count in flags.most_common()) or "none"
        yield f"| {name} | {len(pictures)} | {raised} |"


# Faults of place.


def moved(labels: Labels, dx: float = 0.0, dy: float = 0.0, scale: float = 1.0) -> Labels:
    """Shifted by shares of the frame and scaled about the centre; the border is replicated."""
    centre, side = (len(labels) - 1) / 2, len(labels)
    offset = [centre - (centre + d * side) / scale for d in (dy, dx)]
    result: Labels = ndimage.affine_transform(labels, np.eye(2) / scale, offset, order=0, mode="nearest")
    return result


def swapped(labels: Labels, pairs: tuple[tuple[int, int], ...] = LEFT_AND_RIGHT) -> Labels:
    table = np.arange(256, dtype=np.uint8)
    for left, right in pairs:
        table[[left, right]] = right, left
    return table[labels]


def unsure(labels: Labels, index: int, amplitude: float) -> Labels:
    """Outlines wander; the standard deviation is `amplitude` of the frame."""
    draw, side = generator(0, "unsure", index), len(labels)
    field = [ndimage.zoom(draw.normal(size=(12, 12)), side / 12, order=3) * amplitude * side for _ in range(2)]
    grid = np.mgrid[:side, :side] + np.array(field)
    result: Labels = ndimage.map_coordinates(labels, grid, order=0, mode="nearest")
    return result


def poor(labels: Labels, index: int, share: float = 0.25) -> Labels:
    """Unsure outlines, and a quarter of the labels, but not the background, replaced by another label of the map."""
    draw, used = generator(0, "poor", index), np.unique(labels)
    table = np.arange(256, dtype=np.uint8)
    wrong = draw.choice(used[1:], max(1, round(share * len(used))), replace=False)
    table[wrong] = draw.choice(used, len(wrong))
    return table[unsure(labels, index, 0.004)]


QUALITIES: dict[str, Callable[[Labels, int], Labels]] = {
    "exact": lambda labels, index: labels,
    "outlines wander by 0.4 %": partial(unsure, amplitude=0.004),
    "outlines wander by 1 %": partial(unsure, amplitude=0.01),
    "by 0.4 %, and a quarter of the labels wrong": poor,
}


def placing() -> Iterator[str]:
    """Per fault of place and quality of the answer, how many are named as what they are."""
    faces = [face(index, 16, SIDE) for index in range(10)]
    scenes = [drawn_scene(40 + index) for index in range(10)]
    draw = generator(0, "placing")

    def shift() -> tuple[float, float]:
        angle, size = draw.uniform(0, 2 * np.pi), draw.uniform(0.06, 0.2)
        return size * np.cos(angle), size * np.sin(angle)

    def scale() -> float:
        return float(draw.choice([draw.uniform(0.7, 0.85), draw.uniform(1.2, 1.4)]))

    faults: dict[str, tuple[str, list[Labels], Callable[[Labels], Labels]]] = {
        "in place": ("in place", faces + scenes, lambda labels: labels),
        "shifted by 6–20 %": ("shifted", faces + scenes, lambda labels: moved(labels, *shift())),
        "scaled by 0.7–0.85 or 1.2–1.4": ("scaled", faces + scenes, lambda labels: moved(labels, scale=scale())),
        "scaled and shifted": ("scaled", faces + scenes, lambda labels: moved(labels, *shift(), scale())),
        "mirrored scenes": ("mirrored", scenes, lambda labels: labels[:, ::-1]),
        "mirrored faces": ("mirrored", faces, lambda labels: labels[:, ::-1]),
        "all left and right labels swapped (faces)": ("swapped", faces, swapped),
        "all swapped, and shifted by 1.5–5 % (faces)": (
            "swapped",
            faces,
            lambda labels: moved(swapped(labels), *np.array(shift()) / 4),
        ),
        "the eyes alone swapped (faces)": ("swapped", faces, lambda labels: swapped(labels, LEFT_AND_RIGHT[:1])),
    }
    yield f"| answer | {' | '.join(QUALITIES)} |"
    yield "| --- |" + " --- |" * len(QUALITIES)
    for name, (verdict, truths, change) in faults.items():
        cells = []
        for spoil in QUALITIES.values():
            answers = [spoil(change(truth), index) for index, truth in enumerate(truths)]
            cells.append(_named(answers, truths, verdict))
        yield f"| {name} | {' | '.join(cells)} |"


def _verdicts(answers: list[Labels], truths: list[Labels]) -> Counter[str]:
    """How often each verdict is given; left and right labels are tested on maps with the labels of a face."""
    pairs = [LEFT_AND_RIGHT if truth.max() >= 12 else () for truth in truths]
    return Counter(
        register(answer, truth, len(FACES), pair).verdict
        for answer, truth, pair in zip(answers, truths, pairs, strict=True)
    )


def _named(answers: list[Labels], truths: list[Labels], verdict: str) -> str:
    """How many answers get the verdict, and what the others are called."""
    called = _verdicts(answers, truths)
    others = [f"{name} {count}" for name, count in called.most_common() if name != verdict]
    return f"{called[verdict]} of {len(answers)}" + (f" ({', '.join(others)})" if others else "")


def false_alarms() -> Iterator[str]:
    """Answers that are wrong in no simple way: how many are called anything but wrong."""
    faces, scenes = [face(index, 16, SIDE) for index in range(20)], [drawn_scene(80 + index) for index in range(20)]
    draw = generator(0, "false alarms")

    def dealt(labels: Labels) -> Labels:
        used, table = np.unique(labels), np.arange(256, dtype=np.uint8)
        table[used] = np.roll(draw.permutation(used), 1)
        return table[labels]

    def disc() -> Labels:
        y, x = np.mgrid[:SIDE, :SIDE] / SIDE
        (cy, cx), radius = draw.uniform(0.2, 0.8, 2), draw.uniform(0.05, 0.15)
        return (((x - cx) ** 2 + (y - cy) ** 2) < radius**2).astype(np.uint8)

    def box() -> Labels:
        labels = np.zeros((SIDE, SIDE), np.uint8)
        (y, x), (h, w) = draw.integers(40, 360, 2), draw.integers(30, 140, 2)
        labels[y : y + h, x : x + w] = 1
        return labels

    boxes = [box() for _ in range(60)]
    cases = {
        "the mask of another drawn scene": (np.roll(np.array(scenes), 1, axis=0), scenes),
        "the labels of a drawn scene permuted": ([dealt(labels) for labels in scenes], scenes),
        "a blank answer, a box asked for": ([np.zeros_like(labels) for labels in boxes], boxes),
        "a disc elsewhere, a box asked for": ([disc() for _ in boxes], boxes),
        "another person's face": (np.roll(np.array(faces), 1, axis=0), faces),
    }
    yield "| answer | called something other than `wrong` |"
    yield "| --- | --- |"
    for name, (answers, truths) in cases.items():
        yield f"| {name} | {_alarms(list(answers), truths)} |"


def _alarms(answers: list[Labels], truths: list[Labels]) -> str:
    called = _verdicts(answers, truths)
    others = [f"{name} {count}" for name, count in called.most_common() if name != "wrong"]
    return f"{len(answers) - called['wrong']} of {len(answers)}" + (f" ({', '.join(others)})" if others else "")


def main() -> None:
    """Make the three tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    write = parser.parse_args().write
    for name, make in {"painting": painting, "placing": placing, "false alarms": false_alarms}.items():
        table = "\n".join(make())
        print(table, end="\n\n", flush=True)
        if write:
            start, end = f"<!-- {name}: made by benchmarks/diagnosis.py -->\n", f"<!-- end of {name} -->"
            before, rest = PAGE.read_text().split(start)
            PAGE.write_text(f"{before}{start}{table}\n{end}{rest.split(end)[1]}")


if __name__ == "__main__":
    main()
