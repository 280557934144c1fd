"""From an answer to a result: exact checks, recognition, ladder, description, published scores, evidence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pixelproof import metrics
from pixelproof.benches.pixelart import _published
from pixelproof.benches.pixelart._composed import score_composition
from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._judge import read_judgements
from pixelproof.benches.pixelart._ladder import RUNGS, Reading, diagnose, read
from pixelproof.benches.pixelart._recognised import recognise_subject
from pixelproof.benches.pixelart._sets import subject_to_score
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, Result
from pixelproof.pixels import encode_indexed_png

_SIDE = 240  # approximate side of an evidence image, in pixels
_MOST_CELLS = 256  # per side; larger grids are runaway replies, and get no image
_ILLEGAL = (255, 0, 255)  # colour of cells without a legal index, in evidence


def score_answer(item: Item, answer: Answer, judgements: Mapping[str, Answer], form: Format) -> Result:
    """Measure one answer; never raises on what a model can return."""
    if answer.failure is not None and answer.failure.fault is not Fault.MODEL:
        return Result(item.id, {}, failure=answer.failure)
    failure = answer.failure
    if failure is not None:
        strict = lenient = Reading(failure.name, failure.detail[:200])
        text = ""
    else:
        text = answer.text
        strict, lenient = read(text, form)
        failure = Failure(Fault.MODEL, lenient.outcome, lenient.detail) if lenient.outcome != "ok" else None
    published, note = _publish(text, strict, lenient, form)
    notes = {"strict": strict.outcome, "strict_detail": strict.detail}
    notes |= {"lenient": lenient.outcome, "lenient_detail": lenient.detail}
    notes |= {"repairs": ", ".join(lenient.repairs), "published": note}
    exact, missed = _check(item, lenient)
    recognised, prediction = recognise_subject(item, lenient)
    composed, composed_notes = score_composition(item, lenient)
    judged, judge_missed, unreadable = read_judgements(item, judgements)
    notes |= {"missed": missed, "recognised_as": prediction, **composed_notes, "judge_missed": judge_missed}
    if unreadable:
        failure = failure or Failure(Fault.INSTRUMENT, "judge-unreadable", " ".join(unreadable))
    return Result(
        item.id,
        {
            **exact,
            **recognised,
            **composed,
            **judged,
            **_rungs("lenient", lenient),
            **_rungs("strict", strict),
            **diagnose(lenient, form),
            "ended": float(answer.stop != "length"),
            **_describe(lenient),
            **published,
        },
        failure=failure,
        notes={name: text for name, text in notes.items() if text},
        evidence={"drawing": picture} if (picture := _draw(lenient)) else {},
    )


def _rungs(side: str, reading: Reading) -> dict[str, float]:
    return {f"{side}.{rung}": float(place < reading.held) for place, rung in enumerate(RUNGS)}


def _check(item: Item, reading: Reading) -> tuple[dict[str, float], str]:
    """Metrics of the exact check, if the subject has one; a drawing that does not render meets no condition."""
    subject = subject_to_score(item, "exact")
    if subject is None:
        return {}, ""
    if reading.outcome != "ok" or reading.grid is None:
        return {"exact.solved": 0.0, "exact.conditions": 0.0}, ""
    verdict = subject.check(reading.grid, reading.palette)
    assert verdict is not None, "exact kinds check"
    return {"exact.solved": float(verdict.solved), "exact.conditions": verdict.share}, "; ".join(verdict.missed)


def _describe(reading: Reading) -> dict[str, float]:
    grid, colours = reading.grid, len(reading.palette)
    if grid is None:
        return {}
    return {
        "describe.palette_validity": metrics.palette_validity(grid, colours),
        "describe.colour_efficiency": metrics.colour_efficiency(grid, colours),
        "describe.edge_density": metrics.edge_density(grid),
        "describe.fill_balance": metrics.fill_balance(grid),
        "describe.entropy": metrics.entropy(grid, colours),
        "describe.horizontal_symmetry": metrics.horizontal_symmetry(grid),
        "describe.vertical_symmetry": metrics.vertical_symmetry(grid),
    }


def _publish(text: str, strict: Reading, lenient: Reading, form: Format) -> tuple[dict[str, float], str]:
    coded, note = _published.coded(text, form)
    coded["overall"] = sum(coded.values()) / len(coded)
    described = _published.described(strict, lenient, form)
    scores = {f"published.coded.{name}": value for name, value in coded.items()}
    scores |= {f"published.described.{name}": value for name, value in described.items()}
    quality = _published.descriptive_quality(text)
    if quality is not None:
        scores["published.coded.descriptive_quality"] = quality
    return scores, note


def _draw(reading: Reading) -> Artefact | None:
    """Image of the drawing, in its own size; also of drawings that are not legal."""
    grid, colours = reading.grid, len(reading.palette)
    if grid is None or max(grid.shape) > _MOST_CELLS:
        return None
    palette = reading.palette
    illegal = (grid < 0) | (grid >= colours)
    if illegal.any():
        if colours > 255:
            return None
        grid, palette = np.where(illegal, colours, grid), [*palette, _ILLEGAL]
    return encode_indexed_png(grid, palette, scale=max(1, round(_SIDE / max(grid.shape))))
