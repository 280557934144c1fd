"""The drawing model: subject text to palette and grid. `_loop.py` is the training script, from top to bottom."""

from ._loop import COLUMNS, SMOKE, Config, export, train

__all__ = ["COLUMNS", "SMOKE", "Config", "export", "train"]
