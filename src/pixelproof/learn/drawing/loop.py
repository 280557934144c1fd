"""Train the drawing model: subject text to palette and grid.

    pixelproof train drawing --smoke --out runs/d0    # a minute: every path once
    pixelproof train drawing --out runs/d1            # half an hour of one core

Writes config.toml, log.jsonl, last.npz, samples/, index.html, net.npz and card.json. Left out: dropout (no drawing
comes twice), 2-D positions (an earlier trial: +.007, interval includes 0) and compositions (one drawing takes 30 ms,
and training on it as long as on three exact ones).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import torch
import torch.nn.functional as F

from pixelproof.benches.pixelart import PixelArt
from pixelproof.contract import Item, PixelProofError, Source
from pixelproof.harness import TRAINING_SEEDS, list_split
from pixelproof.learn.kit import (
    NET,
    Checkpoints,
    Row,
    mean_scores,
    score_file,
    write_card,
    write_net,
    write_samples,
)
from pixelproof.nets.draw import DrawNet
from pixelproof.stats import derive_seed, generator

from .data import Drawings, Encoder, Stream
from .model import Decoder


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
    temperature: float = 0.2  # of sampling, until one of TEMPERATURES is chosen at the end
    log_every: int = 25  # steps per row
    save_every: int = 250
    score_every: int = 2000
    score_items: int = 100  # subjects of the training split
    final_items: int = 200  # subjects per temperature, and of the evaluation split, at the end


SMOKE = replace(
    Config(),
    steps=24,
    pool=64,
    batches=8,
    width=32,
    depth=2,
    heads=2,
    log_every=4,
    save_every=8,
    score_every=12,
    score_items=4,
    final_items=6,
)
"""Every path of the script once."""

TEMPERATURES = (0.2, 0.0, 0.4)

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
    """Train the model; yield a row every `log_every` steps. Continues from the checkpoint in `out`, if there is one."""
    torch.set_num_threads(config.threads)
    torch.manual_seed(derive_seed(config.seed, "drawing/weights"))
    encoder = Encoder.fit(config.seed, config.colours, config.piece_count)
    stream = Stream(encoder, config.seed, config.pool, config.batches)
    model = Decoder(len(encoder.vocabulary), config.colours, config.width, config.depth, config.heads)
    embeddings = [weight for name, weight in model.named_parameters() if not name.startswith("blocks")]
    muon = torch.optim.Muon(
        model.blocks.parameters(), momentum=0.95, weight_decay=config.weight_decay, adjust_lr_fn="original"
    )
    adam = torch.optim.AdamW(embeddings, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    average = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    checkpoints, start, drawings, losses = Checkpoints(out), 0, 0, list[float]()
    if state := checkpoints.load():
        for name, part in {"model": model, "muon": muon, "adam": adam}.items():
            part.load_state_dict(state[name])
        average, start, drawings = state["average"], state["step"], state["drawings"]
    for step in range(start, config.steps):
        # The batch is a function of (seed, step): there is no generator to save and no data to skip.
        texts, tokens, places, targets = map(torch.from_numpy, stream.batch(step))
        factor = learning_rate(config, step)
        muon.param_groups[0]["lr"], adam.param_groups[0]["lr"] = config.muon_lr * factor, config.adam_lr * factor
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(texts, tokens, places, targets > 0)
        loss = F.cross_entropy(logits.float(), targets[targets > 0])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(embeddings, config.clip, error_if_nonfinite=True)
        muon.step()
        adam.step()
        model.zero_grad(set_to_none=True)
        # The average is short at first: the first weights are noise.
        update_average(average, model, min(config.ema, 1 - 1 / (step / 4 + 1)))
        losses.append(loss.item())
        drawings, done = drawings + len(tokens), step + 1
        if done % config.log_every == 0:
            row = {"step": done, "loss": sum(losses) / len(losses), "grad_norm": norm.item(), "lr": factor}
            losses = []
            if done % config.score_every == 0:
                net = export(config, out / NET, average, encoder)
                row["solved"] = score(config, net, training_items(config, config.score_items))
                write_sheet(config, net, done, out)
            yield {name: round(value, 5) for name, value in row.items()} | {"drawings": drawings}
        if done % config.save_every == 0 or done == config.steps:
            states = {"model": model.state_dict(), "muon": muon.state_dict(), "adam": adam.state_dict()}
            checkpoints.save(**states, average=average, step=done, drawings=drawings)


def update_average(average: Mapping[str, torch.Tensor], model: torch.nn.Module, keep: float) -> None:
    """Move averaged weights towards those of the model, in place: `keep` of the average stays."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            average[name].lerp_(weight, 1 - keep)


