"""What a data set of human ratings says about generators, tasks and its own labels.

`board` makes all tables of `pixelproof judge board`: leaderboard with tie groups, tasks, relations between labels,
thresholds, and the votes behind the scores.
"""

from ._board import (
    Board,
    ModelRow,
    Separation,
    board,
    label_relations,
    leaderboard,
    separate,
    thresholds,
    variance_shares,
)

__all__ = [
    "Board",
    "ModelRow",
    "Separation",
    "board",
    "label_relations",
    "leaderboard",
    "separate",
    "thresholds",
    "variance_shares",
]
