"""`ask`: a question about a picture or clip, answered with tools."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from pixelproof.options import RunOptions, split_options

from ._completion import ModelName
from ._echo import echo
from ._flags import with_options
from .exit_codes import NOT_COMPLETE


@click.command("ask", short_help="Ask a model about a picture or clip; it may zoom, segment, read.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("question")
@click.option("--model", "-m", type=ModelName(), required=True, help="Model that answers, as in 'pixelproof run'.")
@click.option("--calls", type=click.IntRange(1), default=8, show_default=True, help="Most calls of tools.")
@click.option("--view", type=click.IntRange(0), default=768, show_default=True,
              help="Longest side in pixels of what the model is shown first; 0: nothing.")  # fmt: skip
@click.option("--frames", type=click.IntRange(1), default=8, show_default=True,
              help="Frames of a clip that the model is shown first.")  # fmt: skip
@click.option("--seg", help="Back end of SEG.")
@click.option("--ocr", help="Back end of OCR.")
@click.option("--trk", help="Back end of TRK.")
@with_options(RunOptions, ("temperature", "out", "resume", "price", "max_cost"))
@click.option("--json", "as_json", is_flag=True, help="Print the trace as JSON.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def ask_command(file: Path, question: str, as_json: bool, open_browser: bool, **given: Any) -> int:
    """Ask a model a QUESTION about FILE, a picture or clip; it may zoom, segment, measure, read, track and seek.

    Prints every call with its evidence, then the answer. The directory gets the trace (trace.jsonl), which 'pixelproof
    tools trace replay' executes again, and a page (trace.html) with the evidence drawn over the picture.

    Example: pixelproof ask street.jpg "What is on the plate?" --model openai/gpt-4o-mini
    """
    from pixelproof.harness.asking import ask
    from pixelproof.tools.episodes import answer_text, evidence_text, trace_page, write_page

    from ._console import progress

    options, settings_of_bench = split_options(RunOptions, given)
    with redirect_stdout(sys.stderr):  # stdout is for results; a user's function may print
        asked = ask(file, question, **settings_of_bench, decoding=options, settings=options, progress=progress())
    trace = asked.trace
    page_summary = f"{trace.provenance['generator']} on {file.name}"
    page = write_page(trace_page(asked.file, [trace], question, page_summary), asked.run.path / "trace.html")
    if as_json:
        echo(trace.to_json())
    else:
        for number, step in enumerate(trace.steps, 1):
            arguments = step.call.arguments
            called = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), ensure_ascii=False)
            if step.thought:
                echo(f"   {step.thought}")
            echo(f"{number}. {step.call.tool} {called}")
            echo(f"   {evidence_text(step.result)}")
        echo(f"Answer: {answer_text(trace)}", bold=True)
        echo(f"{asked.file.path}\n{page}", err=True)
    if open_browser:
        click.launch(page.resolve().as_uri())
    return 0 if trace.answer.get("value") is not None else NOT_COMPLETE
