"""Replies in words: which option they choose, or which number they give.

A reply is read exactly or not at all. A reply that names two options, gives two numbers, contradicts itself or uses
another kind of unit is a fault of the model, not a wrong answer.
"""

from ._choices import read_choice, read_number

__all__ = ["read_choice", "read_number"]
