"""From frames to proposals for review: sharp frames, lifted things, edits by rule, boxes drawn, a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pixelproof.benches.spatial._gsi_files import GsiAnnotation
from pixelproof.benches.spatial.real._edit import RealEdit
from pixelproof.benches.spatial.real._frames import Frame, Pixels, sharpness
from pixelproof.benches.spatial.real._gate import Ask, GateVerdict, ask_gate
from pixelproof.benches.spatial.real._lifting import Lifter
from pixelproof.benches.spatial.real._overlay import draw_edit
from pixelproof.benches.spatial.real._proposals import propose_edits
from pixelproof.pixels import encode_png
from pixelproof.stats import generator


@dataclass(frozen=True)
class Candidate:
    """A proposal with all that a reviewer is shown."""

    frame: Frame
    edit: RealEdit
    overlay: Pixels = field(repr=False)
    gate: GateVerdict | None = None
    """None without a gate."""
    target: Pixels | None = field(default=None, repr=False)
    """The photograph after the edit, where it is known."""

    @property
    def text(self) -> str:
        """The instruction, as the gate left it."""
        return self.gate.text if self.gate else self.edit.text

    def facts(self) -> dict[str, str]:
        """What a reviewer should know beside the text."""
        shown = {"operation": self.edit.operation, "thing": self.edit.target}
        if self.edit.before.score < 1:
            shown["detector"] = f"{self.edit.before.score:.0%}"
        if self.gate:
            shown["gate"] = f"{self.gate.verdict}: {self.gate.reason}".rstrip(": ")
        if self.text != self.edit.text:
            shown["before the gate"] = self.edit.text
        if self.frame.assumed:
            shown["camera"] = "assumed: no camera.json"
        return shown

    def annotation(self) -> dict[str, Any]:
        """The truth of the edit, as GSI-Bench writes it."""
        return annotation_of(self.edit, self.text, self.frame)


@dataclass(frozen=True)
class Rejected:
    """What a step left out, and why."""

    frame: str
    step: str
    """`sharpness`, `lifting`, `proposals` or `gate`."""
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Settings:
    """What the steps are done with."""

    seed: int = 0
    sharpness: float = 0.6
    """Least share of high frequencies of a frame; 0: all frames."""
    per_frame: int = 8
    """Number of proposals per frame."""


def find_candidates(
    frames: Iterable[Frame], lifter: Lifter, settings: Settings, ask: Ask | None = None
) -> Iterator[Candidate | Rejected]:
    """Proposals of frames, and what was rejected on the way; frame by frame.

    Args:
        frames: The frames, sampled already.
        lifter: Finds things and where they are.
        settings: Of the steps.
        ask: Answers prompts of the gate; None: no gate.
    """
    for place, frame in enumerate(frames):
        sharp = sharpness(frame.rgb)
        if sharp < settings.sharpness:
            yield Rejected(frame.name, "sharpness", f"blurry: {sharp:.2f} is below {settings.sharpness:g}")
            continue
        boxes = lifter.lift(frame)
        if not boxes:
            yield Rejected(frame.name, "lifting", "nothing was found")
            continue
        edits = propose_edits(frame, boxes, generator(settings.seed, "spatial/real", place), settings.per_frame)
        if not edits:
            yield Rejected(frame.name, "proposals", f"no edit fits {len(boxes)} things")
        for edit in edits:
            yield _gated(frame, edit, ask)


def _gated(frame: Frame, edit: RealEdit, ask: Ask | None) -> Candidate | Rejected:
    overlay = draw_edit(frame, edit)
    verdict = ask_gate(edit, encode_png(overlay), ask) if ask else None
    if verdict and verdict.verdict == "drop":
        return Rejected(frame.name, "gate", verdict.reason or "no reason given", edit.text)
    return Candidate(frame, edit, overlay, verdict, frame.execute(edit) if frame.execute else None)


def annotation_of(edit: RealEdit, text: str, frame: Frame) -> dict[str, Any]:
    """An edit as GSI-Bench writes it: boxes in the camera's frame."""
    after = edit.after
    annotation = GsiAnnotation(
        text,
        edit.target,
        edit.before.vector(),
        None if after is None else after.vector(),
        edit.before.rotation,
        None if after is None else after.rotation,
        tuple(tuple(row) for row in np.asarray(frame.intrinsics, dtype=float).tolist()),
        None if edit.reference is None else edit.reference.label,
        None if edit.reference is None else edit.reference.centre,
    )
    return {name: value for name, value in vars(annotation).items() if value is not None}


def counted(rejected: Iterable[Rejected]) -> Mapping[str, int]:
    """Step → number of frames or proposals that it left out."""
    return Counter(one.step for one in rejected)
