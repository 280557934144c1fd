"""Program that renders a chat template with Jinja alone, for a parent that ends it when it takes too long.

A template is code of others: within Jinja's sandbox it cannot reach files, but it can compute for ever or fill the
memory. This program imports nothing of PixelProof, so that it starts quickly. It writes the version of Jinja, then
reads JSON objects from standard input, one per line: first `{"template", "tokens"}`, then the variables of each
conversation. It replies to each with one line: `{"text"}`, or `{"error"}`, with `line` if the template cannot be
compiled, and with `limit` if it is beyond a limit.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

LONGEST = 1_000_000
"""Characters of a conversation; a template that writes more is taken for an endless loop."""
_MEMORY = 2 << 30
"""Bytes of address space."""
_CPU_SECONDS = 120
"""After which the process ends, also if its parent was killed."""


def main() -> None:
    """Serve one parent until it closes our input."""
    _limit()
    _reply({"text": importlib.import_module("jinja2").__version__})
    given = json.loads(sys.stdin.readline())
    template = None
    try:
        template = _compile(given["template"])
        _reply({"text": ""})
    except Exception as error:  # whatever a template raises while constants are folded
        _reply({"error": _words(error), "line": getattr(error, "lineno", None)})
    for line in sys.stdin if template else ():
        try:
            _reply({"text": _render(template, {**json.loads(line), **given["tokens"]})})
        except Exception as error:  # whatever the template, or a type that it does not expect, raises
            _reply({"error": _words(error), "limit": isinstance(error, _Beyond | MemoryError | RecursionError)})


class _Beyond(Exception):  # noqa: N818 - not an error of ours
    """The template writes too much."""


def _limit() -> None:
    try:
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    except (ImportError, ValueError, OSError):  # not on this platform: the time limit of the parent remains
        pass


def _compile(template: str) -> Any:
    """The template in Jinja's sandbox, with the settings that transformers uses."""
    jinja2, sandbox, ext = map(importlib.import_module, ("jinja2", "jinja2.sandbox", "jinja2.ext"))

    class GenerationBlocks(ext.Extension):  # type: ignore[misc, name-defined]
        """`{% generation %} … {% endgeneration %}`, which marks what a model writes."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(message: str) -> None:
        raise jinja2.TemplateError(message)

    environment = sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment.from_string(template)


def _render(template: Any, given: Mapping[str, Any]) -> str:
    chunks, length = [], 0
    for chunk in template.generate(given):
        chunks.append(chunk)
        length += len(chunk)
        if length > LONGEST:
            raise _Beyond(f"it writes more than {LONGEST:,} characters")
    return "".join(chunks)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it needs too much memory"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return " ".join(f"{error}".split())[:200].rstrip(".") or type(error).__name__


def _reply(value: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.path.pop(0)  # our folder, whose modules are not to be imported by name
    main()
