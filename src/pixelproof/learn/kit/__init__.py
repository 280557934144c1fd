"""What every training loop needs: config, checkpoints, log, page, scores by the real bench, export with a card.

A loop is one script: a dataclass of its numbers, and a generator `train(config, out)` that yields rows of the log.
"""

from ._checkpoint import Checkpoints
from ._config import compare_configs, read_config, write_config
from ._export import CARD, NET, write_card, write_net
from ._log import FILE as LOG
from ._log import Row, read_rows, write_rows
from ._page import write_page, write_samples
from ._scores import mean_scores, score_file

__all__ = [
    "CARD",
    "LOG",
    "NET",
    "Checkpoints",
    "Row",
    "compare_configs",
    "mean_scores",
    "read_config",
    "read_rows",
    "score_file",
    "write_card",
    "write_config",
    "write_net",
    "write_page",
    "write_rows",
    "write_samples",
]
