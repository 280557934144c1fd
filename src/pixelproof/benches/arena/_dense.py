"""The other tasks: the mask of one thing, distances, and directions of surfaces, as pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof import metrics
from pixelproof.benches.arena import dense
from pixelproof.benches.arena._answers import Painted
from pixelproof.benches.arena._case import Case, Frame, FrameSource, Pixels
from pixelproof.benches.arena._semantic import Measured, Semantic
from pixelproof.benches.arena._thumbnail import thumbnail
from pixelproof.benches.arena.sources._labels import BACKGROUND
from pixelproof.contract import Artefact
from pixelproof.pixels import VOID


@dataclass(frozen=True)
class Referring(Semantic):
    """Paint the one thing that is meant; of the two labels the second is the target."""

    def measure(self, painted: Painted, case: Case, frame: Frame, source: FrameSource) -> Measured:
        """Overlap with the target."""
        numbers, notes = super().measure(painted, case, frame, source)
        hits, predicted, actual = np.array(numbers["robust.miou"]).reshape(3, -1)[:, 1]
        union = predicted + actual - hits
        kept = {name: value for name, value in numbers.items() if name.startswith(("audit.", "registration."))}
        return kept | {"referring.ciou": [hits, union], "referring.giou": hits / union if union else 1.0}, notes


@dataclass(frozen=True)
class Depth:
    """Paint how far everything is, in a colour code that can be read back."""

    code: str = "cube"

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """The truth in the code."""
        assert frame.depth is not None, "sources of depth have depth"
        return dense.encode_depth(frame.depth, self.code)

    def measure(self, painted: Painted, case: Case, frame: Frame, source: FrameSource) -> Measured:
        """Errors of the distances that the colours stand for, where the truth is known."""
        assert frame.depth is not None, "sources of depth have depth"
        decoded = dense.decode_depth(painted.picture, self.code)
        found = metrics.depth_errors(decoded.values, frame.depth)
        numbers = {"depth.absrel": float(found.abs_rel()), "depth.delta1": float(found.delta1())}
        found = metrics.depth_errors(decoded.values, np.where(_things(case, frame), frame.depth, np.nan))
        if found.pixels.any():
            numbers |= {"depth.absrel_things": float(found.abs_rel()), "depth.delta1_things": float(found.delta1())}
        return {**numbers, "audit.off_palette": decoded.off_code, "audit.resized": float(bool(painted.resized))}, {}

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth, whatever was answered."""
        return _given(frame, self.perfect(case, frame))

    def evidence(self, painted: Painted, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The answer in the reference's size."""
        return {"fitted": thumbnail(painted.picture)} if painted.resized else {}


@dataclass(frozen=True)
class Normals:
    """Paint which way every surface faces."""

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """The truth in the code."""
        assert frame.normals is not None, "sources of normals have normals"
        return dense.encode_normals(frame.normals)

    def measure(self, painted: Painted, case: Case, frame: Frame, source: FrameSource) -> Measured:
        """Angles between the directions that the colours stand for and the true ones, where these are known."""
        assert frame.normals is not None, "sources of normals have normals"
        decoded = dense.decode_normals(painted.picture)
        found = metrics.normal_errors(decoded.values, frame.normals)
        numbers = {"normals.angle": float(found.mean_angle()), "normals.within_11": float(found.within11())}
        found = metrics.normal_errors(decoded.values, frame.normals * _things(case, frame)[..., None])
        if found.pixels.any():
            numbers |= {"normals.angle_things": float(found.mean_angle())}
        return {**numbers, "audit.off_palette": decoded.off_code, "audit.resized": float(bool(painted.resized))}, {}

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth, whatever was answered."""
        return _given(frame, self.perfect(case, frame))

    def evidence(self, painted: Painted, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The answer in the reference's size."""
        return {"fitted": thumbnail(painted.picture)} if painted.resized else {}


def _things(case: Case, frame: Frame) -> npt.NDArray[np.bool_]:
    """Where a thing is seen and not the room, the table or the shelf, whose shapes can be guessed."""
    if frame.labels is None:
        return np.zeros(frame.shape, np.bool_)
    return ~np.isin(frame.labels, (case.palette.index(BACKGROUND), VOID))


def _given(frame: Frame, truth: Pixels) -> dict[str, Artefact]:
    photo = {} if frame.photo is None else {"photo": thumbnail(frame.photo)}
    return {**photo, "truth": thumbnail(truth)}


Task = Semantic | Depth | Normals
