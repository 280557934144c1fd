"""A program that compiles the loops of packages: `python -m pixelproof.pixels._compile_ahead PACKAGE …`."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from ._compiled import compile_first, write_stamp


def main(*packages: str) -> None:
    """Compile all loops of some packages at low priority, and write that they are."""
    if hasattr(os, "nice"):
        os.nice(10)
    compile_first()
    for package in packages:
        import_module(f"{package}._rehearsal").rehearse()
        write_stamp(package)


if __name__ == "__main__":
    main(*sys.argv[1:])
