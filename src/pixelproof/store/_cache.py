"""The cache directory: files that can be computed or downloaded again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """`PIXELPROOF_CACHE`, or `pixelproof` in the user's cache directory."""
    chosen = os.environ.get("PIXELPROOF_CACHE")
    base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pixelproof"
    return base.expanduser().absolute()
