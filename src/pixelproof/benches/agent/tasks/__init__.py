"""The tasks: questions about flat scenes and clips whose answers are not in the first view, with oracle chains."""

from ._challenge import (
    LEVELS,
    Chain,
    Challenge,
    Evidence,
    Request,
    Task,
    most_alike,
    most_different,
    read_text,
    to_grid,
)
from ._clips import EVENT_ORDER, FLASH_COLOUR, FOLLOW_CODE
from ._counting import COUNT_CLUTTER, COUNTS, SMALLEST
from ._stills import COMPARE_AREAS, LARGEST_COLOUR, ODD_CODE, READ_CODE, SAME_CODE, TWO_CODES

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        LARGEST_COLOUR,
        READ_CODE,
        COMPARE_AREAS,
        FOLLOW_CODE,
        FLASH_COLOUR,
        SAME_CODE,
        ODD_CODE,
        TWO_CODES,
        EVENT_ORDER,
        COUNT_CLUTTER,
    )
}
"""Name → task."""

__all__ = [
    "COUNTS",
    "LEVELS",
    "SMALLEST",
    "TASKS",
    "Chain",
    "Challenge",
    "Evidence",
    "Request",
    "Task",
    "most_alike",
    "most_different",
    "read_text",
    "to_grid",
]
