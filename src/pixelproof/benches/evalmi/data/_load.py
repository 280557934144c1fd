"""Loaders: which data set a path holds, and its content as `Annotations`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import Columns, as_numbers, as_texts, read_jsonl, read_table, table_column

from ._annotations import Annotations, FloatArray, Prompts, coded

TARGETS = ("perception", "correspondence")
ROLES = ("image_id", "model", "prompt_id", "prompt", "task", *TARGETS, "qa")
"""What a column mapping can name; further names are targets of their own."""
_SHEET = "AIGI2025_MOS_yn.xlsx"


def load(path: Path, mapping: Mapping[str, str] | None = None) -> Annotations:
    """Load a data set: a directory in a known form, or, with a column mapping, any table.

    Raises:
        PixelProofError: The form is not known, or the content does not fit it.
    """
    if mapping:
        return load_mapped(path, mapping)
    if not path.exists():
        raise PixelProofError(f"There is no data set at {path}.")
    if path.is_dir():
        if found := _first(path, "images.csv.gz", "images.csv"):
            return _load_tidy(found)
        if sheets := sorted(path.rglob(_SHEET)):
            return _load_spreadsheets(sheets[0])
        if (path / "genai_image.json").is_file():
            return _load_genai(path / "genai_image.json")
        if (path / "data.csv").is_file():
            return _load_agiqa(path / "data.csv")
    raise PixelProofError(
        f"{path} has none of images.csv.gz (EvalMi-50K, tidy), {_SHEET} (EvalMi-50K, the authors' repository), "
        f"data.csv (AGIQA-3K), genai_image.json (GenAI-Bench). For another table, map its columns: "
        f"--map image_id=COLUMN,model=COLUMN,prompt=COLUMN,perception=COLUMN."
    )


def _first(folder: Path, *names: str) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def load_mapped(path: Path, mapping: Mapping[str, str]) -> Annotations:
    """Load any table, given which column has which role.

    Args:
        path: CSV, Parquet, JSONL or XLSX.
        mapping: Role (`image_id`, `model`, `prompt_id`, `prompt`, `task`, `qa`, or the name of a mean opinion score,
            such as `perception`) → column. A score and one of `prompt_id` and `prompt` are needed.
    """
    table = read_table(path)
    cells = {role: table_column(table, name, path) for role, name in mapping.items()}
    ids = cells.get("prompt_id", cells.get("prompt"))
    scores = [role for role in mapping if role not in ROLES or role in TARGETS]
    if ids is None or not scores + ["qa"] * ("qa" in cells):
        raise PixelProofError(
            "The column mapping needs prompt_id or prompt, and at least one score (such as perception or qa)."
        )
    prompt_ids = as_texts(ids)
    model = as_texts(cells["model"]) if "model" in cells else [""] * len(prompt_ids)
    images = [f"{m}/{p}" for m, p in zip(model, prompt_ids, strict=True)]
    if "image_id" in cells:
        images = as_texts(cells["image_id"])
    texts = as_texts(cells.get("prompt", ids))
    tasks = as_texts(cells["task"]) if "task" in cells else [""] * len(prompt_ids)
    models, model_codes = coded(model)
    known, codes = coded(prompt_ids)
    first = np.unique(codes, return_index=True)[1]
    prompts = Prompts(known, tuple(texts[row] for row in first), tuple(tasks[row] for row in first))
    return Annotations(
        path.stem,
        tuple(images),
        models,
        model_codes,
        prompts,
        codes,
        {role: _numbers(cells[role], role, path) for role in scores},
        _answers(cells["qa"], path) if "qa" in cells else None,
    )


def _numbers(values: object, name: str, path: Path) -> FloatArray:
    numbers, bad = as_numbers(list(values))  # type: ignore[call-overload]
    if bad or np.isnan(numbers).any():
        row = bad[0] if bad else int(np.flatnonzero(np.isnan(numbers))[0])
        raise PixelProofError(f"{path}, row {row + 2}: {name} is not a number. Ratings must be complete.")
    return numbers


def _answers(values: object, path: Path) -> FloatArray:
    words = {"yes": "1", "no": "0", "true": "1", "false": "0"}
    numbers = _numbers([words.get(str(answer).strip().lower(), answer) for answer in values], "qa", path)  # type: ignore[attr-defined]
    if not np.isin(numbers, (0, 1)).all():
        raise PixelProofError(f"{path}: qa must be 0 or 1, yes or no.")
    return numbers


def _load_tidy(path: Path) -> Annotations:
    folder = path.parent
    found = _first(folder, "prompts.csv.gz", "prompts.csv")
    if found is None:
        raise PixelProofError(f"{folder} has {path.name} but no prompts.csv.gz.")
    images, prompts = read_table(path), read_table(found)
    ids = as_texts(table_column(prompts, "prompt_id", found))
    place = {prompt: index for index, prompt in enumerate(ids)}
    of_rows = as_texts(table_column(images, "prompt_id", path))
    if unknown := sorted(set(of_rows) - set(ids)):
        raise PixelProofError(f"{path}: {unknown_name('prompt', unknown[0], ids[:20])}")
    models, model = coded(as_texts(table_column(images, "model", path)))
    titles = {}
    if (folder / "models.csv").is_file():
        names = read_table(folder / "models.csv")
        titles = dict(zip(as_texts(names["model"]), as_texts(names["display_name"]), strict=True))
    parts = [as_numbers(images[name])[0] for name in sorted(images) if re.fullmatch(r"sub_a\d+", name)]
    texts = tuple(as_texts(table_column(prompts, "prompt", found)))
    image_ids = tuple(as_texts(table_column(images, "image_id", path)))
    named = folder / "name.txt"
    return Annotations(
        named.read_text("utf-8").strip()[:80] if named.is_file() else "EvalMi-50K",
        image_ids,
        models,
        model,
        Prompts(tuple(ids), texts, tuple(as_texts(table_column(prompts, "task", found)))),
        np.array([place[prompt] for prompt in of_rows], np.int64),
        {name: _numbers(table_column(images, name, path), name, path) for name in TARGETS},
        _answers(table_column(images, "qa", path), path),
        np.stack(parts, 1) if parts else None,
        _tidy_votes(folder, image_ids),
        titles,
    )


def _tidy_votes(folder: Path, image_ids: tuple[str, ...]) -> dict[str, FloatArray]:
    """Votes behind each target, shape (images, raters), from `votes-TARGET.csv` if every rater rated every image."""
    row_of = {image: row for row, image in enumerate(image_ids)}
    votes: dict[str, FloatArray] = {}
    for target in TARGETS:
        path = folder / f"votes-{target}.csv"
        if not path.is_file():
            continue
        table = read_table(path)
        images, names = (as_texts(table_column(table, name, path)) for name in ("image_id", "rater"))
        raters = {name: column for column, name in enumerate(dict.fromkeys(names))}
        cast = np.full((len(image_ids), len(raters)), np.nan)
        for image, name, score in zip(images, names, as_numbers(table_column(table, "score", path))[0], strict=True):
            if image in row_of:
                cast[row_of[image], raters[name]] = score
        if not np.isnan(cast).any():
            votes[target] = cast
    return votes


def _load_spreadsheets(path: Path) -> Annotations:
    """Read the authors' repository: `MOS&QA/AIGI2025_MOS_yn.xlsx` and `prompts/prompt_tasks.jsonl`."""
    tasks = sorted(path.parents[1].rglob("prompt_tasks.jsonl"))
    if not tasks:
        raise PixelProofError(f"{path} needs prompts/prompt_tasks.jsonl of the same repository beside its folder.")
    sheet, lines = read_table(path), read_jsonl(tasks[0])
    images = as_texts(table_column(sheet, "ImageName", path))
    model, _, numbers = zip(*(name.rpartition("/") for name in images), strict=True)
    prompt = np.array([int(Path(name).stem) - 1 for name in numbers], np.int64)
    if prompt.max(initial=0) >= len(lines["prompt"]):
        count = len(lines["prompt"])
        raise PixelProofError(f"{path} has prompt {prompt.max() + 1}, but {tasks[0]} only {count} lines.")
    models, codes = coded(model)
    texts = tuple(as_texts(lines["prompt"]))
    return Annotations(
        "EvalMi-50K",
        tuple(images),
        models,
        codes,
        Prompts(tuple(str(n + 1) for n in range(len(texts))), texts, tuple(map(task_of_tag, as_texts(lines["tag"])))),
        prompt,
        {"perception": _numbers(sheet["MOS1"], "MOS1", path), "correspondence": _numbers(sheet["MOS2"], "MOS2", path)},
        _answers(table_column(sheet, "Y/N", path), path),
        np.stack([as_numbers(sheet[name])[0] for name in sorted(sheet) if name.startswith("YN_")], 1),
    )


