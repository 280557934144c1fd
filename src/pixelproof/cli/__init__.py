"""The command line: thin commands over the harness."""

from ._app import main

__all__ = ["main"]
