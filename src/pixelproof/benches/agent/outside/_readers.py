"""Readers of data sets.

- V* Bench: a folder with `test_questions.jsonl`: `image`, `text` (with options), `label` (letter), `category`.
- DocVQA, InfographicVQA: a JSON file with `data`: `question`, `image` or `image_local_name`, `answers`.
- MVBench: a folder with `json/NAME.json`, lists of `video`, `question`, `candidates`, `answer`; videos below `video/`.
- VSI-Bench: a folder with `test.jsonl`: `dataset`, `scene_name`, `question`, `question_type`, `ground_truth`,
  `options`; videos are `DATASET/SCENE_NAME.mp4`.
- A folder with `questions.csv` or `questions.jsonl`: `file`, `question`, `answer`, and perhaps `options` and `group`.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pixelproof.benches.sources import item_id
from pixelproof.contract import Item, PixelProofError
from pixelproof.store import require_inside

from ._question import LETTERS, VisualQuestion, with_letters

Rows = Iterator[tuple[str, VisualQuestion]]
_OPTION = re.compile(r"^\(?([A-Z])[).:]\s*(.+)$", re.MULTILINE)
_PLACES = ("", "images", "documents", "video", "videos")
"""Folders below the data set in which files are looked for."""


def read_items(bench: str, source: str, data: Path | None) -> Iterator[Item]:
    """The items of a data set, in its order.

    Raises:
        PixelProofError: The files are not there, or not of the format; the message names the place.
    """
    help, read = READERS[source]
    if data is None or not data.exists():
        missing = "" if data is None else f" ({data} does not exist)"
        raise PixelProofError(f"The source {source!r} is {help}: pass it with --data{missing}.")
    seen: dict[str, int] = {}
    for key, question in read(data):
        seen[key] = seen.get(key, 0) + 1
        name = key if seen[key] == 1 else f"{key}-{seen[key]}"
        tags = {"task": question.group or source, "needs": "unknown", "kind": question.kind}
        yield Item(item_id(bench, source, 1, name), {"question": question.text}, question, question.file, tags)


def _lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a file of JSON lines, each with its place."""
    try:
        for number, line in enumerate(path.read_text("utf-8-sig").split("\n"), 1):
            if line.strip():
                yield _entry(f"{path}, line {number}", json.loads(line))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}): give a file of JSON lines.") from error


def _entry(where: str, entry: Any) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(entry, Mapping):
        raise PixelProofError(f"{where} is no JSON object.")
    return where, entry


