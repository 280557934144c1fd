"""Files of an item: JSON, image (PNG) and ground-truth layers (NPZ). The same content gives the same bytes.

The frames of a clip are stored as one PNG, stacked vertically, because animation formats merge equal frames; the
animated WebP is for viewing only.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import encode_png, read_image
from pixelproof.store import digest, require_inside

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

PRECISION = {
    "rgb": np.uint8,
    "depth": np.float32,
    "normals": np.float16,  # directions to within 0.03°, in half the space
    "ids": np.uint16,
    "amodal": np.bool_,
    "visible": np.float32,
    "alpha": np.uint8,
    "before": np.uint8,
    "after": np.uint8,
    "change": np.uint8,
}
PRECISION |= {f"{name}_{side}": PRECISION[name] for name in ("depth", "ids", "amodal") for side in ("before", "after")}
"""Layer → type in which it is stored. Pairs have the layers of the scenes before and after."""
_PICTURES = {"rgb": ".png", "before": ".before.png", "after": ".after.png"}
"""Layer → suffix of its own image file; the other layers share an NPZ."""
_RENDERED = ("before", "after")
"""Layers that are always ray-traced, whose noise repeats nowhere."""
_DATE = (1980, 1, 1, 0, 0, 0)  # of files inside an NPZ, so that equal content gives equal bytes
_LEVEL = 1  # compression level: higher ones take three times as long and save a tenth
_EFFORT = 4  # of PNG files: a level of 6 takes three times as long and saves a tenth


def stored_arrays(layers: object, names: Iterable[str]) -> Arrays:
    """Layers converted to the types in which they are stored."""
    return {name: np.ascontiguousarray(getattr(layers, name), dtype=PRECISION[name]) for name in names}


def scene_digest(text: str, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Hash of the content of an item, independent of compression.

    >>> scene_digest("{}", {"ids": np.zeros((2, 2), np.uint16)})[:8]
    '999f8f33'
    """
    return digest({"scene": text, **arrays})


def encode_files(text: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, bytes]:
    """Encode an item: file suffix → bytes."""
    files = {".json": (text + "\n").encode()}
    for name, suffix in _PICTURES.items():
        if name in arrays:
            picture = arrays[name]
            quick = name in _RENDERED
            files[suffix] = encode_png(picture.reshape(-1, *picture.shape[-2:]), effort=_EFFORT, quick=quick).data
            if picture.ndim == 4:
                files[".webp"] = encode_webp(list(picture))
    truth = {name: array for name, array in arrays.items() if name not in _PICTURES}
    if truth:
        files[".npz"] = _npz(truth)
    return files


def suffixes(layers: Iterable[str], moving: bool = False) -> tuple[str, ...]:
    """File suffixes of an item with these layers.

    >>> suffixes(["rgb", "ids"]), suffixes(["rgb"], moving=True)
    (('.json', '.png', '.npz'), ('.json', '.png', '.webp'))
    """
    names = set(layers)
    pictures = [suffix for name, suffix in _PICTURES.items() if name in names]
    pictures += [".webp"] if moving and pictures else []
    return (".json", *pictures, *([".npz"] if names - _PICTURES.keys() else []))


def encode_webp(frames: Sequence[npt.NDArray[np.uint8]], fps: float = 8.0, **options: Any) -> bytes:
    """Encode images of one size as an animated WebP that loops.

    Args:
        frames: (h, w, 3) each.
        fps: Frame rate for playback.
        options: Options of Pillow's WebP encoder; `quality` is 80 and `method` 2 unless given.
    """
    images, buffer = [Image.fromarray(frame) for frame in frames], io.BytesIO()
    timing = {"append_images": images[1:], "duration": round(1000 / fps), "loop": 0}
    images[0].save(buffer, "WEBP", save_all=True, **timing, **{"quality": 80, "method": 2} | options)
    return buffer.getvalue()


def read_text(stem: Path) -> str:
    """Read the JSON of the item with a path without suffix, such as DIR/shard-00000/000012."""
    return _stored(_with(stem, ".json")).decode("utf-8", "replace").removesuffix("\n")


def file_sizes(stem: Path, suffixes: Iterable[str]) -> list[int]:
    """Size in bytes of each file of an item; -1 for a missing file."""
    sizes = []
    for suffix in suffixes:
        try:
            sizes.append(_with(stem, suffix).stat().st_size)
        except OSError:
            sizes.append(-1)
    return sizes


def read_arrays(stem: Path, names: Iterable[str], height: int | None = None) -> Arrays:
    """Read stored layers of an item.

    Args:
        stem: Path of its files without suffix.
        names: Names of the layers.
        height: Height of a frame, if it is a clip.

    Raises:
        PixelProofError: A file is missing or damaged, or lacks a layer.
    """
    wanted = list(names)
    arrays: Arrays = {}
    for name in _PICTURES.keys() & set(wanted):
        arrays[name] = _picture(_with(stem, _PICTURES[name]), height)
    truth = [name for name in wanted if name not in _PICTURES]
    if truth:
        path = _with(stem, ".npz")
        try:
            with np.load(io.BytesIO(_stored(path)), allow_pickle=False) as file:
                arrays |= {name: file[name] for name in truth}
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise _damaged(path, error) from error
        for name in truth:
            if arrays[name].dtype != PRECISION[name]:
                raise _damaged(path, f"{name} is {arrays[name].dtype} and not {np.dtype(PRECISION[name])}")
    return arrays


def _npz(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", _DATE)
            archive.writestr(info, content.getbuffer(), zipfile.ZIP_DEFLATED, _LEVEL)
    return buffer.getvalue()


def _picture(path: Path, height: int | None) -> npt.NDArray[np.uint8]:
    content = _stored(path)
    try:
        picture = read_image(Artefact(content, "image/png"))
    except PixelProofError as error:
        raise _damaged(path, "it is not a complete PNG file") from error
    if height is None:
        return picture
    if len(picture) % height:
        raise _damaged(path, f"it is {len(picture)} pixels high, not a multiple of the frame height {height}")
    return picture.reshape(-1, height, *picture.shape[1:])


def _with(stem: Path, suffix: str) -> Path:
    return stem.with_name(stem.name + suffix)


def read_bytes(path: Path) -> bytes:
    """Read a file.

    Raises:
        PixelProofError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise PixelProofError(f"Cannot read {path} ({error.strerror}): name a file that can be read.") from error


def _stored(path: Path) -> bytes:
    try:
        return require_inside(path, path.parents[1]).read_bytes()
    except OSError as error:
        raise PixelProofError(
            f"{path} cannot be read ({error.strerror}): run the command that made the set again, which "
            "restores missing files."
        ) from error


def _damaged(path: Path, reason: object) -> PixelProofError:
    return PixelProofError(f"{path} is damaged ({reason}): delete it and run the command that made the set again.")
