"""For commands that benches and plug-ins bring: console, progress bar, tables and numbers in the program's style."""

from ._console import output, progress
from ._echo import echo
from ._places import InputPlace, OutputPlace
from ._tables import interval, new_table, number, percent
from ._workers import with_workers

__all__ = [
    "InputPlace",
    "OutputPlace",
    "echo",
    "interval",
    "new_table",
    "number",
    "output",
    "percent",
    "progress",
    "with_workers",
]
