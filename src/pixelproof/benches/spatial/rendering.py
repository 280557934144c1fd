"""Renders of scenes, kept in memory and, where they are needed again, on disk."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from pixelproof.benches.sources import FrameCache, SolidScenes
from pixelproof.store import cache_root, digest

if TYPE_CHECKING:
    from pixelproof.world.solid import Scene
    from pixelproof.world.solid.render import Layers, Quality

_FORMAT = 1
"""Format of the cache on disk."""
_KEPT = 12
"""Renders in memory: those of one item and its controls."""


@dataclass(frozen=True)
class SceneRenderer:
    """Renders scenes in one size and quality, with steady samples: what two scenes share looks the same in both."""

    size: int = 512
    """Side of the pictures in pixels."""
    quality: Quality = "beauty"

    def render(self, scene: Scene, keep: bool = False) -> Layers:
        """The layers `rgb`, `ids` and `depth` of a scene; `depth` only in drafts, whose change masks need it.

        Args:
            scene: The scene.
            keep: Whether to keep the render on disk, for scenes that several runs render.
        """
        key = digest([scene, self.size, self.quality])
        with _lock:
            if key in _memory:
                _memory.move_to_end(key)
                return _memory[key]
        layers = self._kept(scene, key) if keep else self._rendered(scene)
        for array in (layers.rgb, layers.ids, layers.depth):
            array.setflags(write=False)  # shared by all who ask
        with _lock:
            _memory[key] = layers
            while len(_memory) > _KEPT:
                _memory.popitem(last=False)
        return layers

    @property
    def _layers(self) -> tuple[str, ...]:
        return ("rgb", "ids", "depth") if self.quality == "draft" else ("rgb", "ids")

    def _rendered(self, scene: Scene) -> Layers:
        from pixelproof.world.solid.render import render

        layers = render(scene, self.size, quality=self.quality, layers=self._layers, steady=True)
        return self._assembled({name: getattr(layers, name) for name in self._layers})

    def _kept(self, scene: Scene, key: str) -> Layers:
        def made(missing: list[str]) -> dict[str, Any]:
            layers = self._rendered(scene)
            return {name: np.array(getattr(layers, name)) for name in missing}

        return self._assembled(self._cache.arrays(f"{self.size}/{key[:2]}/{key}", self._layers, made))

    @staticmethod
    def _assembled(arrays: dict[str, Any]) -> Layers:
        from pixelproof.world.solid.render import Layers

        nothing = np.zeros(0, np.float32)
        depth = arrays.get("depth", np.zeros(arrays["ids"].shape, np.float32))
        return Layers(arrays["rgb"], depth, nothing, arrays["ids"], nothing.astype(np.bool_), nothing)

    @cached_property
    def _cache(self) -> FrameCache:
        software = SolidScenes("spatial", self.size).software
        return FrameCache(cache_root() / "scenes" / "spatial" / digest([_FORMAT, software, self.quality])[:16])


_memory: OrderedDict[str, Layers] = OrderedDict()
_lock = Lock()
