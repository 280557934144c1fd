"""Votes as tables, in the form that the commands that analyse votes read."""

from __future__ import annotations

import csv
import io
import math
import zipfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.store import replacing

from ._quality import rater_reports, ratings_of
from ._study import Question, Study, StudyItem
from ._votes import Counted, VoteStore


def export_tables(store: VoteStore) -> dict[str, str]:
    """File name → CSV.

    `votes-QUESTION.csv` has one row per vote (`rater`, `image_id`, `score`), `pairs-QUESTION.csv` one row per compared
    pair (`rater`, `left`, `right`, `winner`), `images.csv` the mean of each image. Gold items and repetitions are in
    tables of their own, and votes of excluded raters in none.
    """
    study, votes = store.study, store.counted(("rated", "repeat", "gold"))
    rated = [vote for vote in votes if vote.role == "rated" and vote.item in study.items]
    tables = {}
    for question in study.questions:
        own = [vote for vote in rated if vote.question == question.id]
        if question.kind == "pair":
            tables[f"pairs-{question.id}.csv"] = _pairs(study, own)
        else:
            tables[f"votes-{question.id}.csv"] = _votes(study, own)
    if not study.pairs:
        tables["images.csv"] = image_means(study, rated)
    tables["checks.csv"] = _checks(study, votes)
    tables["raters.csv"] = _raters(store, study, votes)
    return tables


def left_out(store: VoteStore) -> int:
    """Votes on images and questions that the study no longer has; they are in no table, and stay in the database."""
    known = {question.id for question in store.study.questions}
    votes = store.counted(("rated", "repeat", "gold"))
    return sum(store.study.item(vote.item) is None or vote.question not in known for vote in votes)


def write_export(store: VoteStore, folder: Path) -> list[Path]:
    """Write the tables into a folder; each file is replaced in one step.

    Raises:
        PixelProofError: It is the study folder, whose own table would be replaced, or it cannot be written.
    """
    if folder.resolve() == store.study.folder.resolve():
        raise PixelProofError(f"{folder} is the study itself: choose another folder, such as {folder / 'export'}.")
    paths = []
    for name, text in export_tables(store).items():
        with replacing(folder / name) as temporary:
            temporary.write_text(text, "utf-8", newline="")
        paths.append(folder / name)
    return paths


def export_archive(store: VoteStore) -> bytes:
    """The tables in a ZIP file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in export_tables(store).items():
            archive.writestr(name, text)
    return data.getvalue()


def analysis_commands(study: Study, folder: str) -> list[str]:
    """Commands that read the tables of a folder."""
    if study.pairs:
        return [f"pixelproof judge pairs {folder}/pairs-{question.id}.csv" for question in study.questions]
    commands = [f"pixelproof judge mos {folder}/votes-{question.id}.csv" for question in study.questions]
    if columns := [question.id for question in _common(study)]:
        mapping = ",".join(f"{name}={name}" for name in ("image_id", "model", "prompt", *columns))
        commands.append(f"pixelproof judge meta --data {folder}/images.csv --map {mapping} --scores YOURS.csv")
    return commands


def _votes(study: Study, votes: Sequence[Counted]) -> str:
    rows = []
    for vote in votes:
        image = study.items[vote.item].images[0]
        rows.append(
            [vote.rater, image.id, vote.value, image.model, image.prompt, f"{vote.seconds:.3f}", _time(vote.time)]
        )
    return _csv(["rater", "image_id", "score", "model", "prompt", "seconds", "time"], rows)


def _pairs(study: Study, votes: Sequence[Counted]) -> str:
    """Pairwise votes; left and right are as the rater saw them."""
    rows = []
    for vote in votes:
        first, second = study.items[vote.item].images
        better = first if vote.value > 0 else second
        left, right = (second, first) if vote.swapped else (first, second)
        names = [left.model, right.model, better.model if vote.value else "tie", left.id, right.id, left.prompt]
        rows.append([vote.rater, *names, f"{vote.seconds:.3f}", _time(vote.time)])
    head = ["rater", "left", "right", "winner", "left_image", "right_image", "prompt", "seconds", "time"]
    return _csv(head, rows)


def _common(study: Study) -> list[Question]:
    """Questions that every image is asked."""
    return [
        question for question in study.questions if all(question in study.asked(item) for item in study.items.values())
    ]


def image_means(study: Study, votes: Sequence[Counted]) -> str:
    """One row per image with the mean of each scale and the majority of each yes/no question.

    Only images with votes on all questions that every image is asked, and without an even split of yes and no.
    """
    questions = _common(study)
    means: dict[str, dict[str, float]] = {}
    counts: dict[str, list[int]] = {}
    for question in questions:
        items, _, table = ratings_of(votes, question.id)
        for item, row in zip(items, table, strict=True):
            given = row[~np.isnan(row)]
            mean = float(given.mean())
            counts.setdefault(item, []).append(len(given))
            if question.kind == "yesno":
                if mean == 0.5:
                    continue
                mean = float(mean > 0.5)
            means.setdefault(item, {})[question.id] = mean
    rows = []
    for item, values in means.items():
        if len(values) < len(questions):
            continue
        image = study.items[item].images[0]
        cells = [f"{values[question.id]:.6g}" for question in questions]
        rows.append([image.id, image.model, image.prompt or image.group, *cells, min(counts[item])])
    return _csv(["image_id", "model", "prompt", *(question.id for question in questions), "votes"], rows)


def _checks(study: Study, votes: Sequence[Counted]) -> str:
    """Answers to gold items, with what was expected, and to repetitions, with the first answer."""
    first = {(vote.rater, vote.item, vote.question): vote.value for vote in votes if vote.role == "rated"}
    rows = []
    for vote in votes:
        item = study.item(vote.item)
        if vote.role == "rated" or item is None:
            continue
        expected: Iterable[int] = study.answers.get(vote.item, {}).get(vote.question, ())
        if vote.role == "repeat":
            before = first.get((vote.rater, vote.item, vote.question))
            expected = () if before is None else (before,)
        wanted = sorted(expected)
        right = "" if not wanted else int(vote.value in wanted)
        shown = " or ".join(_answer(item, value) for value in wanted)
        rows.append([vote.rater, vote.role, vote.question, *_ids(item), _answer(item, vote.value), shown, right])
    return _csv(["rater", "check", "question", "image_id", "second_image", "answer", "expected", "as_expected"], rows)


def _ids(item: StudyItem) -> tuple[str, str]:
    return item.images[0].id, item.images[1].id if len(item.images) > 1 else ""


def _answer(item: StudyItem, value: int) -> str:
    if len(item.images) == 1:
        return str(value)
    return "tie" if value == 0 else item.images[0 if value > 0 else 1].id


def _raters(store: VoteStore, study: Study, votes: Sequence[Counted]) -> str:
    states = dict(store.raters())
    counted = [name for name, state in states.items() if state != "excluded"]
    rows = [
        [
            report.name,
            states[report.name],
            report.answers,
            _number(report.seconds),
            _number(report.agreement),
            *report.gold,
            report.repeats[0],
            _number(report.repeats[1]),
            "; ".join(report.warnings),
        ]
        for report in rater_reports(study, votes, counted)
    ]
    head = ["rater", "state", "answers", "median_seconds", "srcc_with_others", "gold_right", "gold", "repeats"]
    return _csv([*head, "repeats_equal", "warnings"], rows)


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
