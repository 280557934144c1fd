"""The program: its commands, its exit codes, and what it says when something goes wrong."""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import version

import click

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import load_plugin, plugins

from ._assets import assets_group
from ._commands import compare_command, rescore_command, show_command
from ._items import items_group
from ._list import list_command
from ._report import report_command
from ._run import run_group, score_group
from ._runs import runs_command
from ._world import world_group

INTERNAL, SETUP, INTERRUPTED = 1, 3, 130

ABOUT = """Measure, with pixel precision, how well a generative model commands pixels.

\b
pixelproof list                                what there is
pixelproof run pixelart --model gguf/smollm2   ask a model, and measure it
pixelproof show RUN                            look at a run again
pixelproof compare RUN_A RUN_B                 is B better than A?
pixelproof report RUN …                        a page with tables, plots and every picture
"""

EPILOG = """\b
Exit codes
  0    done, and every planned answer is scored
  1    a bug of ours (please report it)
  2    the command line is wrong
  3    something is missing or does not fit; the message says what to do
  4    the run is not complete: stopped by --max-cost, or some answers failed or could not be scored
  5    compare --fail-if-worse: B is worse than A
  6    world check, world verify: a set or a frozen manifest fails its check
  130  interrupted; everything answered so far is kept, and --resume goes on
"""


class Program(click.Group):
    """Our commands, and those that installed benches register in the group `pixelproof.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Ours in the order of use, then the others."""
        return [*self.commands, *(point.name for point in plugins("pixelproof.commands").values())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Look up ours first."""
        if (command := super().get_command(ctx, cmd_name)) is not None:
            return command
        point = plugins("pixelproof.commands").get(cmd_name)
        return None if point is None else load_plugin(point, "command")

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
        "rescore": rescore_command,
        "world": world_group,
        "assets": assets_group,
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(version("pixelproof"), prog_name="pixelproof")
def program() -> None:
    """Do nothing by itself: the commands do."""


def main(words: list[str] | None = None) -> None:
    """Run the program; every expected failure is one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another
    try:
        sys.exit(program(words, standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as help_shown:
        help_shown.show()
        sys.exit(0)
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(wrong.exit_code)
    except (click.Abort, KeyboardInterrupt):
        said = "Interrupted. Everything answered so far is kept: the same command with --resume goes on."
        click.echo(f"\n{said}", err=True)
        if words is None:  # a local model may be deep in a reply, which nobody waits for any more
            os._exit(INTERRUPTED)
        sys.exit(INTERRUPTED)
    except PixelProofError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(SETUP)
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        sys.stderr.close()
        sys.exit(0)
    except Exception:
        click.echo("This is a bug in PixelProof; please report it with the lines below.", err=True)
        import traceback

        traceback.print_exc()
        sys.exit(INTERNAL)
