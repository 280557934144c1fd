"""Train the drawing model: subject text to palette and grid.

    pixelproof train drawing --smoke --out runs/d0    # a minute: every path once
    pixelproof train drawing --out runs/d1            # about an hour of one core

Writes config.toml, log.jsonl, last.npz, samples/, index.html, net.npz and card.json. Left out: dropout (no drawing comes
twice), 2-D positions (an earlier trial: +.007, interval includes 0), single things (the bench asks for them in
compositions only) and compositions (a drawing takes 30 ms, and training on it as long as on three exact ones).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import torch
import torch.nn.functional as F

from pixelproof.benches.pixelart import PixelArt
from pixelproof.contract import Source
from pixelproof.learn.kit import NET, Checkpoints, Row, mean_scores, write_net, write_samples
from pixelproof.nets.draw import DrawNet
from pixelproof.stats import derive_seed, generator

from ._data import TRAINING_SEEDS, Encoder, Stream, may_train, training_drawings
from ._model import Decoder


@dataclass(frozen=True)
class Config:
    """All numbers of a run."""

    seed: int = 0
    threads: int = 1  # of torch; equal numbers give equal bits
    steps: int = 12000  # may be changed on --resume until the learning rate falls
    pool: int = 512  # drawings that are sorted by length and cut into batches
    batches: int = 32  # optimiser steps per pool: 16 drawings, 1,100 tokens each
    colours: int = 128  # size of the code book
    piece_count: int = 12  # occurrences from which on a segment of text is one token
    width: int = 128
    depth: int = 5
    heads: int = 4
    muon_lr: float = 0.015  # of the matrices in the blocks
    adam_lr: float = 0.003  # of embeddings and head
    weight_decay: float = 0.01  # of Muon
    warmup: int = 100  # steps
    decay: float = 0.6  # last part of the steps, over which the learning rate falls to 0
    ema: float = 0.995  # of the averaged weights, which are scored and exported
    clip: float = 1.0  # largest norm of the gradient of embeddings and head
    temperature: float = 0.2  # of sampling
    log_every: int = 25  # steps per row
    save_every: int = 250
    score_every: int = 2000
    score_items: int = 100  # training subjects, drawn anew


SMOKE = replace(
    Config(), steps=24, pool=64, batches=8, width=32, depth=2, heads=2, log_every=4, save_every=8, score_every=12, score_items=4
)
"""Every path of the script once."""

COLUMNS = {
    "step": "optimiser steps so far",
    "loss": "mean cross-entropy per drawing token, in nats, since the last row; falls from 6 to below 0.7",
    "grad_norm": "norm of the gradient of embeddings and head in the last step, before clipping; 0.1 to 2",
    "lr": "learning rate relative to its peak: rises to 1 during the warm-up, falls to 0 at the end",
    "drawings": "drawings seen so far",
    "solved": "share of exact subjects that the averaged weights draw without fault, on texts of the training split",
}
"""Columns of the log: meaning, unit, healthy range."""


def learning_rate(config: Config, step: int) -> float:
    """Learning rate of a step relative to its peak: a linear rise, a plateau, a linear fall."""
    left = (config.steps - step) / config.steps
    return min(1.0, (step + 1) / config.warmup, left / config.decay)


def train(config: Config, out: Path) -> Iterator[Row]:
    """Train the model and yield a row every `log_every` steps. Continues from the checkpoint in `out`, if there is one."""
    torch.set_num_threads(config.threads)
    torch.manual_seed(derive_seed(config.seed, "drawing/weights"))
    encoder = Encoder.fit(config.seed, config.colours, config.piece_count)
    stream = Stream(encoder, config.seed, config.pool, config.batches)
    model = Decoder(len(encoder.vocabulary), config.colours, config.width, config.depth, config.heads)
    matrices = list(model.blocks.parameters())
    others = [weight for name, weight in model.named_parameters() if not name.startswith("blocks")]
    muon = torch.optim.Muon(
        matrices, config.muon_lr, momentum=0.95, weight_decay=config.weight_decay, adjust_lr_fn="original"
    )
    adam = torch.optim.AdamW(others, config.adam_lr, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    average = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    checkpoints, start, drawings = Checkpoints(out), 0, 0
    if state := checkpoints.load():
        model.load_state_dict(state["model"])
        muon.load_state_dict(state["muon"])
        adam.load_state_dict(state["adam"])
        average, start, drawings = state["average"], state["step"], state["drawings"]
    losses: list[torch.Tensor] = []
    for step in range(start, config.steps):
        # The batch is a function of (seed, step): there is no generator to save and no data to skip.
        batch = stream.batch(step)
        texts, tokens, places, targets = map(torch.from_numpy, (batch.texts, batch.tokens, batch.places, batch.targets))
        factor = learning_rate(config, step)
        muon.param_groups[0]["lr"], adam.param_groups[0]["lr"] = config.muon_lr * factor, config.adam_lr * factor
        wanted = targets > 0
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(texts, tokens, places, wanted)
        loss = F.cross_entropy(logits.float(), targets[wanted])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(others, config.clip, error_if_nonfinite=True)
        muon.step()
        adam.step()
        model.zero_grad(set_to_none=True)
        keep = min(config.ema, 1 - 1 / (step / 4 + 1))  # the average is short at first: the first weights are noise
        with torch.no_grad():
            for name, weight in model.named_parameters():
                average[name].lerp_(weight, 1 - keep)
        losses.append(loss.detach())
        drawings += len(tokens)
        done = step + 1
        if done % config.log_every == 0:
            row: Row = {
                "step": done,
                "loss": round(torch.stack(losses).mean().item(), 5),
                "grad_norm": round(norm.item(), 5),
                "lr": round(factor, 5),
                "drawings": drawings,
            }
            losses = []
            if done % config.score_every == 0:
                row |= score(config, DrawNet(export(config, out, average, encoder)), done, out)
            yield row
        if done % config.save_every == 0 or done == config.steps:
            checkpoints.save(
                model=model.state_dict(), muon=muon.state_dict(), adam=adam.state_dict(), average=average,
                step=done, drawings=drawings,
            )  # fmt: skip


def export(config: Config, out: Path, average: dict[str, torch.Tensor], encoder: Encoder) -> Path:
    """Write the averaged weights to `out/net.npz`, and return the path."""
    path = out / NET
    facts = {"heads": config.heads, "temperature": config.temperature, "pieces": encoder.vocabulary.pieces}
    write_net(path, "draw", average, {"book": encoder.book}, facts)
    return path


def score(config: Config, net: DrawNet, step: int, out: Path) -> Row:
    """Let the bench score drawings of training subjects, and write a sheet of others."""
    subjects = PixelArt().items(Source("fresh"), TRAINING_SEEDS + config.seed, 3 * config.score_items)
    exact = (item for item in subjects if item.tags["checked"] == "exactly" and may_train(item.inputs["subject"]))
    items = list(islice(exact, config.score_items))
    sheet = [
        palette[grid]
        for number, (subject, _) in enumerate(training_drawings(config.seed, "sheet", 0, 40))
        for palette, grid in [net.draw(subject.text, generator(config.seed, "drawing/sheet", number))]
    ]
    write_samples(out, step, sheet)
    return {"solved": round(mean_scores(PixelArt(), items, net, config.seed)["exact.solved"], 4)}
