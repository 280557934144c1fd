"""Errors of read text: edit distance, error rates of characters and words, and ANLS."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edit_distance(text: Sequence[Hashable], reference: Sequence[Hashable]) -> int:
    """Levenshtein distance: insertions, deletions and substitutions that turn a text, or words, into the reference.

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


def character_errors(text: str, reference: str) -> tuple[int, int]:
    """Edit distance in characters, and characters of the reference; their sums give the character error rate.

    >>> character_errors("A7K", "A1K")
    (1, 3)
    """
    return edit_distance(text, reference), len(reference)


def word_errors(text: str, reference: str) -> tuple[int, int]:
    """Edit distance in words, and words of the reference; their sums give the word error rate.

    >>> word_errors("the cat sat", "a cat sat down")
    (2, 4)
    """
    words = reference.split()
    return edit_distance(text.split(), words), len(words)


def anls(text: str, references: Sequence[str], threshold: float = 0.5) -> float:
    """Normalised Levenshtein similarity to the best reference, 0 below a threshold (Biten et al. 2019).

    The mean over questions is ANLS. Case and spaces at the ends do not count.

    >>> anls("Oslo", ["oslo"]), anls("Osla", ["oslo"]), anls("Rome", ["oslo"])
    (1.0, 0.75, 0.0)
    """
    similarities = [0.0]
    for reference in references:
        given, wanted = (" ".join(words.lower().split()) for words in (text, reference))
        distance = edit_distance(given, wanted) / max(len(given), len(wanted), 1)
        similarities.append(1 - distance if distance < threshold else 0.0)
    return max(similarities)
