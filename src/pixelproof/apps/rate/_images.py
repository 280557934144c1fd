"""The images of a study folder: rows of a table, image files, or what runs have stored; pairs by different models."""

from __future__ import annotations

import csv
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.pixels import ends_early, media_type_of
from pixelproof.stats import generator
from pixelproof.store import Columns, as_texts, read_table, replacing, require_inside

from ._study import Question, StudyImage, StudyItem, content_key

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


RESERVED = ("left", "right", "tie", "both", "neither")
"""What a model cannot be called: a table of pairwise votes would be ambiguous."""


def make_pairs(images: Iterable[StudyImage], per_prompt: int | None, seed: int) -> list[StudyItem]:
    """All pairs of images with the same prompt and different models, or some of them.

    Args:
        images: The images.
        per_prompt: Number of pairs of each prompt, drawn from the seed; None: all.
        seed: Seed.

    Raises:
        PixelProofError: An image has no model, a model has a reserved name, or no prompt has two images.
    """
    groups: dict[str, list[StudyImage]] = {}
    for image in images:
        if not image.model:
            raise PixelProofError(
                f"Pairs compare models, and {image.id!r} has none: add a column model, or put the images of each "
                "model into a folder with its name."
            )
        if image.model.lower() in RESERVED:
            raise PixelProofError(f"A model cannot be called {image.model!r} in a study of pairs: rename it.")
        groups.setdefault(image.group, []).append(image)
    chosen = []
    for index, group in enumerate(groups.values()):
        pairs = [StudyItem((a, b)) for a, b in combinations(group, 2) if a.model != b.model]
        if per_prompt is not None and len(pairs) > per_prompt:
            drawn = generator(seed, "rate pairs", index).permutation(len(pairs))[:per_prompt]
            pairs = [pairs[k] for k in sorted(drawn.tolist())]
        chosen += pairs
    if not chosen:
        raise PixelProofError(
            "No prompt has images of two models, so there is nothing to compare. Pairs have the same prompt_id or "
            "prompt in the table, or, without a table, the same file name in the folders of two models."
        )
    return chosen


_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


@dataclass(frozen=True)
class Taken:
    """What was taken from runs."""

    images: int
    without_image: int
    """Answers without an image that a browser shows."""
    without_prompt: int
    """Images of items whose prompt no run has stored."""


def study_from_runs(folder: Path, paths: Sequence[str | Path]) -> Taken:
    """Copy the last image of every answer into a folder, and write its table of images.

    `image_id` is `MODEL/ITEM`, with `.SAMPLE` from the second sample on; `prompt_id` is the item, so that images of
    different models can be compared in pairs.

    Args:
        folder: The new study folder.
        paths: Run directories, or folders with some.

    Raises:
        PixelProofError: The folder has a table already, two runs have the same model, or no answer has an image.
    """
    from pixelproof.harness import Run, image_id  # not needed by the server, and slow to import
    from pixelproof.report import run_directories

    table = folder / TABLES[0]
    if table.exists():
        raise PixelProofError(f"{table} exists: choose another folder.")
    runs = [Run.open(path) for path in run_directories(paths)]
    models = [str(run.about.model) for run in runs]
    for model in models:
        if models.count(model) > 1:
            raise PixelProofError(f"Two of the runs are of {model}: name one of them.")
    prompts: dict[str, str] = {}
    for run in runs:
        for item, prompt in run.prompts().items():
            prompts.setdefault(item, _text(prompt))
    rows, missing = [], 0
    for model, run in zip(models, runs, strict=True):
        for item, sample, _, keys in run.answers():
            data = run.blob(keys[-1]) if keys else b""
            suffix = _SUFFIXES.get(media_type_of(data))
            if suffix is None:
                missing += 1
                continue
            name = f"images/{keys[-1]}{suffix}"
            if not (folder / name).exists():
                with replacing(folder / name, sync=False) as temporary:
                    temporary.write_bytes(data)
            rows.append([name, image_id(model, item, sample), model, prompts.get(item, ""), item])
    if not rows:
        raise PixelProofError("No answer of these runs has an image: choose runs of models that draw.")
    with replacing(table) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["image", "image_id", "model", "prompt", "prompt_id"])
        writer.writerows(rows)
    return Taken(len(rows), missing, sum(not row[3] for row in rows))


def _text(prompt: dict[str, Any]) -> str:
    return "\n".join(part for part in prompt["parts"] if isinstance(part, str)).strip()
