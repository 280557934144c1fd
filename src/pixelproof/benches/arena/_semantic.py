"""Segmentation under two protocols, with an audit of the colours and a diagnosis of the place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pixelproof import metrics
from pixelproof.benches.arena import diagnosis
from pixelproof.benches.arena._answers import Painted
from pixelproof.benches.arena._case import Case, Frame, FrameSource, Labels, Pixels
from pixelproof.benches.arena._thumbnail import thumbnail
from pixelproof.contract import Artefact
from pixelproof.pixels import DECODERS, VOID, Palette, declared_palette, nearest

Measured = tuple[dict[str, float | list[float]], dict[str, str]]


@dataclass(frozen=True)
class Semantic:
    """Paint every pixel in the colour of its label."""

    decoder: str = "robust"
    legend: str = "offered"
    """Whether the colours are those that were offered, or those that the model declared."""
    lean: bool = False
    """Whether both protocols are all that is wanted: no outlines, no audit, no diagnosis."""

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """The truth, painted; what counts for nobody gets the first colour."""
        return case.palette.paint(_labels(frame), case.palette.colours[0])

    def measure(self, painted: Painted, case: Case, frame: Frame, source: FrameSource) -> Measured:
        """Every number of one answer."""
        truth, palette = _labels(frame), case.palette
        nearest_labels = nearest(painted.stored, palette) if painted.labels is None else painted.labels
        published = metrics.pixelarena(metrics.SegmentationCounts.of(nearest_labels, truth, len(palette)))
        numbers: dict[str, float | list[float]] = {f"pixelarena.{name}": value for name, value in published.items()}
        labels, filled, notes = self._decode(painted, case)
        notes |= _remarked(painted, case)
        counted = _without(truth, [palette.labels.index(label) for label in source.ignored if label in palette.labels])
        counts = metrics.SegmentationCounts.of(labels, counted, len(palette))
        if not counts.actual.any():
            return numbers, notes | {"robust": "nothing of the reference counts"}
        numbers |= _robust(counts)
        numbers["robust.miou"] = _pooled(counts, case, source)
        numbers["audit.resized"] = float(bool(painted.resized))
        if painted.labels is None:
            numbers["audit.filled"] = filled
        if self.lean:
            return numbers, notes
        numbers |= _outlines(labels, counted, len(palette))
        if painted.labels is None:
            found = diagnosis.audit(painted.picture, palette, frame.photo, truth)
            numbers |= _audited(found)
            notes |= {"audit": " ".join(found.flags.values())} if found.flags else {}
        placed, sentence = _place(labels, counted, case, source)
        return numbers | placed, notes | sentence

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth, whatever was answered."""
        photo = {} if frame.photo is None else {"photo": thumbnail(frame.photo)}
        return {**photo, "truth": diagnosis.label_picture(_labels(frame), case.palette)}

    def evidence(self, painted: Painted, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The answer as it was decoded, where it is wrong, and how it lies on the photograph."""
        labels, _, _ = self._decode(painted, case)
        laid = {} if frame.photo is None else {"overlay": diagnosis.overlay(frame.photo, labels, case.palette)}
        return {
            "decoded": diagnosis.label_picture(labels, case.palette),
            "errors": diagnosis.error_map(labels, _labels(frame), case.palette),
            **laid,
        }

    def _decode(self, painted: Painted, case: Case) -> tuple[Labels, float, dict[str, str]]:
        """Labels, the share of them that comes from neighbouring pixels, and notes."""
        if painted.labels is not None:
            return painted.labels, 0.0, {"form": "label map: no colours were decoded"}
        palette = case.palette
        notes: dict[str, str] = {}
        if self.legend == "declared":
            palette, notes = _declared(painted, case)
        decoded = DECODERS[self.decoder].decode(painted.picture, palette)
        if palette is case.palette:
            return decoded.labels, decoded.filled, notes
        places = np.full(256, VOID, np.uint8)
        places[: len(palette)] = [case.palette.index(label) for label in palette.labels]
        return places[decoded.labels], decoded.filled, notes


def _declared(painted: Painted, case: Case) -> tuple[Palette, dict[str, str]]:
    """The colours that the model says it used; those it was given if it says nothing."""
    names = dict(zip(painted.names or case.palette.labels, case.palette.labels, strict=True))
    declared = declared_palette(painted.text, list(names))
    if declared is None:
        return case.palette, {"legend": "none was declared: the colours offered count"}
    own = Palette(tuple(names[name] for name in declared.labels), declared.colours)
    return own, {"legend": f"declared, {len(own)} of {len(case.palette)} labels"}


def _remarked(painted: Painted, case: Case) -> dict[str, str]:
    """What a reader should know of the file."""
    notes = {}
    if painted.stored is not painted.picture:
        notes["file"] = "it has a profile, transparency or a turn: pixelarena takes its pixels as they are stored"
    picture = painted.picture
    if painted.labels is None and picture.max() < len(case.palette) and (picture == picture[..., :1]).all():
        notes["form"] = "this looks like a label map: if it is one, say --form labels"
    return notes


def _labels(frame: Frame) -> Labels:
    assert frame.labels is not None, "sources of labels have labels"
    return frame.labels


def _without(labels: Labels, ignored: list[int]) -> Labels:
    """Labels that mean nothing in particular become void."""
    if not ignored:
        return labels
    table = np.arange(256, dtype=np.uint8)
    table[ignored] = VOID
    return table[labels]


def _robust(counts: metrics.SegmentationCounts) -> dict[str, float | list[float]]:
    """Per picture, mIoU is called IoU: the protocol's mIoU pools all pictures."""
    found = metrics.robust(counts)
    names = {"miou": "iou"}
    return {f"robust.{names.get(name, name)}": value for name, value in found.items()}


def _pooled(counts: metrics.SegmentationCounts, case: Case, source: FrameSource) -> list[float]:
    """Counts over the whole vocabulary of the source, so that pictures with different labels add up."""
    places = [source.vocabulary.index(label) for label in case.palette.labels]
    wide = np.zeros((3, len(source.vocabulary)))
    wide[:, places] = counts.hits, counts.predicted, counts.actual
    return [float(value) for value in wide.ravel()]


def _outlines(labels: Labels, truth: Labels, classes: int) -> dict[str, float | list[float]]:
    bands = metrics.robust(metrics.boundary_counts(labels, truth, classes))
    lines = metrics.boundary_f(metrics.contour_counts(labels, truth, classes))
    return {"robust.boundary_iou": bands["miou"], "robust.boundary_f": float(lines)}


def _audited(found: diagnosis.Audit) -> dict[str, float | list[float]]:
    return {
        "audit.off_palette": found.off_palette,
        "audit.stray": float(len(found.stray)),
        "audit.invented": float(len(found.invented)),
        "audit.drift": found.drift.mean,
        "audit.outlines": found.outlines,
        "audit.texture": found.texture,
        "audit.copied": found.copied,
        "audit.single_colour": found.single_colour,
    }


def _place(labels: Labels, truth: Labels, case: Case, source: FrameSource) -> tuple[dict[str, float], dict[str, str]]:
    """The diagnosis of the place, as numbers and in words."""
    known = case.palette.labels
    pairs = [(known.index(a), known.index(b)) for a, b in source.pairs if a in known and b in known]
    found = diagnosis.diagnose(labels, truth, len(known), pairs)
    words = ("shifted", "scaled", "mirrored", "swapped")
    numbers = {f"registration.{word}": float(found.verdict == word) for word in words}
    numbers["registration.gain"] = found.after - found.before
    return numbers, {} if found.verdict == "in place" else {"registration": found.sentence}
