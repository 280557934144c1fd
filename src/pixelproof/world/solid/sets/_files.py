"""A scene on disk: itself as JSON, its picture as PNG, its truth as NPZ. The same content gives the same bytes."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import encode_png, read_image
from pixelproof.store import digest, replacing
from pixelproof.world.solid._scene import Scene

if TYPE_CHECKING:
    from pixelproof.world.solid.render import Layers

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

PRECISION = {
    "rgb": np.uint8,
    "depth": np.float32,
    "normals": np.float16,  # directions to within 0.03°, in half the space
    "ids": np.uint16,
    "amodal": np.bool_,
    "visible": np.float32,
}
_DATE = (1980, 1, 1, 0, 0, 0)  # of files inside an NPZ; a true one would make two equal files differ
_LEVEL = 1  # higher ones take three times as long and save a tenth


def stored_arrays(layers: object, names: Iterable[str]) -> Arrays:
    """Some layers, as they are stored."""
    return {name: np.ascontiguousarray(getattr(layers, name), dtype=PRECISION[name]) for name in names}


def scene_digest(text: str, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Hash of what a scene's files say, whatever compressed them.

    >>> scene_digest("{}", {"ids": np.zeros((2, 2), np.uint16)})[:8]
    '999f8f33'
    """
    return digest({"scene": text, **arrays})


def encode_files(text: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, bytes]:
    """The files of a scene by suffix."""
    files = {".json": (text + "\n").encode()}
    if "rgb" in arrays:
        files[".png"] = encode_png(arrays["rgb"]).data
    truth = {name: array for name, array in arrays.items() if name != "rgb"}
    if truth:
        files[".npz"] = _npz(truth)
    return files


def suffixes(layers: Iterable[str]) -> tuple[str, ...]:
    """The suffixes of the files that a scene with these layers has."""
    names = set(layers)
    return (".json", *([".png"] if "rgb" in names else []), *([".npz"] if names - {"rgb"} else []))


def read_text(stem: Path) -> str:
    """The JSON text of the scene at DIR/shard-…/000012 (without suffix)."""
    return _bytes(_with(stem, ".json")).decode("utf-8", "replace").removesuffix("\n")


def read_arrays(stem: Path, names: Iterable[str]) -> Arrays:
    """Some stored layers of the scene at DIR/shard-…/000012 (without suffix).

    Raises:
        PixelProofError: A file is missing or damaged, or lacks a layer.
    """
    wanted = list(names)
    arrays: Arrays = {}
    if "rgb" in wanted:
        arrays["rgb"] = read_image(Artefact(_bytes(_with(stem, ".png")), "image/png"))
    truth = [name for name in wanted if name != "rgb"]
    if truth:
        path = _with(stem, ".npz")
        try:
            with np.load(io.BytesIO(_bytes(path)), allow_pickle=False) as file:
                arrays |= {name: file[name] for name in truth}
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise _damaged(path, error) from error
        for name in truth:
            if arrays[name].dtype != PRECISION[name]:
                raise _damaged(path, f"{name} is {arrays[name].dtype} and not {np.dtype(PRECISION[name])}")
    return arrays


def layers_of(arrays: Mapping[str, npt.NDArray[Any]]) -> Layers:
    """The layers as the renderer gives them; those that were not stored are empty."""
    from pixelproof.world.solid.render import Layers

    empty: Arrays = {name: np.zeros(0, kind) for name, kind in PRECISION.items()}
    found = empty | dict(arrays)
    return Layers(**{name: found[name] for name in PRECISION} | {"normals": found["normals"].astype(np.float32)})


def read_scene(path: Path) -> Scene:
    """Read the JSON file of a scene.

    Raises:
        PixelProofError: It cannot be read, or is not a scene; the message says where it goes wrong.
    """
    try:
        return Scene.from_json(_bytes(path).decode("utf-8", "replace"))
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error


def _npz(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", _DATE)
            archive.writestr(info, content.getbuffer(), zipfile.ZIP_DEFLATED, _LEVEL)
    return buffer.getvalue()


def _with(stem: Path, suffix: str) -> Path:
    return stem.with_name(stem.name + suffix)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PixelProofError(f"Cannot read {path} ({error.strerror}): name a file that is there.") from error


def _damaged(path: Path, reason: object) -> PixelProofError:
    return PixelProofError(f"{path} is damaged ({reason}): delete it, and pixelproof world make makes it again.")


def write_scene(path: Path, scene: Scene) -> None:
    """Write a scene to a JSON file that `read_scene` reads back to an equal one."""
    with replacing(path) as temporary:
        temporary.write_text(scene.to_json() + "\n", "utf-8")
