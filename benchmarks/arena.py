"""What scoring painted masks costs, beside the peers, in one run: decoding, confusion, contours, PNG, memory.

    python benchmarks/arena.py                     every table but the long one (a few minutes)
    python benchmarks/arena.py --pictures 10000    the long one as well: a stream of that many PNGs
    python benchmarks/arena.py --path              the whole path of an answer alone, with its budget
    python benchmarks/arena.py --summary           the cost of the summary, for 100 to 100,000 items

Pictures have 1024 × 1024 pixels. Label maps are blobs; predictions are shifted, have wrong patches and speckle; void
patches lie in the references. Painted masks are blurred a little and have noise of 6 levels per channel. Times are CPU
milliseconds of one thread, the least of many runs. The numbers of every counting peer are compared with ours before it
is timed, but for the KD-tree's, which breaks ties in its own way.
Peers that are not installed (OpenCV, torch, torchmetrics, scikit-learn, pyspng) are left out, and so are our ways
that need what is not (numba, isal).
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial import cKDTree

from arena_masks import SIZE, Array, compressed, label_maps, painted, palette_of
from arena_path import summary_cost, whole_path
from pixelproof.benches import get_bench
from pixelproof.contract import Answer, Source
from pixelproof.metrics import SegmentationCounts, boundary_counts, confusion, contour_counts
from pixelproof.pixels import (
    DECODERS,
    VOID,
    Palette,
    compile_first,
    encode_labels,
    encode_png,
    nearest,
    numpy_alone,
    read_image,
    read_labels,
)

SECONDS = 2.0
"""CPU time for each row of a table."""
Arm = tuple[str, Callable[[], object]]


def cpu_ms(work: Callable[[], object]) -> float:
    """The least CPU time of as many runs as fit into some seconds, three at least."""
    work()
    least, runs, until = float("inf"), 0, time.process_time() + SECONDS
    while runs < 3 or time.process_time() < until:
        start = time.process_time()
        work()
        least, runs = min(least, time.process_time() - start), runs + 1
    return 1000 * least


def table(title: str, arms: Iterator[Arm]) -> None:
    """Time the arms, and say how many times as slow as the first each is."""
    print(f"\n### {title}\n\n| way | ms | times the first |\n| --- | ---: | ---: |", flush=True)
    base = None
    for name, work in arms:
        cost = cpu_ms(work)
        base = base or cost
        print(f"| {name} | {cost:.2f} | {cost / base:.1f} |", flush=True)


def both_ways(name: str, work: Callable[[], object]) -> Iterator[Arm]:
    """With the compiled loops, if numba is there, and without."""

    def without() -> object:
        with numpy_alone():
            return work()

    if _is_there("numba"):
        yield f"**ours**, {name}", work
    yield f"**ours**, {name}, numpy alone", without


def _is_there(*packages: str) -> bool:
    try:
        for package in packages:
            __import__(package)
    except ImportError as error:
        print(f"<!-- left out: {error} -->")
        return False
    return True


def agree(one: Array, other: Array, what: str) -> None:
    if not np.array_equal(one, other):
        raise SystemExit(f"{what} does not agree with ours: {np.sum(one != other)} numbers differ.")


def decoding_arms(colours: int) -> Iterator[Arm]:
    palette = palette_of(colours)
    labels, reference = label_maps(colours, 1)
    rgb = painted(labels, palette)
    expected = nearest(rgb, palette)
    counted = confusion(expected, reference, colours)

    def ours() -> Array:
        return confusion(nearest(rgb, palette), reference, colours)

    def by_tree() -> Array:
        from sklearn.metrics import confusion_matrix

        found = cKDTree(palette.array.astype(float)).query(rgb.reshape(-1, 3))[1]
        return confusion_matrix(reference.ravel()[known], found[known], labels=range(colours))

    yield from both_ways("candidate cells + counting", ours)
    if _is_there("cv2"):
        yield "OpenCV: 256³ table, `calcHist`", opencv_way(rgb, reference, palette, expected, counted)
    if _is_there("torch", "torchmetrics"):
        yield "torch `cdist` + torchmetrics", torch_way(rgb, reference, palette, counted)
    known = reference.ravel() != VOID
    if _is_there("sklearn"):
        yield "SciPy KD-tree + scikit-learn", by_tree


def opencv_way(rgb: Array, reference: Array, palette: Palette, expected: Array, counted: Array) -> Callable[[], Array]:
    """The fastest way that existing packages allow: a table of all colours, which somebody has made before."""
    import cv2

    cv2.setNumThreads(1)
    size = 256
    levels = np.stack(np.meshgrid(*[np.arange(size, dtype=np.uint8)] * 2, indexing="ij"), axis=-1)
    lookup = np.empty((size, size, size), np.uint8)  # blue, green, red: the order of bytes in a word
    for blue in range(size):
        plane = np.dstack([levels[..., 1], levels[..., 0], np.full((size, size), blue, np.uint8)])
        lookup[blue] = nearest(plane, palette)
    flat, word = lookup.ravel(), np.zeros((*rgb.shape[:2], 4), np.uint8)

    def work() -> Array:
        cv2.mixChannels([rgb], [word], [0, 0, 1, 1, 2, 2])
        labels = flat.take(word.view(np.uint32)[..., 0])
        counts = cv2.calcHist([reference, labels], [0, 1], None, [256, 256], [0, 256, 0, 256])
        return counts[: len(palette), : len(palette)]

    agree(flat.take(np.dstack([rgb, np.zeros_like(rgb[..., :1])]).view(np.uint32)[..., 0]), expected, "OpenCV's way")
    agree(work().astype(np.int64), counted[:, :-1], "OpenCV's way")
    return work


def torch_way(rgb: Array, reference: Array, palette: Palette, counted: Array) -> Callable[[], object]:
    import torch
    from torchmetrics.classification import MulticlassConfusionMatrix

    torch.set_num_threads(1)
    colours, truth = torch.tensor(palette.array, dtype=torch.float32), torch.tensor(reference, dtype=torch.int64)
    metric = MulticlassConfusionMatrix(len(palette), ignore_index=VOID)

    def work() -> Array:
        pixels = torch.from_numpy(rgb).reshape(-1, 3).float()
        labels = torch.cdist(pixels, colours).argmin(dim=1).reshape(truth.shape)
        return metric(labels, truth).numpy()

    agree(work(), counted[:, :-1], "torch's way")
    return work


def confusion_arms(classes: int) -> Iterator[Arm]:
    prediction, reference = label_maps(classes, 2)
    counted = confusion(prediction, reference, classes)[:, :classes]
    yield from both_ways("`confusion`", lambda: confusion(prediction, reference, classes))
    if _is_there("cv2"):
        import cv2

        cv2.setNumThreads(1)

        def histogram() -> Array:
            return cv2.calcHist([reference, prediction], [0, 1], None, [classes] * 2, [0, classes] * 2)

        agree(histogram().astype(np.int64), counted, "cv2.calcHist")
        yield "OpenCV `calcHist`", histogram

    def classic() -> Array:
        known = reference < classes
        code = classes * reference[known].astype(np.int64) + prediction[known]
        return np.bincount(code, minlength=classes**2).reshape(classes, classes)

    agree(classic(), counted, "bincount")
    yield "numpy `bincount` of classes × reference + prediction", classic
    if _is_there("torch", "torchmetrics"):
        import torch
        from torchmetrics.classification import MulticlassConfusionMatrix

        torch.set_num_threads(1)
        metric = MulticlassConfusionMatrix(classes, ignore_index=VOID)
        p, r = (torch.tensor(labels, dtype=torch.int64) for labels in (prediction, reference))
        agree(metric(p, r).numpy(), counted, "torchmetrics")
        yield "torchmetrics", lambda: metric(p, r)
    if _is_there("sklearn"):
        from sklearn.metrics import confusion_matrix

        known = reference != VOID

        def learnt() -> Array:
            return confusion_matrix(reference[known], prediction[known], labels=range(classes))

        agree(learnt(), counted, "scikit-learn")
        yield "scikit-learn", learnt


def boundary_arms(classes: int) -> Iterator[Arm]:
    """The definition's own way (boundary-iou-api): each mask is eroded, one pixel at a time."""
    prediction, reference = label_maps(classes, 3)
    prediction[reference == VOID] = VOID
    distance = round(0.02 * SIZE * 2**0.5)
    yield from both_ways("`boundary_counts`", lambda: boundary_counts(prediction, reference, classes))
    if not _is_there("cv2"):
        return
    import cv2

    cv2.setNumThreads(1)

    def band(mask: Array) -> Array:
        framed = cv2.copyMakeBorder(mask.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        return mask - cv2.erode(framed, np.ones((3, 3), np.uint8), iterations=distance)[1:-1, 1:-1]

    def by_mask() -> Array:
        scores = []
        for label in range(classes):
            p, r = band(prediction == label), band(reference == label)
            scores.append(((p * r) > 0).sum() / ((p + r) > 0).sum())
        return np.array(scores)

    agree(by_mask(), boundary_counts(prediction, reference, classes).iou(), "the erosion of each mask")
    yield "OpenCV `erode`, mask by mask", by_mask


def contour_arms(classes: int) -> Iterator[Arm]:
    """The definition's own way (DAVIS): the contour of each mask is dilated by a disc."""
    prediction, reference = label_maps(classes, 3)
    prediction[reference == VOID] = VOID
    radius = int(np.ceil(0.008 * SIZE * 2**0.5))
    yield from both_ways("`contour_counts`", lambda: contour_counts(prediction, reference, classes))
    if not _is_there("cv2"):
        return
    import cv2

    cv2.setNumThreads(1)
    y, x = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    disc = (x * x + y * y <= radius * radius).astype(np.uint8)

    def contour(mask: Array) -> Array:
        east, south, both = np.zeros_like(mask), np.zeros_like(mask), np.zeros_like(mask)
        east[:, :-1], south[:-1], both[:-1, :-1] = mask[:, 1:], mask[1:], mask[1:, 1:]
        edge = mask ^ east | mask ^ south | mask ^ both
        edge[-1], edge[:, -1] = mask[-1] ^ east[-1], mask[:, -1] ^ south[:, -1]
        edge[-1, -1] = False
        return edge

    def by_mask() -> Array:
        counts = []
        for label in range(classes):
            p, r = contour(prediction == label), contour(reference == label)
            near_p, near_r = cv2.dilate(p.astype(np.uint8), disc), cv2.dilate(r.astype(np.uint8), disc)
            counts.append([(p * near_r).sum(), p.sum(), (r * near_p).sum(), r.sum()])
        return np.transpose(counts).ravel()

    agree(by_mask(), contour_counts(prediction, reference, classes).to_vector(), "the dilation of each contour")
    yield "OpenCV `dilate`, mask by mask", by_mask


def png_arms(noisy: bool) -> Iterator[Arm]:
    palette = palette_of(19)
    labels, _ = label_maps(19, 4)
    rgb = painted(labels, palette) if noisy else palette.paint(labels)
    data = encode_png(rgb).data
    agree(read_image(data), rgb, "read_image")
    quick = _is_there("isal", "numba")
    reader = "with isal and numba" if quick else "with Pillow"
    yield f"**ours**, `read_image`, {reader}", lambda: read_image(data)
    if _is_there("pyspng"):
        import pyspng

        yield "pyspng", lambda: pyspng.load(data, "RGB")
    yield "Pillow", lambda: np.asarray(Image.open(io.BytesIO(data)))
    if _is_there("cv2"):
        import cv2

        cv2.setNumThreads(1)
        coded = np.frombuffer(data, np.uint8)
        yield "OpenCV", lambda: cv2.cvtColor(cv2.imdecode(coded, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def reference_arms() -> Iterator[Arm]:
    palette = palette_of(19)
    labels, _ = label_maps(19, 5)
    indexed = encode_labels(labels, palette).data
    grey = io.BytesIO()
    Image.fromarray(labels).save(grey, "png")
    agree(read_labels(indexed, palette), labels, "the reader")
    yield f"**ours**, indexed PNG, {len(indexed) // 1000} kB", lambda: read_labels(indexed, palette)
    yield f"Pillow, grey PNG, {len(grey.getvalue()) // 1000} kB", lambda: np.asarray(Image.open(grey))


def decoder_arms(colours: int, noisy: bool) -> Iterator[Arm]:
    palette = palette_of(colours)
    labels = label_maps(colours, 6)[0]
    rgb = painted(labels, palette) if noisy else compressed(labels, palette)
    for name, decoder in DECODERS.items():
        yield name, lambda decoder=decoder: decoder.decode(rgb, palette)


def memory() -> None:
    """What a call needs beyond its arguments, by the kernel's own count; each in a process of its own.

    The kernel counts to a few megabytes, so a picture of 4096 × 4096 pixels is measured.
    """
    # Arrays that are freed go back to the system at once, so that none of them hides what the call needs.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    print("\n### Extra memory at its peak for 4096 × 4096 pixels\n")
    print("| call | with numba, MB | numpy alone, MB |\n| --- | ---: | ---: |")
    for call in ("decode + confusion", "boundary_counts", "contour_counts"):
        cells = [
            subprocess.check_output([sys.executable, __file__, "--memory", call, way], env=environment, text=True)
            for way in ("numba", "numpy")
        ]
        print(f"| {call} | {' | '.join(cell.strip() for cell in cells)} |", flush=True)


def measure_memory(call: str, way: str) -> None:
    palette = palette_of(19)
    prediction, reference = (np.tile(labels, (4, 4)) for labels in label_maps(19, 1))
    rgb = painted(prediction, palette)
    calls: dict[str, Callable[[], object]] = {
        "decode + confusion": lambda: confusion(nearest(rgb, palette), reference, 19),
        "boundary_counts": lambda: boundary_counts(prediction, reference, 19),
        "contour_counts": lambda: contour_counts(prediction, reference, 19),
    }
    with numpy_alone() if way == "numpy" else nullcontext():
        for _ in range(3):  # tables and compiled code are made once
            calls[call]()
            gc.collect()
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # forget the peak so far
        before = _status("VmRSS")
        calls[call]()
        print(f"{max(0.0, (_status('VmHWM') - before) / 1000):.1f}")


def _status(field: str) -> int:
    """Kilobytes, by Linux's account of this process."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


def scoring_arms(root: Path) -> Iterator[Arm]:
    """One noisy answer as the bench scores it, reading of both files included, without images for the gallery."""
    palette = palette_of(19)
    prediction, reference = label_maps(19, 7)
    (root / "palette.json").write_text(json.dumps(dict(zip(palette.labels, palette.colours, strict=True))))
    (root / "masks").mkdir()
    (root / "masks" / "a.png").write_bytes(encode_labels(reference, palette).data)
    answer = Answer(images=(encode_png(painted(prediction, palette)),))
    for detail in ("lean", "full"):
        options = {"reference": str(root / "masks"), "palette": str(root / "palette.json"), "gallery": 0}
        bench = get_bench("arena", **options, detail=detail)
        item = next(iter(bench.items(Source("folder"), 0, None)))
        yield f"`--detail {detail}`", lambda bench=bench, item=item: bench.score(item, answer, {})


def stream(pictures: int) -> None:
    """Noisy PNGs one after the other: read, decode, count. Does memory stay flat, and what would a million cost?"""
    palette = palette_of(19)
    cases = [label_maps(19, 100 + i) for i in range(8)]
    files = [encode_png(painted(p, palette, i)).data for i, (p, _) in enumerate(cases)]
    references = [encode_labels(r, palette).data for _, r in cases]
    total = SegmentationCounts.of(*cases[0], 19)
    marks, start = [], time.process_time()
    for i in range(pictures):
        labels = nearest(read_image(files[i % 8]), palette)
        total = total + SegmentationCounts.of(labels, read_labels(references[i % 8], palette), 19)
        if i + 1 in (pictures // 10, pictures):
            marks.append(_status("VmRSS") / 1000)
    each = (time.process_time() - start) / pictures
    print(f"\n### A stream of {pictures:,} noisy PNGs: read, decode, count\n")
    print(f"{each * 1000:.1f} CPU-ms per picture, {each * 1e6 / 3600:.1f} core-hours per million;")
    print(f"memory {marks[0]:.0f} MB after a tenth of them, {marks[-1]:.0f} MB after all.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=0, help="length of the stream; none by default")
    parser.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--path", action="store_true", help="only the whole path of an answer")
    parser.add_argument("--summary", action="store_true", help="only the cost of the summary")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU time for each row of a table")
    options = parser.parse_args()
    globals()["SECONDS"] = options.seconds
    if options.memory:
        return measure_memory(*options.memory)
    if options.path:
        return whole_path()
    if options.summary:
        with tempfile.TemporaryDirectory() as folder:
            return summary_cost(Path(folder))
    for colours in (19, 133):
        table(f"Decode and count, {colours} colours, noisy", decoding_arms(colours))
    table("Confusion alone, 19 classes", confusion_arms(19))
    table("Boundary IoU, 19 classes", boundary_arms(19))
    for classes in (19, 133):
        table(f"Boundary F, {classes} classes", contour_arms(classes))
    table("Reading a noisy RGB PNG", png_arms(noisy=True))
    table("Reading a clean RGB PNG", png_arms(noisy=False))
    table("Reading a reference", reference_arms())
    for colours in (19, 133):
        table(f"Decoders, {colours} colours, noisy", decoder_arms(colours, noisy=True))
        table(f"Decoders, {colours} colours, JPEG", decoder_arms(colours, noisy=False))
    with tempfile.TemporaryDirectory() as folder:
        table("Scoring one answer", scoring_arms(Path(folder)))
    memory()
    whole_path()
    if options.pictures:
        stream(options.pictures)


if __name__ == "__main__":
    compile_first()
    main()
