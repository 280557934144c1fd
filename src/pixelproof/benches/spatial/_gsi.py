"""The source `gsi`: released folders of GSI-Bench, scored by 3-D boxes.

There is no scene, so appearance and locality are not measured; and only the boxes in controls are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.benches.sources import file_hash, item_id, list_files
from pixelproof.benches.spatial import published
from pixelproof.benches.spatial._controls import CHANNEL, CONTROLS, GREY, NOT_APPLICABLE
from pixelproof.benches.spatial._gsi_files import GsiAnnotation, GsiFolder, read_gsi_folder
from pixelproof.benches.spatial._metrics import PERCEIVED, operation_counts
from pixelproof.benches.spatial._perception import proven_control
from pixelproof.benches.spatial._score import read_picture
from pixelproof.benches.spatial.detectors import Detector, follow
from pixelproof.benches.spatial.scores import (
    NOTHING,
    EditScore,
    score_factor,
    score_relocation,
    score_rotation,
    turn_error,
)
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Result
from pixelproof.pixels import encode_png, media_type_of, read_image, thumbnail

Matrix = npt.NDArray[np.float64]
_FIRST_WORDS = {
    "move": "move", "shift": "move", "relocate": "move", "push": "move", "pull": "move", "slide": "move",
    "place": "placement", "put": "receptacle", "rotate": "rotation", "turn": "rotation", "spin": "rotation",
    "remove": "removal", "delete": "removal", "scale": "scaling", "enlarge": "scaling", "shrink": "scaling",
    "reduce": "scaling", "increase": "scaling", "make": "scaling", "resize": "scaling",
}  # fmt: skip
"""First word of an instruction → operation."""
_LEAST_TURN, _LEAST_FACTOR = 0.5, 1e-3
"""Degrees, and logarithm of the scale, from which an annotation turns or scales the thing."""


@dataclass(frozen=True)
class GsiCase:
    """An edit of a released folder."""

    content_name: ClassVar[str] = "GsiCase"

    operation: str
    annotation: GsiAnnotation
    hashes: tuple[str, str]
    """Of the image and the target image; empty if there is none."""
    image: Path = field(compare=False)
    target: Path | None = field(compare=False)

    def photo(self) -> Artefact:
        """The image file.

        Raises:
            PixelProofError: It cannot be read.
        """
        return _read(self.image)


@dataclass(frozen=True)
class ShownBox:
    """The thing in an image: its box in the camera's frame and its rotation; no box if it is gone."""

    box: tuple[float, ...] | None
    rotation: Matrix | None = field(default=None, compare=False)
    shows_photo: bool = True
    """Whether the rest of the photograph is there; only then is a missing thing a removal."""


def operation_of(prompt: str, names_a_camera: bool = False) -> str:
    """The operation of an instruction, by its first word, as the released code tells operations apart.

    Args:
        prompt: The instruction.
        names_a_camera: Whether a thing that it names is a camera, as one that lies on a table.

    >>> operation_of("Turn the camera 15° left."), operation_of("Move the mug 20 cm closer to the camera.")
    ('viewpoint', 'move')
    """
    text = prompt.casefold()
    if not names_a_camera and "camera" in text and "from the camera" not in text and "to the camera" not in text:
        return "viewpoint"
    return _FIRST_WORDS.get(text.split()[0].strip(".,:;"), "move")


def gsi_items(bench: str, data: Path | None) -> Iterator[Item]:
    """The edits of a released folder, by name.

    Raises:
        PixelProofError: There is no folder, or it has no edit that can be read.
    """
    for index, item in enumerate(open_folder(data).items):
        note = item.annotation
        named = {note.target.split()[-1], *(note.reference or "").split()[-1:]}
        operation = operation_of(note.prompt, note.original_bbox_3d is not None and "camera" in named)
        hashes = file_hash(item.image), file_hash(item.truth) if item.truth else ""
        case = GsiCase(operation, item.annotation, hashes, item.image, item.truth)
        inputs = {"instruction": item.annotation.prompt, "operation": operation, "index": index}
        identity = item_id(bench, "gsi", 1, item.key)
        yield Item(identity, inputs, case, item.key.rpartition("/")[0], {"operation": operation})


def open_folder(data: Path | None) -> GsiFolder:
    """A released folder; read again when its files change.

    Raises:
        PixelProofError: There is no folder, or it has no edit that can be read.
    """
    if data is None:
        raise PixelProofError("The source 'gsi' needs a released folder of GSI-Bench: pass it with --data DIR.")
    return _opened(data, list_files(data))


