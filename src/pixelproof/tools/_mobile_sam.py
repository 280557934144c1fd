"""MobileSAM (Zhang et al. 2023), computed from its published checkpoint: TinyViT encoder and the decoder of SAM.

Written as functions of the checkpoint's tensors, so that neither torchvision nor the authors' package is needed.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from functools import cached_property
from typing import Any

import numpy as np

from pixelproof.pixels import Box
from pixelproof.store import find_asset, import_extra, trusted_asset

from ._backends import Pixels, Segment

_ASSET = "mobile-sam"
_SIDE, _GRID = 1024, 64
_MEAN, _SPREAD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
_STAGES = ((128, 2, 4, 7), (64, 6, 5, 14), (64, 2, 10, 7))
"""Side, blocks, heads and window of the three stages with attention."""
_HEADS = 8
_KEPT = 4
"""Image embeddings that are kept."""


class MobileSamSegmenter:
    """MobileSAM (asset `mobile-sam`) on the CPU, where torch is installed; loaded at the first call.

    Raises:
        PixelProofError: torch is missing.
    """

    name = "mobile-sam"

    def __init__(self) -> None:
        self._torch = import_extra("torch", "train", "SEG by MobileSAM")
        self.version = f"1 {find_asset(_ASSET).sha256[:12]} torch {self._torch.__version__}"
        self._embeddings: OrderedDict[str, Any] = OrderedDict()

    @cached_property
    def _net(self) -> _Network:
        path = trusted_asset(_ASSET)
        return _Network(self._torch, self._torch.load(str(path), map_location="cpu", weights_only=True))

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """The whole object in a box; at a point, the mask with the highest predicted IoU of three."""
        with self._torch.inference_mode():
            mask, score = self._net.decode(self._embed(picture), picture.shape[:2], point, box)
        return Segment(mask, round(min(max(score, 0.0), 1.0), 2))

    def _embed(self, picture: Pixels) -> Any:
        key = hashlib.sha256(picture.tobytes()).hexdigest() + str(picture.shape)
        if key not in self._embeddings:
            self._embeddings[key] = self._net.encode(picture)
        self._embeddings.move_to_end(key)
        while len(self._embeddings) > _KEPT:
            self._embeddings.popitem(last=False)
        return self._embeddings[key]


class _Network:
    """The network as functions; `weights` maps the names of the checkpoint to tensors."""

    def __init__(self, torch: Any, weights: dict[str, Any]) -> None:
        self.torch, self.weights, self.f = torch, weights, torch.nn.functional

    def encode(self, picture: Pixels) -> Any:
        """Image embedding, (1, 256, 64, 64)."""
        torch, height, width = self.torch, *picture.shape[:2]
        scale = _SIDE / max(height, width)
        size = (round(height * scale), round(width * scale))
        pixels = torch.from_numpy(np.ascontiguousarray(picture)).permute(2, 0, 1)[None].float()
        pixels = self.f.interpolate(pixels, size, mode="bilinear", align_corners=False, antialias=True)
        pixels = (pixels - torch.tensor(_MEAN)[:, None, None]) / torch.tensor(_SPREAD)[:, None, None]
        x = self.f.pad(pixels, (0, _SIDE - size[1], 0, _SIDE - size[0]))
        x = self.f.gelu(self._conv(x, "patch_embed.seq.0", 2, 1))
        x = self._conv(x, "patch_embed.seq.2", 2, 1)
        for block in range(2):
            x = self._inverted(x, f"layers.0.blocks.{block}")
        x = self._merge(x, "layers.0.downsample", 2)
        for stage, (side, blocks, heads, window) in enumerate(_STAGES, 1):
            for block in range(blocks):
                x = self._transform(x, f"layers.{stage}.blocks.{block}", side, heads, window)
            if stage < 3:
                x = self._merge(x, f"layers.{stage}.downsample", 2 if stage == 1 else 1)
        x = self._norm_2d(self.f.conv2d(x, self._weight("neck.0.weight")), "image_encoder.neck.1")
        return self._norm_2d(self.f.conv2d(x, self._weight("neck.2.weight"), padding=1), "image_encoder.neck.3")

    def _weight(self, name: str) -> Any:
        return self.weights[f"image_encoder.{name}"]

    def _conv(self, x: Any, name: str, stride: int = 1, padding: int = 0) -> Any:
        """Convolution and batch normalisation; depth-wise where the weights are."""
        weight = self._weight(f"{name}.c.weight")
        x = self.f.conv2d(x, weight, None, stride, padding, groups=x.shape[1] // weight.shape[1])
        mean, var = (self._weight(f"{name}.bn.running_{what}") for what in ("mean", "var"))
        return self.f.batch_norm(x, mean, var, self._weight(f"{name}.bn.weight"), self._weight(f"{name}.bn.bias"))

    def _inverted(self, x: Any, name: str) -> Any:
        """Inverted residual (MBConv)."""
        inner = self.f.gelu(self._conv(x, f"{name}.conv1"))
        inner = self.f.gelu(self._conv(inner, f"{name}.conv2", 1, 1))
        return self.f.gelu(x + self._conv(inner, f"{name}.conv3"))

    def _merge(self, x: Any, name: str, stride: int) -> Any:
        """Down-sampling between stages."""
        x = self.f.gelu(self._conv(x, f"{name}.conv1"))
        x = self.f.gelu(self._conv(x, f"{name}.conv2", stride, 1))
        return self._conv(x, f"{name}.conv3")

    def _transform(self, x: Any, name: str, side: int, heads: int, window: int) -> Any:
        """Attention within windows, a depth-wise convolution, and a feed-forward layer."""
        channels = x.shape[1]
        pad = -side % window
        count = (side + pad) // window
        tokens = self.f.pad(x.permute(0, 2, 3, 1), (0, 0, 0, pad, 0, pad))
        tokens = tokens.reshape(1, count, window, count, window, channels).transpose(2, 3)
        tokens = self._windowed(tokens.reshape(count * count, window * window, channels), f"{name}.attn", heads, window)
        tokens = tokens.reshape(1, count, count, window, window, channels).transpose(2, 3)
        tokens = tokens.reshape(1, side + pad, side + pad, channels)[:, :side, :side]
        x = self._conv(x + tokens.permute(0, 3, 1, 2), f"{name}.local_conv", 1, 1)
        inner = self._layer_norm(x.permute(0, 2, 3, 1), f"image_encoder.{name}.mlp.norm")
        inner = self.f.gelu(self._linear(inner, f"image_encoder.{name}.mlp.fc1"))
        return x + self._linear(inner, f"image_encoder.{name}.mlp.fc2").permute(0, 3, 1, 2)

    def _windowed(self, x: Any, name: str, heads: int, window: int) -> Any:
        torch, (many, tokens, channels) = self.torch, x.shape
        x = self._linear(self._layer_norm(x, f"image_encoder.{name}.norm"), f"image_encoder.{name}.qkv")
        q, k, v = x.view(many, tokens, heads, -1).permute(0, 2, 1, 3).chunk(3, dim=3)
        places = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij"), -1).view(-1, 2)
        apart = (places[:, None] - places[None]).abs()
        bias = self._weight(f"{name}.attention_biases")[:, apart[..., 0] * window + apart[..., 1]]
        shares = (q @ k.transpose(-2, -1) * (channels // heads) ** -0.5 + bias).softmax(dim=-1)
        return self._linear((shares @ v).transpose(1, 2).reshape(many, tokens, channels), f"image_encoder.{name}.proj")

    def _linear(self, x: Any, name: str) -> Any:
        return self.f.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _layer_norm(self, x: Any, name: str) -> Any:
        return self.f.layer_norm(x, x.shape[-1:], self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm_2d(self, x: Any, name: str) -> Any:
        """Layer normalisation over channels."""
        x = x - x.mean(1, keepdim=True)
        x = x / (x.pow(2).mean(1, keepdim=True) + 1e-6).sqrt()
        return x * self.weights[f"{name}.weight"][:, None, None] + self.weights[f"{name}.bias"][:, None, None]

    def decode(
        self, embedding: Any, shape: tuple[int, ...], point: tuple[int, int] | None, box: Box | None
    ) -> tuple[Any, float]:
        """Mask and predicted IoU for a prompt in pixels."""
        height, width = shape
        tokens, keys = self._two_way(self._prompt(point, box, _SIDE / max(height, width)), embedding)
        picture = keys.transpose(1, 2).reshape(1, -1, _GRID, _GRID)
        name = "mask_decoder.output_upscaling"
        picture = self.f.conv_transpose2d(picture, self.weights[f"{name}.0.weight"], self.weights[f"{name}.0.bias"], 2)
        picture = self.f.gelu(self._norm_2d(picture, f"{name}.1"))
        picture = self.f.conv_transpose2d(picture, self.weights[f"{name}.3.weight"], self.weights[f"{name}.3.bias"], 2)
        picture = self.f.gelu(picture)[0]
        scores = self._perceptron(tokens[:, 0], "mask_decoder.iou_prediction_head")[0]
        chosen = 0 if box is not None else 1 + int(scores[1:].argmax())
        weights = self._perceptron(tokens[:, 1 + chosen], f"mask_decoder.output_hypernetworks_mlps.{chosen}")[0]
        logits = (weights @ picture.flatten(1)).reshape(1, 1, 4 * _GRID, 4 * _GRID)
        logits = self.f.interpolate(logits, (_SIDE, _SIDE), mode="bilinear", align_corners=False)
        scale = _SIDE / max(height, width)
        logits = logits[..., : round(height * scale), : round(width * scale)]
        logits = self.f.interpolate(logits, (height, width), mode="bilinear", align_corners=False)
        return (logits[0, 0] > 0).numpy(), float(scores[chosen])

    def _prompt(self, point: tuple[int, int] | None, box: Box | None, scale: float) -> Any:
        """Tokens of the prompt: a point (with a padding token where there is no box) and the corners of a box."""
        torch, tokens = self.torch, []
        points = [] if point is None else [((point[0] + 0.5) * scale, (point[1] + 0.5) * scale, 1)]
        if box is not None:
            points += [(box[0] * scale, box[1] * scale, 2), (box[2] * scale, box[3] * scale, 3)]
        for x, y, label in points:
            place = self._position(torch.tensor([[(x + 0.5) / _SIDE, (y + 0.5) / _SIDE]]))
            tokens.append(place + self.weights[f"prompt_encoder.point_embeddings.{label}.weight"])
        if box is None:
            tokens.append(self.weights["prompt_encoder.not_a_point_embed.weight"])
        return torch.cat(tokens)[None]

    def _position(self, places: Any) -> Any:
        """Random Fourier features of places from 0 to 1."""
        matrix = self.weights["prompt_encoder.pe_layer.positional_encoding_gaussian_matrix"]
        waves = 2 * math.pi * ((2 * places - 1) @ matrix)
        return self.torch.cat([waves.sin(), waves.cos()], dim=-1)

    def _two_way(self, prompt: Any, embedding: Any) -> tuple[Any, Any]:
        """Tokens and picture after the two-way transformer."""
        torch, name = self.torch, "mask_decoder.transformer"
        own = torch.cat(
            [self.weights["mask_decoder.iou_token.weight"], self.weights["mask_decoder.mask_tokens.weight"]]
        )
        start = torch.cat([own[None], prompt], dim=1)
        middles = (torch.arange(_GRID) + 0.5) / _GRID
        y, x = torch.meshgrid(middles, middles, indexing="ij")
        places = self._position(torch.stack([x, y], -1).view(-1, 2))[None]
        keys = embedding + self.weights["prompt_encoder.no_mask_embed.weight"].reshape(1, -1, 1, 1)
        keys, tokens = keys.flatten(2).transpose(1, 2), start
        for number in range(2):
            layer = f"{name}.layers.{number}"
            if number == 0:
                tokens = self._attend(tokens, tokens, tokens, f"{layer}.self_attn")
            else:
                tokens = tokens + self._attend(tokens + start, tokens + start, tokens, f"{layer}.self_attn")
            tokens = self._layer_norm(tokens, f"{layer}.norm1")
            found = self._attend(tokens + start, keys + places, keys, f"{layer}.cross_attn_token_to_image")
            tokens = self._layer_norm(tokens + found, f"{layer}.norm2")
            inner = self.f.relu(self._linear(tokens, f"{layer}.mlp.lin1"))
            tokens = self._layer_norm(tokens + self._linear(inner, f"{layer}.mlp.lin2"), f"{layer}.norm3")
            found = self._attend(keys + places, tokens + start, tokens, f"{layer}.cross_attn_image_to_token")
            keys = self._layer_norm(keys + found, f"{layer}.norm4")
        found = self._attend(tokens + start, keys + places, keys, f"{name}.final_attn_token_to_image")
        return self._layer_norm(tokens + found, f"{name}.norm_final_attn"), keys

    def _attend(self, queries: Any, keys: Any, values: Any, name: str) -> Any:
        q, k, v = (
            self._linear(x, f"{name}.{part}_proj").unflatten(2, (_HEADS, -1)).transpose(1, 2)
            for x, part in ((queries, "q"), (keys, "k"), (values, "v"))
        )
        shares = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(dim=-1)
        return self._linear((shares @ v).transpose(1, 2).flatten(2), f"{name}.out_proj")

    def _perceptron(self, x: Any, name: str) -> Any:
        for layer in range(3):
            x = self._linear(x, f"{name}.layers.{layer}")
            x = self.f.relu(x) if layer < 2 else x
        return x
