"""Commands of plug-ins that cannot be loaded."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import click

from pixelproof.contract import PixelProofError
from pixelproof.plugins import load_plugin


def plugin_command(point: EntryPoint) -> click.Command:
    """The command of an entry point, or one that says why it cannot be loaded."""
    try:
        command: click.Command = load_plugin(point, "command")
    except PixelProofError as error:
        return unloaded_command(point.name, error)
    return command


def unloaded_command(name: str, error: PixelProofError) -> click.Command:
    """A stand-in, so that the help of the group has all other commands: whatever its arguments, it raises the error."""

    def fail(arguments: tuple[str, ...]) -> None:
        raise error

    return click.Command(
        name,
        callback=fail,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        context_settings={"ignore_unknown_options": True},
        add_help_option=False,
        short_help=str(error),
    )
