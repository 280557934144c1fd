"""What is known of other images: remembered scenes, or the other images of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Case, FrameSource
from pixelproof.benches.arena.sources._files import Files
from pixelproof.benches.sources import FileEntry
from pixelproof.contract import PixelProofError
from pixelproof.pixels import void_of
from pixelproof.store import digest

from ._labels import LabelCounts, count_labels
from ._memory import CELLS, SEED, Scene, remembered
from ._strokes import contour_density

Map = npt.NDArray[np.integer]
MOST = 100
"""Largest number of other images of a data set that are read, evenly spaced."""


@dataclass(frozen=True, eq=False)
class Images:
    """Label maps of a data set in CELLS × CELLS, with key and cluster; ignored labels are void."""

    keys: list[str]
    clusters: list[str]
    maps: list[Map]
    labels: int

    @cached_property
    def counts(self) -> LabelCounts:
        """Counts over all images."""
        return self._count(range(len(self.maps)))

    def counts_without(self, case: Case) -> LabelCounts:
        """Counts over the images that share neither key nor cluster with a case."""
        own = [place for place in range(len(self.maps)) if self._is_own(case, place)]
        return self.counts - self._count(own) if own else self.counts

    def maps_without(self, case: Case) -> list[Map]:
        """Label maps of the images that share neither key nor cluster with a case."""
        return [labels for place, labels in enumerate(self.maps) if not self._is_own(case, place)]

    def _is_own(self, case: Case, place: int) -> bool:
        return self.keys[place] == case.key or bool(case.cluster and self.clusters[place] == case.cluster)

    def _count(self, places: Sequence[int]) -> LabelCounts:
        return count_labels(((self.maps[place], range(self.labels)) for place in places), self.labels)


_READ: dict[int, tuple[Files, Images]] = {}
"""Data sets that were read, by identity; a source is opened once per process."""


def images_of(source: Files) -> Images:
    """Read up to MOST images of a data set; once per process."""
    if id(source) not in _READ:
        images = Images([], [], [], len(source.palette))
        ignored = [source.palette.index(label) for label in source.ignored]
        for entry in _fitted_on(source):
            try:
                frame = source.read(replace(source.case(entry), palette=source.palette))
            except PixelProofError:  # it is an instrument fault where it is an item
                continue
            assert frame.labels is not None, "data sets have labels"
            steps = (np.arange(CELLS) + 0.5) / CELLS
            rows, columns = ((steps * side).astype(int) for side in frame.labels.shape)
            small = frame.labels[np.ix_(rows, columns)]
            images.keys.append(entry.key)
            images.clusters.append(entry.cluster)
            images.maps.append(np.where(np.isin(small, ignored), void_of(small), small))
        _READ[id(source)] = source, images
    return _READ[id(source)][1]


def fitting_hash(source: FrameSource) -> str:
    """Hash of all that `images_of` depends on; empty for a generated source, whose other scenes are in the package."""
    if not isinstance(source, Files):
        return ""
    contents = [[entry.key, entry.cluster, source.content_hash(entry)] for entry in _fitted_on(source)]
    return digest([source.palette, sorted(source.ignored), contents])


def _fitted_on(source: Files) -> list[FileEntry]:
    """Up to MOST entries of a data set, evenly spaced."""
    count = len(source.entries)
    places = np.unique(np.linspace(0, count - 1, min(MOST, count)).round().astype(int))
    return [source.entries[place] for place in places]


def other_scenes(case: Case, kind: str | None) -> tuple[Scene, ...]:
    """Remembered scenes of a case's source, without its own; of a kind, if one is given."""
    left_out = case.details["index"] if case.details["seed"] == SEED else None
    return _scenes(case.source, kind, left_out)


def scene_counts(case: Case, kind: str | None) -> tuple[LabelCounts, LabelCounts]:
    """Counts of the labels that a case offers, and of all labels, over other scenes."""
    left_out = case.details["index"] if case.details["seed"] == SEED else None
    common, places = _counted(case.source, kind, left_out)
    unknown = len(places)  # the last row: never seen
    return common.of([places.get(label, unknown) for label in case.palette.labels]), common


def scene_density(case: Case, kind: str | None) -> npt.NDArray[np.float64]:
    """How often each cell has a contour, over other scenes."""
    return _density(case.source, kind, case.details["index"] if case.details["seed"] == SEED else None)


def objects_of(scene: Scene) -> Map:
    """The object of each cell; 0 for surroundings."""
    table = np.arange(256, dtype=np.uint8)
    table[1 : len(scene.nouns) + 1][[not noun for noun in scene.nouns]] = 0
    return table[scene.ids]


@lru_cache(32)
def _scenes(source: str, kind: str | None, left_out: int | None) -> tuple[Scene, ...]:
    scenes = remembered(source).scenes
    return tuple(scene for scene in scenes if scene.index != left_out and kind in (None, scene.kind))


@lru_cache(32)
def _density(source: str, kind: str | None, left_out: int | None) -> npt.NDArray[np.float64]:
    return contour_density(objects_of(scene) for scene in _scenes(source, kind, left_out))


def _counted(source: str, kind: str | None, left_out: int | None) -> tuple[LabelCounts, dict[str, int]]:
    counts, places = _all_counted(source, kind)
    own = [scene for scene in remembered(source).scenes if scene.index == left_out and kind in (None, scene.kind)]
    return (counts - _count(own, places) if own else counts), places


@lru_cache(8)
def _all_counted(source: str, kind: str | None) -> tuple[LabelCounts, dict[str, int]]:
    everything = remembered(source).scenes
    names = sorted({noun for scene in everything for noun in (*scene.nouns, *scene.offered[1:]) if noun})
    places = {label: place for place, label in enumerate((everything[0].offered[0], *names))}
    return _count(_scenes(source, kind, None), places), places


def _count(scenes: Sequence[Scene], places: dict[str, int]) -> LabelCounts:
    """Counts of scenes, with a last row of labels that are never seen."""
    images = []
    for scene in scenes:
        table = np.zeros(len(scene.nouns) + 1, np.intp)
        table[1:] = [places[noun] if noun else 0 for noun in scene.nouns]
        images.append((table[scene.ids], [places[label] for label in scene.offered]))
    return count_labels(images, len(places) + 1)
