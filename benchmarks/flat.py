"""What drawing flat scenes costs: our renderer on numpy beside Pillow and OpenCV, and on torch by batch size.

    python benchmarks/flat.py            CPU-milliseconds per picture (OpenCV and torch are used if they are there)
    python benchmarks/flat.py --gpu      pictures per second on a GPU, the share of each stage, and parity with numpy

Pillow and OpenCV draw the same polygons, plates and glyphs on a plain background; they know no truth, and Pillow no
soft edges but by drawing four times as large. Noise is left out there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from pixelproof.world.flat import (
    SHAPES,
    Background,
    DisplayList,
    FlatScene,
    draw,
    lower,
    make_clip,
    make_flat,
    render,
    rgb,
    thumbnail,
    truth,
)
from pixelproof.world.flat._render import _stages
from pixelproof.world.flat._shapes import glyph_tiles


def plain(index: int) -> FlatScene:
    """A scene that all contestants can draw."""
    scene = make_flat(1, index)
    sprites = tuple(sprite for sprite in scene.sprites if sprite.shape != "noise")
    return replace(scene, sprites=sprites, background=Background())


def with_pillow(scene: FlatScene, finer: int = 1) -> np.ndarray:
    image = Image.new("RGB", (scene.width * finer, scene.height * finer), scene.background.colour)
    pen = ImageDraw.Draw(image)
    for sprite in scene.sprites:
        if sprite.upright:
            x0, y0, x1, y1 = (side * finer for side in sprite.rectangle)
            pen.rectangle((x0, y0, x1 - 1, y1 - 1), rgb(sprite.colour))
            for column, character in enumerate(sprite.text):
                tile = Image.fromarray((glyph_tiles(sprite.font, 8)[character] * 255).astype(np.uint8))
                tile = tile.resize((8 * finer, 8 * finer), Image.Resampling.NEAREST)
                image.paste(rgb(sprite.ink), (x0 + (4 + 8 * column) * finer, y0 + 4 * finer), tile)
            continue
        outlines = SHAPES[sprite.shape].outline_at(
            sprite.x * finer, sprite.y * finer, sprite.size * finer, sprite.angle
        )
        for outline, colour in zip(outlines, (rgb(sprite.colour), scene.background.colour), strict=False):
            pen.polygon([tuple(point) for point in outline.tolist()], fill=colour)
    return np.asarray(image.reduce(finer) if finer > 1 else image)


def with_opencv(scene: FlatScene) -> np.ndarray:
    import cv2

    picture = np.full((scene.height, scene.width, 3), scene.background.colour, np.uint8)
    for sprite in scene.sprites:
        if sprite.upright:
            x0, y0, x1, y1 = sprite.rectangle
            cv2.rectangle(picture, (x0, y0), (x1 - 1, y1 - 1), rgb(sprite.colour), -1)
            for column, character in enumerate(sprite.text):
                x, y = x0 + 4 + 8 * column, y0 + 4
                ink = glyph_tiles(sprite.font, 8)[character][..., None]
                cell = picture[y : y + 8, x : x + 8]
                cell[:] = cell + ink * (np.array(rgb(sprite.ink)) - cell)
            continue
        outlines = SHAPES[sprite.shape].outline_at(sprite.x - 0.5, sprite.y - 0.5, sprite.size, sprite.angle)
        fixed = [np.rint(outline * 256).astype(np.int32) for outline in outlines]
        cv2.fillPoly(picture, fixed, rgb(sprite.colour), lineType=cv2.LINE_AA, shift=8)
    return picture


def cpu_ms(work: Callable[[FlatScene], Any], scenes: list[FlatScene]) -> float:
    """CPU-milliseconds per scene, the best of three rounds."""
    work(scenes[0])
    rounds = []
    for _ in range(3):
        start = time.process_time()
        for scene in scenes:
            work(scene)
        rounds.append(time.process_time() - start)
    return 1000 * min(rounds) / len(scenes)


def run_on_cpu() -> None:
    scenes = [plain(index) for index in range(20)]
    arms: dict[str, Callable[[FlatScene], Any]] = {
        "ours, numpy: soft edges": draw,
        "Pillow: hard edges": with_pillow,
        "Pillow, 4 × 4 samples: soft edges": lambda scene: with_pillow(scene, 4),
        "OpenCV, LINE_AA: soft edges": with_opencv,
        "ours: truth (masks, boxes, visibility)": truth,
        "ours: making the scene": lambda scene: make_flat(1, scene.index),
        "ours: lowering the scene": lambda scene: lower([scene]),
    }
    reference = 0.0
    for name, work in arms.items():
        try:
            cost = cpu_ms(work, scenes)
        except ImportError as error:
            print(f"{name:40s} not measured: {error}")
            continue
        reference = reference or cost
        print(f"{name:40s} {cost:7.2f} ms   {cost / reference:5.2f} of ours")
    whole = [make_flat(1, index) for index in range(20)]
    print(f"{'ours, numpy: all backgrounds and noise':40s} {cpu_ms(draw, whole):7.2f} ms")


def gpu_seconds(torch: Any, work: Callable[[], Any], rounds: int = 10) -> float:
    """Seconds per round, after two to warm up."""
    for _ in range(2):
        work()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(rounds):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / rounds


def run_on_gpu(batches: list[int], compiled: bool) -> None:
    import torch

    def there(display: DisplayList) -> DisplayList:
        return display.map(lambda array: torch.as_tensor(array, device="cuda"))

    start = time.perf_counter()
    scenes = [make_flat(2, index) for index in range(max(batches))]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, numpy {np.__version__}")
    making = (time.perf_counter() - start) / len(scenes)
    print(f"making: {1e6 * making:.0f} µs per scene in one process")
    compared = [*scenes[:64], *(frame for index in range(4) for frame in make_clip(2, index, jitter=4.0).scenes())]
    ours = render(lower(compared))
    if compiled:  # one variant for each kind of background, of sprites, and for batches of one
        torch._dynamo.config.recompile_limit = 64
    for compile in (None, torch.compile) if compiled else (None,):
        start = time.perf_counter()
        theirs = render(there(lower(compared)), compile).cpu().numpy()
        first = time.perf_counter() - start
        apart = np.abs(ours.astype(int) - theirs)
        print(
            f"\n{'compiled' if compile else 'eager'}: first batch after {first:.1f} s; on 64 scenes and 64 frames "
            f"{np.count_nonzero(apart)} of {apart.size} values differ from numpy, by {apart.max()} at most"
        )
        for batch in batches:
            start = time.perf_counter()
            display = lower(scenes[:batch])
            on_cpu = {"making": making * batch, "lowering": time.perf_counter() - start}
            measure_batch(torch, display, there, compile, on_cpu)


def measure_batch(
    torch: Any, display: DisplayList, there: Callable[..., Any], compile: Any, on_cpu: dict[str, float]
) -> None:
    batch, moved = display.scenes, there(display)
    torch.cuda.reset_peak_memory_stats()
    whole = gpu_seconds(torch, lambda: render(moved, compile))
    memory = torch.cuda.max_memory_allocated() / 2**30
    moving = gpu_seconds(torch, lambda: there(display))
    grounds, _, rounded = _stages(compile)
    planes = torch.empty((3, batch, display.height, display.width), device="cuda")

    def ground() -> None:
        for kind, start, stop in moved.ground_kinds:
            numbers, seed = moved.ground[start:stop], moved.ground_seed[start:stop]
            for channel, values in enumerate(grounds(kind, numbers, seed, moved.width, moved.height)):
                planes[channel, start:stop] = values

    filling, rounding = gpu_seconds(torch, ground), gpu_seconds(torch, lambda: rounded(planes))
    pictures = render(moved, compile)
    small = gpu_seconds(torch, lambda: thumbnail(pictures, 8))
    print(
        f"batch {batch:5d}: {batch / whole:6.0f} pictures/s, {batch / (whole + moving):6.0f} with transfer, "
        f"{batch / (whole + small):6.0f} with thumbnails, {memory:4.1f} GiB; background {filling / whole:.0%}, "
        f"{len(moved.passes)} passes of sprites {1 - (filling + rounding) / whole:.0%}, "
        f"rounding {rounding / whole:.0%}"
    )
    stages = on_cpu | {"transfer": moving, "drawing": whole, "thumbnails": small}
    total = sum(stages.values())
    shares = ", ".join(f"{name} {seconds / total:.1%}" for name, seconds in stages.items())
    lowering = 1e6 * on_cpu["lowering"] / batch
    print(f"    from seeds in one process: {batch / total:.0f}/s; {shares}; lowering {lowering:.0f} µs per scene")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true", help="measure torch on a GPU instead")
    parser.add_argument("--batches", default="16,64,256,1024,2048", help="batch sizes for --gpu")
    parser.add_argument("--compile", action="store_true", help="also with torch.compile")
    options = parser.parse_args()
    if options.gpu:
        run_on_gpu([int(batch) for batch in options.batches.split(",")], options.compile)
    else:
        run_on_cpu()


if __name__ == "__main__":
    main()
