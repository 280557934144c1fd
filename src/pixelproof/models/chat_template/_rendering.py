"""Rendering of conversations: by transformers as it loads the folder, or by Jinja alone with the same settings."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError

from ._folder import ModelFolder

Message = Mapping[str, Any]
PATIENCE = 10.0
"""Seconds that the text of one conversation may take; usual templates take milliseconds."""
_PROGRAM = Path(__file__).with_name("_render_process.py")
_START = 60.0
"""Seconds for Python to start on a busy machine."""


class Refused(Exception):  # noqa: N818 - a template refuses a conversation, which is not an error of ours
    """The template raised an exception on a conversation, or used too much time or memory."""


class Exceeded(Refused):
    """It used too much time or memory, or wrote too much."""


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
            Refused: The template raised an exception, or used too much time or memory.
        """
        copied = json.loads(json.dumps([messages, list(tools) or None]))  # a template may not change our messages
        return self.function(copied[0], copied[1], generation)


class _RenderProcess:
    """The program beside this file, as a process that is ended if a reply takes too long."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(_PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ended = ""
        self.version = self.ask(None, _START).get("text", "")
        """Of Jinja; empty if the program does not start."""

    def ask(self, request: Mapping[str, Any] | None, seconds: float) -> Mapping[str, Any]:
        """The reply to a request; an `error` if there is none in time, and for every request after that."""
        if self._ended:
            return {"error": self._ended, "limit": True}
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            assert self._process.stdin is not None and self._process.stdout is not None
            if request is not None:
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            reply: Mapping[str, Any] = json.loads(line)
            return reply
        self._ended = f"it takes more than {seconds:g} s" if late.is_set() else "it ends the process that renders it"
        return {"error": self._ended, "limit": True}

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def jinja_renderer(folder: ModelFolder, seconds: float | None = None) -> Iterator[Renderer]:
    """Renders with Jinja alone, in its sandbox, in a process with limits of time and memory.

    Args:
        folder: The model folder.
        seconds: Time limit of each conversation; `PATIENCE`, if left out.

    Raises:
        PixelProofError: Jinja is not installed, or the template cannot be compiled.
    """
    if importlib.util.find_spec("jinja2") is None:
        raise PixelProofError("Checking a chat template needs jinja2: run pip install 'pixelproof[doctor]'.")
    process, seconds = _RenderProcess(), PATIENCE if seconds is None else seconds
    try:
        compiled = process.ask({"template": folder.template, "tokens": dict(folder.tokens)}, seconds)
        if "error" in compiled:
            line = f"line {compiled['line']}: " if compiled.get("line") else ""
            raise PixelProofError(
                f"The chat template in {folder.path / folder.source} cannot be compiled ({line}{compiled['error']}): "
                "correct it."
            )

        def render(messages: list[Any], tools: list[Any] | None, generation: bool) -> str:
            given = {"messages": messages, "tools": tools, "add_generation_prompt": generation}
            reply = process.ask(given, seconds)
            if "error" in reply:
                raise (Exceeded if reply.get("limit") else Refused)(reply["error"])
            return str(reply["text"])

        yield Renderer(f"jinja2 {process.version}", render)
    finally:
        process.close()


def transformers_renderer(loaded: Any, version: str, guard: Renderer) -> Renderer:
    """Renders with a processor or a tokenizer of transformers.

    Args:
        loaded: The processor or tokenizer.
        version: Of transformers.
        guard: Renders every conversation first; one that exceeds its limits does not reach transformers, which has
            none.
    """

    def render(messages: list[Any], tools: list[Any] | None, generation: bool) -> str:
        try:
            guard(messages, tools or (), generation)
        except Exceeded:
            raise
        except Refused:  # transformers gives templates more than Jinja alone: it decides
            pass
        try:
            return str(
                loaded.apply_chat_template(messages, tools=tools, add_generation_prompt=generation, tokenize=False)
            )
        except Exception as error:  # whatever the template, or a type that it does not expect, raises
            said = " ".join(f"{error}".split())[:200].rstrip(".")
            raise Refused(said or type(error).__name__) from error

    return Renderer(f"transformers {version}", render)
