"""The arguments of a scene to generate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from pixelproof.world.solid._sampling import HELD_LAYOUTS, Taste
from pixelproof.world.solid._scene import Camera, Environment, Light, Scene, Thing

SPARES = 3
"""Number of spare things, for those that do not fit."""


@dataclass(frozen=True)
class SceneRequest:
    """The arguments of a scene to generate."""

    kind: str
    seed: int
    index: int
    split: str
    things: int | None
    """Number of things without the surroundings; None: depends on the kind."""
    clutter: float
    occlusion: float

    def layout(self, rng: np.random.Generator, layouts: Sequence[str]) -> str:
        """A random layout that the split allows."""
        held = HELD_LAYOUTS[self.kind]
        return held if self.split == "test-layout" else str(rng.choice([name for name in layouts if name != held]))

    def taste(self, avoid: Collection[str]) -> Taste:
        """Constraints on the things of the scene, without colours to avoid."""
        return Taste(self.split, avoid, self.seed, self.index)

    def scene(
        self,
        things: Sequence[Thing],
        camera: Camera,
        lights: tuple[Light, ...],
        around: Environment,
        layout: str,
        setting: str = "",
    ) -> Scene:
        """Make the scene."""
        own = self.kind, self.seed, self.index
        return Scene(*own, tuple(things), camera, lights, around, self.split, layout, setting)
