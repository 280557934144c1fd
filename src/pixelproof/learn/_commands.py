"""`pixelproof train`: the training loops as commands."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from pixelproof.cli.helpers import echo, progress
from pixelproof.contract import PixelProofError
from pixelproof.store import import_extra

LOOPS = {"drawing": "subject text to palette and grid, for nets/draw (half an hour of one core)"}
"""Loop → what it trains, for which net, and how long it takes. The loop is in the folder of that name."""


@click.group("train", no_args_is_help=True, short_help="Train the nets that come with the package.")
def train_group() -> None:
    """Train the nets that come with the package, or variants of them (docs/learning.md)."""


@train_group.command("list")
def list_command() -> None:
    """List what can be trained."""
    for name, about in LOOPS.items():
        echo(f"{name}: {about}")


def loop_command(name: str, about: str) -> click.Command:
    """The command of one loop."""

    @click.command(name, short_help=about)
    @click.option("--out", type=click.Path(path_type=Path), required=True, help="Directory of the run.")
    @click.option(
        "--config", "file", type=click.Path(path_type=Path), help="TOML of settings, such as a run's config.toml."
    )
    @click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="One setting; may be repeated.")
    @click.option("--resume", is_flag=True, help="Continue the run in --out from its last checkpoint.")
    @click.option("--smoke", is_flag=True, help="A tiny model and a few steps: every path once, in a minute.")
    def command(out: Path, file: Path | None, settings: tuple[str, ...], resume: bool, smoke: bool) -> None:
        import_extra("torch", "train", "Training")
        loop = importlib.import_module(f"pixelproof.learn.{name}")
        config = choose_config(loop, out, file, settings, resume, smoke)
        run_loop(name, loop, config, out)

    command.help = (
        f"Train: {about}.\n\nWrites config.toml, log.jsonl, index.html, last.npz, net.npz and card.json to --out."
    )
    return command


def choose_config(loop: Any, out: Path, file: Path | None, settings: tuple[str, ...], resume: bool, smoke: bool) -> Any:
    """The config of a new run, or of one that is continued; only its number of steps may change.

    Raises:
        PixelProofError: The directory has a run that is not continued, or one with other settings.
    """
    from pixelproof.learn.kit import compare_configs, read_config, write_config

    path = out / "config.toml"
    if not path.exists():
        config = read_config(loop.SMOKE if smoke else loop.Config(), file, settings)
    elif not resume:
        raise PixelProofError(f"{out} has a run: continue it with --resume, or choose another --out.")
    else:
        before = read_config(loop.Config(), path)
        config = read_config(before, file, settings)
        if changes := [key for key in compare_configs(before, config) if key != "steps"]:
            raise PixelProofError(f"The run in {out} has another {', '.join(changes)}: only steps can be changed.")
    write_config(config, path)
    return config


def run_loop(name: str, loop: Any, config: Any, out: Path) -> None:
    """Train to the end: log, progress, page; then the exported net, its scores and its card."""
    from pixelproof.learn import kit

    bar = progress()
    step = max((int(row["step"]) for row in kit.read_rows(out / kit.LOG)), default=0)
    bar.begin(f"train {name}", config.steps, step)
    try:
        for row in kit.write_rows(loop.train(config, out), out / kit.LOG):
            bar.advance(count=max(0, int(row["step"]) - step))
            step = max(step, int(row["step"]))
    finally:
        bar.end()
        kit.write_page(out, f"Training: {name}", kit.read_rows(out / kit.LOG), loop.COLUMNS)
    loop.finish(config, out)
    echo(f"{out / kit.NET}: use it with --model nets/{out / kit.NET}")


for _name, _about in LOOPS.items():
    train_group.add_command(loop_command(_name, _about))
