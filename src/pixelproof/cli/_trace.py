"""`tools trace`: files of traces, executed again, checked and shown."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from pixelproof.contract import PixelProofError
from pixelproof.plugins import plugins

from ._completion import ModelName
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


@click.group("trace", cls=_TraceGroup)
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


_STATUS = {"ok": "ok", "warning": "WARNING", "problem": "PROBLEM", "unknown": "not checked"}


@trace_group.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Page of the findings. Default: FILE with .check.html.")
@click.option(
    "--model", "-m", type=ModelName(), help="Model to answer the questions again, with evidence swapped between traces."
)
@click.option("--run", "run_dir", type=click.Path(path_type=Path), help="Run directory of --model.")
@click.option("--no-replay", is_flag=True, help="Do not execute the calls again.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON; write no page.")
def check_command(
    file: Path, out: Path | None, model: str | None, run_dir: Path | None, no_replay: bool, as_json: bool
) -> int:
    """Check how the traces in FILE use tools: collapse, unfaithful calls, replaced results, repeats, hops, errors.

    Writes a page with the findings and the traces that show them. FILE may be the directory of 'pixelproof ask'. Exit
    code 6 if there is a problem.
    """
    from pixelproof.tools.episodes import find_traces, replay_trace, write_page
    from pixelproof.tools.trace_checks import Status, check_traces, findings_page

    file_of_traces = find_traces(file)
    traces = list(file_of_traces)
    checks = check_traces(
        traces,
        None if no_replay else lambda t: replay_trace(t, file_of_traces.media(t), pictures=file_of_traces.picture),
    )
    if model:
        from pixelproof.harness import Settings
        from pixelproof.harness.probing import probe_faithfulness

        settings = Settings(out=run_dir, resume=run_dir is not None and run_dir.exists())
        checks.findings.append(probe_faithfulness(file_of_traces, model, settings))
    if as_json:
        echo(json.dumps([asdict(finding) for finding in checks.findings], indent=2, ensure_ascii=False))
    else:
        for finding in checks.findings:
            echo(f"{_STATUS[finding.status]:<12}{finding.check}: {finding.message}", bold=finding.status == "problem")
            if finding.advice:
                echo(f"{'':<12}{finding.advice}")
        page = findings_page(file_of_traces, traces, checks)
        echo(write_page(page, out or file_of_traces.path.with_suffix(".check.html")), err=True)
    return CHECK_FAILED if any(finding.status is Status.PROBLEM for finding in checks.findings) else 0


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
