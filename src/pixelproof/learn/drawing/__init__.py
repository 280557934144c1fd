"""The drawing model: subject text to palette and grid. `loop.py` is the training script, from top to bottom."""

from .loop import COLUMNS, SMOKE, Config, finish, train

__all__ = ["COLUMNS", "SMOKE", "Config", "finish", "train"]
