"""How well the back ends of the agent's tools work on scenes whose truth is known, and how long they take.

    python benchmarks/tools.py                  everything that is installed
    python benchmarks/tools.py seg --flat 40    one part

Every number goes through a `Toolbox`, with the true box as the argument of the call. Times are CPU time, that of
Tesseract's process included.
"""

from __future__ import annotations

import argparse
import resource
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pixelproof.contract import Answer, Bench, Call, Display, Item, PixelProofError, Prompt, Result, Source, Turn
from pixelproof.harness import play_batch
from pixelproof.metrics import HotaCounts, edit_distance, hota_counts
from pixelproof.pixels import bounding_box
from pixelproof.tools import (
    Backends,
    Budget,
    Media,
    RapidOcrReader,
    TesseractReader,
    Toolbox,
    create_backend,
    decode_mask,
    grid_box,
)
from pixelproof.tools.episodes import ToolEpisode
from pixelproof.world.flat import ALPHABET, draw, draw_clip, make_clip, make_flat, tracks, truth

SEED = 31
UNLIMITED = Budget(None, None, None, None, None, None)
SEGMENTERS = ("components", "grabcut", "watershed", "opencv", "sam2-tiny", "mobile-sam")
SIZES = (("< 16", 0, 16), ("16–32", 16, 32), ("32–64", 32, 64), ("≥ 64", 64, 9999))
"""Square root of the area in pixels."""
LINES = (
    "Sphinx of black quartz, judge my vow.",
    "Invoice 2047-19: 38 boxes at 16.50",
    "The five boxing wizards jump quickly",
    "Gate B7 opens at 09:45, row 23",
)
FONTS = {
    "DejaVu Sans": "dejavu/DejaVuSans.ttf",
    "DejaVu Sans Bold": "dejavu/DejaVuSans-Bold.ttf",
    "DejaVu Sans Mono": "dejavu/DejaVuSansMono.ttf",
    "DejaVu Serif": "dejavu/DejaVuSerif.ttf",
    "DejaVu Serif Italic": "dejavu/DejaVuSerif-Italic.ttf",
    "Liberation Sans": "liberation/LiberationSans-Regular.ttf",
    "Liberation Sans Narrow": "liberation/LiberationSansNarrow-Regular.ttf",
    "Liberation Serif": "liberation/LiberationSerif-Regular.ttf",
    "Liberation Serif Bold Italic": "liberation/LiberationSerif-BoldItalic.ttf",
    "Liberation Mono": "liberation/LiberationMono-Regular.ttf",
}
"""Debian's fonts-dejavu and fonts-liberation."""


class Timed(NamedTuple):
    """A result and the CPU time of its call in milliseconds."""

    result: Any
    ms: float


