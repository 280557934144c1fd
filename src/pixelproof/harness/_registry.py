"""Loaded by Inspect through an entry point: every bench as a task, and the models of this package as providers."""

from __future__ import annotations

from pixelproof.benches import available, get_bench
from pixelproof.contract import PixelProofError
from pixelproof.harness import _inspect_providers as _inspect_providers
from pixelproof.harness._inspect_task import register

for _name in available():
    try:
        register(type(get_bench(_name)))
    except PixelProofError:  # a broken bench of another package must not hide the others
        continue
