"""Images to inspect a set by: grids of images, label maps with names, bounding boxes, contact sheets of clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from ._drawing import Pixels, font, hue, write_labels

_MOST_FRAMES = 16
_PAPER, _INK, _GAP = (248, 248, 246), (28, 28, 32), 10


def picture_sheet(pictures: Sequence[Pixels], captions: Sequence[str] = (), columns: int = 6) -> Pixels:
    """Pictures of one size in rows, with a caption under each if there are captions."""
    height, width = pictures[0].shape[:2]
    strip = round(max(14, height * 0.07)) if captions else 0
    columns = min(columns, len(pictures))
    rows = -(-len(pictures) // columns)
    size = (columns * (width + _GAP) + _GAP, rows * (height + strip + _GAP) + _GAP)
    sheet = Image.new("RGB", size, _PAPER)
    draw = ImageDraw.Draw(sheet)
    for place, picture in enumerate(pictures):
        x, y = _GAP + place % columns * (width + _GAP), _GAP + place // columns * (height + strip + _GAP)
        sheet.paste(Image.fromarray(picture), (x, y))
        if captions:
            letters = font(strip * 0.68 * min(1.0, width / draw.textlength(captions[place] + " ", font(strip * 0.68))))
            draw.text((x + 2, y + height + strip / 2), captions[place], _INK, letters, anchor="lm")
    return np.asarray(sheet)


def captioned_rows(rows: Sequence[Sequence[Pixels]], captions: Sequence[str]) -> Pixels:
    """Rows of pictures of one size, each with a caption above it, which wraps where it is too long."""
    height, width = rows[0][0].shape[:2]
    letters = font(max(11.0, width / 18))
    across = max(len(row) for row in rows) * (width + _GAP) - _GAP
    texts = [_wrapped(caption, letters, across) for caption in captions]
    line = round(max(11.0, width / 18) * 1.35)
    size = (across + 2 * _GAP, _GAP + sum(line * len(text) + height + 2 * _GAP for text in texts))
    sheet = Image.new("RGB", size, _PAPER)
    draw, y = ImageDraw.Draw(sheet), _GAP
    for row, text in zip(rows, texts, strict=True):
        for words in text:
            draw.text((_GAP, y + line / 2), words, _INK, letters, anchor="lm")
            y += line
        for column, picture in enumerate(row):
            sheet.paste(Image.fromarray(picture), (_GAP + column * (width + _GAP), y))
        y += height + 2 * _GAP
    return np.asarray(sheet)


def _wrapped(text: str, letters: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float) -> list[str]:
    """A text in lines that are not wider than a number of pixels; Chinese, which has no spaces, by characters."""
    gap = " " if " " in text else ""
    lines: list[str] = []
    for word in text.split(gap) if gap else text:
        longer = f"{lines[-1]}{gap}{word}" if lines else word
        if lines and letters.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


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


def contact_sheet(frames: Sequence[Pixels], most: int = _MOST_FRAMES) -> Pixels:
    """Up to `most` frames of a clip, evenly spaced from the first to the last, in rows of four."""
    chosen = np.linspace(0, len(frames) - 1, min(most, len(frames))).round().astype(int).tolist()
    return picture_sheet([frames[number] for number in chosen], [f"frame {number}" for number in chosen], columns=4)