@lru_cache(maxsize=4)
def _opened(data: Path, files: frozenset[tuple[str, int, int]]) -> GsiFolder:
    return read_gsi_folder(data)


def _read(path: Path) -> Artefact:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PixelProofError(f"Cannot read {path} ({error.strerror}): restore the folder of GSI-Bench.") from error
    return Artefact(data, media_type_of(data))


def shown_by(case: GsiCase, control: str) -> tuple[Artefact, ShownBox] | None:
    """The image of a control and the box in it; None if the control does not apply.

    Raises:
        PixelProofError: A file cannot be read.
    """
    given = case.annotation
    if control == "floor-copy":
        return case.photo(), ShownBox(given.original_bbox_3d, _matrix(given.rotation_matrix))
    if control == "floor-blank":
        return encode_png(np.full_like(read_image(case.photo()), GREY)), ShownBox(None, shows_photo=False)
    if control in ("ceiling-truth", "ceiling-channel") and case.target is not None:
        there = None if case.operation == "removal" else given.new_bbox_3d
        image = _read(case.target)
        if control == "ceiling-channel":
            image = CHANNEL.send(read_image(image))
        return image, ShownBox(there, _matrix(given.new_rotation_matrix))
    return None


def _matrix(rows: tuple[tuple[float, ...], ...] | None) -> Matrix | None:
    return None if rows is None else np.asarray(rows, np.float64)


def score_boxes(case: GsiCase, shown: ShownBox) -> EditScore | None:
    """Our compliance and accuracy, from boxes: place, rotation and scale, whichever the annotation changes.

    Returns None for edits without boxes, such as those of the camera.
    """
    given = case.annotation
    if given.original_bbox_3d is None or case.operation == "viewpoint":
        return None
    if case.operation == "removal":
        removed = float(shown.box is None and shown.shows_photo)
        return EditScore(removed, removed)
    if given.new_bbox_3d is None:
        return None
    if shown.box is None:
        return NOTHING
    scores = list(_parts(given.original_bbox_3d, given.new_bbox_3d, shown, given))
    if not scores:
        return None
    return EditScore(min(one.compliance for one in scores), sum(one.accuracy for one in scores) / len(scores))


def _parts(
    start: tuple[float, ...], end: tuple[float, ...], shown: ShownBox, given: GsiAnnotation
) -> Iterator[EditScore]:
    assert shown.box is not None
    places = [np.asarray(box[:3]) for box in (start, end, shown.box)]
    turns = [_matrix(given.rotation_matrix), _matrix(given.new_rotation_matrix), shown.rotation]
    sizes = [float(np.prod(box[3:6]) ** (1 / 3)) for box in (start, end, shown.box)]
    scales = abs(np.log(sizes[1] / sizes[0])) > _LEAST_FACTOR
    if np.linalg.norm(places[1] - places[0]) > 0.01 and not scales:  # a scaling about the foot moves the centre
        yield score_relocation(places[0], places[1], places[2])
    known = [turn for turn in turns if turn is not None]
    if len(known) == 3 and turn_error(known[0], known[1], "C1") > _LEAST_TURN:
        yield score_rotation(known[0], known[1], known[2])
    if scales:
        yield score_factor(sizes[0], sizes[1], sizes[2])


def published_boxes(case: GsiCase, shown: ShownBox) -> published.PublishedScore | None:
    """The published formulas with perfect detections; None for edits of the camera, which need LPIPS."""
    given = case.annotation
    if given.original_bbox_3d is None or case.operation == "viewpoint":
        return None
    start = published.Detection(given.original_bbox_3d, _matrix(given.rotation_matrix))
    after = [] if shown.box is None else [published.Detection(shown.box, shown.rotation)]
    if case.operation == "removal":
        return published.score_removal([start], after, start.box)
    if given.new_bbox_3d is None:
        return None
    if case.operation == "scaling":
        return published.score_scaling([start], after, start.box, given.new_bbox_3d)
    turned = _matrix(given.new_rotation_matrix)
    if case.operation == "rotation":
        if start.rotation is None or turned is None:
            return None
        return published.score_rotation([start], after, start.box, given.new_bbox_3d, start.rotation, turned)
    return published.score_move([start], after, start.box, given.new_bbox_3d)


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
