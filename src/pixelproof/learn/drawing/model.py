"""The decoder in torch: a transformer over text and drawing tokens. `nets/draw` computes the same in numpy."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pixelproof.nets.draw import BASE, COLOUR0, PLACE_SIZES, PLACES

_LONGEST = 1024
"""Longest sequence of text and drawing tokens."""


def normalise(x: Tensor) -> Tensor:
    """Root-mean-square normalisation along the last axis."""
    return F.rms_norm(x, (x.shape[-1],), eps=1.1920929e-7)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding on the halves of the last axis."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Block(nn.Module):
    """Causal self-attention, then two linear layers with a squared rectifier between them."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, hidden: Tensor) -> Tensor:
        """Shape (n, t, width) in and out; `hidden` (t, t) marks the positions that must not be attended to."""
        n, t, width = x.shape
        q, k, v = self.qkv(normalise(x)).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = rotate(normalise(q), cos, sin), rotate(normalise(k), cos, sin)
        # Plain products: on a CPU the backward pass of scaled_dot_product_attention takes as long as all else.
        scores = (q.flatten(0, 1) * (width // self.heads) ** -0.5) @ k.flatten(0, 1).transpose(1, 2)
        mixed = scores.masked_fill(hidden, -1e4).softmax(-1) @ v.flatten(0, 1)
        x = x + self.out(mixed.view(n, self.heads, t, -1).transpose(1, 2).reshape(n, t, width))
        return x + self.down(F.relu(self.up(normalise(x))).square())


class Decoder(nn.Module):
    """Texts and drawing tokens to logits of the next drawing tokens.

    Args:
        texts: Size of the text vocabulary.
        colours: Size of the code book.
        width: Width of the residual stream.
        depth: Number of blocks.
        heads: Number of attention heads.
    """

    def __init__(self, texts: int, colours: int, width: int, depth: int, heads: int) -> None:
        super().__init__()
        self.texts = nn.Embedding(texts, width)
        self.tokens = nn.Embedding(COLOUR0 + colours, width)
        for name, size in zip(PLACES, PLACE_SIZES, strict=True):
            self.add_module(name, nn.Embedding(size, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, COLOUR0 + colours, bias=False)
        for name, weight in self.named_parameters():
            if name.endswith(("out.weight", "down.weight", "head.weight")):
                nn.init.zeros_(weight)
            else:
                nn.init.normal_(weight, std=weight.shape[1] ** -0.5 if name.startswith("blocks") else 0.5)
        half = width // heads // 2
        angles = torch.arange(_LONGEST)[:, None] * BASE ** -(torch.arange(half) / half)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, texts: Tensor, tokens: Tensor, places: Tensor, wanted: Tensor) -> Tensor:
        """Logits (wanted, drawing tokens) at the positions where `wanted` (n, t) is true.

        Args:
            texts: (n, t) text tokens; read where there is no drawing token.
            tokens: (n, t) drawing tokens, 0 elsewhere.
            places: (n, t, 4) place of the next token.
            wanted: (n, t) positions whose next token is predicted.
        """
        x = torch.where((tokens > 0)[..., None], self.tokens(tokens), self.texts(texts))
        for number, name in enumerate(PLACES):
            x = x + self.get_submodule(name)(places[..., number])
        x, t = normalise(x), tokens.shape[1]
        hidden = torch.ones(t, t, dtype=torch.bool).triu(1)
        for block in self.blocks:
            x = block(x, self.cos[:t], self.sin[:t], hidden)
        return self.head(normalise(x)[wanted])
