"""Floors from prior knowledge: what scores best without a look at the image.

`floor-prior` knows other images alone. `floor-same-kind` also knows the kind of scene, and the words of a referring
expression. Both know which labels are offered, as the prompt says. For generated sources they are fitted on scenes of
another seed that come with the package, for data sets on up to 100 other images; never on the item's own cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pixelproof.benches.arena._case import Case, Frame, FrameSource, Pixels
from pixelproof.benches.arena.dense import encode_depth, encode_normals, prior
from pixelproof.benches.arena.sources._files import Files
from pixelproof.benches.arena.tasks import Depth, Edges, Keypoints, Normals, Referring, Task, discs
from pixelproof.contract import Answer, Control, Failure, Fault, Item, PixelProofError
from pixelproof.pixels import encode_png

from ._labels import Aim, Labels, best_labels
from ._masks import blind_mask, expressions
from ._memory import SEED
from ._others import fitting_hash, images_of, other_scenes, scene_counts, scene_density
from ._points import best_points
from ._strokes import contour_density, strokes

__all__ = ["fitted_floors", "fitting_hash"]

Opened = Callable[[Item], tuple[Case, Frame, FrameSource]]
Shape = tuple[int, int]
Floor = Callable[[Case, Shape, FrameSource], Pixels | None]
"""Paints an answer from the case, the size and the source; None if it would know no more than another floor."""


def fitted_floors(task: Task, opened: Opened) -> Mapping[str, Control]:
    """The floors of a task that use prior knowledge.

    Args:
        task: What is painted.
        opened: Loads the case of an item; of its pixels, floors get the size alone.
    """
    if isinstance(task, Depth | Normals):
        floors = _dense(task)
    elif isinstance(task, Edges):
        floors = {"floor-prior": _hatched, "floor-same-kind": _hatched_by_kind}
    elif isinstance(task, Keypoints):
        floors = {"floor-prior": _dotted, "floor-same-kind": _dotted_by_kind}
    elif isinstance(task, Referring):
        floors = {"floor-prior": _masked, "floor-same-kind": _masked_by_words}
    else:
        floors = {
            "floor-prior": _labelled("each", False),
            "floor-same-kind": _labelled("each", True),
            "floor-same-kind-pooled": _labelled("pooled", True),
            "floor-same-kind-published": _labelled("published", True),
        }
    return {name: _control(opened, floor) for name, floor in floors.items()}


def _control(opened: Opened, floor: Floor) -> Control:
    def control(item: Item, rng: np.random.Generator) -> Answer:
        try:
            case, frame, source = opened(item)
        except PixelProofError as error:  # a reference that cannot be read
            return Answer(failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))
        painted = floor(case, frame.shape, source)
        if painted is None:
            detail = "The source says nothing of the kind of its images: floor-prior is the same answer."
            return Answer(failure=Failure(Fault.INSTRUMENT, "no-kind", detail))
        return Answer(images=(encode_png(painted),))

    control.__doc__ = floor.__doc__
    return control


def _kind(case: Case) -> str:
    return case.tags.get("scene", "")


def _labelled(aim: Aim, by_kind: bool) -> Floor:
    """Floors of the semantic task."""

    def floor(case: Case, shape: Shape, source: FrameSource) -> Pixels | None:
        kind = _kind(case) if by_kind else ""
        if by_kind and aim == "each" and not kind:
            return None
        if isinstance(source, Files):
            common = images_of(source).counts_without(case)
            labels = best_labels(common, common, aim)
        else:
            labels = best_labels(*scene_counts(case, kind or None), aim)
        return _painted(labels, case, shape)

    known = "of the same kind, as far as known" if by_kind else "of all kinds"
    best = {"each": "F1 of each image", "pooled": "IoU of each class over all images", "published": "published F1"}[aim]
    floor.__doc__ = f"The label map with the highest expected {best} over other images {known}."
    return floor


def _painted(labels: Labels, case: Case, shape: Shape) -> Pixels:
    rows, columns = (np.arange(side) * cells // side for side, cells in zip(shape, labels.shape, strict=True))
    return np.asarray(case.palette.array[labels[rows[:, None], columns]])


def _left_out(case: Case) -> int | None:
    """Index of the case's own scene, if it is one of the remembered ones."""
    return int(case.details["index"]) if case.details["seed"] == SEED else None


