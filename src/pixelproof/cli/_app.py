"""The program: commands, exit codes and error messages."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib.metadata import version

import click

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import plugins

from ._ask import ask_command
from ._assets import assets_group
from ._cache import cache_command
from ._commands import compare_command, merge_command, rescore_command, show_command
from ._echo import echo
from ._items import items_group
from ._list import list_command
from ._rate import rate_group
from ._repair import repair_command
from ._report import report_command
from ._review import review_group
from ._run import run_group, score_group
from ._runs import runs_command
from ._serve import serve_command
from ._signals import stop_on_signals
from ._tools import tools_group
from ._trace import trace_group
from ._transfer import pull_command, push_command
from ._unloaded import plugin_command
from ._world import world_group

INTERNAL, SETUP, INTERRUPTED = 1, 3, 130

ABOUT = """Measure, with pixel precision, how well a generative model commands pixels.

\b
pixelproof list                                  benches, sources, controls, kinds of models
pixelproof run pixelart --model gguf/smollm2     run a model on a bench
pixelproof runs                                  list the runs below this directory
pixelproof show RUN                              show the tables of a run
pixelproof compare RUN_A RUN_B                   is B better than A?
pixelproof repair RUN                            verify the files of a run, and repair damage
pixelproof report RUN …                          write a page with tables, plots and every image
pixelproof serve RUN …                           the same page, live while runs go on
pixelproof rate serve DIR                        collect votes on images from people, in a browser
pixelproof ask IMAGE "question" --model MODEL     answer by looking closer, with evidence
pixelproof trace replay FILE                     execute the calls of traces again, and compare
pixelproof trace check FILE                      do tools carry the answers of traces, or does their use collapse?
pixelproof review serve DIR                      accept, fix or reject proposals, by keyboard
"""

EPILOG = """\b
Exit codes
  0    done, and every planned answer is scored
  1    a bug in PixelProof (please report it)
  2    wrong usage of the command line
  3    something is missing or does not fit; the message says what to do
  4    the run is not complete: stopped by --max-cost, or some answers failed or could not be scored
  5    a --fail-if-… option fired: compare --fail-if-worse, or one of a bench
  6    world check, world verify, repair --check, trace check, trace replay: something is damaged or wrong
  7    a --fail-if-… option cannot tell: too few independent items
  130  interrupted; all answers so far are stored, and --resume continues
"""


class Program(click.Group):
    """Our commands, and those that installed benches register in the group `pixelproof.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our commands in the order of use, then those of plug-ins."""
        return [*self.commands, *(point.name for point in plugins("pixelproof.commands").values())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Our command of this name, or else that of a plug-in."""
        if (command := super().get_command(ctx, cmd_name)) is not None:
            return command
        point = plugins("pixelproof.commands").get(cmd_name)
        return None if point is None else plugin_command(point)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command for an unknown one, whatever the version of Click."""
        if not ctx.resilient_parsing and args[0][:1] != "-" and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(str(unknown_name("command", args[0], self.list_commands(ctx))), ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Program,
    help=ABOUT,
    epilog=EPILOG,
    commands={
        "list": list_command,
        "items": items_group,
        "run": run_group,
        "score": score_group,
        "runs": runs_command,
        "show": show_command,
        "compare": compare_command,
        "report": report_command,
        "serve": serve_command,
        "rate": rate_group,
        "merge": merge_command,
        "review": review_group,
        "rescore": rescore_command,
        "repair": repair_command,
        "push": push_command,
        "pull": pull_command,
        "cache": cache_command,
        "world": world_group,
        "assets": assets_group,
        "ask": ask_command,
        "trace": trace_group,
        "tools": tools_group,
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(version("pixelproof"), prog_name="pixelproof")
def program() -> None:
    """The root command; its sub-commands do the work."""


class _SafeErrors(io.StringIO):
    """A stream for Click's own messages, which may quote file names."""

    def write(self, text: str) -> int:
        """Print without control characters."""
        if text.strip("\n"):
            echo(text.rstrip("\n"), err=True)
        return len(text)


def main(words: list[str] | None = None) -> None:
    """Run the program; every expected error is a message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals whose encoding lacks a character
    if words is None:
        stop_on_signals()
    try:
        sys.exit(program(words, standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as help_shown:
        help_shown.show()
        sys.exit(0)
    except click.ClickException as wrong:
        wrong.show(_SafeErrors())
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
