"""The released folders of GSI-Bench.

An image is `<image>.png` or `.jpg`, its edits are `<image>_edit_<number>.json`, and a target image, where there is
one, has a name that begins with `<image>_` and contains `gtedit_<number>`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.pixels import read_image
from pixelproof.store import require_inside, write_json

Matrix = tuple[tuple[float, ...], ...]
_IMAGES = (".png", ".jpg", ".jpeg")
_MOST = 1e9
"""Limit of the numbers of an annotation, in metres, radians or pixels."""
_ROUNDED = 0.02
"""Largest difference of a rotation matrix times its transpose from the identity: released files round."""
_EDIT = re.compile(r"(?P<image>.+)_edit_(?P<number>\d+)$")
_TARGET = re.compile(r"gtedit_(?P<number>\d+)(?!\d)")


@dataclass(frozen=True)
class GsiAnnotation:
    """What the JSON file of an edit holds, in metres and the camera's frame: x right, y down, z forward."""

    content_name: ClassVar[str] = "GsiAnnotation"

    prompt: str
    target: str
    """Name of the thing that is edited."""
    original_bbox_3d: tuple[float, ...] | None = None
    """x, y, z, width, height, length, yaw; None where the edit is one of the camera."""
    new_bbox_3d: tuple[float, ...] | None = None
    rotation_matrix: Matrix | None = None
    new_rotation_matrix: Matrix | None = None
    camera_intrinsics: Matrix | None = None
    reference: str | None = None
    reference_point: tuple[float, ...] | None = None


@dataclass(frozen=True)
class GsiItem:
    """One edit of a released folder."""

    key: str
    """`<image>/<number>`."""
    image: Path
    truth: Path | None
    """The target image, where the folder has one."""
    annotation: GsiAnnotation


@dataclass(frozen=True)
class GsiFolder:
    """The edits of a folder that can be read, and what is wrong with the others."""

    items: tuple[GsiItem, ...]
    problems: Mapping[str, str]
    """File name → what is wrong."""


def read_gsi_folder(folder: Path) -> GsiFolder:
    """Read all edits of a released folder, sorted by name; files that cannot be read are listed with the reason.

    Raises:
        PixelProofError: The folder is missing, or has no edit that can be read.
    """
    if not folder.is_dir():
        raise PixelProofError(
            f"{folder} is not a folder: give --data a folder of GSI-Bench with its images and JSON files."
        )
    names = sorted(path.name for path in folder.iterdir())
    images: dict[str, list[str]] = {}
    for name in names:
        if Path(name).suffix.lower() in _IMAGES:
            images.setdefault(Path(name).stem, []).append(name)
    edits = {
        name: (match["image"], int(match["number"]))
        for name in names
        if Path(name).suffix.lower() == ".json" and (match := _EDIT.fullmatch(Path(name).stem))
    }
    targets = _targets(images, {image for image, _ in edits.values()})
    reader, items, problems = _Reader(folder, images, targets), [], {}
    files: dict[tuple[str, int], list[str]] = {}
    for name, key in edits.items():
        files.setdefault(key, []).append(name)
    for name, (image, number) in edits.items():
        try:
            if len(same := files[image, number]) > 1:
                raise PixelProofError(f"several files are edit {number} of {image}: {', '.join(same)}")
            items.append(reader.read_item(name, image, number))
        except PixelProofError as error:
            problems[name] = str(error)
    if not items:
        reason = "; ".join(f"{name}: {why}" for name, why in list(problems.items())[:3])
        raise PixelProofError(
            f"{folder} has no edit that can be read ({reason or 'no file is named <image>_edit_<number>.json'})."
        )
    return GsiFolder(tuple(items), problems)


def _targets(images: Mapping[str, Sequence[str]], edited: set[str]) -> dict[tuple[str, int], list[str]]:
    """Edited image and number → file names of targets; a target belongs to the longest name that it begins with."""
    targets: dict[tuple[str, int], list[str]] = {}
    for stem, names in images.items():
        owner = max((image for image in edited if stem.startswith(f"{image}_")), key=len, default=None)
        if owner is not None and (match := _TARGET.search(stem.removeprefix(f"{owner}_"))):
            targets.setdefault((owner, int(match["number"])), []).extend(names)
    return targets


