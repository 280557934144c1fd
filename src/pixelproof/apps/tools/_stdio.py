"""The MCP server on standard input and output: one JSON message per line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pixelproof.tools import Backends, Budget, open_media

from ._protocol import McpServer

_LONGEST = 2 << 20
"""Bytes of a line that are read; more than a message may have."""


def serve_stdio(file: Path, backends: Backends | None = None, budget: Budget | None = None) -> None:
    """Serve the tools on a picture or clip to the program that started this one, until it closes our input.

    Raises:
        PixelProofError: The file cannot be read.
    """
    server = McpServer(open_media(file), backends, budget)
    with _own_output() as output:
        for line in _lines(sys.stdin.buffer):
            reply = server.handle_text(line)
            if reply is not None:
                output.write(reply.encode() + b"\n")
                output.flush()


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines that are not blank; of one that is too long, the beginning, which is refused as a message."""
    while line := stream.readline(_LONGEST):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(_LONGEST)
        if line.strip():
            yield line


@contextmanager
def _own_output() -> Iterator[BinaryIO]:
    """Standard output for messages alone: whatever a library prints goes to standard error."""
    descriptor = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as output:
            yield output
    finally:
        os.dup2(descriptor, 1)
        os.close(descriptor)