def task_of_tag(tag: str) -> str:
    """One of the 20 tasks of EvalMi-50K, given a tag of its prompt file.

    >>> [task_of_tag(tag) for tag in ("color_attr + detail", "World Knowledge", "HOI + color + shape + texture")]
    ['colors', 'world_knowledge', 'complex']
    """
    parts = [part for part in tag.split(" + ") if part not in ("detail", "details")]
    if len(parts) > 1:
        return "complex"
    name = parts[0].lower().replace(" ", "_")
    return {"color_attr": "colors", "linguistic_structures": "linguistic_structure"}.get(name, name)


def _load_agiqa(path: Path) -> Annotations:
    """Read AGIQA-3K's `data.csv`; a generator is the part of the file name before the number."""
    table = read_table(path)
    names = as_texts(table_column(table, "name", path))
    models, model = coded([name.rpartition("_")[0] for name in names])
    texts, prompt = coded(as_texts(table_column(table, "prompt", path)))
    ids = tuple(str(number) for number in range(len(texts)))
    targets = {
        "perception": _numbers(table_column(table, "mos_quality", path), "mos_quality", path),
        "correspondence": _numbers(table_column(table, "mos_align", path), "mos_align", path),
    }
    return Annotations(
        "AGIQA-3K", tuple(names), models, model, Prompts(ids, texts, ("",) * len(texts)), prompt, targets
    )


def _load_genai(path: Path) -> Annotations:
    """Read GenAI-Bench's `genai_image.json`: ratings 1 to 5 of the alignment of each image, by three raters."""
    try:
        content: Columns = json.loads(path.read_text("utf-8"))
        entries = [(key, entry["prompt"], entry["models"]) for key, entry in content.items()]  # type: ignore[call-overload]
        rows = [(model, key, ratings) for key, _, of_models in entries for model, ratings in of_models.items()]
        votes = np.array([[float(vote) for vote in ratings] for _, _, ratings in rows])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PixelProofError(f"{path} is not in GenAI-Bench's form {{id: {{prompt, models}}}}: {error!r}.") from None
    models, model = coded([model for model, _, _ in rows])
    ids = tuple(key for key, _, _ in entries)
    place = {key: index for index, key in enumerate(ids)}
    return Annotations(
        "GenAI-Bench",
        tuple(f"{model}/{key}.jpeg" for model, key, _ in rows),
        models,
        model,
        Prompts(ids, tuple(text for _, text, _ in entries), ("",) * len(ids)),
        np.array([place[key] for _, key, _ in rows], np.int64),
        {"correspondence": votes.mean(axis=1)},
        votes={"correspondence": votes},
    )
