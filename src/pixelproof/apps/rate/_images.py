"""The images of a study folder: rows of a table, or all image files."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.pixels import ends_early, media_type_of
from pixelproof.store import Columns, as_texts, read_table, require_inside

from ._questions import Question
from ._study import StudyImage, content_key

TABLES = ("images.csv", "images.tsv", "images.jsonl", "images.parquet")
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif")
SHOWN = ("image/png", "image/jpeg", "image/webp", "image/gif")
_LISTED = 3


def read_images(folder: Path, table: str | None, questions: Sequence[Question]) -> dict[str, StudyImage]:
    """All images of a study folder, by id.

    Args:
        folder: The folder.
        table: Name of the table in it; None: one of `TABLES`, or without any, all image files of the folder.
        questions: Questions, which may name columns.

    Raises:
        PixelProofError: There are no images, or a file, a column or an id does not fit.
    """
    named = table or next((name for name in TABLES if (folder / name).is_file()), None)
    if named is None:
        for question in questions:
            if question.column:
                raise PixelProofError(
                    f"The question {question.id!r} needs a table with the columns image and {question.column}: "
                    f"write {folder / TABLES[0]}."
                )
        found = list(_files(folder))
    else:
        path = require_inside(folder / named, folder)
        found = list(_rows(folder, path, read_table(path), questions))
    if not found:
        hint = f"the table {named} has no rows." if named else "put PNG, JPEG, WebP or GIF files there."
        raise PixelProofError(f"{folder} has no images to rate: {hint}")
    return {image.id: image for image in found}


def _files(folder: Path) -> Iterator[StudyImage]:
    """Image files below a folder; `MODEL/NAME.png` belongs to a model, and files with the same name to one prompt."""
    for path in sorted(_walk(folder)):
        name = path.relative_to(folder).as_posix()
        parts = name.split("/")
        _check_id(name, folder)
        yield StudyImage(name, path, _key(path), parts[0] if len(parts) > 1 else "", group=path.stem)


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if name.lower().endswith(SUFFIXES) and not name.startswith("."):
                yield require_inside(Path(place) / name, folder)


def _rows(folder: Path, path: Path, table: Columns, questions: Sequence[Question]) -> Iterator[StudyImage]:
    for name in ("image", *(question.column for question in questions if question.column)):
        if name not in table:
            raise PixelProofError(f"{path}: {unknown_name('column', name, table)}")
    columns = {name: as_texts(values) for name, values in table.items()}
    files = columns["image"]
    ids = columns.get("image_id", files)
    empty = [""] * len(files)
    models, prompts = columns.get("model", empty), columns.get("prompt", empty)
    groups = columns.get("prompt_id", prompts)
    _check_unique(ids, path)
    _check_present(folder, files, path)
    for row, name in enumerate(files):
        _check_id(ids[row], path)
        place = folder / name
        texts = {question.id: columns[question.column][row].strip() for question in questions if question.column}
        yield StudyImage(ids[row], place, _key(place), models[row], prompts[row], groups[row], texts)


def _check_unique(ids: Sequence[str], path: Path) -> None:
    first: dict[str, int] = {}
    for row, identity in enumerate(ids):
        if identity in first:
            raise PixelProofError(
                f"{path}: rows {first[identity] + 2} and {row + 2} have the same id {identity!r}. Keep one row per "
                "image, or add a column image_id with a different id in each row."
            )
        first[identity] = row


def _check_present(folder: Path, files: Sequence[str], path: Path) -> None:
    missing = []
    for row, name in enumerate(files):
        if not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise PixelProofError(f"{path}, row {row + 2}: image must be a path inside of {folder}, not {name!r}.")
        if not (folder / name).is_file():
            missing.append(f"{name!r} (row {row + 2})")
        else:
            require_inside(folder / name, folder)
    if missing:
        more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
        raise PixelProofError(f"{path}: missing images: {', '.join(missing[:_LISTED])}{more}. Paths start at {folder}.")


def _check_id(identity: str, where: Path) -> None:
    if not identity or any(unicodedata.category(character) in ("Cc", "Cs") for character in identity):
        raise PixelProofError(f"{where}: {identity!r} is no usable id: it is empty or has control characters.")


def _key(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PixelProofError(f"{path} cannot be read: {error.strerror}.") from error
    if media_type_of(data) not in SHOWN:
        raise PixelProofError(f"{path} is not a PNG, JPEG, WebP or GIF image: convert it.")
    if ends_early(data):
        raise PixelProofError(f"{path} ends early, and browsers would not show it: copy or download it again.")
    return content_key(data)


def find_image(images: Mapping[str, StudyImage], name: object, where: str) -> StudyImage:
    """The image that `study.json` names by its id.

    Raises:
        PixelProofError: There is none.
    """
    if name not in images:
        raise PixelProofError(f"{where}: {unknown_name('image', name, list(images)[:20])}")
    return images[str(name)]
