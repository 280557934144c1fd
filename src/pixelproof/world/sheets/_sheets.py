"""Images to inspect a set by: grids of images, label maps with names, bounding boxes, contact sheets of clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.pixels import oklab_to_rgb

Pixels = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
Spot = tuple[float, float]


def oklch(lightness: npt.ArrayLike, chroma: npt.ArrayLike, degrees: npt.ArrayLike) -> Pixels:
    """Colours by how people see them: equal steps of lightness look equal.

    >>> oklch([0.0, 1.0], 0.0, 0.0).tolist()
    [[0, 0, 0], [255, 255, 255]]
    """
    light, strong, turn = np.broadcast_arrays(lightness, chroma, np.radians(degrees))
    lab = np.stack([light, strong * np.cos(turn), strong * np.sin(turn)], axis=-1)
    return oklab_to_rgb(lab)


def ramp(values: npt.ArrayLike) -> Pixels:
    """Colours of numbers from 0 (near: light yellow) to 1 (far: dark violet), in even steps of lightness."""
    far = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return oklch(0.93 - 0.70 * far, 0.13 - 0.03 * far, 100.0 + 195.0 * far)


def hue(number: int) -> Colour:
    """The colour of a number: those of neighbours are far apart."""
    red, green, blue = oklch(0.72 if number % 2 else 0.60, 0.15, 137.508 * number).tolist()
    return red, green, blue


def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The typeface that comes with Pillow, so that sheets are the same everywhere."""
    return ImageFont.load_default(size)


def write_labels(picture: Image.Image, labels: Sequence[tuple[Spot, str]], size: float) -> None:
    """Write words at spots, each as near to its spot as it can be without covering another."""
    draw, letters = ImageDraw.Draw(picture), font(size)
    taken: list[tuple[float, float, float, float]] = []
    for (x, y), words in labels:
        left, top, right, bottom = draw.textbbox((0, 0), words, font=letters, stroke_width=2)
        width, height = right - left, bottom - top
        box = min(_places(x, y, width, height, picture.size), key=lambda place: _badness(place, taken, x, y))
        taken.append(box)
        draw.text(
            (box[0] - left, box[1] - top), words, font=letters, fill="white", stroke_width=2, stroke_fill=(24, 24, 28)
        )


def _places(
    x: float, y: float, width: float, height: float, size: tuple[int, int]
) -> list[tuple[float, float, float, float]]:
    places = []
    for down in (0, -1, 1, -2, 2, -3, 3):
        for across in (0, -0.5, 0.5):
            left = min(max(x - width / 2 + across * width, 2), max(size[0] - width - 2, 2))
            top = min(max(y - height / 2 + down * height, 2), max(size[1] - height - 2, 2))
            places.append((left, top, left + width, top + height))
    return places


def _badness(
    place: tuple[float, float, float, float], taken: Sequence[tuple[float, float, float, float]], x: float, y: float
) -> float:
    """Covered area first, then the way from the spot."""
    left, top, right, bottom = place
    covered = sum(
        max(0.0, min(right, other[2]) - max(left, other[0])) * max(0.0, min(bottom, other[3]) - max(top, other[1]))
        for other in taken
    )
    return 1000 * covered + abs((left + right) / 2 - x) + abs((top + bottom) / 2 - y)


def outline(mask: npt.NDArray[np.bool_], thickness: int = 1) -> npt.NDArray[np.bool_]:
    """The pixels of a mask within a distance of its edge; the border of the image is not an edge."""
    from scipy.ndimage import binary_erosion

    return np.asarray(mask & ~binary_erosion(mask, iterations=thickness, border_value=1))


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
