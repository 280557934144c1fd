"""Segmentation under two protocols, with an audit of the colours and registration against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof import metrics
from pixelproof.benches.arena import diagnosis
from pixelproof.benches.arena._case import Case, Frame, FrameSource, Labels, Pixels
from pixelproof.contract import Artefact
from pixelproof.pixels import (
    DECODERS,
    Palette,
    declared_palette,
    error_map,
    nearest,
    overlay_labels,
    render_labels,
    thumbnail,
    void_of,
)

from ._objects import measure_objects
from ._submission import Measurement, Submission
from ._transparency import painted_colours
from ._vocabulary import widen

Numbers = dict[str, float | list[float]]


@dataclass(frozen=True)
class _Decoded:
    """The labels of an answer under both protocols."""

    nearest: Labels
    """By the nearest colour, from the stored pixel values, as published."""
    robust: Labels
    colours: Pixels
    """What the robust labels were decoded from."""
    unpainted: npt.NDArray[np.bool_] | None
    """Transparent pixels without a label; None if there are none."""
    filled: float
    """Share of the robust labels that come from neighbouring pixels."""
    notes: dict[str, str]


@dataclass(frozen=True)
class Semantic:
    """Paint every pixel in the colour of its label."""

    decoder: str = "robust"
    legend: str = "offered"
    """`offered`: the palette's colours count; `declared`: those that the model declares in its text."""
    lean: bool = False
    """Whether to compute only the two protocols: no boundary metrics, objects, audit or registration."""
    has_objects: ClassVar[bool] = True
    """Whether to measure panoptic quality, and recall by size."""

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """The truth, painted; void pixels get the first colour."""
        return case.palette.paint(_labels(frame), case.palette.colours[0])

    def measure(self, submission: Submission, case: Case, frame: Frame, source: FrameSource) -> Measurement:
        """All metrics of one answer; its colours are decoded once."""
        truth, palette, image = _labels(frame), case.palette, submission.image
        decoded = self._decode(submission, case)
        ignored = [palette.labels.index(label) for label in source.ignored if label in palette.labels]
        counted = _without(truth, ignored)
        # Painting an ignored label, such as "other", claims nothing: it misses, but it invents no class.
        painted = _without(decoded.robust, ignored)
        by_colour, cells = _compared(decoded.nearest, painted, truth, counted, len(palette))
        published = metrics.pixelarena(by_colour)
        numbers: Numbers = {f"pixelarena.{name}": value for name, value in published.items()}
        notes = decoded.notes | _file_notes(submission, case)
        counts = metrics.SegmentationCounts.from_cells(cells, len(palette))
        if not counts.actual.any():
            notes["robust"] = "nothing of the reference counts"
            return Measurement(numbers, notes, decoded.robust)
        numbers |= _robust(counts)
        numbers["robust.miou"] = widen([counts.hits, counts.predicted, counts.actual], case, source)
        numbers["audit.resized"] = float(bool(image.resized))
        if image.labels is None:
            numbers["audit.filled"] = decoded.filled
        if not self.lean:
            numbers |= _outlines(decoded.robust, counted, len(palette))
            if self.has_objects:
                numbers |= measure_objects(painted, counted, case, frame, source)
            if image.labels is None:
                known = decoded.nearest if image.stored is decoded.colours else None
                seen = (
                    truth
                    if decoded.unpainted is None
                    else np.where(decoded.unpainted, truth.dtype.type(void_of(truth)), truth)
                )
                audit = diagnosis.audit(decoded.colours, palette, frame.photo, seen, known, ignored)
                numbers |= _audited(audit)
                notes |= {"audit": " ".join(audit.flags.values())} if audit.flags else {}
            placed, note = _registered(decoded.robust, counted, case, source)
            numbers, notes = numbers | placed, notes | note
        return Measurement(numbers, notes, decoded.robust, _named_cells(cells, palette))

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth."""
        photo = {} if frame.photo is None else {"photo": thumbnail(frame.photo)}
        return {**photo, "truth": render_labels(_labels(frame), case.palette)}

    def evidence(
        self, submission: Submission, measurement: Measurement, case: Case, frame: Frame
    ) -> dict[str, Artefact]:
        """The decoded label map, its error map, and its overlay on the photograph."""
        labels = measurement.labels
        assert labels is not None, "labels are decoded by measure"
        laid = {} if frame.photo is None else {"overlay": overlay_labels(frame.photo, labels, case.palette)}
        return {
            "decoded": render_labels(labels, case.palette),
            "errors": error_map(labels, _labels(frame), case.palette),
            **laid,
        }

    def _decode(self, submission: Submission, case: Case) -> _Decoded:
        image, palette = submission.image, case.palette
        if image.labels is not None:
            notes = {"form": "label map: no colours were decoded"}
            return _Decoded(image.labels, image.labels, image.rgb, None, 0.0, notes)
        by_colour = nearest(image.stored, palette)
        colours, unpainted, note = painted_colours(image, palette)
        notes = {"transparency": note} if note else {}
        if self.legend == "declared":
            palette, declared = _declared(submission, case)
            notes |= declared
        known = by_colour if palette is case.palette and image.stored is colours else None
        decoded = DECODERS[self.decoder].decode(colours, palette, known)
        labels = decoded.labels
        if palette is not case.palette:
            places = np.full(palette.void + 1, case.palette.void, case.palette.dtype)
            places[: len(palette)] = [case.palette.index(label) for label in palette.labels]
            labels = places[labels]
        if unpainted is not None:
            labels = np.where(unpainted, labels.dtype.type(void_of(labels)), labels)
        return _Decoded(by_colour, labels, colours, unpainted, decoded.filled, notes)


@dataclass(frozen=True)
class Referring(Semantic):
    """Paint the one object that an expression refers to; of the two labels the second is the target."""

    has_objects: ClassVar[bool] = False

    def measure(self, submission: Submission, case: Case, frame: Frame, source: FrameSource) -> Measurement:
        """Overlap with the target."""
        measured = super().measure(submission, case, frame, source)
        hits, predicted, actual = np.array(measured.numbers["robust.miou"]).reshape(3, -1)[:, 1]
        union = predicted + actual - hits
        kept = {name: value for name, value in measured.numbers.items() if name.startswith(("audit.", "registration."))}
        overlap: Numbers = {"referring.ciou": [hits, union], "referring.giou": hits / union if union else 1.0}
        return Measurement(kept | overlap, measured.notes, measured.labels)


def _declared(submission: Submission, case: Case) -> tuple[Palette, dict[str, str]]:
    """The colours that the model declares in its text; those of the prompt if it declares none."""
    names = dict(zip(submission.names or case.palette.labels, case.palette.labels, strict=True))
    declared = declared_palette(submission.text, list(names))
    if declared is None:
        return case.palette, {"legend": "none was declared: the colours offered count"}
    own = Palette(tuple(names[name] for name in declared.labels), declared.colours)
    return own, {"legend": f"declared, {len(own)} of {len(case.palette)} labels"}


def _file_notes(submission: Submission, case: Case) -> dict[str, str]:
    """Remarks on the file."""
    image, notes = submission.image, {}
    if image.stored is not image.rgb:
        notes["file"] = (
            "it has a colour profile, transparency or an orientation: pixelarena takes its pixels as they are stored"
        )
    if image.labels is None and _holds_indices(image.rgb, len(case.palette)):
        notes["form"] = "this looks like a label map: if it is one, give --form labels"
    return notes


def _holds_indices(rgb: Pixels, classes: int) -> bool:
    """Whether all pixels are greys below the number of classes; mostly the first row decides."""
    return bool(rgb[0].max() < classes and rgb.max() < classes and (rgb == rgb[..., :1]).all())


def _labels(frame: Frame) -> Labels:
    assert frame.labels is not None, "sources of labels have labels"
    return frame.labels


def _without(labels: Labels, ignored: list[int]) -> Labels:
    """The label map with ignored labels as void."""
    if not ignored:
        return labels
    table = np.arange(void_of(labels) + 1, dtype=labels.dtype)
    table[ignored] = void_of(labels)
    return table[labels]


def _compared(
    nearest_labels: Labels, painted: Labels, truth: Labels, counted: Labels, classes: int
) -> tuple[metrics.SegmentationCounts, metrics.ConfusionCells]:
    """Counts of the nearest colours, and confusion of the robust labels; each with its own reference."""
    if counted is truth and truth.dtype == np.uint8:
        published, robust = metrics.confusions(nearest_labels, painted, truth, classes)
        return metrics.SegmentationCounts.from_confusion(published), metrics.ConfusionCells.of(robust)
    counts = metrics.SegmentationCounts.of(nearest_labels, truth, classes)
    return counts, metrics.confusion_cells(painted, counted, classes)


def _named_cells(cells: metrics.ConfusionCells, palette: Palette) -> dict[str, dict[str, float]]:
    """The cells of a confusion matrix, by label of the truth and of the answer (empty: no label)."""
    names = (*palette.labels, "")
    named: dict[str, dict[str, float]] = {}
    for row, column, pixels in zip(*(part.tolist() for part in cells), strict=True):
        named.setdefault(names[row], {})[names[column]] = pixels
    return named


def _robust(counts: metrics.SegmentationCounts) -> Numbers:
    """Scores of one image; its mIoU is called `iou`, because the protocol's mIoU pools all images."""
    names = {"miou": "iou"}
    return {f"robust.{names.get(name, name)}": value for name, value in metrics.robust(counts).items()}


