"""Pages about runs, made of the web kit."""

from ._report import write_report

__all__ = ["write_report"]
