"""Flags of the command line, made from the options that `pixelproof.options` declares."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import click

from pixelproof.contract import Bench
from pixelproof.options import DeclaredOption, Options, flags_of

from ._completion import ModelName, SourceName
from ._places import InputPlace, OutputPlace
from ._workers import worker_flags


def flag_groups(
    kind: type[Options], bench: type[Bench] | None = None, names: Collection[str] | None = None
) -> dict[str, list[click.Parameter]]:
    """Heading of the help → flags of the options of a class.

    Args:
        kind: The class.
        bench: The bench whose sources are named in the help and completed.
        names: Only these options; None: all.
    """
    groups: dict[str, list[click.Parameter]] = {}
    for option in flags_of(kind):
        if names is None or option.name in names:
            flags = worker_flags(option.flag.help) if option.flag.kind == "workers" else [_click_option(option, bench)]
            groups.setdefault(option.flag.group, []).extend(flags)
    return groups


def _click_option(option: DeclaredOption, bench: type[Bench] | None) -> click.Option:
    text = option.flag.help
    if option.flag.kind == "source" and bench is not None:
        text += f" {'; '.join(f'{name}: {about}' for name, about in bench.sources.items())}."
    if option.type is bool:
        return click.Option([option.spelling], is_flag=True, help=text)
    return click.Option(
        [option.spelling],
        type=_click_type(option, bench),
        default=option.default,
        show_default=option.default is not None,
        help=text,
    )


def _click_type(option: DeclaredOption, bench: type[Bench] | None) -> click.ParamType[Any]:
    if option.choices:
        return click.Choice(option.choices)
    if option.type is int and option.flag.least is not None:
        return click.IntRange(min=int(option.flag.least))
    if option.flag.kind == "source" and bench is not None:
        return SourceName(bench)
    if option.flag.kind == "model":
        return ModelName()
    places = {"place": OutputPlace(), "input": InputPlace()}
    return places.get(option.flag.kind) or click.types.convert_type(option.type)


def with_options(kind: type[Options], names: Collection[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the flags of some options of a class to a command."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        flags = [flag for group in flag_groups(kind, names=names).values() for flag in group]
        command.__dict__.setdefault("__click_params__", []).extend(reversed(flags))
        return command

    return decorate
