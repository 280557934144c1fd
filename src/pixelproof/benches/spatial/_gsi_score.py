"""Answers to edits of released folders: controls, and scores by boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pixelproof.benches.spatial._controls import CONTROLS, NOT_APPLICABLE
from pixelproof.benches.spatial._gsi import GsiCase, ShownBox, published_boxes, score_boxes, shown_by
from pixelproof.benches.spatial._metrics import PERCEIVED, operation_counts
from pixelproof.benches.spatial._perception import proven_control
from pixelproof.benches.spatial._score import read_picture
from pixelproof.benches.spatial.detectors import Detector, follow
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Result
from pixelproof.pixels import read_image, thumbnail

Pixels = npt.NDArray[np.uint8]
_UNDETECTED = "the detector does not detect the thing in the photograph before the edit"


def gsi_answer(case: GsiCase, control: str) -> Answer:
    """The answer of a control to an edit of a released folder."""
    try:
        shown = shown_by(case, control)
    except PixelProofError as error:
        return Answer(failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))
    if shown is None:
        detail = f"{control} needs a scene, or a target image that the folder of GSI-Bench does not have."
        return Answer(failure=Failure(Fault.INSTRUMENT, NOT_APPLICABLE, detail))
    return Answer(images=(shown[0],), trace=({"control": control},))


def score_gsi(
    item: Item,
    answer: Answer,
    case: GsiCase,
    operations: Sequence[str],
    gallery: bool,
    detector: Detector | None = None,
) -> Result:
    """Measure an answer to an edit of a released folder; never raises on what a model can return.

    Without a detector, only the boxes in images of controls are known.
    """
    notes = {"instruction": case.annotation.prompt}
    if answer.failure is not None:
        return Result(item.id, {}, failure=answer.failure, notes=notes)
    try:
        photo = read_image(case.photo())
        evidence = _evidence(case, photo) if gallery else {}
        picture = read_picture(answer, photo.shape)
        if isinstance(picture, Failure):
            return Result(item.id, {}, failure=picture, notes=notes, evidence=evidence)
        shown: tuple[ShownBox, str] | Failure | None = (
            _shown_in_control(answer, picture, case) if detector is None else _shown_to(detector, case, photo, picture)
        )
    except PixelProofError as error:
        return Result(item.id, {}, failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)), notes=notes)
    if isinstance(shown, Failure):
        return Result(item.id, {}, failure=shown, notes=notes, evidence=evidence)
    if shown is None:
        return Result(
            item.id, {PERCEIVED: 0.0}, notes=notes | {"unclear": _UNDETECTED}, evidence=evidence, abstained=True
        )
    box, how = shown
    numbers: dict[str, float | Sequence[float]] = {}
    if (score := score_boxes(case, box)) is not None:
        place, count = operations.index(case.operation), len(operations)
        for metric, value in (("ic", score.compliance), ("sa", score.accuracy)):
            numbers |= {metric: operation_counts(place, count, value), f"micro.{metric}": value}
    if (original := published_boxes(case, box)) is not None:
        numbers |= {"published.ic": original.ic, "published.sa": min(1.0, original.sa)}
    return Result(item.id, numbers, notes=notes | {"scene from": how}, evidence=evidence)


def _shown_in_control(answer: Answer, picture: Pixels, case: GsiCase) -> tuple[ShownBox, str] | Failure:
    """The box in the image of a control."""
    name = proven_control(answer, picture, lambda name: _picture(case, name), CONTROLS)
    if isinstance(name, Failure):
        return name
    shown = shown_by(case, name)
    assert shown is not None, "the control has an image"
    return shown[1], f"control/{name}"


def _shown_to(detector: Detector, case: GsiCase, photo: Pixels, picture: Pixels) -> tuple[ShownBox, str] | None:
    """The box that a detector gives; None if it does not detect the thing in the photograph either."""
    given = case.annotation
    if given.original_bbox_3d is None:
        return ShownBox(None), "no box"
    intrinsics = None if given.camera_intrinsics is None else np.asarray(given.camera_intrinsics, np.float64)
    before, after = (detector.detect(image, given.target, intrinsics) for image in (photo, picture))
    detection, known = follow(before, after, given.original_bbox_3d)
    if not known:
        return None
    if detection is None:
        return ShownBox(None, shows_photo=_shows_photo(picture, photo)), "a detector"
    return ShownBox(detection.box, detection.rotation), "a detector"


def _shows_photo(picture: Pixels, photo: Pixels) -> bool:
    """Whether the edges of a picture agree with those of the photograph, whatever the colours and the light."""
    from pixelproof.benches.spatial.perception import SAME_EDGES, as_singles, edge_correlation, working_size

    size = working_size(photo.shape[1], photo.shape[0])
    return edge_correlation(as_singles(picture, size), as_singles(photo, size)) > SAME_EDGES


def _picture(case: GsiCase, control: str) -> npt.NDArray[np.uint8] | None:
    shown = shown_by(case, control)
    return None if shown is None else read_image(shown[0])


def _evidence(case: GsiCase, photo: npt.NDArray[np.uint8]) -> Mapping[str, Artefact]:
    target = _picture(case, "ceiling-truth")
    return {"before": thumbnail(photo), **({} if target is None else {"target": thumbnail(target)})}
