"""Generated scenes: what a seed and an index give, rendered once and cached on disk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pixelproof.store import cache_root, digest

from ._frame_cache import Arrays, FrameCache

_FORMAT = 3
"""Format of the cache; with another one, everything is rendered again."""
_STORED = {"ids": np.uint16, "normals": np.float16}
"""Layer → its type in the cache, where that is not the renderer's."""


@dataclass(frozen=True)
class SceneFacts:
    """What is known of a scene before it is rendered."""

    json: str
    """The scene, serialised; it can be rendered from this alone."""
    kind: str = ""
    """Kind of scene, such as `room`; empty where there is only one."""
    nouns: tuple[str, ...] = ()
    """Noun of each object, in the order of their ids from 1; empty for objects that belong to the background."""
    visible: tuple[float, ...] = ()
    """Visible share of each object, 0 to 1."""


@dataclass(frozen=True)
class GeneratedScenes(ABC):
    """Scenes of a world by seed and index. Facts and rendered layers are cached, and rendered again if damaged.

    A subclass says what is in a scene and how it is rendered. Several benches may read the same scenes: with an equal
    `stream`, `size` and subclass they share the cache.
    """

    stream: str
    """Purpose of the random draws, such as `arena/world`; another one gives other scenes."""
    size: int = 512
    """Pixels of a side of the image."""

    name: ClassVar[str] = ""

    @property
    @abstractmethod
    def software(self) -> str:
        """Hash of the code, libraries and files that can change a pixel."""

    @abstractmethod
    def describe(self, seed: int, index: int) -> SceneFacts:
        """Generate a scene."""

    @abstractmethod
    def render(self, seed: int, index: int, facts: SceneFacts, layers: Sequence[str]) -> Arrays:
        """Render layers of a scene, such as `rgb`, `ids`, `depth` (metres), `normals` (camera frame)."""

    @property
    def content(self) -> str:
        """Hash of the files that scenes are made of; empty if there are none."""
        return ""

    def facts(self, seed: int, index: int) -> SceneFacts:
        """The facts of a scene, from the cache if they are there."""

        def made() -> dict[str, Any]:
            facts = self.describe(seed, index)
            return {"json": facts.json, "kind": facts.kind, "nouns": facts.nouns, "visible": facts.visible}

        stored = self._cache.facts(self._key(seed, index), made)
        return SceneFacts(stored["json"], stored["kind"], tuple(stored["nouns"]), tuple(stored["visible"]))

    def layers(self, seed: int, index: int, names: Sequence[str]) -> Arrays:
        """Rendered layers of a scene, from the cache if they are there; ids are uint16, normals unit float32."""
        facts = self.facts(seed, index)
        layers = self._cache.arrays(
            self._key(seed, index), names, lambda missing: _stored(self.render(seed, index, facts, missing))
        )
        return {name: _unit(layer) if name == "normals" else layer for name, layer in layers.items()}

    @cached_property
    def _cache(self) -> FrameCache:
        return FrameCache(cache_root() / "scenes" / self.name / digest([_FORMAT, self.stream, self.software])[:16])

    def _key(self, seed: int, index: int) -> str:
        return f"{self.size}/{seed}/{index // 1000:04d}/{index:06d}"


def _stored(layers: Arrays) -> Arrays:
    """Layers in the types of the cache; also when they are fresh, so that both give equal results."""
    return {name: array.astype(_STORED.get(name, array.dtype), copy=False) for name, array in layers.items()}


def _unit(normals: Any) -> Any:
    """Normals scaled to unit length again: half precision alone would turn them by up to a degree."""
    wide = normals.astype(np.float32)
    lengths = np.sqrt((wide**2).sum(-1, keepdims=True))
    return np.asarray(np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0), np.float32)