def export(
    config: Config, path: Path, average: Mapping[str, torch.Tensor], encoder: Encoder, quantised: bool = True
) -> DrawNet:
    """Write the averaged weights to a file, and return the net that reads it."""
    facts = {"heads": config.heads, "temperature": config.temperature, "pieces": encoder.vocabulary.pieces}
    write_net(path, "draw", average, {"book": encoder.book}, facts, quantised=quantised)
    return DrawNet(path)


def score(config: Config, net: DrawNet, items: Sequence[Item]) -> float:
    """Share of the items that the net draws without fault, by the bench."""
    return round(mean_scores(PixelArt(), items, net, config.seed)["exact.solved"], 4)


def training_items(config: Config, count: int) -> list[Item]:
    """Exact items of the training split."""
    items = list_split(PixelArt(), Source("fresh"), TRAINING_SEEDS + config.seed, 8 * count, "train")
    return list(islice((item for item in items if item.tags["checked"] == "exactly"), count))


def write_sheet(config: Config, net: DrawNet, step: int, out: Path) -> None:
    """Draw 40 training subjects, always the same, as `out/samples/STEP.png`."""
    subjects = (subject for subject, _ in Drawings(config.seed).draw("sheet", 0, 40))
    draws = (net.draw(s.text, generator(config.seed, "drawing/sheet", number)) for number, s in enumerate(subjects))
    write_samples(out, step, [palette[grid] for palette, grid in draws])


def finish(config: Config, out: Path) -> None:
    """Choose the temperature on training subjects, export the net, score the file on the evaluation split."""
    checkpoints = Checkpoints(out)
    state = checkpoints.load()
    if state is None:
        raise PixelProofError(f"{out} has no checkpoint: train first.")
    encoder = Encoder.fit(config.seed, config.colours, config.piece_count)
    items = training_items(config, config.final_items)
    trials = {}
    for temperature in TEMPERATURES:
        net = export(replace(config, temperature=temperature), out / NET, state["average"], encoder)
        trials[temperature] = score(config, net, items)
    best = replace(config, temperature=max(TEMPERATURES, key=lambda temperature: trials[temperature]))
    whole = score(best, export(best, out / "float32.npz", state["average"], encoder, quantised=False), items)
    (out / "float32.npz").unlink()
    export(best, out / NET, state["average"], encoder)
    write_card(
        out,
        config,
        cpu_minutes=round(checkpoints.cpu_seconds / 60, 1),
        legs=checkpoints.legs - 1,
        data={
            "drawings": state["drawings"],
            "drawers": "those of the bench pixelart, exact kinds only",
            "held_out": "texts of the evaluation split and of frozen sets (pixelproof.harness.list_split)",
            "licences": {},
        },
        training_subjects={
            "n": len(items),
            "solved_by_temperature": {str(temperature): value for temperature, value in trials.items()},
            "temperature": best.temperature,
            "solved_by_quantisation": {"8 bits": trials[best.temperature], "32 bits": whole},
        },
        scores=score_file(
            out / NET, "pixelart", "fresh", config.final_items, ("strict.renders", "exact.solved", "composed.solved")
        ),
        limits="Draws exact subjects in the words of the bench, on 24 x 24 cells, resampled for other sizes.",
    )
