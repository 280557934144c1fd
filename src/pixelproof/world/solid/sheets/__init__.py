"""Sheets to look at."""

from ._sheets import picture_sheet, truth_sheet

__all__ = ["picture_sheet", "truth_sheet"]
