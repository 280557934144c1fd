"""Character errors of read text."""

from __future__ import annotations


def edit_distance(text: str, reference: str) -> int:
    """Levenshtein distance: insertions, deletions and substitutions that turn a text into the reference.

    The character error rate of many lines is the sum of their distances over the sum of the lengths of the references.

    >>> edit_distance("kitten", "sitting"), edit_distance("", "abc")
    (3, 3)
    """
    row = list(range(len(reference) + 1))
    for i, character in enumerate(text, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(reference, 1):
            diagonal, row[j] = row[j], min(diagonal + (character != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]
