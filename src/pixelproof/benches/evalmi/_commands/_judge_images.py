"""Scores of images by a judge that runs on this machine or on a cluster, stored as they come."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from pixelproof.benches.evalmi._bench import EvalMi
from pixelproof.benches.evalmi._judge import judge_questions, read_judgements
from pixelproof.benches.evalmi._prompts import CORRESPONDENCE, PERCEPTION
from pixelproof.benches.evalmi.data import load
from pixelproof.contract import Answer, Artefact, Item, PixelProofError, Prompt
from pixelproof.models import Model, gpus_of, open_model
from pixelproof.pixels import ImageError, media_type_of, read_image
from pixelproof.store import (
    Lock,
    Records,
    Workers,
    as_texts,
    digest,
    executor_for,
    is_url,
    plain,
    read_sealed_json,
    read_table,
    replacing,
    require_inside,
    table_column,
    writable,
    write_sealed_json,
)

LOCAL = ("nets", "fn", "gguf")
"""Kinds of judges whose answers cost nothing, so that worker processes may ask them."""
_MOST_BYTES = 64 << 20
"""Size of the largest image that is read."""
COLUMNS = ("perception", "correspondence")
_SCHEMA = pa.schema(
    [
        ("order", pa.int64()),
        ("image_id", pa.string()),
        *((name, pa.float64()) for name in COLUMNS),
        ("note", pa.string()),
    ]
)


@dataclass(frozen=True)
class ImageRow:
    """An image that the judge is asked about."""

    order: int
    image_id: str
    """Its file, relative to the folder of images."""
    prompt: str
    """The text that it was made from."""


def read_images(path: Path) -> list[ImageRow]:
    """Images of a rated data set, or of a table with the columns `image_id` and `prompt`.

    Raises:
        PixelProofError: It cannot be read, has no images, or names an image twice.
    """
    if path.is_dir():
        data = load(path)
        ids, texts = list(data.image_ids), [data.prompts.texts[code] for code in data.prompt]
    else:
        table = read_table(path)
        ids, texts = (as_texts(table_column(table, name, path)) for name in ("image_id", "prompt"))
    if not ids:
        raise PixelProofError(f"{path} has no images.")
    if len(set(ids)) < len(ids):
        twice = next(name for place, name in enumerate(ids) if name in ids[:place])
        raise PixelProofError(f"{path} has the image {twice} twice: an image_id must be unique.")
    return [ImageRow(order, name, text) for order, (name, text) in enumerate(zip(ids, texts, strict=True))]


@dataclass(frozen=True)
class ImageJudge:
    """Asks a judge about an image, in any process; each opens the judge once."""

    judge: str
    images: str
    """Folder, or URL, of the images."""

    @cached_property
    def model(self) -> Model:
        """The judge of this process.

        Raises:
            PixelProofError: It cannot be opened, or is asked over the network.
        """
        if self.judge.partition("/")[0] not in LOCAL:
            raise PixelProofError(
                f"{self.judge} does not run here: 'judge score' takes {', '.join(f'{kind}/…' for kind in LOCAL)}. Ask "
                "others with 'pixelproof score evalmi --answers DIR --judge …', which has a budget."
            )
        model = open_model(self.judge, EvalMi())
        assert model is not None, "these kinds are models of this package"
        return model

    @property
    def gpus(self) -> float:
        """GPUs that a worker reserves in a cluster."""
        return gpus_of(self.model)

    @cached_property
    def _read(self) -> Callable[[str], bytes]:
        if is_url(self.images):
            from pixelproof.store.remote import RemoteFolder

            folder = RemoteFolder(self.images)
            return lambda name: folder.read(name, _MOST_BYTES)
        return partial(_read_file, Path(self.images))

    def __getstate__(self) -> dict[str, str]:
        """Leave out what is open."""
        return {"judge": self.judge, "images": self.images}

    def __call__(self, row: ImageRow) -> dict[str, Any]:
        """The row of the scores: numbers, or a note that says why there are none."""
        empty = {"order": row.order, "image_id": row.image_id, **dict.fromkeys(COLUMNS)}
        try:
            data = self._read(row.image_id)
            read_image(data)
        except ImageError as error:
            return {**empty, "note": f"the image cannot be decoded: {error}"}
        except OSError as error:
            return {**empty, "note": f"the image cannot be read: {error.strerror or error}"}
        item = Item(f"evalmi/images/{EvalMi.version}/{row.order:05d}", {"prompt": row.prompt})
        questions = judge_questions(Artefact(data, media_type_of(data)), row.prompt, ())
        answers = {question.name: self._reply(question.prompt, item) for question in questions}
        verdict = read_judgements({name: a for name, a in answers.items() if isinstance(a, Answer)}, ())
        failed = [f"{name}: {a}" for name, a in answers.items() if isinstance(a, str)]
        abstained = [f"{name}: cannot tell" for name in verdict.abstained]
        scores = {name: verdict.metrics.get(f"judge.{name}") for name in COLUMNS}
        return {**empty, **scores, "note": "; ".join([*failed, *verdict.unreadable, *abstained])}

    def _reply(self, prompt: Prompt, item: Item) -> Answer | str:
        """The judge's reply, or why there is none."""
        try:
            answer = self.model.answer(prompt, item, 0, 0)
        except PixelProofError:  # all other questions would fail, too
            raise
        except Exception as error:
            return f"the judge crashed: {type(error).__name__} {error}"
        return answer if answer.failure is None else f"{answer.failure.name} {answer.failure.detail}"


