"""The sentences about discs."""

from pixelproof.stats import Words, describe


def findings(evidence):
    return describe(evidence, Words("a page of one colour", "exact discs", "covers {share} of the discs"))
