"""`pixelproof train`: the training loops as commands."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from pixelproof.cli.helpers import echo, progress
from pixelproof.contract import PixelProofError
from pixelproof.store import import_extra

LOOPS = {"drawing": "subject text to palette and grid, for nets/draw: an hour of one core"}
"""Loop → what it trains, for which net, and how long it takes. Each is the folder of that name."""


@click.group("train", no_args_is_help=True)
def train_group() -> None:
    """Train the models that this package ships, or your own variants of them (docs/learning.md)."""


@train_group.command("list")
def list_command() -> None:
    """List what can be trained."""
    for name, about in LOOPS.items():
        echo(f"{name}: {about}")


def _loop_command(name: str, about: str) -> click.Command:
    """The command of one loop."""

    @click.command(name, short_help=about)
    @click.option("--out", type=click.Path(path_type=Path), required=True, help="Directory of the run.")
    @click.option("--config", "file", type=click.Path(path_type=Path), help="TOML with settings; see config.toml of a run.")
    @click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="One setting; may be repeated.")
    @click.option("--resume", is_flag=True, help="Continue from the last checkpoint in --out.")
    @click.option("--smoke", is_flag=True, help="A tiny model and a few steps: every path once, in a minute.")
    def command(out: Path, file: Path | None, settings: tuple[str, ...], resume: bool, smoke: bool) -> None:
        import_extra("torch", "train", "Training")
        loop = importlib.import_module(f"pixelproof.learn.{name}")
        _train(name, loop, out, file, settings, resume, smoke)

    command.help = f"Train: {about}. Writes config.toml, log.jsonl, index.html, checkpoints, net.npz and card.json to --out."
    return command


def _train(
    name: str, loop: Any, out: Path, file: Path | None, settings: tuple[str, ...], resume: bool, smoke: bool
) -> None:
    """Run a loop to its end: log, progress, page, exported net, card."""
    from pixelproof.learn import kit

    stored = out / "config.toml"
    if stored.exists() and not resume:
        raise PixelProofError(f"{out} has a run: continue it with --resume, or choose another --out.")
    old = kit.read_config(loop.Config(), stored) if stored.exists() else None
    config = kit.read_config(old or (loop.SMOKE if smoke else loop.Config()), file, settings)
    changes = [] if old is None else kit.changed_settings(old, config)
    if set(changes) - {"steps"}:
        raise PixelProofError(f"{out} was trained with another {', '.join(changes)}: a run can change its steps alone.")
    kit.write_config(config, stored)
    bar = progress()
    bar.begin(f"train {name}", config.steps)
    try:
        for row in kit.write_rows(loop.train(config, out), out / kit.LOG):
            bar.advance_to(int(row["step"]), f"loss {row['loss']:.3f}")
    finally:
        bar.end()
        kit.write_page(out, f"Training: {name}", kit.read_rows(out / kit.LOG), loop.COLUMNS)
    loop.finish(config, out)
    echo(f"{out / kit.NET}: run it with --model nets/{out / kit.NET}")


for _name, _about in LOOPS.items():
    train_group.add_command(_loop_command(_name, _about))