def _listed(path: Path, name: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSON list, which may be in an object under a name."""
    try:
        value = json.loads(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}): give a JSON file.") from error
    entries = value.get(name) if name and isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise PixelProofError(f"{path} has no list of questions{f' under {name!r}' if name else ''}.")
    for number, entry in enumerate(entries):
        yield _entry(f"{path}, entry {number}", entry)


def _field(entry: Mapping[str, Any], name: str, where: str) -> Any:
    if entry.get(name) in (None, ""):
        raise PixelProofError(f"{where}: there is no {name!r}.")
    return entry[name]


def _file(folder: Path, name: object, where: str) -> str:
    """Path of a file below the data set.

    Raises:
        PixelProofError: It is missing, or outside.
    """
    try:
        known = [path for place in _PLACES if (path := folder / place / str(name)).is_file()]
    except (OSError, ValueError) as error:
        raise PixelProofError(f"{where}: {str(name)[:80]!r} is no name of a file ({error}).") from error
    if not known:
        known = _below(folder).get(str(name), [])
        if len(known) > 1:
            raise PixelProofError(f"{where}: {name!r} is the name of several files: {known[0]}, {known[1]}.")
    if not known:
        raise PixelProofError(f"{where}: {folder / str(name)} is missing; unpack the pictures or clips there.")
    require_inside(known[0], folder)
    return str(known[0])


@lru_cache(maxsize=4)
def _below(folder: Path) -> Mapping[str, list[Path]]:
    """Name → files in folders of folders, as MVBench keeps its clips."""
    found: dict[str, list[Path]] = {}
    for place in _PLACES[1:]:
        for path in sorted((folder / place).rglob("*")):
            if path.is_file():
                found.setdefault(path.name, []).append(path)
    return found


def _choice(text: str, options: tuple[str, ...], answer: str, file: str, group: str, where: str) -> VisualQuestion:
    if answer not in options or len(set(options)) < len(options):
        raise PixelProofError(f"{where}: the answer {answer!r} is not one of different options {list(options)}.")
    return VisualQuestion(text, file, (answer,), "choice", options, group)


def read_vstar(data: Path) -> Rows:
    """V* Bench."""
    for where, entry in _lines(data / "test_questions.jsonl"):
        text, label = str(_field(entry, "text", where)), str(_field(entry, "label", where)).strip().upper()
        options = tuple(option.strip() for _, option in _OPTION.findall(text))
        if label not in LETTERS[: len(options)] or len(label) != 1:
            raise PixelProofError(f"{where}: the label {label!r} is not the letter of one of {len(options)} options.")
        file = _file(data, _field(entry, "image", where), where)
        answer = options[LETTERS.index(label)]
        question = _choice(text, options, answer, file, str(entry.get("category", "")), where)
        yield str(entry.get("question_id", where.rpartition(" ")[2])), question


def read_docvqa(data: Path) -> Rows:
    """DocVQA and InfographicVQA: a JSON file, with the images beside it."""
    for where, entry in _listed(data, "data"):
        name = entry.get("image_local_name") or _field(entry, "image", where)
        answers = _field(entry, "answers", where)
        if not isinstance(answers, list) or not answers:
            raise PixelProofError(f"{where}: 'answers' is no list; only splits with answers can be scored.")
        file = _file(data.parent, name, where)
        text = str(_field(entry, "question", where))
        yield str(entry.get("questionId", where)), VisualQuestion(text, file, tuple(map(str, answers)))


def read_mvbench(data: Path) -> Rows:
    """MVBench."""
    files = sorted((data / "json").glob("*.json"))
    if not files:
        raise PixelProofError(f"{data} has no json/*.json: give the folder of MVBench.")
    for path in files:
        for number, (where, entry) in enumerate(_listed(path)):
            options = tuple(str(option) for option in _field(entry, "candidates", where))
            file = _file(data, _field(entry, "video", where), where)
            text = with_letters(str(_field(entry, "question", where)), options)
            question = _choice(text, options, str(_field(entry, "answer", where)), file, path.stem, where)
            yield f"{path.stem}/{number:05d}", question


def read_vsibench(data: Path) -> Rows:
    """VSI-Bench."""
    for where, entry in _lines(data / "test.jsonl"):
        folder, scene = _field(entry, "dataset", where), _field(entry, "scene_name", where)
        file, group = _file(data, f"{folder}/{scene}.mp4", where), str(entry.get("question_type", ""))
        text, truth = str(_field(entry, "question", where)), str(_field(entry, "ground_truth", where))
        key = str(entry.get("id", where.rpartition(" ")[2]))
        if entry.get("options"):
            options = tuple(_OPTION.sub(r"\2", str(option)) for option in entry["options"])
            if truth not in LETTERS[: len(options)] or len(truth) != 1:
                raise PixelProofError(f"{where}: {truth!r} is not the letter of one of {len(options)} options.")
            answer = options[LETTERS.index(truth)]
            yield key, _choice(with_letters(text, options), options, answer, file, group, where)
        else:
            asked, right = f"{text} Answer with a number.", (_number(truth, where),)
            yield key, VisualQuestion(asked, file, right, "number", (), group)


def _number(text: str, where: str) -> str:
    try:
        value = float(text)
    except ValueError as error:
        raise PixelProofError(f"{where}: {text!r} is no number.") from error
    if not math.isfinite(value) or value == 0:
        raise PixelProofError(f"{where}: relative errors are undefined for {text}.")
    return str(value)


def read_folder(data: Path) -> Rows:
    """Pictures or clips with questions, in `questions.csv` or `questions.jsonl`."""
    table, lines = data / "questions.csv", data / "questions.jsonl"
    if table.is_file():
        try:
            with table.open(encoding="utf-8-sig", newline="") as file:
                rows = [(f"{table}, row {number}", dict(row)) for number, row in enumerate(csv.DictReader(file), 1)]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise PixelProofError(f"{table} cannot be read ({error}): save it as CSV in UTF-8.") from error
    elif lines.is_file():
        rows = [(where, dict(entry)) for where, entry in _lines(lines)]
    else:
        raise PixelProofError(f"{data} has neither questions.csv nor questions.jsonl: write file, question and answer.")
    for number, (where, entry) in enumerate(rows):
        path, text = _file(data, _field(entry, "file", where), where), str(_field(entry, "question", where))
        answers, options = _several(_field(entry, "answer", where)), _several(entry.get("options") or ())
        group = str(entry.get("group") or "")
        key = f"{number:05d}"
        if options:
            yield key, _choice(with_letters(text, options), options, answers[0], path, group, where)
        else:
            yield key, VisualQuestion(text, path, answers, "text", (), group)


def _several(value: Any) -> tuple[str, ...]:
    """A list, or text with `|` between its parts."""
    parts = value if isinstance(value, list | tuple) else str(value).split("|")
    return tuple(str(part).strip() for part in parts)


READERS: Mapping[str, tuple[str, Callable[[Path], Rows]]] = {
    "folder": ("a folder of pictures or clips with questions.csv (file, question, answer, options)", read_folder),
    "vstar": ("the folder of V* Bench, with test_questions.jsonl", read_vstar),
    "docvqa": ("a JSON file of DocVQA or InfographicVQA, with its images beside it", read_docvqa),
    "mvbench": ("the folder of MVBench, with json/ and video/", read_mvbench),
    "vsibench": ("the folder of VSI-Bench, with test.jsonl and the videos", read_vsibench),
}
"""Source → what it is, and its reader."""
