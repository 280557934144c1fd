"""What every kind of picture keeps to."""

LARGEST = 8192
"""Pixels of a side."""
