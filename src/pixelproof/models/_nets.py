"""`nets/NAME`: specialists on the CPU that see pictures and labels, and answer the arena with label maps."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Bench, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.nets import Detector, Sam2, offered_as
from pixelproof.pixels import encode_labels
from pixelproof.stats import generator
from pixelproof.store import find_asset

if TYPE_CHECKING:
    from pixelproof.benches.arena._bench import Arena

Bytes = npt.NDArray[np.uint8]


class Specialist(Protocol):
    """Somebody who labels every pixel of a photograph; the truth is not shown to him."""

    def label(self, photo: Bytes, names: Sequence[str], rng: np.random.Generator) -> Bytes:
        """Indices into the names."""

    def card(self) -> Mapping[str, Any]:
        """What must be equal for equal answers."""


class Regions:
    """Regions by colour and place, one for each label; names by the border and by chance."""

    def label(self, photo: Bytes, names: Sequence[str], rng: np.random.Generator) -> Bytes:
        """Near the floor, for it knows no names."""
        from pixelproof.benches.arena.regions import kmeans, named_by_border

        return named_by_border(kmeans(photo, len(names), rng), len(names), rng)

    def card(self) -> Mapping[str, Any]:
        """Nothing but the version of the package."""
        return {}


class Detected:
    """A detector finds things by name, SAM 2 cuts out what its boxes show; all else is the first label."""

    def __init__(self) -> None:
        self._detector, self._sam = Detector(), Sam2()

    def label(self, photo: Bytes, names: Sequence[str], rng: np.random.Generator) -> Bytes:
        """Where masks overlap, the surer detection counts."""
        labels = np.zeros(photo.shape[:2], np.uint8)
        places = [(found, offered_as(found.name, names)) for found in self._detector.detect(photo)]
        wanted = [(found.box, place) for found, place in places if place is not None]
        if wanted:
            masks = self._sam.masks(self._sam.see(photo), [box for box, _ in wanted])
            for mask, (_, place) in reversed(list(zip(masks, wanted, strict=True))):
                labels[mask.pixels] = place
        return labels

    def card(self) -> Mapping[str, Any]:
        """The weights and the libraries that run them."""
        weights = {net.asset: find_asset(net.asset).sha256 for net in (self._detector, self._sam)}
        return {"weights": weights, "runtime": [self._detector.runtime, self._sam.runtime]}


SPECIALISTS: Mapping[str, Callable[[], Specialist]] = {"kmeans": Regions, "ssd-sam2": Detected}


class NetsModel:
    """Loads the photograph of an item through the bench, and labels it.

    Raises:
        PixelProofError: There is no such specialist, or its weights or libraries are missing.
    """

    answers_items = True
    connections = 1

    def __init__(self, name: str, specialist: str, bench: Bench) -> None:
        if specialist not in SPECIALISTS:
            raise PixelProofError(f"There is no {name!r}: choose from {', '.join(f'nets/{s}' for s in SPECIALISTS)}.")
        self.name = name
        self._purpose = f"nets/{specialist}"
        self._bench = bench
        self._specialist = SPECIALISTS[specialist]()
        self._lock = Lock()  # two at once would need twice the memory, and all cores are busy with one

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """A label map in the palette of the item; the prompt plays no part, and neither does the truth."""
        arena = self._arena(item)
        try:
            case, frame, _ = arena.frame_of(item)
        except PixelProofError as error:  # one file that cannot be read must not stop a run
            return Answer(failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))
        if frame.photo is None:
            sentence = f"There is no photograph of {case.key}: give --photos."
            return Answer(failure=Failure(Fault.INFRASTRUCTURE, "no-photo", sentence))
        rng = generator(seed, f"{self._purpose}/{item.id}", sample)
        with self._lock:
            began = time.perf_counter()
            labels = self._specialist.label(frame.photo, item.inputs["names"], rng)
            seconds = time.perf_counter() - began
        usage = Usage(images=1, cost=0.0, seconds=seconds)
        return Answer(images=(encode_labels(labels, case.palette),), usage=usage)

    def card(self) -> Mapping[str, Any]:
        """Who it is, and what it is made of."""
        return {"kind": "nets", **self._specialist.card()}

    def close(self) -> None:
        """Let go of the weights; once is enough, twice does no harm."""
        vars(self).pop("_specialist", None)

    def _arena(self, item: Item) -> Arena:
        if self._bench.name != "arena":
            raise PixelProofError(
                f"{self.name} labels the pixels of photographs, so it cannot answer {item.id}: "
                "choose the arena, or another model."
            )
        arena = cast("Arena", self._bench)
        if arena.task != "semantic":
            raise PixelProofError(f"{self.name} labels all that is in a picture: leave out --task {arena.task}.")
        return arena
