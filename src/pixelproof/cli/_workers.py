"""The options `--workers`, `--executor` and `--address`: who does the work of a long command."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.store import Workers


def worker_flags(about: str = "Number of processes; default: one per core.") -> list[click.Parameter]:
    """The options, for commands that are made of lists of options."""
    return [
        click.Option(["--workers"], type=click.IntRange(min=1), help=about),
        click.Option(
            ["--executor"],
            type=click.Choice(["processes", "ray"]),
            default="processes",
            show_default=True,
            help="Where the work is done: in processes of this machine, or in tasks of a Ray cluster.",
        ),
        click.Option(
            ["--address"],
            help="Ray cluster, such as auto or ray://head:10001; default: one on this machine, for this command.",
        ),
    ]


def workers_of(given: dict[str, Any]) -> Workers:
    """Take the three options out of the arguments of a command.

    Raises:
        PixelProofError: There is an address, but no cluster is asked for.
    """
    workers, executor, address = (given.pop(name) for name in ("workers", "executor", "address"))
    if executor == "ray":
        from pixelproof.store import Cluster

        return Cluster(address, workers)
    if address is not None:
        raise PixelProofError("--address is that of a Ray cluster: add --executor ray, or leave it out.")
    return int(workers) if workers is not None else None


def with_workers(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which receives the argument `workers`."""

    @wraps(command)
    def wrapped(**given: Any) -> Any:
        workers = workers_of(given)
        return command(workers=workers, **given)

    wrapped.__dict__.setdefault("__click_params__", []).extend(reversed(worker_flags()))
    return wrapped
