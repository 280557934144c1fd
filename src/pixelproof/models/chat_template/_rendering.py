"""Rendering of conversations: by transformers as it loads the folder, or by Jinja alone with the same settings."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pixelproof.contract import PixelProofError

from ._folder import ModelFolder

Message = Mapping[str, Any]
_LONGEST = 1_000_000
"""Characters of a conversation; a template that writes more is taken for an endless loop."""


class Refused(Exception):  # noqa: N818 - a template refuses a conversation, which is not an error of ours
    """The template raised an exception on a conversation."""


@dataclass(frozen=True)
class Renderer:
    """Turns conversations into text."""

    by: str
    """`transformers VERSION` or `jinja2 VERSION`."""
    function: Callable[[list[Any], list[Any] | None, bool], str]

    def __call__(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = (), generation: bool = False
    ) -> str:
        """The text of a conversation.

        Args:
            messages: Messages in the format of transformers.
            tools: JSON Schemas of the tools.
            generation: Whether the text ends with the beginning of a reply.

        Raises:
            Refused: The template raised an exception.
        """
        try:
            copied = json.loads(json.dumps([messages, list(tools) or None]))  # a template may not change our messages
            return self.function(copied[0], copied[1], generation)
        except RecursionError as error:
            raise Refused("it is nested too deeply") from error
        except Exception as error:  # whatever the template, or a type that it does not expect, raises
            said = " ".join(f"{error}".split())[:200].rstrip(".")
            raise Refused(said or type(error).__name__) from error


def jinja_renderer(folder: ModelFolder) -> Renderer:
    """Renders with Jinja alone, in its sandbox, with the settings that transformers uses.

    Raises:
        PixelProofError: Jinja is not installed, or the template cannot be compiled.
    """
    try:
        jinja2, sandbox, ext = map(importlib.import_module, ("jinja2", "jinja2.sandbox", "jinja2.ext"))
    except ModuleNotFoundError as error:
        raise PixelProofError("Checking a chat template needs jinja2: run pip install 'pixelproof[doctor]'.") from error

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
    try:
        template = environment.from_string(folder.template)
    except jinja2.TemplateError as error:
        raise PixelProofError(
            f"The chat template in {folder.path / folder.source} cannot be compiled (line "
            f"{getattr(error, 'lineno', '?')}: {error}): correct it."
        ) from error

    def render(messages: list[Any], tools: list[Any] | None, generation: bool) -> str:
        given = {"messages": messages, "tools": tools, "add_generation_prompt": generation, **folder.tokens}
        chunks, length = [], 0
        for chunk in template.generate(given):
            chunks.append(chunk)
            length += len(chunk)
            if length > _LONGEST:
                raise jinja2.TemplateError(f"it writes more than {_LONGEST:,} characters")
        return "".join(chunks)

    return Renderer(f"jinja2 {jinja2.__version__}", render)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def transformers_renderer(loaded: Any, version: str) -> Renderer:
    """Renders with a processor or a tokenizer of transformers."""

    def render(messages: list[Any], tools: list[Any] | None, generation: bool) -> str:
        return str(loaded.apply_chat_template(messages, tools=tools, add_generation_prompt=generation, tokenize=False))

    return Renderer(f"transformers {version}", render)
