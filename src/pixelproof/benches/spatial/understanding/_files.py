"""Questions of published data sets.

- OmniSpatial: a folder with `data.json`, a list of `id`, `question`, `options`, `answer` (index of the right option),
  `task_type` and `sub_task_type`; the image of `12_3` is `<task_type>/12.png`.
- SAT: a Parquet file with `image_bytes` (one or two encoded images), `question`, `answers`, `correct_answer` (one of
  them) and `question_type`. The order of its answers means nothing, so it is drawn anew from the place of the row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pixelproof.benches.sources import item_id
from pixelproof.benches.spatial.understanding._question import Question
from pixelproof.contract import Artefact, Item, PixelProofError
from pixelproof.pixels import media_type_of
from pixelproof.stats import generator
from pixelproof.store import StorageError, require_inside

_IMAGES = (".png", ".jpg", ".jpeg", ".webp")
_MOST_OPTIONS = 26


def omnispatial_items(bench: str, data: Path | None) -> Iterator[Item]:
    """The questions of an OmniSpatial folder.

    Raises:
        PixelProofError: There is no folder with `data.json`, or an entry of it is broken.
    """
    if data is None or not data.is_dir() or not (data / "data.json").is_file():
        raise PixelProofError(
            f"The source 'omnispatial' needs the unpacked OmniSpatial-test.zip, a folder with data.json: pass it with "
            f"--data DIR{'' if data is None else f' ({data} has none)'}."
        )
    try:
        entries = json.loads((data / "data.json").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise PixelProofError(f"{data / 'data.json'} is not a JSON file ({error}): unpack it again.") from error
    if not isinstance(entries, list) or not entries:
        raise PixelProofError(f"{data / 'data.json'} is not a list of questions: unpack it again.")
    read = [_omnispatial_entry(data, place, entry) for place, entry in enumerate(entries)]
    frequent = Counter(answer for _, _, answer, _, _ in read).most_common(1)[0][0]
    for place, (key, texts, answer, image, entry) in enumerate(read):
        text, options = texts
        most = options[min(frequent, len(options) - 1)]
        question = Question(
            str(entry["task_type"]), "choice", text, options[answer], options, "", most, files=(str(image),)
        )
        tags = {"skill": str(entry["task_type"]), "subtask": str(entry["sub_task_type"]), "kind": "choice"}
        yield _item(bench, "omnispatial", key, place, question, f"{entry['task_type']}/{image.stem}", tags)


def _omnispatial_entry(
    data: Path, place: int, entry: Any
) -> tuple[str, tuple[str, tuple[str, ...]], int, Path, Mapping[str, Any]]:
    """Key, question with options, index of the right option, image, and the entry; refuses a broken entry."""
    where = f"Entry {place} of {data / 'data.json'}"
    if not isinstance(entry, dict):
        raise PixelProofError(f"{where} is not an object.")
    for name in ("id", "question", "options", "answer", "task_type", "sub_task_type"):
        if name not in entry:
            raise PixelProofError(f"{where} has no {name!r}.")
    options = _options(where, entry["options"])
    answer = entry["answer"]
    if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer < len(options):
        raise PixelProofError(f"{where} has the answer {answer!r}; it must be the index of one of its options.")
    folder, stem = str(entry["task_type"]), str(entry["id"]).split("_")[0]
    images = [data / folder / f"{stem}{suffix}" for suffix in _IMAGES]
    image = next((path for path in images if path.is_file()), None)
    if image is None:
        raise PixelProofError(f"{where} has no image: {images[0]} is missing.")
    require_inside(image, data)
    return f"{folder}/{entry['id']}", (str(entry["question"]), options), answer, image, entry


def _options(where: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str) or not 2 <= len(given) <= _MOST_OPTIONS:
        raise PixelProofError(f"{where} has no list of 2 to {_MOST_OPTIONS} options.")
    options = tuple(str(option) for option in given)
    if len(set(options)) < len(options):
        raise PixelProofError(f"{where} has the same option twice.")
    return options


_SAT_COLUMNS = ("image_bytes", "question", "answers", "correct_answer", "question_type")


def sat_items(bench: str, data: Path | None) -> Iterator[Item]:
    """The questions of a SAT Parquet file.

    Raises:
        PixelProofError: There is no such file, it lacks a column, or a row is broken.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if data is None or not data.is_file():
        raise PixelProofError(
            "The source 'sat' needs a Parquet file of SAT, such as SAT_test.parquet: pass it with --data FILE"
            f"{'' if data is None else f' ({data} does not exist)'}."
        )
    try:
        with pq.ParquetFile(data) as file:
            missing = [name for name in _SAT_COLUMNS if name not in file.schema_arrow.names]
            if missing:
                raise PixelProofError(f"{data} lacks {', '.join(missing)}: it is not a file of SAT.")
            place = 0
            for batch in file.iter_batches(8, columns=list(_SAT_COLUMNS)):
                for row in batch.to_pylist():
                    yield _sat_item(bench, data, place, row)
                    place += 1
    except (pa.ArrowException, OSError, StorageError) as error:
        raise PixelProofError(f"{data} cannot be read ({error}): fetch it again.") from error


def _sat_item(bench: str, data: Path, place: int, row: Mapping[str, Any]) -> Item:
    where = f"Row {place} of {data}"
    options = _options(where, row["answers"])
    if row["correct_answer"] not in options:
        raise PixelProofError(f"{where} has the answer {row['correct_answer']!r}, which is not one of its options.")
    images = tuple(_encoded(where, image) for image in row["image_bytes"] or ())
    if not images:
        raise PixelProofError(f"{where} has no image.")
    order = generator(0, "understanding/sat", place).permutation(len(options))
    shown = tuple(options[int(index)] for index in order)
    kind = str(row["question_type"])
    question = Question(kind, "choice", str(row["question"]), row["correct_answer"], shown, "", shown[0], images=images)
    cluster = images[0].sha256[:16]
    return _item(bench, "sat", f"{data.stem}/{place:05d}", place, question, cluster, {"skill": kind, "kind": "choice"})


def _encoded(where: str, image: Any) -> Artefact:
    """An image as bytes, or as `datasets` stores it: an object with `bytes`."""
    content = image.get("bytes") if isinstance(image, Mapping) else image
    if not isinstance(content, bytes) or not media_type_of(content).startswith("image/"):
        raise PixelProofError(f"{where} has an image that is none.")
    return Artefact(content, media_type_of(content))


def _item(
    bench: str, source: str, key: str, index: int, question: Question, cluster: str, tags: Mapping[str, str]
) -> Item:
    inputs = {"question": question.text, "options": list(question.options), "index": index}
    return Item(item_id(bench, source, 1, key), inputs, question, cluster, tags)
