"""A proposed edit of a photograph."""

from __future__ import annotations

from dataclasses import dataclass

from pixelproof.benches.spatial.real._boxes import LiftedBox


@dataclass(frozen=True)
class RealEdit:
    """A proposed edit of a photograph."""

    operation: str
    """`move`, `placement`, `rotation` or `removal`."""
    text: str
    target: str
    """Name of the thing, as the text has it."""
    before: LiftedBox
    after: LiftedBox | None
    """None for a removal."""
    reference: LiftedBox | None = None
