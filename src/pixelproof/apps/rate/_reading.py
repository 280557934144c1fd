"""Reads and writes `study.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import read_table, replacing

from ._images import TABLES, find_image, make_pairs, read_images
from ._study import PRESETS, Example, Question, Study, StudyImage, StudyItem, read_question

SETTINGS = "study.json"
_KEYS = (
    "title", "table", "questions", "votes_per_item", "items_per_rater", "pairs_per_prompt", "repeats", "gold",
    "gold_every", "training", "lease_minutes", "seed",
)  # fmt: skip
_WORDS = {"yes": 1, "no": 0}


def default_settings(folder: Path, ask: Sequence[str], votes: int | None, repeats: float) -> dict[str, Any]:
    """The content of a first `study.json`.

    Args:
        folder: The study folder.
        ask: Names of questions; none: perception, and correspondence if there are prompts.
        votes: Votes per item; None: every rater rates every item.
        repeats: Share of items that a rater gets twice.
    """
    if not ask:
        table = next((folder / name for name in TABLES if (folder / name).is_file()), None)
        ask = ("perception", "correspondence") if table and "prompt" in read_table(table) else ("perception",)
    return {"title": folder.resolve().name, "questions": list(ask), "votes_per_item": votes, "repeats": repeats}


def write_settings(folder: Path, settings: Mapping[str, Any]) -> Path:
    """Write `study.json`.

    Raises:
        PixelProofError: It cannot be written.
    """
    with replacing(folder / SETTINGS) as temporary:
        temporary.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return folder / SETTINGS


def read_study(folder: Path, settings: Mapping[str, Any] | None = None) -> Study:
    """Read a study folder: `study.json`, the table of images if there is one, and the images.

    Args:
        folder: The folder.
        settings: In place of `study.json`.

    Raises:
        PixelProofError: Something is missing or does not fit; the message says what to do.
    """
    if not folder.is_dir():
        raise PixelProofError(f"{folder} is not a directory.")
    path = folder / SETTINGS
    settings = _settings(path) if settings is None else settings
    entries = settings.get("questions", ["perception"])
    if not isinstance(entries, list) or not entries:
        raise PixelProofError(f"{path}: questions must be a list of at least one question.")
    questions = tuple(read_question(entry, str(path)) for entry in entries)
    if len({question.id for question in questions}) < len(questions):
        raise PixelProofError(f"{path}: two questions have the same id.")
    if len({question.kind == "pair" for question in questions}) > 1:
        raise PixelProofError(f"{path}: a study asks about single images or about pairs, not about both.")
    table = settings.get("table")
    if table is not None and not isinstance(table, str):
        raise PixelProofError(f"{path}: table must be a file name.")
    images = read_images(folder, table, questions)
    _check_prompts(questions, images, path)
    by_id = {question.id: question for question in questions}
    training, examples = _training(settings.get("training"), images, by_id, path)
    gold, answers = _gold(settings.get("gold", []), images, questions, path)
    set_aside = {image.id for item in gold.values() for image in item.images}
    set_aside |= {example.image.id for example in examples}
    rated = [image for image in images.values() if image.id not in set_aside]
    seed = _whole(settings, "seed", 0, path, least=0)
    if questions[0].kind == "pair":
        items = make_pairs(rated, _whole(settings, "pairs_per_prompt", None, path), seed or 0)
    else:
        items = [StudyItem((image,)) for image in rated]
    asked = [
        item
        for item in items
        if any(not question.column or item.images[0].texts[question.id] for question in questions)
    ]
    if not asked:
        raise PixelProofError(f"{path}: nothing is left to rate: every image is gold, an example, or without question.")
    return Study(
        folder,
        str(settings.get("title") or folder.resolve().name),
        questions,
        {item.id: item for item in asked},
        gold,
        answers,
        training,
        examples,
        _whole(settings, "votes_per_item", Study.votes_per_item, path),
        _whole(settings, "items_per_rater", None, path),
        _number(settings, "repeats", Study.repeats, 0, 1, path),
        _whole(settings, "gold_every", Study.gold_every, path) or Study.gold_every,
        _number(settings, "lease_minutes", Study.lease_minutes, 0.01, 10_000, path),
        seed or 0,
    )


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        settings = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise PixelProofError(
            f"{path} does not exist: run pixelproof rate serve {path.parent}, which writes it."
        ) from None
    except (OSError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read as JSON: {error}.") from None
    if not isinstance(settings, dict):
        raise PixelProofError(f"{path} must be a JSON object.")
    for name in settings:
        if name not in _KEYS:
            raise PixelProofError(f"{path}: {unknown_name('setting', name, _KEYS)}")
    return settings


def _check_prompts(questions: Sequence[Question], images: Mapping[str, StudyImage], path: Path) -> None:
    if PRESETS["correspondence"] in questions and not any(image.prompt for image in images.values()):
        raise PixelProofError(
            f"{path}: correspondence asks whether an image shows its prompt, and no image has one: "
            f"write {path.parent / TABLES[0]} with the columns image and prompt."
        )


def _training(
    entry: object, images: Mapping[str, StudyImage], questions: Mapping[str, Question], path: Path
) -> tuple[tuple[str, ...], tuple[Example, ...]]:
    if entry is None:
        return (), ()
    where = f"{path}, training"
    if not isinstance(entry, Mapping) or not set(entry) <= {"text", "examples"}:
        raise PixelProofError(f"{where}: write an object with text (a list of paragraphs) and examples.")
    text, listed = entry.get("text", []), entry.get("examples", [])
    text = [text] if isinstance(text, str) else text
    if not isinstance(text, list) or not all(isinstance(paragraph, str) for paragraph in text):
        raise PixelProofError(f"{where}: text must be a list of paragraphs.")
    if not isinstance(listed, list) or not all(isinstance(example, Mapping) for example in listed):
        raise PixelProofError(f"{where}: examples must be a list of objects.")
    examples = []
    for example in listed:
        if not set(example) <= {"image", "question", "answer", "why"}:
            raise PixelProofError(f"{where}: an example has image, question, answer and why.")
        if example.get("question") not in questions:
            raise PixelProofError(f"{where}: {unknown_name('question', example.get('question'), questions)}")
        image = find_image(images, example.get("image"), where)
        examples.append(
            Example(image, example["question"], str(example.get("answer", "")), str(example.get("why", "")))
        )
    return tuple(text), tuple(examples)


def _gold(
    entries: object, images: Mapping[str, StudyImage], questions: Sequence[Question], path: Path
) -> tuple[dict[str, StudyItem], dict[str, dict[str, frozenset[int]]]]:
    where = f"{path}, gold"
    known = {question.id: question for question in questions}
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise PixelProofError(f"{where}: write a list of objects with image (or images), question and answer.")
    items: dict[str, StudyItem] = {}
    answers: dict[str, dict[str, frozenset[int]]] = {}
    for entry in entries:
        if not set(entry) <= {"image", "images", "question", "answer"}:
            raise PixelProofError(f"{where}: an entry has image (or images), question and answer.")
        if entry.get("question") not in known:
            raise PixelProofError(f"{where}: {unknown_name('question', entry.get('question'), known)}")
        question = known[entry["question"]]
        names = entry.get("images") if question.kind == "pair" else [entry.get("image")]
        if not isinstance(names, list) or len(names) != (2 if question.kind == "pair" else 1):
            raise PixelProofError(f"{where}: a pair has images, a list of two.")
        item = StudyItem(tuple(find_image(images, name, where) for name in names))
        if question.column and not item.images[0].texts.get(question.id):
            raise PixelProofError(f"{where}: {names[0]!r} has no question in the column {question.column}.")
        given = entry.get("answer")
        values = [_answer(question, answer, names) for answer in (given if isinstance(given, list) else [given])]
        if not values or None in values:
            raise PixelProofError(
                f"{where}: {given!r} is no answer to {question.id!r}: give a level 1 to 5 or a list of levels, yes or "
                "no, or for a pair the better image."
            )
        items[item.id] = item
        answers.setdefault(item.id, {})[question.id] = frozenset(value for value in values if value is not None)
    return items, answers


def _answer(question: Question, given: object, names: Sequence[object]) -> int | None:
    if question.kind == "pair":
        chosen = 1 if given == names[0] else -1 if given == names[1] else 0 if given == "tie" else None
        return chosen if question.accepts(chosen) else None
    value = _WORDS.get(given.lower()) if isinstance(given, str) and question.kind == "yesno" else given
    value = int(value) if isinstance(value, bool) and question.kind == "yesno" else value
    return value if isinstance(value, int) and question.accepts(value) else None


def _whole(settings: Mapping[str, Any], name: str, default: int | None, path: Path, least: int = 1) -> int | None:
    value = settings.get(name, default)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
        raise PixelProofError(f"{path}: {name} must be a whole number from {least} on, or null.")
    return value


def _number(settings: Mapping[str, Any], name: str, default: float, low: float, high: float, path: Path) -> float:
    value = settings.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise PixelProofError(f"{path}: {name} must be a number from {low:g} to {high:g}.")
    return float(value)
