"""Teaching the network: a few convolutions, a schedule, and nothing clever."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.nets import CHANNELS, HALVED_BEFORE
from pixelproof.stats import generator
from pixelproof.store import import_extra
from training.drawing.augment import batch_features
from training.drawing.ours import LOOSE
from training.drawing.pool import CLASSES, Pool


@dataclass(frozen=True)
class Recipe:
    """How a network is built and trained."""

    seed: int = 0
    epochs: int = 24
    batch: int = 256
    rate: float = 3e-3
    """The highest rate of learning."""
    warm_up: float = 0.15
    """Share of all steps in which the rate rises to its highest."""
    decay: float = 0.02
    """Of the weights."""
    widths: tuple[int, ...] = (48, 64, 96, 128, 192, 256)
    """Channels after each convolution."""
    dropout: float = 0.4
    smoothing: float = 0.05
    """Of the labels, some of which are wrong."""
    nothing: float = 0.6
    """Weight of an example of nothing, of which there are many."""
    threads: int = 1
    """Of torch, and beside them those that make batches; where cores are shared, more can be several times slower."""


def load_torch() -> Any:
    """Import torch, which nothing here needs before something is trained.

    Raises:
        PixelProofError: It is not installed.
    """
    return import_extra("torch", "train", "Training")


def build(recipe: Recipe) -> Any:
    """The network: convolutions, then mean and maximum over the picture, then a linear layer."""
    nn = load_torch().nn
    layers: list[Any] = []
    before = CHANNELS
    for index, width in enumerate(recipe.widths):
        if index in HALVED_BEFORE:
            layers.append(nn.MaxPool2d(2))
        layers += [nn.Conv2d(before, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        before = width
    return nn.ModuleDict(
        {
            "trunk": nn.Sequential(*layers),
            "drop": nn.Dropout(recipe.dropout),
            "head": nn.Linear(2 * before, len(CLASSES)),
        }
    )


def forward(net: Any, pictures: Any) -> Any:
    """Logits of pictures of shape (n, channels, 24, 24)."""
    torch = load_torch()
    maps = net["trunk"](pictures)
    pooled = torch.cat([maps.mean((2, 3)), maps.amax((2, 3))], dim=1)
    return net["head"](net["drop"](pooled))


def train_network(pool: Pool, recipe: Recipe, report: Callable[[str], None]) -> Any:
    """Train a network on a pool; returns it in evaluation mode."""
    torch = load_torch()
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = build(recipe).to(device, memory_format=torch.channels_last)
    steps = len(pool) // recipe.batch * recipe.epochs
    optimiser = torch.optim.AdamW(net.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=steps, pct_start=recipe.warm_up)
    weights = torch.ones(len(CLASSES), device=device)
    weights[-1] = recipe.nothing
    loss_of = torch.nn.CrossEntropyLoss(weights, label_smoothing=recipe.smoothing)
    began = time.monotonic()
    for epoch in range(recipe.epochs):
        net.train()
        losses = []
        for seen, labels in _batches(pool, recipe, epoch):
            logits = forward(net, torch.from_numpy(seen).to(device))
            loss = loss_of(logits, torch.from_numpy(labels).to(device))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.detach())
        mean, seconds = float(torch.stack(losses).mean()), time.monotonic() - began
        report(f"epoch {epoch + 1} of {recipe.epochs}: loss {mean:.3f} after {seconds:.0f} s")
    return net.eval().to("cpu")


Batch = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]


def _batches(pool: Pool, recipe: Recipe, epoch: int) -> Iterator[Batch]:
    """All drawings of a pool once, in random order, each augmented anew; what does not fill a batch is left out.

    Threads make batches ahead of their use. What a batch holds depends on its number alone, not on who is first.
    """
    loose = np.isin(pool.labels, [CLASSES.index(name) for name in LOOSE])
    order = generator(recipe.seed, "recogniser/order", epoch).permutation(len(pool))
    count = len(order) // recipe.batch

    def make(number: int) -> Batch:
        part = order[number * recipe.batch :][: recipe.batch]
        rng = generator(recipe.seed, f"recogniser/wear/{epoch}", number)
        seen = batch_features(pool.cells[part], pool.grounds[part], loose[part], rng)
        channels_first = seen.transpose(0, 3, 1, 2)  # in torch's order; in memory they stay last
        return channels_first, pool.labels[part]

    with ThreadPoolExecutor(recipe.threads) as threads:
        waiting = deque(threads.submit(make, number) for number in range(min(count, 2 * recipe.threads)))
        for number in range(len(waiting), count + len(waiting)):
            yield waiting.popleft().result()
            if number < count:
                waiting.append(threads.submit(make, number))


def layers_of(net: Any) -> list[tuple[Any, Any]]:
    """Weights and biases for `nets`, the normalisation folded into the convolutions before it."""
    modules = list(net["trunk"])
    layers = []
    for convolution, norm in zip(modules, modules[1:], strict=False):
        if type(convolution).__name__ == "Conv2d":
            scale = (norm.weight / (norm.running_var + norm.eps).sqrt()).detach().numpy()
            weight = convolution.weight.detach().numpy() * scale[:, None, None, None]
            bias = norm.bias.detach().numpy() - norm.running_mean.numpy() * scale
            layers.append((weight.transpose(2, 3, 1, 0), bias))
    head = net["head"]
    return [*layers, (head.weight.detach().numpy().T, head.bias.detach().numpy())]
