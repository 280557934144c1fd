"""Dense tasks: depth and surface normals, painted in colour codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof import metrics
from pixelproof.benches.arena import dense
from pixelproof.benches.arena._case import Case, Frame, FrameSource, Pixels
from pixelproof.benches.arena.sources._labels import BACKGROUND
from pixelproof.contract import Artefact
from pixelproof.pixels import VOID, thumbnail

from ._submission import Measurement, Submission


@dataclass(frozen=True)
class Depth:
    """Paint the depth of every pixel in a colour code."""

    code: str = "cube"

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """The truth, encoded."""
        assert frame.depth is not None, "sources of depth have depth"
        return dense.encode_depth(frame.depth, self.code)

    def measure(self, submission: Submission, case: Case, frame: Frame, source: FrameSource) -> Measurement:
        """Errors of the decoded depth, where the truth is known."""
        assert frame.depth is not None, "sources of depth have depth"
        decoded = dense.decode_depth(submission.image.rgb, self.code)
        found = metrics.depth_errors(decoded.values, frame.depth)
        numbers = {"depth.absrel": float(found.abs_rel()), "depth.delta1": float(found.delta1())}
        found = metrics.depth_errors(decoded.values, np.where(_things(case, frame), frame.depth, np.nan))
        if found.pixels.any():
            numbers |= {"depth.absrel_things": float(found.abs_rel()), "depth.delta1_things": float(found.delta1())}
        return Measurement({**numbers, **_audited(decoded.off_code, submission)})

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth."""
        return _given(frame, self.perfect(case, frame))

    def evidence(
        self, submission: Submission, measurement: Measurement, case: Case, frame: Frame
    ) -> dict[str, Artefact]:
        """The answer in the reference's size, if it was resized."""
        return {"fitted": thumbnail(submission.image.rgb)} if submission.image.resized else {}


@dataclass(frozen=True)
class Normals:
    """Paint the surface normal of every pixel in a colour code."""

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """The truth, encoded."""
        assert frame.normals is not None, "sources of normals have normals"
        return dense.encode_normals(frame.normals)

    def measure(self, submission: Submission, case: Case, frame: Frame, source: FrameSource) -> Measurement:
        """Angular errors of the decoded normals, where the truth is known."""
        assert frame.normals is not None, "sources of normals have normals"
        decoded = dense.decode_normals(submission.image.rgb)
        found = metrics.normal_errors(decoded.values, frame.normals)
        numbers = {"normals.angle": float(found.mean_angle()), "normals.within_11": float(found.within11())}
        found = metrics.normal_errors(decoded.values, frame.normals * _things(case, frame)[..., None])
        if found.pixels.any():
            numbers |= {"normals.angle_things": float(found.mean_angle())}
        return Measurement({**numbers, **_audited(decoded.off_code, submission)})

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth."""
        return _given(frame, self.perfect(case, frame))

    def evidence(
        self, submission: Submission, measurement: Measurement, case: Case, frame: Frame
    ) -> dict[str, Artefact]:
        """The answer in the reference's size, if it was resized."""
        return {"fitted": thumbnail(submission.image.rgb)} if submission.image.resized else {}


def _audited(off_code: float, submission: Submission) -> dict[str, float]:
    return {"audit.off_palette": off_code, "audit.resized": float(bool(submission.image.resized))}


def _things(case: Case, frame: Frame) -> npt.NDArray[np.bool_]:
    """Mask of the objects, without the room, the table or the shelf, whose shapes can be guessed."""
    if frame.labels is None:
        return np.zeros(frame.shape, np.bool_)
    return ~np.isin(frame.labels, (case.palette.index(BACKGROUND), VOID))


def _given(frame: Frame, truth: Pixels) -> dict[str, Artefact]:
    photo = {} if frame.photo is None else {"photo": thumbnail(frame.photo)}
    return {**photo, "truth": thumbnail(truth)}
