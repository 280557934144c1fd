"""Pictures of truth, for kinds without a sheet of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from pixelproof.world.solid.sheets import picture_sheet
from pixelproof.world.solid.sheets._drawing import Pixels, hue, write_labels

__all__ = ["boxed", "contact_sheet", "numbered", "picture_sheet"]

_MOST_FRAMES = 16


def numbered(ids: npt.NDArray[np.uint16], names: Sequence[str]) -> Pixels:
    """Each id in a colour of its own, with its name in the middle of its pixels; an empty name is not written."""
    colours = np.array([(236, 236, 232), *(hue(number) for number in range(1, len(names) + 1))], np.uint8)
    picture = Image.fromarray(colours[np.minimum(ids, len(names))])
    labels = []
    for number, name in enumerate(names, 1):
        rows, columns = np.nonzero(ids == number)
        if name and len(rows):
            labels.append(((float(columns.mean()), float(rows.mean())), name))
    write_labels(picture, labels, max(9.0, ids.shape[0] / 40))
    return np.asarray(picture)


def boxed(picture: Pixels, boxes: Iterable[tuple[int, Sequence[int] | None]]) -> Pixels:
    """A picture with boxes (left, top, right, bottom; the last two excluded) in the colours of their ids."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for number, box in boxes:
        if box is not None:
            left, top, right, bottom = box
            draw.rectangle((left, top, right - 1, bottom - 1), outline=hue(number), width=max(1, len(picture) // 200))
    return np.asarray(image)


def contact_sheet(pictures: Sequence[Pixels]) -> Pixels:
    """Frames beside each other, from the first to the last; of many, some."""
    chosen = np.linspace(0, len(pictures) - 1, min(_MOST_FRAMES, len(pictures))).round().astype(int).tolist()
    return picture_sheet([pictures[n] for n in chosen], [f"frame {n}" for n in chosen], columns=4)
