"""Folders of masks and answers, small and real."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
from PIL import Image

from pixelproof.pixels import Palette, encode_indexed_png, encode_png

PALETTE = Palette(
    ("background", "disc", "left bar", "right bar", "dot"),
    ((0, 0, 0), (220, 40, 40), (40, 200, 60), (40, 60, 220), (240, 220, 40)),
)


def mask(index: int, side: int = 96) -> np.ndarray:
    """A disc between two bars, with a dot; a little different for every index."""
    y, x = np.mgrid[:side, :side]
    labels = np.zeros((side, side), np.uint8)
    labels[10:-10, 6:20] = 2
    labels[10:-10, -20:-6] = 3
    labels[(y - 50) ** 2 + (x - 44 - index) ** 2 < 300] = 1
    labels[(y - 20) ** 2 + (x - 60 + index) ** 2 < 20] = 4
    return labels


def photo(index: int, side: int = 96) -> np.ndarray:
    """Something that has nothing flat in it."""
    rng = np.random.default_rng(index)
    return np.clip(PALETTE.paint(mask(index, side)) // 2 + rng.integers(0, 128, (side, side, 3)), 0, 255).astype(
        np.uint8
    )


def make(root: Path, n: int = 3, painted: bool = False, photos: bool = True) -> dict[str, str]:
    """References, photographs and a palette; gives the bench's options."""
    for name in ("masks", "photos", "answers"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for index in range(n):
        labels = mask(index)
        file = encode_png(PALETTE.paint(labels)) if painted else encode_indexed_png(labels, PALETTE.colours)
        (root / "masks" / f"case{index}.png").write_bytes(file.data)
        if photos:
            (root / "photos" / f"case{index}.png").write_bytes(encode_png(photo(index)).data)
    (root / "palette.json").write_text(json.dumps(PALETTE.to_json()))
    options = {"reference": root / "masks", "generated": root / "answers", "palette": root / "palette.json"}
    if photos:
        options["photos"] = root / "photos"
    return {name: str(path) for name, path in options.items()}


def answer(root: Path, index: int, picture: np.ndarray | bytes, name: str | None = None, **saved) -> Path:
    """Write the answer to a case."""
    path = root / "answers" / (name or f"case{index}.png")
    if isinstance(picture, bytes):
        path.write_bytes(picture)
    else:
        buffer = io.BytesIO()
        Image.fromarray(picture).save(buffer, saved.pop("format", "PNG"), **saved)
        path.write_bytes(buffer.getvalue())
    return path