def _masked(case: Case, shape: Shape, source: FrameSource) -> Pixels:
    """The mask with the highest expected IoU over all expressions of other scenes."""
    return _painted(blind_mask(case.source, _left_out(case)).astype(np.intp), case, shape)


def _masked_by_words(case: Case, shape: Shape, source: FrameSource) -> Pixels:
    """The mask with the highest expected IoU, given the words of the expression and the kind of scene."""
    mask = expressions(case.source).best_mask(case.expression, _kind(case), _left_out(case))
    return _painted(mask.astype(np.intp), case, shape)


def _hatched(case: Case, shape: Shape, source: FrameSource) -> Pixels:
    """Strokes where other images have most contours."""
    if isinstance(source, Files):
        density = contour_density(images_of(source).maps_without(case))
    else:
        density = scene_density(case, None)
    if not density.size:
        return _painted(np.zeros((1, 1), np.intp), case, shape)
    return _painted(strokes(density, shape).astype(np.intp), case, shape)


def _hatched_by_kind(case: Case, shape: Shape, source: FrameSource) -> Pixels | None:
    """Strokes where other scenes of the same kind have most contours."""
    if isinstance(source, Files) or not _kind(case):
        return None
    density = scene_density(case, _kind(case))
    return _painted(strokes(density, shape).astype(np.intp), case, shape)


def _dotted(case: Case, shape: Shape, source: FrameSource) -> Pixels:
    """For each label that is likely to occur, a disc where other scenes have it most often."""
    return _with_discs(case, shape, None)


def _dotted_by_kind(case: Case, shape: Shape, source: FrameSource) -> Pixels | None:
    """For each label that is likely to occur, a disc where other scenes of the same kind have it most often."""
    return _with_discs(case, shape, _kind(case)) if _kind(case) else None


def _with_discs(case: Case, shape: Shape, kind: str | None) -> Pixels:
    height, width = shape
    points = best_points(case.palette.labels, other_scenes(case, kind))
    placed = [(label, x * width - 0.5, y * height - 0.5) for label, x, y in points]
    return case.palette.paint(discs(placed, shape))


def _dense(task: Depth | Normals) -> Mapping[str, Floor]:
    """Floors of depth and normals, of which layout explains much."""

    def painted(which: str, shape: Shape) -> Pixels:
        if isinstance(task, Depth):
            return encode_depth(prior("depth", which, shape), task.code)
        return encode_normals(prior("normals", which, shape))

    def near(case: Case, shape: Shape, source: FrameSource) -> Pixels:
        """Per-cell prior with the lowest mean error over other scenes of all kinds; the image is not used."""
        return painted("near", shape)

    def often(case: Case, shape: Shape, source: FrameSource) -> Pixels:
        """Per-cell prior that is most often right in other scenes of all kinds; the image is not used."""
        return painted("often", shape)

    def near_by_kind(case: Case, shape: Shape, source: FrameSource) -> Pixels:
        """Per-cell prior with the lowest mean error over other scenes of the same kind."""
        return painted(_kind(case), shape)

    def often_by_kind(case: Case, shape: Shape, source: FrameSource) -> Pixels:
        """Per-cell prior that is most often right in other scenes of the same kind."""
        return painted(f"{_kind(case)}-often", shape)

    return {
        "floor-prior": near,
        "floor-prior-often": often,
        "floor-same-kind": near_by_kind,
        "floor-same-kind-often": often_by_kind,
    }
