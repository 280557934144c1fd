"""The options of every server that say where it listens."""

from __future__ import annotations

from typing import Any

import click


def address_options(command: Any) -> Any:
    """Give a command the options `host`, `public` and `url`."""
    for option in (
        click.option("--url", default="", help="Address that visitors open, if not --host: https://rate.example.org"),
        click.option("--public", is_flag=True, help="Allow a --host that other machines can reach."),
        click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at."),
    ):
        command = option(command)
    return command
