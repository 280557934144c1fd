"""CPU time of pairs of pictures before and after edits, of windows and of stages: `python benchmarks/edits.py`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pixelproof.world.edits import change_mask, pivot
from pixelproof.world.edits.stage import Stage
from pixelproof.world.language import propose_outcome, view_of
from pixelproof.world.solid import KINDS, Scene, make_scene
from pixelproof.world.solid.render import render

ACTIONS = ("move", "place", "put", "turn", "scale", "remove", "swap")
LAYERS = ("rgb", "ids", "depth", "visible")


def timed(work: Callable[[], object], repeat: int = 8) -> float:
    """Mean CPU-milliseconds of a call, after a first one."""
    work()
    start = time.process_time()
    for _ in range(repeat):
        work()
    return (time.process_time() - start) / repeat * 1000


def pairs(scenes: list[Scene], each: int, size: int) -> tuple[float, float, float]:
    """Mean CPU-seconds of proposing and carrying out an edit, of both renders, and of the change mask."""
    spent = np.zeros(3)
    count = 0
    for scene in scenes:
        shares = render(scene, 256, quality="draft", layers=("visible",)).visible.tolist()
        view = view_of(scene, dict(zip((thing.id for thing in scene.things), shares, strict=True)))
        rng = np.random.default_rng(0)
        for _ in range(each):
            clock = [time.process_time()]
            outcome = propose_outcome(scene, view, rng, ACTIONS)
            if outcome is None or outcome.after is None:
                continue
            clock.append(time.process_time())
            both = (outcome.before, outcome.after)
            one, other = (render(it, size, quality="draft", layers=LAYERS, steady=True) for it in both)
            clock.append(time.process_time())
            change_mask(*both, size, rendered=(one, other))
            clock.append(time.process_time())
            spent += np.diff(clock)
            count += 1
    proposing, rendering, masking = (spent / max(count, 1)).tolist()
    return proposing, rendering, masking


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=3)
    parser.add_argument("--edits", type=int, default=6, help="edits per scene")
    parser.add_argument("--size", type=int, default=512)
    given = parser.parse_args()
    for kind in KINDS:
        parts = pairs([make_scene(kind, 31, index) for index in range(given.scenes)], given.edits, given.size)
        edit, renders, mask = parts
        print(f"{kind:9s} CPU-s per pair {sum(parts):.2f}: edit {edit:.2f}, renders {renders:.2f}, mask {mask:.2f}")
    scene, size = make_scene("tabletop", 31, 0), given.size
    rgb = {"quality": "draft", "layers": ("rgb",)}
    print(f"render, fresh scene {timed(lambda: render(replace(scene), size, **rgb)):.0f} ms")
    print(f"render, kept scene  {timed(lambda: render(scene, size, **rgb)):.0f} ms")
    box = (3 * size // 8, 3 * size // 8, 5 * size // 8, 5 * size // 8)
    print(f"window of 1/16      {timed(lambda: render(scene, size, window=box, **rgb)):.0f} ms")
    id = scene.movable[0].id
    place = tuple(pivot(scene.thing(id)).tolist())
    for width in (128, 256, 512):
        stage = Stage(scene, id, width)
        print(f"stage, {width} px       {timed(lambda stage=stage: stage.draw(place)):.1f} ms")


if __name__ == "__main__":
    main()