def cpu_seconds() -> float:
    """CPU time of this process and of those that it started and that ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def called(toolbox: Toolbox, tool: str, /, **arguments: Any) -> Timed:
    start = cpu_seconds()
    result = toolbox.use(tool, **arguments)
    return Timed(result, 1000 * (cpu_seconds() - start))


def available(tool: str, names: Iterable[str]) -> dict[str, Any]:
    """Back ends that can be created here."""
    found = {}
    for name in names:
        try:
            found[name] = create_backend(tool, name)
        except PixelProofError as error:
            print(f"({name} is left out: {error})")
    return found


def readers() -> dict[str, Any]:
    made: dict[str, Callable[[], Any]] = {
        "RapidOCR": RapidOcrReader,
        "RapidOCR, alphabet": lambda: RapidOcrReader(ALPHABET),
        "RapidOCR, detection": lambda: RapidOcrReader(ALPHABET, "always"),
        "Tesseract": TesseractReader,
        "Tesseract, alphabet": lambda: TesseractReader(ALPHABET, True),
    }
    found = {}
    for name, create in made.items():
        try:
            found[name] = create()
        except PixelProofError as error:
            print(f"({name} is left out: {error})")
    return found


def ocr_plates(scenes: int) -> None:
    print(f"\nOCR on plates of {scenes} flat scenes: exact codes, character error rate, CPU-ms")
    for sans in (0, 1):
        for cell in (8, 16):
            rows = defaultdict(list)
            for index in range(scenes):
                scene = make_flat(SEED, index, sans=float(sans), cell=cell)
                media = Media(draw(scene))
                plates = [sprite for sprite in scene.sprites if sprite.shape == "plate"]
                for name, reader in readers_once().items():
                    few = plates[: int(index < 6)] if "detection" in name else plates
                    toolbox = Toolbox(media, Backends(ocr=reader), UNLIMITED)
                    for plate in few:
                        box = grid_box(plate.rectangle, media.width, media.height)
                        result, ms = called(toolbox, "OCR", box=box)
                        text = result.evidence["text"].replace("\n", "").replace(" ", "")
                        rows[name].append((text == plate.text, edit_distance(text, plate.text), len(plate.text), ms))
            for name, values in rows.items():
                exact, errors, length, ms = np.array(values, float).T
                print(
                    f"  {'sans' if sans else '5x7':5} cell {cell:2} {name:20} n {len(values):4}  exact "
                    f"{exact.mean():.3f}  CER {errors.sum() / length.sum():.3f}  {np.median(ms):6.1f} ms"
                )


_READERS: dict[str, Any] = {}


def readers_once() -> dict[str, Any]:
    if not _READERS:
        _READERS.update(readers())
    return _READERS


def page(font: Path, size: int, lines: Iterable[str]) -> np.ndarray:
    """A white page with black lines of text."""
    image = Image.new("RGB", (24 * size, 10 * size), "white")
    pen, type_ = ImageDraw.Draw(image), ImageFont.truetype(str(font), size)
    for row, line in enumerate(lines):
        pen.text((size, size + row * 2 * size), line, fill=(20, 20, 20), font=type_)
    return np.asarray(image)


def ocr_documents(folder: Path) -> None:
    print("\nOCR on rendered documents of 4 lines: character error rate (spaces count), CPU-s per page")
    free = {name: reader for name, reader in readers_once().items() if "," not in name}
    totals: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for name, file in FONTS.items():
        if not (folder / file).exists():
            print(f"  ({name} is not installed)")
            continue
        shown = []
        for size in (14, 20, 32):
            media = Media(page(folder / file, size, LINES))
            for reader_name, reader in free.items():
                timed = called(Toolbox(media, Backends(ocr=reader), UNLIMITED), "OCR", box=[0, 0, 1000, 1000])
                read, wanted = timed.result.evidence.get("text", ""), "\n".join(LINES)
                errors = edit_distance(read, wanted)
                totals[reader_name, size].append((errors, len(wanted)))
                shown.append(f"{reader_name} {size} px {errors / len(wanted):.3f} ({timed.ms / 1000:.1f} s)")
        print(f"  {name:30} " + "   ".join(shown))
    for (reader_name, size), counts in totals.items():
        errors, length = np.array(counts).sum(axis=0)
        print(f"  all fonts, {reader_name}, {size} px: CER {errors / length:.4f}")


class Target(NamedTuple):
    """A picture and the mask of one object in it."""

    media: Media
    mask: np.ndarray


def flat_targets(count: int) -> Iterator[Target]:
    for index in range(count):
        scene = make_flat(SEED, index)
        media, known = Media(draw(scene)), truth(scene)
        for sprite in scene.sprites:
            seen = known.seen[sprite.id]
            if sprite.shape not in ("plate", "noise") and seen.visibility > 0.8 and seen.pixels >= 30:
                yield Target(media, known.visible_mask(sprite.id))


def solid_targets(count: int) -> Iterator[Target]:
    from pixelproof.world.solid import make_scene
    from pixelproof.world.solid.render import render

    for index in range(count):
        scene = make_scene(("tabletop", "room")[index % 2], SEED, index)
        layers = render(scene, 512, layers=("rgb", "ids", "visible"))
        media = Media(layers.rgb)
        for place in range(len(scene.things)):
            mask = layers.ids == place + 1
            if layers.visible[place] > 0.7 and mask.sum() >= 100:
                yield Target(media, mask)


def collage_targets(count: int) -> Iterator[Target]:
    from pixelproof.world.collage import SolidCutouts, make_collage, render_collage

    library = SolidCutouts(SEED, 24)
    for index in range(count):
        layers = render_collage(make_collage(library, SEED, index, occlusion=0.2), library, 512)
        media = Media(layers.rgb)
        for place in range(len(layers.visible)):
            if layers.visible[place] > 0.7 and layers.mask(place).sum() >= 100:
                yield Target(media, layers.mask(place))


def segment_all(title: str, targets: list[Target], segmenters: dict[str, Any], slow: int) -> None:
    """IoU of each back end, with the true bounding box and with a point inside, by size."""
    print(f"\nSEG on {title}: mean IoU with the true box | with a point; n = {len(targets)}")
    for name, segmenter in segmenters.items():
        some = targets[:: max(1, len(targets) // slow)] if "sam" in name else targets
        rows: list[tuple[float, ...]] = []
        toolboxes: dict[int, Toolbox] = {}
        for media, mask in some:
            toolbox = toolboxes.setdefault(id(media), Toolbox(media, Backends(seg=segmenter), UNLIMITED))
            box = grid_box(bounding_box(mask), media.width, media.height)
            with_box, ms = called(toolbox, "SEG", box=box)
            with_point, later = called(toolbox, "SEG", point=inner_point(mask))
            rows.append((overlap(with_box, mask), overlap(with_point, mask), float(np.sqrt(mask.sum())), ms, later))
        boxed, pointed, sides, ms, later = np.array(rows).T
        parts = [
            f"{label}: {boxed[chosen].mean():.3f} | {pointed[chosen].mean():.3f} ({chosen.sum()})"
            for label, low, high in SIZES
            if (chosen := (sides >= low) & (sides < high)).any()
        ]
        times = f"{np.median(ms):.1f} ms, at most {ms.max():.0f}; the point {np.median(later):.1f} ms"
        print(f"  {name:11} {boxed.mean():.3f} | {pointed.mean():.3f}   {'   '.join(parts)}   {times}")


def inner_point(mask: np.ndarray) -> list[int]:
    """The point that is farthest from the edge of a mask."""
    from scipy import ndimage

    inside = ndimage.distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(int(inside.argmax()), mask.shape)
    return [int((column + 0.5) * 1000 / mask.shape[1]), int((row + 0.5) * 1000 / mask.shape[0])]


def overlap(result: Any, mask: np.ndarray) -> float:
    if not result.ok:
        return 0.0
    found = decode_mask(result.evidence["mask"])
    return float((found & mask).sum() / (found | mask).sum())


CONDITIONS: dict[str, dict[str, Any]] = {
    "linear": {"paths": "linear"},
    "crossing": {"paths": "crossing"},
    "mixed": {"paths": "mixed"},
    "bouncing": {"paths": "bouncing"},
    "crossing, no screen": {"paths": "crossing", "screen": False},
    "crossing, 8 movers": {"paths": "crossing", "movers": 8},
    "crossing, jitter 4 px": {"paths": "crossing", "jitter": 4.0},
    "linear, jitter 4 px": {"paths": "linear", "jitter": 4.0},
    "crossing, 8 frames": {"paths": "crossing", "frames": 8},
}


def track_all(count: int, names: Iterable[str], conditions: Iterable[str]) -> None:
    print(f"\nTRK, four identical movers, the target behind a screen in the middle; {count} clips each")
    for name, tracker in available("TRK", names).items():
        for title, wish in ((title, CONDITIONS[title]) for title in conditions):
            print(f"  {name:9} {title:22} {track_condition(tracker, wish, count)}")


def track_condition(tracker: Any, wish: dict[str, Any], count: int) -> str:
    right, seconds, counts = [], [], []
    for index in range(count):
        clip = make_clip(SEED, index, **wish)
        media = Media(list(draw_clip(clip)), fps=8.0)
        known = tracks(clip)
        movers = [motion.id for motion in clip.motions]
        toolbox, last = Toolbox(media, Backends(trk=tracker), UNLIMITED), clip.frames - 1
        tracked: list[dict[int, list[float]]] = [{} for _ in range(clip.frames)]
        for number, mover in enumerate(movers):
            box = grid_box(known[mover][0].box, media.width, media.height)
            result, ms = called(toolbox, "TRK", box=box, t0=0, t1=last)
            for frame in range(clip.frames):
                if result.evidence["visible"][frame]:
                    tracked[frame][number] = result.evidence["pixels"][frame]
            if mover == clip.scene.roles["target"]:
                right.append(is_right(result.evidence["pixels"][last], known, mover, movers, last))
                seconds.append(ms)
        boxes = [
            {number: known[mover][frame].box for number, mover in enumerate(movers) if known[mover][frame].box}
            for frame in range(clip.frames)
        ]
        counts.append(hota_counts(tracked, boxes))
    total = sum(counts[1:], counts[0])
    assert isinstance(total, HotaCounts)
    return (
        f"right at the end {np.mean(right):.3f}   HOTA {total.hota():.3f} DetA {total.detection():.3f} AssA "
        f"{total.association():.3f}   {np.median(seconds):.0f} ms"
    )


def is_right(box: list[float], known: Any, target: str, movers: list[str], frame: int) -> bool:
    """Whether the box is nearer to the target's centre than to any other mover's, and within its size."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    away = {}
    for mover in movers:
        left, top, right, bottom = known[mover][frame].whole
        away[mover] = float(np.hypot(x - (left + right) / 2, y - (top + bottom) / 2))
    side = known[target][frame].whole[2] - known[target][frame].whole[0]
    return min(away, key=away.__getitem__) == target and away[target] < side / 2


