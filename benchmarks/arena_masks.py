"""Palettes, label maps and painted masks for the benchmarks of the arena."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image
from scipy import ndimage
from scipy.spatial import cKDTree

from pixelproof.pixels import VOID, Palette

SIZE = 1024
Array = np.ndarray


def palette_of(colours: int) -> Palette:
    """Random colours that keep a distance, as data sets have them: 51 levels for 19 colours, 19 for 133."""
    rng, apart = np.random.default_rng(colours), 51 if colours <= 19 else 19
    chosen: list[Array] = []
    while len(chosen) < colours:
        colour = rng.integers(0, 256, 3)
        if all(np.linalg.norm(colour - other) >= apart for other in chosen):
            chosen.append(colour)
    return Palette(tuple(f"label {i}" for i in range(colours)), tuple(tuple(colour.tolist()) for colour in chosen))


def label_maps(classes: int, seed: int) -> tuple[Array, Array]:
    """A prediction and a reference."""
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, SIZE, (260, 2))
    sway = [ndimage.gaussian_filter(rng.normal(size=(SIZE, SIZE)), 12) * 400 for _ in range(2)]
    places = np.stack([axis + bend for axis, bend in zip(np.mgrid[:SIZE, :SIZE], sway, strict=True)], axis=-1)
    reference = rng.integers(0, classes, len(seeds)).astype(np.uint8)[cKDTree(seeds).query(places)[1]]
    prediction = np.roll(reference, (5, 7), axis=(0, 1))
    for y, x in rng.integers(0, SIZE - 60, (8, 2)):
        prediction[y : y + 60, x : x + 60] = rng.integers(classes)
    speckle = rng.random(prediction.shape) < 0.005
    prediction[speckle] = rng.integers(0, classes, speckle.sum())
    for y, x in rng.integers(0, SIZE - 60, (8, 2)):
        reference[y : y + 60, x : x + 60] = VOID
    return prediction, reference


def painted(labels: Array, palette: Palette, seed: int = 0) -> Array:
    soft = ndimage.gaussian_filter(palette.paint(labels).astype(np.float32), (0.7, 0.7, 0))
    noise = np.random.default_rng(seed).normal(scale=6, size=soft.shape)
    return np.clip(np.rint(soft + noise), 0, 255).astype(np.uint8)


def compressed(labels: Array, palette: Palette) -> Array:
    """A painted mask without noise, blurred a little and sent through a JPEG with halved colours."""
    soft = ndimage.gaussian_filter(palette.paint(labels).astype(np.float32), (0.7, 0.7, 0))
    file = io.BytesIO()
    Image.fromarray(np.rint(soft).astype(np.uint8)).save(file, "JPEG", quality=90, subsampling="4:2:0")
    return np.array(Image.open(file))
