"""`doctor`: what is wrong with a chat template, or with traces, in plain words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._completion import ModelName
from ._echo import echo
from .exit_codes import CHECK_FAILED

if TYPE_CHECKING:
    from pixelproof.tools.doctor import Finding

_MARKS = {"ok": "ok", "warning": "WARNING", "problem": "PROBLEM", "unknown": "not checked"}


def _print_findings(findings: Sequence[Finding]) -> None:
    for finding in findings:
        echo(f"{_MARKS[finding.status]:<12}{finding.check}: {finding.message}", bold=finding.status == "problem")
        if finding.advice:
            echo(f"{'':<12}{finding.advice}")
        for line in finding.excerpt.splitlines() if finding.status in ("problem", "warning") else ():
            echo(f"{'':<12}| {line}")


@click.group("doctor", no_args_is_help=True)
def doctor_group() -> None:
    """Find what goes wrong silently in tool-using vision models: templates and traces."""


@doctor_group.command("template")
@click.argument("model_dir", type=click.Path(path_type=Path))
@click.option(
    "--jinja",
    is_flag=True,
    help="Render with Jinja alone, even where transformers is installed: no processor is loaded.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def template_command(model_dir: Path, jinja: bool, as_json: bool) -> int:
    """Check the chat template of MODEL_DIR for conversations with tools and images.

    Does a longer conversation begin with the text of the shorter one? Do images in results of tools become image
    tokens? Are there as many image tokens as features? What happens when a conversation is shortened? Nothing is
    downloaded, and no code of the folder is executed outside of Jinja's sandbox. Exit code 6 if there is a problem.
    """
    from pixelproof.models.chat_template import Status, check_template

    findings = check_template(model_dir, use_transformers=not jinja)
    if as_json:
        echo(json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False))
    else:
        _print_findings(findings)
    return CHECK_FAILED if any(finding.status is Status.PROBLEM for finding in findings) else 0


@doctor_group.command("traces")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="Page of the traces with findings. Default: FILE.doctor.html."
)
@click.option(
    "--model", "-m", type=ModelName(), help="Model to answer the questions again, with evidence swapped between traces."
)
@click.option("--run", "run_dir", type=click.Path(path_type=Path), help="Run directory of --model.")
@click.option("--no-replay", is_flag=True, help="Do not execute the calls again.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON; write no page.")
def traces_command(
    file: Path, out: Path | None, model: str | None, run_dir: Path | None, no_replay: bool, as_json: bool
) -> int:
    """Check the traces in FILE: does tool use collapse, are calls unfaithful, does the model hop or repeat itself?

    Traces with findings are drawn on a page. Exit code 6 if there is a problem.
    """
    from pixelproof.tools.doctor import Status, check_traces, findings_table, traces_lede
    from pixelproof.tools.episodes import find_traces, replay_trace, trace_page, write_page

    traces = find_traces(file)
    listed = list(traces)
    execute = None if no_replay else lambda trace: replay_trace(trace, traces.media(trace), pictures=traces.picture)
    diagnosis = check_traces(listed, execute)
    if model:
        from pixelproof.harness import Settings
        from pixelproof.harness.probing import probe_faithfulness

        settings = Settings(out=run_dir, resume=run_dir is not None and run_dir.exists())
        diagnosis.findings.append(probe_faithfulness(traces, model, settings))
    if as_json:
        echo(json.dumps([asdict(finding) for finding in diagnosis.findings], indent=2, ensure_ascii=False))
    else:
        _print_findings(diagnosis.findings)
        shown = [trace for trace in listed if trace.id in diagnosis.marks]
        lede = traces_lede(diagnosis, listed, traces.path.name)
        page = trace_page(
            traces, shown, "Findings about traces", lede, findings_table(diagnosis.findings), diagnosis.marks
        )
        echo(write_page(page, out or traces.path.with_suffix(".doctor.html")), err=True)
    return CHECK_FAILED if any(finding.status is Status.PROBLEM for finding in diagnosis.findings) else 0
