"""Evidence of one item under all conditions, and the permutations of colours that made its palettes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Pixels
from pixelproof.pixels import Palette
from pixelproof.stats import Assignment

from ._evidence import advantage_matrix, published_agreement
from ._painted import Floats, Painted, Reading, Reference
from ._rendering import colours_of, rendered_palettes

KINDS = ("permuted", "fresh", "renamed")
"""Kinds of conditions; the first two assign colours to labels at random."""


@dataclass(frozen=True)
class Agreement:
    """Agreement of one answer with the published colours, and the permutation that it was asked under."""

    run: int
    matrix: Floats
    """See `published_agreement`."""
    areas: Floats
    """Area of each label in the truth."""
    kept: int
    """Number of first labels whose colours were not permuted."""
    excluded: tuple[int, ...] | None
    """The permutation of the published colours that gives those asked for, if it was excluded."""

    @property
    def excess(self) -> float:
        """Agreement beyond its mean over permutations."""
        permuted = self.matrix[self.kept :, self.kept :]
        return float(np.trace(permuted) - permuted.sum() / max(1, len(permuted)))


@dataclass(frozen=True)
class ItemEvidence:
    """What the answers to one item show."""

    cluster: str
    differences: Mapping[str, Sequence[Floats]]
    """Kind → differences of accuracy between conditions, of which the first is the published palette. There is one
    matrix for each way to decode: by the colours asked for, and by those that the model paints instead."""
    compared: Mapping[str, Floats]
    """Kind → shares of the item that the differences are based on."""
    agreements: Mapping[str, Sequence[Agreement]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        cluster: str,
        truth: npt.NDArray[np.integer],
        own: tuple[Palette, Pixels | None],
        others: Mapping[str, Sequence[tuple[Palette, Pixels | None]]],
    ) -> ItemEvidence:
        """Compare the answers to one item.

        Args:
            cluster: Items of one cluster are exchanged together.
            truth: The label map; values beyond the palette are void.
            own: The published palette, and the answer in it; None if there is none.
            others: Kind → palettes of its runs with their answers, all in the size of the truth.
        """
        published = own[0]
        reference = Reference.of(truth, len(published))
        kinds = ["own", *(kind for kind, runs in others.items() for _ in runs)]
        painted = [_painted(run, reference) for run in (own, *(run for runs in others.values() for run in runs))]
        asked = [None if one is None else Reading.of(one, colours_of(one.palette)) for one in painted]
        rendered = [
            None if one is None or colours is None else Reading.of(one, colours)
            for one, colours in zip(painted, rendered_palettes(reference, painted), strict=True)
        ]
        matrices = {
            kind: [advantage_matrix(reference, _of(kind, kinds, way)) for way in (asked, rendered)] for kind in others
        }
        agreements = {
            kind: [
                Agreement(
                    run,
                    published_agreement(reference, answer, published),
                    np.asarray(np.bincount(reference.labels, reference.weights, len(published)), np.float64),
                    *_design(kind, published, answer),
                )
                for run, answer in enumerate(_of(kind, kinds, asked)[1:])
                if answer is not None
            ]
            for kind in others
            if kind in KINDS[:2]
        }
        differences = {kind: [difference for difference, _ in pairs] for kind, pairs in matrices.items()}
        compared = {kind: pairs[0][1] for kind, pairs in matrices.items()}
        return cls(cluster, differences, compared, agreements)


def _of(kind: str, kinds: Sequence[str], answers: Sequence[Reading | None]) -> list[Reading | None]:
    """The answers under the published palette and under a kind of condition."""
    return [answer for name, answer in zip(kinds, answers, strict=True) if name in ("own", kind)]


def assignments(kind: str, items: Sequence[ItemEvidence]) -> list[Assignment]:
    """The assignments of a kind: one per run and number of labels.

    Each label weighs the same, however often it occurs. So an answer that depends on the colours asked for, but not on
    their labels, agrees as well with the published colours as with a permutation of them.
    """
    groups: dict[tuple[int, int, int, tuple[int, ...] | None], list[Agreement]] = {}
    for item in items:
        for answer in item.agreements[kind]:
            groups.setdefault((answer.run, len(answer.matrix), answer.kept, answer.excluded), []).append(answer)
    answers = sum(map(len, groups.values()))
    assigned = []
    for (_, labels, kept, excluded), group in groups.items():
        areas = np.sum([answer.areas for answer in group], axis=0)
        present = np.flatnonzero(areas)
        matrix = np.sum([answer.matrix for answer in group], axis=0)[np.ix_(present, present)]
        shares = matrix / areas[present, None] * (len(group) / answers / len(present))
        exclude = excluded if len(present) == labels else None
        assigned.append(Assignment(shares, int((present < kept).sum()), exclude))
    return assigned


def _painted(run: tuple[Palette, Pixels | None], reference: Reference) -> Painted | None:
    palette, rgb = run
    return None if rgb is None else Painted.of(rgb, palette, reference)


def _design(kind: str, published: Palette, answer: Reading) -> tuple[int, tuple[int, ...] | None]:
    """Labels kept, and the permutation excluded: `permuted` is never the published one, `fresh` keeps the first."""
    if kind == "fresh":
        return 1, None
    return 0, tuple(published.colours.index(colour) for colour in answer.painted.palette.colours)