def _outlines(labels: Labels, truth: Labels, classes: int) -> Numbers:
    bands = metrics.robust(metrics.boundary_counts(labels, truth, classes))
    lines = metrics.boundary_f(metrics.contour_counts(labels, truth, classes))
    return {"robust.boundary_iou": bands["miou"], "robust.boundary_f": float(lines)}


def _audited(audit: diagnosis.Audit) -> Numbers:
    return {
        "audit.off_palette": audit.off_palette,
        "audit.stray": float(len(audit.stray)),
        "audit.invented": float(len(audit.invented)),
        "audit.drift": audit.drift.mean,
        "audit.outlines": audit.outlines,
        "audit.texture": audit.texture,
        "audit.copied": audit.copied,
        "audit.single_colour": audit.single_colour,
    }


def _registered(labels: Labels, truth: Labels, case: Case, source: FrameSource) -> tuple[Numbers, dict[str, str]]:
    """Registration against the truth: metrics, and a note if the answer is not in place."""
    known = case.palette.labels
    pairs = [(known.index(a), known.index(b)) for a, b in source.pairs if a in known and b in known]
    registration = metrics.register(labels, truth, len(known), pairs)
    if registration.verdict == "nothing to compare":
        return {}, {"registration": registration.sentence}
    words = ("shifted", "scaled", "mirrored", "swapped")
    untold = words[2:] if registration.verdict == "mirrored or swapped" else ()
    numbers: Numbers = {f"registration.{w}": float(registration.verdict == w) for w in words if w not in untold}
    numbers["registration.gain"] = registration.after - registration.before
    return numbers, {} if registration.verdict == "in place" else {"registration": registration.sentence}