def plain_tools() -> None:
    print("\nZOOM, TEMP, PROP on a clip of 512 × 512: CPU-ms, median of 20")
    media = Media(list(draw_clip(make_clip(SEED, 0))), fps=8.0)
    times = defaultdict(list)
    for turn in range(20):
        toolbox = Toolbox(media, Backends(seg="components"), UNLIMITED)
        segment = called(toolbox, "SEG", point=[200 + turn, 300]).result
        for tool, arguments in (
            ("ZOOM", {"box": [turn, 0, 250, 250]}),
            ("TEMP", {"t0": 0, "t1": 15}),
            ("PROP", {"ref": segment.ref or "none"}),
        ):
            times[tool].append(called(toolbox, tool, **arguments).ms)
    print("  " + "   ".join(f"{tool} {np.median(values):.1f}" for tool, values in times.items()))


@dataclass(frozen=True)
class Turns(Bench):
    """Episodes of a few turns on one small picture, for the cost of the loop."""

    name: ClassVar[str] = "turns"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Turns"
    sources: ClassVar[dict[str, str]] = {"world": "one picture"}
    metrics: ClassVar[tuple[Any, ...]] = ()
    display: ClassVar[Display] = Display(headline=())

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """Numbers."""
        for number in range(n or 0):
            yield Item(f"turns/world/1/{number}", {})

    def episode(self, item: Item) -> ToolEpisode:
        """Without a first view."""
        return ToolEpisode(Toolbox(_GREY, budget=Budget(calls=None, errors=None)), "What?", 0)

    def prompt(self, item: Item) -> Prompt:
        """The first prompt."""
        return self.episode(item).reset()

    def score(self, item: Item, answer: Answer, judgements: Any) -> Result:
        """Nothing."""
        return Result(item.id, {})

    def controls(self) -> dict[str, Any]:
        """None."""
        return {}