def _read_file(folder: Path, name: str) -> bytes:
    path = require_inside(folder / name, folder)
    if path.stat().st_size > _MOST_BYTES:
        raise OSError(f"{path} has more than {_MOST_BYTES >> 20} MB")
    return path.read_bytes()


def judge_images(
    rows: Sequence[ImageRow],
    judge: ImageJudge,
    out: str | Path,
    workers: Workers = None,
    advance: Callable[[], None] = lambda: None,
) -> dict[str, int]:
    """Ask a judge about images, and write `scores.csv`; images that have their scores are not asked about again.

    Args:
        rows: The images.
        judge: Whom to ask.
        out: Folder, or URL, of the scores; if it has scores of the same images and judge, it is continued.
        workers: Processes or a cluster; None: a process per core.
        advance: Called after every image.

    Returns:
        Numbers of images: `planned`, `scored` (with both scores), and `asked` this time.

    Raises:
        PixelProofError: The folder holds something else, or cannot be written.
    """
    card = plain(
        {
            "kind": "judge scores",
            "judge": judge.judge,
            "judge_card": dict(judge.model.card()),
            "questions": {prompt.key: prompt.version for prompt in (PERCEPTION, CORRESPONDENCE)},
            "images": digest([(row.image_id, row.prompt) for row in rows]),
        }
    )
    with writable(out) as folder, Lock(folder):
        _require_same(folder, card, out)
        with Records(folder, "rows", _SCHEMA) as records:
            done = {row["order"] for row in records.rows() if not row["note"]}
            missing = [row for row in rows if row.order not in done]
            with executor_for(workers if len(missing) > 1 else 1) as pool:
                for row in pool.map(judge, missing, chunk=4):
                    records.put(row)
                    advance()
            records.compact()
            table = list(records.rows())
        _write_scores(folder / "scores.csv", table)
    scored = sum(not row["note"] for row in table)
    return {"planned": len(rows), "scored": scored, "asked": len(missing)}


def _require_same(folder: Path, card: Mapping[str, Any], out: str | Path) -> None:
    """Write the card of a new folder; refuse a folder of another judge, other images, or something else."""
    path = folder / "card.json"
    if not path.exists():
        if any(not file.name.startswith(".") for file in folder.iterdir()):
            raise PixelProofError(f"{out} exists and has no scores of a judge: choose another --out.")
        write_sealed_json(path, dict(card))
        return
    try:
        known = read_sealed_json(path)
    except (OSError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}): choose another --out.") from error
    for name, value in card.items():
        if known.get(name) != value:
            raise PixelProofError(f"{out} has scores with another {name.replace('_', ' ')}: choose another --out.")


def _write_scores(path: Path, table: Sequence[Mapping[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["image_id", *COLUMNS, "note"])
    for row in table:
        numbers = ("" if row[name] is None else repr(float(row[name])) for name in COLUMNS)
        writer.writerow([row["image_id"], *numbers, row["note"]])
    with replacing(path) as temporary:
        temporary.write_text(text.getvalue(), "utf-8")
