"""Channel detection: how often the channel of an image is named right. For docs/methods/channels.md."""

from __future__ import annotations

import io
import multiprocessing.pool
from dataclasses import replace

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from pixelproof.pixels import ImageChannel, blur, detect_channel, encode_png
from pixelproof.stats import generator
from trust_tables import table

TITLE = "Channels"
_SIDES = (128, 256)
_COLOURS = (2, 5, 19, 134)
_CHANNELS: dict[str, tuple[float, int | None, int]] = {
    "hard edges, lossless": (0.0, None, 0),
    **{f"blur of {sigma} px, lossless": (sigma, None, 0) for sigma in (0.35, 0.5, 0.7, 1.0, 1.2, 1.4)},
    "hard edges, JPEG 95, 4:4:4": (0.0, 95, 0),
    "hard edges, JPEG 90, 4:2:0": (0.0, 90, 2),
    "hard edges, JPEG 85, 4:2:2": (0.0, 85, 1),
    "hard edges, JPEG 75, 4:2:0": (0.0, 75, 2),
    "soft edges, JPEG 95, 4:4:4": (0.7, 95, 0),
    "soft edges, JPEG 90, 4:2:0": (0.7, 90, 2),
    "soft edges, JPEG 75, 4:2:0": (0.7, 75, 2),
}
"""Description → blur, JPEG quality (None: lossless), and Pillow's number of the chroma subsampling."""


def mask(rng: np.random.Generator, side: int, colours: int, straight: bool = False) -> np.ndarray:
    """A painted mask: smooth regions, or discs and rectangles, in random colours at least 24 levels apart."""
    regions = min(9, colours)
    chosen: list[np.ndarray] = []
    while len(chosen) < regions:
        colour = rng.integers(0, 256, 3)
        if all(np.abs(colour - other).max() >= 24 for other in chosen):
            chosen.append(colour)
    if straight:
        return np.array(chosen, np.uint8)[shapes(rng, side, regions)]
    fields = [gaussian_filter(rng.standard_normal((side, side)), side / 18) for _ in range(regions)]
    return np.array(chosen, np.uint8)[np.argmax(fields, axis=0)]


def shapes(rng: np.random.Generator, side: int, labels: int) -> np.ndarray:
    """Discs and rectangles on a ground."""
    painted, (y, x) = np.zeros((side, side), np.uint8), np.mgrid[:side, :side]
    for number in range(8):
        left, top = rng.integers(0, side, 2)
        half = rng.integers(side // 10, side // 4)
        disc = (x - left) ** 2 + (y - top) ** 2 < half**2
        box = (np.abs(x - left) < 0.8 * half) & (np.abs(y - top) < half)
        painted[box if number % 2 else disc] = rng.integers(1, labels)
    return painted


def outcome(task: tuple[str, int, int, int]) -> tuple[bool | None, bool | None]:
    """Whether the channel is named right from the file, and after conversion to PNG; None: the image does not tell."""
    name, side, colours, index = task
    sigma, quality, subsampling = _CHANNELS[name]
    rng = generator(index, f"trust/channels/{side}", colours)
    image = blur(mask(rng, side, colours, straight=index % 2 == 1), sigma)
    data = encode_png(image).data
    if quality is not None:
        buffer = io.BytesIO()
        Image.fromarray(image).save(buffer, "JPEG", quality=quality, subsampling=subsampling)
        data = buffer.getvalue()
        image = np.asarray(Image.open(buffer).convert("RGB"))
    sent = ImageChannel(sigma, quality, ("4:4:4", "4:2:2", "4:2:0")[subsampling] if quality else "4:2:0")
    named, converted = detect_channel(data, image), detect_channel(encode_png(image).data, image)
    known = sent if converted is None else replace(sent, subsampling=converted.subsampling)  # greys do not tell
    return _is_near(named, sent), _is_near(converted, known)


def _is_near(named: ImageChannel | None, sent: ImageChannel) -> bool | None:
    """Whether the blur is right to 0.1 px, the quality to 2, and the subsampling; None if there is no channel."""
    if named is None:
        return None
    near = named.quality == sent.quality or (named.quality and sent.quality and abs(named.quality - sent.quality) <= 2)
    return bool(near) and named.subsampling == sent.subsampling and abs(named.sigma - sent.sigma) < 0.11


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The text of the section, and the claims that failed."""
    repetitions = max(2, int(6 * scale))
    rows, failed = [], []
    for name in _CHANNELS:
        tasks = [(name, side, colours, i) for side in _SIDES for colours in _COLOURS for i in range(repetitions)]
        outcomes = pool.map(outcome, tasks)
        silent = sum(right is None for right, _ in outcomes)
        rights = [right for right, _ in outcomes if right is not None]
        afters = [lossy for _, lossy in outcomes if lossy is not None]
        rows.append([name, f"{len(tasks)}", f"{silent}", f"{np.mean(rights):.3f}", f"{np.mean(afters):.3f}"])
        if min(np.mean(rights), np.mean(afters)) < 0.9:
            failed.append(f"channels: {name} is detected in {np.mean(rights):.3f}, as PNG in {np.mean(afters):.3f}")
    head = ["sent through", "images", "without edges", "channel right", "right if stored as PNG"]
    text = (
        f"Painted masks of {', '.join(map(str, _COLOURS))} colours with sides of {', '.join(map(str, _SIDES))} pixels, "
        "one half with smooth outlines, the other of discs and rectangles. "
        "*Channel right*: blur (to 0.1 px), JPEG quality (to 2) and subsampling, detected from the file. For the last "
        "column the decoded pixels are stored as PNG, where JPEG shows by its traces alone; subsampling, which greys "
        "do not show, does not count there."
    )
    return f"{text}\n\n{table(head, rows)}", failed
