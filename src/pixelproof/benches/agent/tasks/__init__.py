"""The tasks: questions about scenes and clips whose answers are not in the first view, with oracle chains."""

from ._challenge import (
    LEVELS,
    READER,
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
from ._solid import FLASH_SIGN, ORDER_SIGN, READ_SIGN
from ._solid_media import SolidMedia
from ._stills import (
    COMPARE_AREAS,
    COUNT_CLUTTER,
    COUNTS,
    LARGEST_COLOUR,
    ODD_CODE,
    READ_CODE,
    SAME_CODE,
    SMALLEST,
    TWO_CODES,
)

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
"""Name → task about flat scenes and clips."""
SOLID_TASKS: dict[str, Task] = {task.name: task for task in (READ_SIGN, FLASH_SIGN, ORDER_SIGN)}
"""Name → task about solid scenes and clips."""
ALL_TASKS = TASKS | SOLID_TASKS

__all__ = [
    "ALL_TASKS",
    "COUNTS",
    "LEVELS",
    "READER",
    "SMALLEST",
    "SOLID_TASKS",
    "TASKS",
    "Chain",
    "Challenge",
    "Evidence",
    "Request",
    "SolidMedia",
    "Task",
    "most_alike",
    "most_different",
    "read_text",
    "to_grid",
]
