"""Sub-commands per bench, with the bench's options as flags."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import click

from pixelproof.benches import available, get_bench
from pixelproof.contract import Bench, PixelProofError

from ._unloaded import unloaded_command


class BenchGroup(click.Group):
    """`pixelproof run BENCH`: a sub-command for every installed bench, created when it is used."""

    def __init__(self, make: Callable[[type[Bench]], click.Command], **attributes: Any) -> None:
        super().__init__(**attributes)
        self._make = make

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The installed benches."""
        return sorted(available())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The sub-command of a bench; an unknown bench is an error of the registry."""
        try:
            command = self._make(type(get_bench(cmd_name)))
        except PixelProofError as error:
            if cmd_name not in available():
                raise
            return unloaded_command(cmd_name, error)
        command.name = cmd_name
        return command


class GroupedCommand(click.Command):
    """A command whose help groups the options under headings."""

    def __init__(self, groups: dict[str, list[click.Parameter]], **attributes: Any) -> None:
        super().__init__(None, params=[option for group in groups.values() for option in group], **attributes)
        self._groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section per heading; headings without options are left out."""
        for title, options in self._groups.items():
            records = [record for option in options if (record := option.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def option_flags(bench: type[Bench]) -> list[click.Parameter]:
    """One flag per option of a bench."""
    flags: list[click.Parameter] = []
    for field in dataclasses.fields(bench):  # type: ignore[arg-type]
        choices = field.metadata.get("choices")
        kind = click.Choice([str(choice) for choice in choices]) if choices else type(field.default)
        flags.append(
            click.Option(
                [f"--{field.name.replace('_', '-')}"],
                default=field.default,
                type=kind,
                show_default=field.default != "",
                help=field.metadata.get("help", ""),
            )
        )
    return flags


def split_options(bench: type[Bench], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split parsed flags into the bench's options and the rest."""
    names = {field.name for field in dataclasses.fields(bench)}  # type: ignore[arg-type]
    return {k: v for k, v in given.items() if k in names}, {k: v for k, v in given.items() if k not in names}