class _Reader:
    """Reads the edits of a folder; an image that several of them share is decoded once."""

    def __init__(
        self, folder: Path, images: Mapping[str, Sequence[str]], targets: Mapping[tuple[str, int], Sequence[str]]
    ) -> None:
        """Take the names of the images by their stem, and those of the target images by image and number."""
        self._folder, self._images, self._targets = folder, images, targets
        self._broken: dict[str, str] = {}
        """Name of an image that was decoded → what is wrong with it; empty if nothing is."""

    def read_item(self, name: str, image: str, number: int) -> GsiItem:
        """The edit in a file.

        Raises:
            PixelProofError: The file or an image cannot be read, or it is not clear which image is meant.
        """
        path = require_inside(self._folder / name, self._folder)
        try:
            content = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise PixelProofError(f"not a JSON file ({error})") from error
        photos, targets = self._images.get(image, ()), self._targets.get((image, number), ())
        if not photos:
            raise PixelProofError(f"its image {image}.png or .jpg is missing")
        for what, files in (("images", photos), ("target images", targets)):
            if len(files) > 1:
                raise PixelProofError(f"several {what}: {', '.join(files)}")
        annotation = parse_annotation(content)
        truth = self._readable(targets[0]) if targets else None
        return GsiItem(f"{image}/{number}", self._readable(photos[0]), truth, annotation)

    def _readable(self, name: str) -> Path:
        """The path of an image that can be decoded."""
        path = require_inside(self._folder / name, self._folder)
        if name not in self._broken:
            try:
                read_image(path)
                self._broken[name] = ""
            except PixelProofError as error:
                self._broken[name] = f"its image {name} cannot be read ({error})"
        if self._broken[name]:
            raise PixelProofError(self._broken[name])
        return path


def parse_annotation(content: Any) -> GsiAnnotation:
    """The annotation in a JSON document.

    Raises:
        PixelProofError: A field is missing or has another form.
    """
    if not isinstance(content, dict):
        raise PixelProofError("not a JSON object")
    return GsiAnnotation(
        prompt=_text(content, "prompt"),
        target=_text(content, "target"),
        original_bbox_3d=_box(content, "original_bbox_3d"),
        new_bbox_3d=_box(content, "new_bbox_3d"),
        rotation_matrix=_rotation(content, "rotation_matrix"),
        new_rotation_matrix=_rotation(content, "new_rotation_matrix"),
        camera_intrinsics=_intrinsics(content, "camera_intrinsics"),
        reference=_text(content, "reference") if content.get("reference") else None,
        reference_point=_numbers(content, "reference_point", 3),
    )


def _text(content: Mapping[str, Any], name: str) -> str:
    value = content.get(name)
    if not isinstance(value, str) or not value.strip():
        raise PixelProofError(f"{name!r} is not a text")
    return value


def _box(content: Mapping[str, Any], name: str) -> tuple[float, ...] | None:
    box = _numbers(content, name, 7)
    if box is not None and min(box[3:6]) <= 0:
        raise PixelProofError(f"{name!r} has a side that is not positive")
    return box


def _numbers(content: Mapping[str, Any], name: str, count: int) -> tuple[float, ...] | None:
    values = content.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or len(values) != count or not all(_is_number(value) for value in values):
        raise PixelProofError(f"{name!r} is not a list of {count} numbers")
    return tuple(float(value) for value in values)


def _matrix(content: Mapping[str, Any], name: str) -> Matrix | None:
    rows = content.get(name)
    if rows is None:
        return None
    if not isinstance(rows, list) or len(rows) != 3:
        raise PixelProofError(f"{name!r} is not a 3 × 3 matrix")
    numbers = tuple(row for values in rows if (row := _numbers({name: values}, name, 3)) is not None)
    if len(numbers) != 3:
        raise PixelProofError(f"{name!r} is not a 3 × 3 matrix")
    return numbers


def _rotation(content: Mapping[str, Any], name: str) -> Matrix | None:
    """A rotation matrix; rounded entries are accepted, zeros, mirrors and scaled matrices are not."""
    matrix = _matrix(content, name)
    if matrix is None:
        return None
    turn = np.array(matrix)
    if np.abs(turn @ turn.T - np.eye(3)).max() > _ROUNDED or np.linalg.det(turn) <= 0:
        raise PixelProofError(f"{name!r} is not a rotation: its rows must be orthonormal, with determinant 1")
    return matrix


def _intrinsics(content: Mapping[str, Any], name: str) -> Matrix | None:
    matrix = _matrix(content, name)
    if matrix is not None and min(matrix[0][0], matrix[1][1], matrix[2][2]) <= 0:
        raise PixelProofError(f"{name!r} has a focal length that is not positive")
    return matrix


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


def write_gsi_item(
    folder: Path, image: str, number: int, annotation: GsiAnnotation, before: bytes, after: bytes | None
) -> None:
    """Write an edit as GSI-Bench releases them; images are PNG bytes.

    Several edits of one image share its file.

    Raises:
        PixelProofError: The name of the image is no file name.
    """
    if Path(image).name != image or "\\" in image:
        raise PixelProofError(f"{image!r} is no name of a file: rename the image.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{image}.png").write_bytes(before)
    if after is not None:
        (folder / f"{image}_gtedit_{number}.png").write_bytes(after)
    fields = {name: _plain(value) for name, value in asdict(annotation).items() if value is not None}
    write_json(folder / f"{image}_edit_{number}.json", fields)


def _plain(value: Any) -> Any:
    """Tuples as lists."""
    return [_plain(part) for part in value] if isinstance(value, Sequence) and not isinstance(value, str) else value
