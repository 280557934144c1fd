"""Near-duplicates: training data that shows what a test set shows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent.tasks import Challenge
from pixelproof.world.flat import draw, thumbnail

NEAR = 4.0
"""Mean difference of two first views, in grey levels of 255, below which they are near-duplicates."""
_FACTOR = 8


class KnownViews:
    """First views of a test set, to which others are compared.

    Args:
        challenges: The test set.
    """

    def __init__(self, challenges: Iterable[Challenge]) -> None:
        views = [first_view(challenge) for challenge in challenges]
        self._views = np.stack(views) if views else np.zeros((0, 0))

    def distance(self, challenge: Challenge) -> float:
        """Mean absolute difference to the nearest first view of the set, in grey levels; infinite if it is empty."""
        if not len(self._views):
            return float("inf")
        return float(np.abs(self._views - first_view(challenge)).mean(axis=1).min())


def first_view(challenge: Challenge) -> npt.NDArray[np.float32]:
    """Pixels of the first view as a vector."""
    return np.asarray(thumbnail(draw(challenge.flat_scene(0)), _FACTOR), np.float32).ravel()
