"""What a picture of the solid world costs, beside MuJoCo's (OpenGL) and PyBullet's renderers on the same scenes.

    python benchmarks/world.py                a frame of each renderer, both cores, and sets of 100 to 1,000 scenes
    python benchmarks/world.py --max 10000    sets of up to 10,000 scenes (about an hour)
    python benchmarks/world.py --beside x.png a scene by each renderer, beside each other

Every measurement is a process of its own. CPU time of all threads is used because it does not depend on what else the
machine is doing; a frame is the median of several scenes with ten things each, 512 × 512 pixels. MuJoCo and PyBullet
give picture, depth and ids; ours gives normals, amodal masks and visible fractions as well. MuJoCo needs EGL or OSMesa.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # for MujocoView
SIZE, THINGS, SEED = 512, 10, 11


def scenes(count: int) -> list[Any]:
    from pixelproof.world.solid.layouts import make_scene

    return [make_scene("tabletop", SEED, index, things=THINGS) for index in range(count)]


def ours(quality: str, count: int) -> Iterator[Callable[[], Any]]:
    """Everything from the scene to its six layers."""
    from pixelproof.world.solid.render import render

    for scene in scenes(count):
        yield partial(render, scene, SIZE, SIZE, quality)


def mujoco_frame(_: str, count: int) -> Iterator[Callable[[], Any]]:
    """The frame alone: the scene is compiled and on the graphics side already."""
    from mujoco_view import MujocoView

    for scene in scenes(count):
        view = MujocoView(scene, SIZE, SIZE)
        view.render_passes()
        yield view.render_passes
        view.close()


def mujoco_scene(_: str, count: int) -> Iterator[Callable[[], Any]]:
    """Everything from the scene to the frame."""
    from mujoco_view import MujocoView

    def take(scene: Any) -> None:
        view = MujocoView(scene, SIZE, SIZE)
        view.render_passes()
        view.close()

    for scene in scenes(count):
        yield partial(take, scene)


def pybullet_frame(quality: str, count: int) -> Iterator[Callable[[], Any]]:
    """The frame alone, by TinyRenderer; `beauty` has shadows."""
    import pybullet

    from pixelproof.world.solid.render._meshes import meshes
    from pixelproof.world.solid.shapes import shape_of

    for scene in scenes(count):
        pybullet.connect(pybullet.DIRECT)
        mesh = meshes(scene, shape_of)
        for number in range(len(mesh.thing)):
            _load(pybullet, mesh, number)
        yield partial(_picture, pybullet, scene, quality == "beauty")
        pybullet.disconnect()


def _load(pybullet: Any, mesh: Any, number: int) -> None:
    chosen = mesh.surface == number
    corners = mesh.vertices[mesh.faces[chosen]].reshape(-1, 3)
    normals = mesh.normals[chosen].reshape(-1, 3)
    with tempfile.NamedTemporaryFile("w", suffix=".obj") as file:
        file.writelines("v {} {} {}\n".format(*corner) for corner in corners)
        file.writelines("vn {} {} {}\n".format(*normal) for normal in normals)
        file.writelines(f"f {k}//{k} {k + 1}//{k + 1} {k + 2}//{k + 2}\n" for k in range(1, len(corners), 3))
        file.flush()
        colour = [*(mesh.colours[number] ** (1 / 2.2)), 1.0]
        shape = pybullet.createVisualShape(pybullet.GEOM_MESH, fileName=file.name, rgbaColor=colour)
    pybullet.createMultiBody(baseMass=0, baseVisualShapeIndex=shape)


def _picture(pybullet: Any, scene: Any, shadow: bool) -> Any:
    from pixelproof.world.solid import rotation_matrix

    right, down, forward = rotation_matrix(scene.camera.rotation).T
    view = pybullet.computeViewMatrix([0, 0, 0], forward.tolist(), (-down).tolist())
    fovy = 2 * np.degrees(np.arctan(1 / (2 * scene.camera.focal)))
    lens = pybullet.computeProjectionMatrixFOV(fovy, 1.0, 0.02, 100.0)
    return pybullet.getCameraImage(
        SIZE, SIZE, view, lens, shadow=int(shadow), lightDirection=[1, -1, 2], renderer=pybullet.ER_TINY_RENDERER
    )


FRAMES: dict[str, tuple[str, Callable[[str, int], Iterator[Callable[[], Any]]], str]] = {
    "ours-draft": ("PixelProof, draft, six layers", ours, "draft"),
    "ours-beauty": ("PixelProof, beauty, six layers", ours, "beauty"),
    "mujoco-frame": ("MuJoCo, 8 samples, shadows: three layers, frame alone", mujoco_frame, "beauty"),
    "mujoco-scene": ("MuJoCo, the same from the scene on", mujoco_scene, "beauty"),
    "pybullet-flat": ("PyBullet TinyRenderer, three layers, frame alone", pybullet_frame, "draft"),
    "pybullet-shadow": ("PyBullet TinyRenderer with shadows", pybullet_frame, "beauty"),
}


def measure_frames(arm: str, count: int) -> dict[str, float]:
    """Median CPU milliseconds of a frame; the first scene warms up."""
    _, make, quality = FRAMES[arm]
    spent = []
    for take in make(quality, count + 1):
        start = time.process_time()
        take()
        spent.append((time.process_time() - start) * 1e3)
    return {"cpu_ms": statistics.median(spent[1:]), "worst_ms": max(spent[1:]), "peak_mb": _peak(resource.RUSAGE_SELF)}


def measure_rate(quality: str, count: int) -> dict[str, float]:
    """Frames per second of all cores together: the best of eight rounds, of which the first ones warm up."""
    from pixelproof.store import executor

    work = [(scene.to_json(), quality) for scene in scenes(count)]
    rates = []
    with executor("processes") as pool:
        for _ in range(8):
            start = time.perf_counter()
            list(pool.map(_frame, work, chunk=1))
            rates.append(len(work) / (time.perf_counter() - start))
    return {"per_second": max(rates)}


def _frame(work: tuple[str, str]) -> int:
    from pixelproof.world.solid import Scene
    from pixelproof.world.solid.render import render

    layers = render(Scene.from_json(work[0]), SIZE, SIZE, work[1])  # type: ignore[arg-type]
    return int(layers.rgb.sum())


def measure_set(n: int) -> dict[str, float]:
    """CPU and memory of a whole set: layout, physics, rules, picture, truth, tables and files."""
    from pixelproof.world.sets import make_set
    from pixelproof.world.solid import SolidRecipe

    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        make_set(SolidRecipe("tabletop", SEED, width=64, height=64), n, Path(name) / "set")
        wall = time.perf_counter() - start
        disk = sum(path.stat().st_size for path in Path(name).rglob("*") if path.is_file())
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    peaks = (_peak(resource.RUSAGE_SELF), _peak(resource.RUSAGE_CHILDREN))
    return {"cpu_s": cpu, "wall_s": wall, "peak_mb": peaks[0], "worker_mb": peaks[1], "disk_mb": disk / 1e6, "n": n}


def _peak(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


def draw_beside(path: Path) -> None:
    """One scene by each renderer."""
    from PIL import Image

    from pixelproof.world.sheets import picture_sheet

    def last(frames: Iterator[Callable[[], Any]]) -> Any:
        taken = [take() for take in frames]
        return taken[-1]

    pictures = {
        "PixelProof, beauty": last(ours("beauty", 1)).rgb,
        "PixelProof, draft": last(ours("draft", 1)).rgb,
        "MuJoCo (OpenGL)": last(mujoco_frame("beauty", 1))[0],
        "PyBullet (TinyRenderer)": np.reshape(last(pybullet_frame("beauty", 1))[2], (SIZE, SIZE, 4))[..., :3],
    }
    sheet = picture_sheet([np.uint8(picture) for picture in pictures.values()], list(pictures), columns=2)
    Image.fromarray(sheet).save(path, quality=90)


def measure(*words: str) -> dict[str, float] | str:
    """Run a measurement in a process of its own; where it cannot run, the last line of what it said."""
    command = [sys.executable, str(Path(__file__).resolve()), "--one", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason"])[-1][:100]
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def measure_here(what: str, which: str, count: int) -> dict[str, float]:
    if what == "frames":
        return measure_frames(which, count)
    return measure_rate(which, count) if what == "rate" else measure_set(int(which))


def print_frames(count: int) -> None:
    print(f"| a frame of {SIZE} × {SIZE} with {THINGS} things | CPU ms | worst | peak MB |")
    print("| --- | ---: | ---: | ---: |")
    for arm, (title, _, _) in FRAMES.items():
        row = measure("frames", arm, str(count))
        if isinstance(row, str):
            print(f"| {title} | {row} | | |", flush=True)
        else:
            print(f"| {title} | {row['cpu_ms']:.0f} | {row['worst_ms']:.0f} | {row['peak_mb']:.0f} |", flush=True)


def print_rates(count: int) -> None:
    print("\n| all cores together | frames per second | pairs (before and after) per second |")
    print("| --- | ---: | ---: |")
    for quality in ("draft", "beauty"):
        row = measure("rate", quality, str(count))
        shown = row if isinstance(row, str) else f"{row['per_second']:.1f} | {row['per_second'] / 2:.1f}"
        print(f"| {quality} | {shown} |", flush=True)


def print_sets(largest: int) -> None:
    print("\nSets of tabletops, 64 × 64, draft, all layers:\n")
    print("| scenes | CPU s | CPU ms per further scene | peak MB | peak MB of a worker | disk MB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    before: dict[str, float] | None = None
    for n in (10, 100, 1_000, 10_000):
        if n > largest:
            break
        row = measure("set", str(n), "0")
        if isinstance(row, str):
            print(f"| {n:,} | {row} |")
            break
        slope = f"{(row['cpu_s'] - before['cpu_s']) / (n - before['n']) * 1e3:.0f}" if before else "–"
        rest = f"{row['peak_mb']:.0f} | {row['worker_mb']:.0f} | {row['disk_mb']:.1f}"
        print(f"| {n:,} | {row['cpu_s']:.1f} | {slope} | {rest} |", flush=True)
        before = row


def main() -> None:
    os.environ.setdefault("MUJOCO_GL", "egl")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=3, metavar=("WHAT", "WHICH", "COUNT"), help="measure in this process")
    parser.add_argument("--max", type=int, default=1_000, help="scenes of the largest set")
    parser.add_argument("--scenes", type=int, default=10, help="scenes whose frames are measured")
    parser.add_argument("--beside", type=Path, metavar="FILE", help="draw a scene by each renderer, and end")
    arguments = parser.parse_args()
    if arguments.beside:
        draw_beside(arguments.beside)
        return
    if arguments.one:
        what, which, count = arguments.one
        print(json.dumps(measure_here(what, which, int(count))))
        return
    print_frames(arguments.scenes)
    print_rates(arguments.scenes)
    print_sets(arguments.max)


if __name__ == "__main__":
    main()
