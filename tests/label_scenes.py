"""Label maps and photographs made from a seed, for tests."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from pixelproof.pixels import Palette

PALETTE = Palette(
    tuple("abcdefghij"),
    (
        (0, 0, 0),
        (204, 0, 0),
        (76, 153, 0),
        (204, 204, 0),
        (51, 51, 255),
        (204, 0, 204),
        (0, 255, 255),
        (255, 204, 204),
        (102, 51, 0),
        (255, 153, 51),
    ),
)
SIZE = 320


def scene(seed, size=SIZE, things=7):
    """Two grounds and some tilted ellipses and boxes."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] / size
    labels = np.where(y > rng.uniform(0.45, 0.75), 1, 0).astype(np.uint8)
    for label in range(2, things + 1):
        cy, cx = rng.uniform(0.2, 0.8, 2)
        a, b = rng.uniform(0.06, 0.17, 2)
        turn, power = rng.uniform(0, np.pi), rng.choice([2, 8])
        u, v = (x - cx) * np.cos(turn) + (y - cy) * np.sin(turn), (y - cy) * np.cos(turn) - (x - cx) * np.sin(turn)
        labels[np.abs(u / a) ** power + np.abs(v / b) ** power < 1] = label
    return labels


def face(seed, size=SIZE):
    """Hair, skin, nose, and pairs of eyes, brows and ears, not quite symmetrical."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] / size - 0.5
    cx, cy, turn = rng.uniform(-0.06, 0.06, 3)
    labels = np.zeros((size, size), np.uint8)
    parts = [
        (1, rng.uniform(-0.08, 0.08), -0.06, 0.33, 0.4),
        (6, 0.25, 0.0, 0.04, 0.08),
        (7, -0.25, 0.0, 0.04, 0.08),
        (8, 0.0, 0.03, 0.24, 0.32),
        (2, 0.1 + turn, -0.05, 0.05, 0.025),
        (3, -0.1 + turn, -0.05, 0.05, 0.025),
        (4, 0.11 + turn, -0.13, 0.06, 0.02),
        (5, -0.11 + turn, -0.13, 0.06, 0.02),
        (9, turn, 0.05, 0.04, 0.08),
    ]
    for label, px, py, a, b in parts:
        labels[((x - cx - px) / a) ** 2 + ((y - cy - py) / b) ** 2 < 1] = label
    return labels


PAIRS = ((2, 3), (4, 5), (6, 7))


def symmetric_face(seed, asymmetry=0.0, size=SIZE):
    """A face whose parts lie symmetrically, up to a random offset of each as a share of the frame."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] / size - 0.5
    y, x = y - rng.uniform(-0.03, 0.03), x
    labels = np.zeros((size, size), np.uint8)
    parts = [(1, 0.0, -0.06, 0.33, 0.4), (6, 0.25, 0.0, 0.04, 0.08), (7, -0.25, 0.0, 0.04, 0.08)]
    parts += [(8, 0.0, 0.03, 0.24, 0.32), (9, 0.0, 0.05, 0.04, 0.08)]
    parts += [(2, 0.1, -0.05, 0.05, 0.025), (3, -0.1, -0.05, 0.05, 0.025)]
    parts += [(4, 0.11, -0.13, 0.06, 0.02), (5, -0.11, -0.13, 0.06, 0.02)]
    for label, px, py, a, b in parts:
        dx, dy = rng.uniform(-asymmetry, asymmetry, 2)
        labels[((x - px - dx) / a) ** 2 + ((y - py - dy) / b) ** 2 < 1] = label
    return labels


def photograph(seed, size=SIZE):
    """Something with detail at every size, as photos have."""
    rng = np.random.default_rng(seed)
    layers = [ndimage.zoom(rng.normal(size=(n, n, 3)), (size / n, size / n, 1), order=1) for n in (5, 20, 80, size)]
    picture = sum(weight * layer for weight, layer in zip((40, 30, 20, 6), layers, strict=True))
    return np.clip(128 + picture, 0, 255).astype(np.uint8)


def blobs(seed: int, side: int = 96) -> tuple[np.ndarray, np.ndarray]:
    """A picture of smooth fields with noise, and its truth."""
    rng = np.random.default_rng(seed)
    fields = ndimage.gaussian_filter(rng.normal(size=(5, side, side)), (0, 9, 9))
    truth = fields.argmax(axis=0).astype(np.uint8)
    colours = np.array([[200, 60, 60], [60, 180, 70], [60, 80, 200], [230, 210, 80], [40, 40, 40]])
    photo = colours[truth] + rng.normal(scale=12, size=(side, side, 3))
    return np.clip(photo, 0, 255).astype(np.uint8), truth
