"""Kinds of subjects, each with a text, a drawing function and, for exact kinds, a checker.

from pixelproof.benches.pixelart.subjects import KINDS
KINDS["cat"].draw(rng, size=24, colours=10)      # a Drawing, different at every call
subject = KINDS["bar-chart"].subject(rng)        # with parameters; .text, .draw(rng, ...), .check(grid, rgb)
"""

from pixelproof.benches.pixelart.subjects._drawing import EXAMPLE, NAMES, Drawing, is_called, reduce_colours
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Kind, Subject, Thing, Verdict
from pixelproof.benches.pixelart.subjects._published import CATEGORIES, published, reference, subject_named
from pixelproof.benches.pixelart.subjects.composed import COMPOSED, Composed
from pixelproof.benches.pixelart.subjects.exact import EXACT
from pixelproof.benches.pixelart.subjects.things import THINGS

KINDS: dict[str, Kind] = {kind.id: kind for kind in (*EXACT, *THINGS, *COMPOSED)}
"""Id → kind."""

__all__ = [
    "CATEGORIES",
    "EXAMPLE",
    "KINDS",
    "NAMES",
    "Composed",
    "Drawing",
    "ExactKind",
    "Kind",
    "Subject",
    "Thing",
    "Verdict",
    "is_called",
    "published",
    "reduce_colours",
    "reference",
    "subject_named",
]
