"""The program: commands, exit codes and error messages."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version

import click
from click.exceptions import NoArgsIsHelpError

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import plugins

from ._ask import ask_command
from ._assets import assets_group
from ._cache import cache_command
from ._commands import compare_command, merge_command, rescore_command, show_command
from ._data_make import make_data_group
from ._echo import echo
from ._items import items_group
from ._list import list_command
from ._rate import rate_group
from ._repair import repair_command
from ._report import report_command
from ._review import review_group
from ._run import run_group, score_group
from ._runs import export_command, list_runs_command
from ._serve import serve_command
from ._signals import stop_on_signals
from ._suite import suite_group
from ._tools import serve_tools_command
from ._trace import trace_group
from ._transfer import pull_command, push_command
from ._unloaded import plugin_command
from ._world import world_group

INTERNAL, SETUP, INTERRUPTED = 1, 3, 130

ABOUT = """Measure, with pixel precision, how well a generative model commands pixels.

Start with: pixelproof run pixelart --model control/ceiling-truth
"""
SHOWN = tuple("run score compare report show list suite runs data tools train adapt env more".split())
"""The commands on the first screen; `more` lists the others."""
EXIT_CODES = """\b
Exit codes
  0    done, and every planned answer is scored
  1    a bug in PixelProof (please report it)
  2    wrong usage of the command line
  3    something is missing or does not fit; the message says what to do
  4    the run is not complete (--max-cost, failed answers), all answers are faults, or a gate has no verdict
  5    a --fail-if-… or --fail-under option fired
  6    world check, world verify, runs repair --check, tools trace check: something is damaged or wrong
  7    a --fail-if-… option cannot tell (compare --inconclusive fail): too few independent items
  130  interrupted; all answers so far are stored, and --resume continues
"""


class Program(click.Group):
    """Our commands, and those that installed packages register in the group `pixelproof.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our commands in the order of use, then those of plug-ins."""
        return list(dict.fromkeys([*self.commands, *plugins("pixelproof.commands")]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Our command of this name, or else that of a plug-in."""
        if (command := super().get_command(ctx, cmd_name)) is not None:
            return command
        point = plugins("pixelproof.commands").get(cmd_name)
        return None if point is None else plugin_command(point)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands of the first screen."""
        known = self.list_commands(ctx)
        self.write_commands(ctx, formatter, [name for name in SHOWN if name in known])

    def write_commands(self, ctx: click.Context, formatter: click.HelpFormatter, names: Sequence[str]) -> None:
        """Write the names of commands with a line of help each."""
        width = formatter.width - max(map(len, names)) - 6
        commands = {name: self.get_command(ctx, name) for name in names}
        with formatter.section("Commands"):
            formatter.write_dl([(name, c.get_short_help_str(width)) for name, c in commands.items() if c is not None])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command for an unknown one, whatever the version of Click."""
        name = args[0]
        if not ctx.resilient_parsing and name[:1] != "-" and self.get_command(ctx, name) is None:
            groups = ((path, group) for path, group in self.commands.items() if isinstance(group, click.Group))
            if path := next((path for path, group in groups if name in group.list_commands(ctx)), ""):
                raise click.UsageError(f"There is no command {name!r}; did you mean 'pixelproof {path} {name}'?", ctx)
            raise click.UsageError(str(unknown_name("command", name, self.list_commands(ctx))).split(" Choose")[0], ctx)
        return super().resolve_command(ctx, args)


@click.command("more")
@click.pass_context
def more_command(ctx: click.Context) -> None:
    """List the other commands, and the exit codes."""
    root, formatter = ctx.find_root(), ctx.make_formatter()
    others = [name for name in program.list_commands(root) if name not in SHOWN]
    program.write_commands(root, formatter, others)
    formatter.write_paragraph()
    formatter.write_text(EXIT_CODES)
    echo(formatter.getvalue().rstrip("\n"))


def _group(name: str, about: str, *commands: click.Command) -> click.Group:
    return click.Group(name, {str(command.name): command for command in commands}, help=about)


@click.group(
    cls=Program,
    help=ABOUT,
    commands={
        "run": run_group,
        "score": score_group,
        "compare": compare_command,
        "report": report_command,
        "show": show_command,
        "list": list_command,
        "suite": suite_group,
        "runs": _group(
            "runs",
            "List, merge, rescore, repair and export run directories.",
            list_runs_command,
            merge_command,
            rescore_command,
            repair_command,
            export_command,
        ),
        "data": _group(
            "data",
            "Training data; weights and images of others; runs and sets at URLs; the cache.",
            make_data_group,
            assets_group,
            push_command,
            pull_command,
            cache_command,
        ),
        "tools": _group(
            "tools", "Serve the tools that agents use; replay and check traces.", serve_tools_command, trace_group
        ),
        "more": more_command,
        "ask": ask_command,
        "items": items_group,
        "world": world_group,
        "rate": rate_group,
        "serve": serve_command,
        "review": review_group,
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    invoke_without_command=True,
)
@click.version_option(version("pixelproof"), prog_name="pixelproof")
@click.pass_context
def program(ctx: click.Context) -> None:
    """The root command; its sub-commands do the work, and without one it shows its help."""
    if ctx.invoked_subcommand is None:
        echo(ctx.get_help())


def _usage_message(wrong: click.UsageError) -> str:
    """What is wrong with a command line, and where its help is."""
    ctx, message = wrong.ctx, wrong.format_message()
    if ctx is None:
        return message
    if isinstance(wrong, NoArgsIsHelpError) and isinstance(ctx.command, click.Group):
        names = ", ".join(ctx.command.list_commands(ctx))
        return f"{ctx.command_path} needs one of {names}: '{ctx.command_path} --help' describes them."
    if isinstance(wrong, click.MissingParameter):
        return f"{message} {' '.join(ctx.get_usage().split())}"
    return f"{message} See '{ctx.command_path} --help'."


def main(words: list[str] | None = None) -> None:
    """Run the program; every expected error is a message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals whose encoding lacks a character
    if words is None:
        stop_on_signals()
    try:
        sys.exit(program(words, prog_name="pixelproof", standalone_mode=False) or 0)
    except click.ClickException as wrong:
        message = _usage_message(wrong) if isinstance(wrong, click.UsageError) else wrong.format_message()
        echo(f"Error: {message}", err=True)
        sys.exit(wrong.exit_code)
    except (click.Abort, KeyboardInterrupt):
        message = "Interrupted. What was finished is stored: for runs, the same command with --resume continues."
        with suppress(OSError):  # the terminal may be gone
            echo(f"\n{message}", err=True)
        if words is None:  # do not wait for a local model that is generating a reply
            os._exit(INTERRUPTED)
        sys.exit(INTERRUPTED)
    except PixelProofError as error:
        echo(f"Error: {error}", err=True)
        sys.exit(SETUP)
    except BrokenPipeError:  # the reader of our output, such as head, has closed the pipe
        sys.stderr.close()
        sys.exit(0)
    except Exception:
        echo("This is a bug in PixelProof; please report it with the lines below.", err=True)
        import traceback

        echo(traceback.format_exc(), err=True)
        sys.exit(INTERNAL)
