"""Photographs with projected boxes: where a thing is, and where it should be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from pixelproof.benches.spatial.real._boxes import LiftedBox, RealEdit, box_edges, project
from pixelproof.benches.spatial.real._frames import Frame

Pixels = npt.NDArray[np.uint8]
BEFORE, AFTER, REFERENCE = (255, 140, 0), (40, 200, 90), (90, 150, 255)
"""Colours of the boxes: orange, green and blue."""


def draw_edit(frame: Frame, edit: RealEdit) -> Pixels:
    """The photograph with the box before in orange, the box after in green and an arrow; a reference in blue.

    A removal has a cross through its box.
    """
    picture = Image.fromarray(frame.rgb)
    pen = ImageDraw.Draw(picture)
    width = max(2, round(min(frame.rgb.shape[:2]) / 200))
    for box, colour in ((edit.reference, REFERENCE), (edit.before, BEFORE), (edit.after, AFTER)):
        if box is not None:
            _draw_box(pen, frame, box, colour, width)
    ends = [
        project(np.array([box.centre]), frame.intrinsics)[0] for box in (edit.before, edit.after) if box is not None
    ]
    if len(ends) == 2:
        _draw_arrow(pen, ends[0][:2], ends[1][:2], width)
    else:
        edges = box_edges(edit.before, frame.intrinsics)
        points = np.array([end for edge in edges for end in edge]) if edges else np.zeros((0, 2))
        if len(points):
            (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
            pen.line([(left, top), (right, bottom)], fill=BEFORE, width=width)
            pen.line([(left, bottom), (right, top)], fill=BEFORE, width=width)
    return np.asarray(picture)


def _draw_box(pen: ImageDraw.ImageDraw, frame: Frame, box: LiftedBox, colour: tuple[int, int, int], width: int) -> None:
    for start, end in box_edges(box, frame.intrinsics):
        pen.line([start, end], fill=colour, width=width)


def _draw_arrow(
    pen: ImageDraw.ImageDraw, start: npt.NDArray[np.float64], end: npt.NDArray[np.float64], width: int
) -> None:
    way = end - start
    length = float(np.linalg.norm(way))
    if length < 4 * width:
        return
    along = way / length
    across = np.array([-along[1], along[0]])
    head = end - along * 5 * width
    pen.line([tuple(start), tuple(end)], fill=(255, 255, 255), width=width)
    pen.polygon([tuple(end), tuple(head + across * 3 * width), tuple(head - across * 3 * width)], fill=(255, 255, 255))
