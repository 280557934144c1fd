"""What a run would ask and cost at most, without asking (`--dry-run`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pixelproof.contract import Usage
from pixelproof.harness._budget_note import overshoot_note
from pixelproof.harness._card import default_directory, new_card
from pixelproof.harness._controls import calibration_controls
from pixelproof.harness._ledger import expected_usage, reply_limit
from pixelproof.harness._native import exchange_with
from pixelproof.harness._plan import Plan
from pixelproof.harness._rundir import read_column
from pixelproof.harness._session import OpenModels, model_name, prices_of
from pixelproof.models import open_model
from pixelproof.options import Decoding, ModelName, Settings
from pixelproof.store import local_path, place_of

SAMPLED_ITEMS = 4
"""Items whose questions are formulated in order to estimate those of the others."""


@dataclass(frozen=True)
class JudgeEstimate:
    """Questions to the judge, at most, and their usage."""

    questions: int = 0
    usage: Usage = Usage()


def estimate(
    plan: Plan, model: ModelName, settings: Settings, decoding: Decoding, judge: str | None = None
) -> dict[str, Any]:
    """What a run would ask and cost at most, as plain data."""
    name, prices = model_name(model), prices_of(settings)
    plan = replace(plan, bench=plan.bench.for_model(name))
    opened = open_model(model, plan.bench, decoding)
    card = new_card(plan, name, decoding, judge, opened)
    path = place_of(settings.out or default_directory(card))
    answered = set()
    if settings.resume:
        answered = set(read_column(local_path(path) / "answers.parquet", "order").to_pylist())
    total, asks, items = Usage(), 0, 0
    for ask in plan.asks():
        items += ask.sample == 0
        if ask.order in answered:
            continue
        asks += 1
        if opened is None or not opened.answers_items:
            episode = plan.bench.episode(ask.item)
            prompt = episode.reset() if episode else plan.bench.prompt(ask.item)
            limit = reply_limit(prompt, decoding.max_tokens, thinks=opened is None)
            total = total + expected_usage(prompt, limit)
    judged = JudgeEstimate() if judge is None else estimate_judge(plan, asks, items, settings.calibrate)
    total = total + judged.usage
    connections = OpenModels(name, opened, None, decoding, settings).connections
    return {
        "model": name,
        "out": str(path),
        "asks": asks,
        "already_answered": len(answered),
        "judge": judge,
        "judge_questions_at_most": judged.questions,
        "input_tokens": total.input_tokens,
        "output_tokens_at_most": total.output_tokens,
        "images": total.images,
        "cost_at_most": None if prices is None else prices.cost(total),
        "budget": "" if settings.max_cost is None else overshoot_note(settings.max_cost, connections, (name, judge)),
    }


def estimate_judge(plan: Plan, answers: int, items: int, calibrate: int | None) -> JudgeEstimate:
    """Questions about the answers of a run and about its controls.

    Which questions there are depends on the answer: the largest usage among the controls' answers to a few items stands
    for every answer.

    Args:
        plan: Of the run.
        answers: Number of answers to be judged.
        items: Number of items of the run.
        calibrate: Number of items on which controls are measured; None for all.
    """
    controls = calibration_controls(plan.bench) if calibrate != 0 else []
    about = answers + len(controls) * min(items, items if calibrate is None else calibrate)
    estimates = list(_about_controls(plan, calibration_controls(plan.bench)))
    if not estimates or not about:
        return JudgeEstimate()
    largest = max(estimates, key=lambda estimate: (estimate.usage.input_tokens, estimate.questions))
    usage = largest.usage
    total = replace(
        usage,
        input_tokens=usage.input_tokens * about,
        output_tokens=usage.output_tokens * about,
        images=usage.images * about,
    )
    return JudgeEstimate(max(estimate.questions for estimate in estimates) * about, total)


def _about_controls(plan: Plan, controls: list[str]) -> Iterator[JudgeEstimate]:
    """Questions about each control's answer to each of the first items."""
    models = [open_model(f"control/{name}", plan.bench, Decoding()) for name in controls]
    for ask in islice(plan.asks(), SAMPLED_ITEMS):
        for model in models:
            assert model is not None, "controls are models of this package"
            answer = exchange_with(model, plan.bench, ask).answer
            questions = plan.bench.questions(ask.item, answer) if answer.failure is None else ()
            usage = Usage()
            for question in questions:
                usage = usage + expected_usage(question.prompt, reply_limit(question.prompt, thinks=True))
            yield JudgeEstimate(len(questions), usage)