_GREY = Media(np.full((64, 64, 3), 128, np.uint8))


def episode_loop(count: int, size: int = 64) -> None:
    """CPU time of a turn without the back ends of tools, and memory, over many episodes in batches."""
    print(f"\nEpisodes in batches of {size}: four calls that fail (no back end runs) and an answer; {count:,} episodes")
    bench, turns = Turns(), 0
    sizes = []

    def policy(prompts: Sequence[Prompt]) -> list[Answer | str]:
        return [
            "done" if len(prompt.history) > 8 else Answer(calls=(Call("", "TEMP", {"t0": 0, "t1": 1}),))
            for prompt in prompts
        ]

    start = cpu_seconds()
    for number, played in enumerate(play_batch(bench, bench.items(Source("world"), 0, count), policy, size), 1):
        turns += len(played.turns)
        if number in (count // 10, count // 2, count):
            sizes.append((number, int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6))
    each = 1000 * (cpu_seconds() - start) / turns
    print(
        f"  {turns:,} turns, {each:.3f} CPU-ms each; resident memory "
        + ", ".join(f"{mb:.1f} MB after {n:,}" for n, mb in sizes)
    )


def tool_time(count: int) -> None:
    """Time of the tools per answer: the chains of the agent bench, each with real back ends."""
    from pixelproof.benches import get_bench

    print(f"\nTime of tools per answer, chains of the agent bench with real tools; {count} items of each task, ms")
    bench = get_bench("agent")
    oracle = bench.controls()["oracle-tools"]
    times = defaultdict(list)
    for item in bench.items(Source("world"), SEED, 9 * count):
        conversation = bench.episode(item)
        prompt, history = conversation.reset(), ()
        tools = prompt.tools
        while prompt is not None:
            history = (*history, *prompt.history)
            reply = oracle.reply(item, replace(prompt, history=history, tools=tools), np.random.default_rng(0))
            history = (*history, Turn("model", (reply.text,), reply.calls))
            prompt = conversation.step(reply)
        times[item.tags["task"]].append((conversation.toolbox.spent.ms, len(conversation.toolbox.results)))
    for task, values in times.items():
        ms, calls = np.array(values).T
        print(f"  {task:15} {np.median(ms):7.0f} ms, at most {ms.max():6.0f}, {calls.mean():.1f} calls")
    everything = np.array([ms for values in times.values() for ms, _ in values])
    print(f"  all             {np.median(everything):7.0f} ms, at most {everything.max():6.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="ocr, documents, seg, trk, plain, loop, answers; all")
    parser.add_argument("--plates", type=int, default=40, help="flat scenes with plates")
    parser.add_argument("--flat", type=int, default=40, help="flat scenes for SEG")
    parser.add_argument("--solid", type=int, default=16, help="solid scenes")
    parser.add_argument("--collage", type=int, default=16, help="collages")
    parser.add_argument("--slow", type=int, default=30, help="objects of each kind for SAM")
    parser.add_argument("--clips", type=int, default=50, help="clips of each condition")
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes of the loop")
    parser.add_argument("--answers", type=int, default=4, help="items of each task for the time per answer")
    parser.add_argument("--segmenters", nargs="*", default=list(SEGMENTERS))
    parser.add_argument("--trackers", nargs="*", default=["opencv", "template"])
    parser.add_argument("--conditions", nargs="*", default=list(CONDITIONS), choices=list(CONDITIONS))
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts/truetype"))
    options = parser.parse_args()
    wanted = set(options.parts) or {"ocr", "documents", "seg", "trk", "plain", "loop", "answers"}
    if "ocr" in wanted:
        ocr_plates(options.plates)
    if "documents" in wanted:
        ocr_documents(options.fonts)
    if "seg" in wanted:
        segmenters = available("SEG", options.segmenters)
        segment_all("flat scenes", list(flat_targets(options.flat)), segmenters, options.slow)
        segment_all("solid scenes", list(solid_targets(options.solid)), segmenters, options.slow)
        segment_all("collages", list(collage_targets(options.collage)), segmenters, options.slow)
    if "trk" in wanted:
        track_all(options.clips, options.trackers, options.conditions)
    if "plain" in wanted:
        plain_tools()
    if "loop" in wanted:
        episode_loop(options.episodes)
    if "answers" in wanted:
        tool_time(options.answers)


if __name__ == "__main__":
    main()
