"""The decoder at inference: a transformer over text and drawing tokens, in numpy, with cached keys and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._tokens import COLOUR0, LONGEST, SIDE

Array = npt.NDArray[np.float32]

PLACES = ("row", "column", "above", "run")
"""Tables of embeddings for the four numbers of `Canvas.place`."""
PLACE_SIZES = (SIDE + 1, SIDE + 1, 12, SIDE + 1)
BASE = 1000.0
"""Base of the rotary position embedding."""


def normalise(x: Array) -> Array:
    """Root-mean-square normalisation along the last axis."""
    return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1.1920929e-7)))


class Decoder:
    """One sequence: `read` texts and tokens, get logits of the next drawing token.

    Args:
        weights: Arrays by the names of the trained module.
        heads: Number of attention heads.

    Raises:
        ValueError: The arrays do not fit together.
        KeyError: One is missing.
    """

    def __init__(self, weights: Mapping[str, Array], heads: int) -> None:
        depth = sum(name.endswith(".qkv.weight") for name in weights)
        self.width = weights["texts.weight"].shape[1]
        self.codes = len(weights["tokens.weight"]) - COLOUR0
        width = self.width
        if not (depth and heads > 0 and width % (2 * heads) == 0 and self.codes >= 2):
            raise ValueError("its depth, heads, width or code book are impossible")
        expected = {"texts": (None, width), "tokens": (None, width), "head": (COLOUR0 + self.codes, width)}
        expected |= {name: (size, width) for name, size in zip(PLACES, PLACE_SIZES, strict=True)}
        for n in range(depth):
            shapes = {
                "qkv": (3 * width, width),
                "out": (width, width),
                "up": (4 * width, width),
                "down": (width, 4 * width),
            }
            expected |= {f"blocks.{n}.{name}": shape for name, shape in shapes.items()}
        for name, (rows, columns) in expected.items():
            shape = weights[f"{name}.weight"].shape
            if shape != (rows or shape[0], columns):
                raise ValueError(f"{name} has the shape {shape}")
        self._texts, self._tokens = weights["texts.weight"], weights["tokens.weight"]
        self._places = [weights[f"{name}.weight"] for name in PLACES]
        names = ("qkv", "out", "up", "down")
        self._blocks = [[weights[f"blocks.{n}.{name}.weight"].T.copy() for name in names] for n in range(depth)]
        self._head = weights["head.weight"].T.copy()
        half = width // heads // 2
        self._frequencies = BASE ** -(np.arange(half) / half)
        self._heads = heads

    def begin(self, texts: Sequence[int], token: int) -> tuple[Sequence[Array], Array]:
        """Read a text and the first drawing token; return the cache of the sequence and the logits."""
        length = len(texts) + LONGEST
        cache = [np.zeros((2, self._heads, length, self.width // self._heads), np.float32) for _ in self._blocks]
        x = np.concatenate([self._texts[list(texts)], self._tokens[[token]]])
        return cache, self._forward(x + sum(table[0] for table in self._places), cache, 0)

    def step(self, cache: Sequence[Array], at: int, token: int, place: Sequence[int]) -> Array:
        """Read the drawing token at position `at`, with the place of the one after it; return the logits."""
        x = self._tokens[token] + sum(table[number] for table, number in zip(self._places, place, strict=True))
        return self._forward(x[None], cache, at)

    def _forward(self, x: Array, cache: Sequence[Array], at: int) -> Array:
        """Logits after the last row of x, whose rows are at the positions from `at` on."""
        t, end = len(x), at + len(x)
        angles = np.arange(at, end)[:, None] * self._frequencies
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        hidden = np.arange(end)[None] > np.arange(at, end)[:, None]
        x = normalise(x.astype(np.float32))
        for (qkv, out, up, down), memory in zip(self._blocks, cache, strict=True):
            q, k, v = (normalise(x) @ qkv).reshape(t, 3, self._heads, -1).transpose(1, 2, 0, 3)
            memory[0, :, at:end], memory[1, :, at:end] = _rotate(normalise(k), cos, sin), v
            scores = _rotate(normalise(q), cos, sin) @ memory[0, :, :end].swapaxes(1, 2)
            scores = np.where(hidden, np.float32(-1e4), scores * np.float32(q.shape[-1] ** -0.5))
            powers = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (powers / powers.sum(-1, keepdims=True)) @ memory[1, :, :end]
            x = x + mixed.transpose(1, 0, 2).reshape(t, -1) @ out
            x = x + np.square(np.maximum(normalise(x) @ up, 0)) @ down
        return np.asarray(normalise(x[-1]) @ self._head)


def _rotate(x: Array, cos: Array, sin: Array) -> Array:
    a, b = np.split(x, 2, -1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)
