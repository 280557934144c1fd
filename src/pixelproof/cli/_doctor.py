"""`doctor`: what is wrong with a chat template, or with traces, in plain words."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from ._echo import echo
from .exit_codes import CHECK_FAILED

_MARKS = {"ok": "ok", "warning": "WARNING", "problem": "PROBLEM", "unknown": "not checked"}


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
        for finding in findings:
            echo(f"{_MARKS[finding.status]:<12}{finding.check}: {finding.message}", bold=finding.status == "problem")
            if finding.advice:
                echo(f"{'':<12}{finding.advice}")
            for line in finding.excerpt.splitlines() if finding.status in ("problem", "warning") else ():
                echo(f"{'':<12}| {line}")
    return CHECK_FAILED if any(finding.status is Status.PROBLEM for finding in findings) else 0
