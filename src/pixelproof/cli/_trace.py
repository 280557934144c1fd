"""`trace`: files of traces, executed again and shown."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pixelproof.contract import PixelProofError
from pixelproof.plugins import plugins

from ._echo import echo
from ._unloaded import plugin_command
from .exit_codes import CHECK_FAILED


class _TraceGroup(click.Group):
    """Our commands, and those that installed packages register in the group `pixelproof.trace_commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our commands, then those of plug-ins."""
        return [*self.commands, *plugins(_GROUP)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Our command of this name, or else that of a plug-in."""
        if (command := super().get_command(ctx, cmd_name)) is not None:
            return command
        point = plugins(_GROUP).get(cmd_name)
        return None if point is None else plugin_command(point)


_GROUP = "pixelproof.trace_commands"


@click.group("trace", cls=_TraceGroup, no_args_is_help=True)
def trace_group() -> None:
    """Traces: what a model called, what came out, and what it answered (docs/traces.md)."""


_MEDIA = click.option(
    "--media", type=click.Path(path_type=Path), help="Picture or clip to use instead of that of the traces."
)


def _no_traces(path: Path) -> PixelProofError:
    return PixelProofError(f"{path} has no traces: give a file that 'pixelproof ask' or a bench wrote.")


@trace_group.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@_MEDIA
@click.option("--seg", help="Back end of SEG. Default: as in the trace.")
@click.option("--ocr", help="Back end of OCR. Default: as in the trace.")
@click.option("--trk", help="Back end of TRK. Default: as in the trace.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each trace.")
def replay_command(
    file: Path, media: Path | None, seg: str | None, ocr: str | None, trk: str | None, as_json: bool
) -> int:
    """Execute the calls of all traces in FILE again, and compare both digests of every step.

    FILE may be the directory of 'pixelproof ask'. Exit code 6 if a step gives anything else than the trace says, such
    as after one pixel of the source has changed; the step is named.
    """
    from pixelproof.tools import require_backends
    from pixelproof.tools.episodes import backends_of, find_traces, replay_trace

    require_backends(seg=seg, ocr=ocr, trk=trk)
    traces = find_traces(file)
    total = differing = 0
    for trace in traces:
        total += 1
        backends = backends_of(trace, seg=seg, ocr=ocr, trk=trk)
        replayed = replay_trace(trace, traces.media(trace, media), backends, traces.picture)
        differing += not replayed.same
        wrong = [mismatch.step + 1 for mismatch in replayed.mismatches]
        if as_json:
            counts = {"id": trace.id, "steps": len(trace.steps), "same": replayed.same, "differing": wrong}
            echo(json.dumps(counts | {"messages": replayed.messages}, ensure_ascii=False))
        else:
            echo(f"{trace.id}: {len(trace.steps) - len(wrong)} of {len(trace.steps)} steps are the same")
            for message in replayed.messages:
                echo(f"   {message}", bold=True)
    if not total:
        raise _no_traces(traces.path)
    if not as_json:
        echo(f"{total - differing} of {total} traces are the same.")
    return CHECK_FAILED if differing else 0


@trace_group.command("show")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The page. Default: FILE with .html.")
@_MEDIA
@click.option("--open", "open_browser", is_flag=True, help="Open it in the browser.")
def show_trace_command(file: Path, out: Path | None, media: Path | None, open_browser: bool) -> None:
    """Write a page about the traces in FILE: every step with its evidence drawn over picture and frames.

    FILE may be the directory of 'pixelproof ask'.
    """
    from pixelproof.tools.episodes import find_traces, trace_page, write_page

    traces = find_traces(file)
    listed = list(traces)
    if not listed:
        raise _no_traces(traces.path)
    title = listed[0].question if len(listed) == 1 else f"{len(listed):,} traces"
    page = write_page(
        trace_page(traces, listed, title, file.name, other=media), out or traces.path.with_suffix(".html")
    )
    echo(f"{page} ({page.stat().st_size / 1e6:.1f} MB)")
    if open_browser:
        click.launch(page.resolve().as_uri())
