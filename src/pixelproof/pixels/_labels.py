"""Reading and writing of label maps: indices or exact colours in, indexed PNG out."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, PngImagePlugin

from pixelproof.contract import Artefact, PixelProofError

from ._decoding import nearest
from ._fast_png import FastLabels, read_fast_labels
from ._headers import media_type_of, png_chunks
from ._palette import Labels, Palette
from ._reading import MAX_BYTES, MAX_PIXELS, load_bytes, opened, turned
from ._used_values import has_only, used_values

_MARK = ("pixelproof", "label map")


class LabelError(PixelProofError):
    """A file is not a label map of the palette; the message says why."""


def read_labels(source: bytes | Artefact | Path, palette: Palette) -> Labels:
    """Read a label map whose pixels are indices into the palette, or painted in exactly its colours.

    Grey images of 8 or 16 bits hold indices, with 255 for void, or 65,535 if the palette has more than 255 labels. Only
    if the palette consists of greys, such as black and white, an image in exactly these greys is painted. Indexed
    images hold indices as well, unless their own colours are the palette's in another order. RGB images are painted.

    Args:
        source: A lossless image, or its path.
        palette: Labels and colours that the map may have.

    Returns:
        Palette indices, in the palette's data type.

    Raises:
        LabelError: The image has other ids or colours, or transparent pixels, or is a JPEG.
        ImageError: The file is damaged or not an image.
    """
    data = load_bytes(source)
    if media_type_of(data) == "image/jpeg":
        raise LabelError("The label map is a JPEG, which changes colours: save it as PNG.")
    if len(data) <= MAX_BYTES and (fast := read_fast_labels(data, MAX_PIXELS)) is not None:
        return _of_fast(fast, data, palette)
    with opened(data) as image:
        _refuse_transparent(image)
        if image.mode in ("1", "L", "LA") or image.mode.startswith("I"):
            return _of_greys(turned(_greys(image, data), image), palette)
        if image.mode == "P" and is_label_map(data):
            return _of_indices(turned(np.asarray(image), image), palette)
        if image.mode == "P":
            return _of_indexed(turned(np.asarray(image), image), _own_colours(image), palette)
        return _of_colours(turned(np.asarray(image.convert("RGB")), image), palette)


def _of_fast(read: FastLabels, data: bytes, palette: Palette) -> Labels:
    """As `read_labels`, of the values that the fast reader gives."""
    if read.colours is None:
        return _of_greys(read.values, palette)
    if is_label_map(data):
        return _of_indices(read.values, palette)
    return _of_indexed(read.values, read.colours, palette)


def encode_labels(labels: Labels, palette: Palette) -> Artefact:
    """Encode a label map as indexed PNG in the palette's colours, marked as a label map; void is black.

    Maps of palettes with more than 255 labels become grey PNGs of 16 bits.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> file = encode_labels(np.array([[0, 1, palette.void]], palette.dtype), palette)
    >>> is_label_map(file.data), read_labels(file, palette).tolist()
    (True, [[0, 1, 255]])
    """
    if labels.dtype != palette.dtype or labels.ndim != 2 or not labels.size:
        raise ValueError(f"Its label maps are {palette.dtype}, (height, width), not {labels.dtype} {labels.shape}.")
    if strangers := _strangers(_used(labels), palette):
        raise ValueError(f"The palette has {len(palette)} labels, and the map has the ids {_some(strangers)}.")
    image = Image.fromarray(labels)
    if labels.dtype == np.uint8:
        colours = palette.paint(np.arange(256, dtype=np.uint8))
        image.putpalette(colours.tobytes())  # all 256, or Pillow would save fewer bits than void needs
    note = PngImagePlugin.PngInfo()
    note.add_text(*_MARK)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", pnginfo=note, compress_level=6)
    return Artefact(buffer.getvalue(), "image/png")


def is_label_map(data: bytes) -> bool:
    """Whether a file is a PNG that carries the mark of `encode_labels`: its pixels are indices."""
    mark = "\0".join(_MARK).encode()
    return any(chunk.kind == b"tEXt" and chunk.body == mark for chunk in png_chunks(data))


def _refuse_transparent(image: Image.Image) -> None:
    if image.has_transparency_data:
        alpha = np.asarray(image.convert("RGBA").getchannel("A"))
        if clear := int((alpha < 255).sum()):
            raise LabelError(
                f"{clear:,} of {alpha.size:,} pixels of the label map are transparent: give each pixel a label, "
                "or the void value in an index map."
            )


def _greys(image: Image.Image, data: bytes) -> npt.NDArray[Any]:
    """Grey values as stored; Pillow scales those of 2 and 4 bits to 8."""
    values: npt.NDArray[Any] = np.asarray(image.getchannel("L") if image.mode == "LA" else image)
    depth = data[24] if media_type_of(data) == "image/png" else 8
    if depth in (2, 4):
        return np.asarray(values // (255 // (2**depth - 1)))
    return values.astype(np.uint8) if values.dtype == np.bool_ else values


def _own_colours(image: Image.Image) -> npt.NDArray[np.uint8]:
    colours = np.zeros((256, 3), dtype=np.uint8)
    own = np.array(image.getpalette("RGB"), dtype=np.uint8).reshape(-1, 3)
    colours[: len(own)] = own
    return colours


def _of_indexed(values: npt.NDArray[np.uint8], colours: npt.NDArray[np.uint8], palette: Palette) -> Labels:
    """Read an indexed image: indices, unless its colours are the palette's in another order."""
    used = _used(values)
    known = used[used < len(palette)]
    in_place = (colours[known] == palette.array[known]).all() and not _strangers(used, palette)
    shown = colours[used]
    if in_place or (shown == used[:, None]).all() or not {tuple(one) for one in shown.tolist()} <= set(palette.colours):
        return _of_indices(values, palette, used)
    return _of_colours(colours[values], palette)


