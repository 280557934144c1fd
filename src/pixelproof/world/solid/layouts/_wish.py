"""What is asked of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pixelproof.world.solid._scene import Camera, Environment, Light, Scene, Thing
from pixelproof.world.solid._splits import HELD_LAYOUTS

SPARES = 3
"""Things drawn beyond those asked for, to take the place of some that find none."""


@dataclass(frozen=True)
class Wish:
    """A kind of scene, its place in a set, and how it should be."""

    kind: str
    seed: int
    index: int
    split: str
    things: int | None
    """How many that are not part of the surroundings; None: as suits the kind."""
    clutter: float
    occlusion: float

    def layout(self, rng: np.random.Generator, layouts: Sequence[str]) -> str:
        """An arrangement that the split allows."""
        held = HELD_LAYOUTS[self.kind]
        return held if self.split == "test-layout" else str(rng.choice([name for name in layouts if name != held]))

    def scene(
        self, things: Sequence[Thing], camera: Camera, lights: tuple[Light, ...], around: Environment, layout: str
    ) -> Scene:
        """The scene that was made of it."""
        return Scene(self.kind, self.seed, self.index, tuple(things), camera, lights, around, self.split, layout)