def _of_greys(values: npt.NDArray[Any], palette: Palette) -> Labels:
    """Read a grey image: ids, unless the palette consists of greys and the image has exactly these."""
    greys = {red for red, green, blue in palette.colours if red == green == blue}
    if len(greys) == len(palette) and len(palette) > 1 and set(_used(values).tolist()) <= greys:
        return _of_colours(np.repeat(values.astype(np.uint8)[..., None], 3, axis=2), palette)
    return _of_indices(values, palette)


def _of_indices(values: npt.NDArray[Any], palette: Palette, used: npt.NDArray[Any] | None = None) -> Labels:
    if used is None and values.dtype == palette.dtype and has_only(values, len(palette)):
        return values
    if strangers := _strangers(_used(values) if used is None else used, palette):
        raise LabelError(
            f"The label map has the ids {_some(strangers)}, but the palette has {len(palette)} labels: "
            f"use 0 to {len(palette) - 1}, and {palette.void} for void, or save it as RGB if it is painted."
        )
    return values.astype(palette.dtype, copy=False)


def _used(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return used_values(values) if values.dtype in (np.uint8, np.uint16) else np.unique(values)


def _strangers(used: npt.NDArray[Any], palette: Palette) -> list[int]:
    return [int(value) for value in used if not 0 <= value < len(palette) and value != palette.void]


def _some(values: list[int]) -> str:
    return ", ".join(map(str, values[:5])) + (f" and {len(values) - 5} more" if len(values) > 5 else "")


def _of_colours(rgb: npt.NDArray[np.uint8], palette: Palette) -> Labels:
    labels = nearest(rgb, palette)
    wrong = (palette.paint(labels) != rgb).any(axis=2)
    if count := int(wrong.sum()):
        y, x = np.argwhere(wrong)[0].tolist()
        raise LabelError(
            f"{count:,} of {labels.size:,} pixels of the label map are in no colour of the palette, such as "
            f"{rgb[y, x].tolist()} at x {x}, y {y}: paint it in exactly the palette's colours."
        )
    return labels
