"""A bench as an Inspect task.

A sample's metadata contains the recipe of its item, so solver and scorer need no arguments: any installation of this
package can score a log again without calling a model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import get_model, model_roles
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from pixelproof.benches import get_bench
from pixelproof.contract import Answer, Artefact, Bench, Failure, Fault, Item, Source
from pixelproof.harness._conversation import is_crash
from pixelproof.harness._inspect_asking import Exchanger, in_thread, judge_answer
from pixelproof.harness._inspect_messages import answer_from, empty_of_pictures, output_of, setup_errors
from pixelproof.harness._inspect_metric import pooled, score_of
from pixelproof.harness._inspect_providers import NativeAPI, inspect_name
from pixelproof.harness._inspect_recipe import follow, recipe_of
from pixelproof.harness._inspect_session import SESSION, Gate, Lost, RunSession, Session
from pixelproof.harness._ledger import BudgetSpent
from pixelproof.harness._plan import Ask, Plan, order_of
from pixelproof.harness._scoring import score

JUDGE = "judge"
"""The model role that answers a bench's questions."""
_JUDGED = "judgements"
_WANTS = "wants"
_NOT_ASKED = Failure(Fault.INFRASTRUCTURE, "not-asked", "the run stopped before this ask")
_PLAN: dict[str, Any] = {
    "source": None,
    "data": None,
    "seed": 0,
    "limit": None,
    "samples": 1,
    "judge": None,
    "split": "all",
}


def build_task(plan: Plan, judge: str | None = None, session: RunSession | None = None) -> Task:
    """The task that asks and scores everything planned, or only what the run of a session still lacks."""
    recipe = recipe_of(plan)
    _, items = follow(recipe)
    samples = [
        _sample(index, item, recipe)
        for index, item in items.values()
        if plan.asks_item(index)
        and (session is None or any(order_of(index, k) not in session.run.answers for k in range(plan.samples)))
    ]
    return Task(
        dataset=MemoryDataset(samples, name=plan.source.name),
        solver=ask_item(),
        scorer=scorer_of(plan.bench.name)(),
        epochs=Epochs(plan.samples),
        model_roles=None if judge is None else {JUDGE: inspect_name(judge)},
        early_stopping=None if session is None else Gate(session, {id: index for id, (index, _) in items.items()}),
        name=plan.bench.name,
        version=plan.bench.version,
    )


def _sample(index: int, item: Item, recipe: Mapping[str, Any]) -> Sample:
    """A sample without its prompt, which the solver makes when it is needed."""
    return Sample(id=item.id, input=item.id, metadata={"index": index, "tags": dict(item.tags), "recipe": dict(recipe)})


def _ask_of(state: TaskState) -> tuple[Bench, Ask]:
    plan, items = follow(state.metadata["recipe"])
    index, item = items[str(state.sample_id)]
    return plan.bench, plan.ask(index, item, state.epoch - 1)


@solver
def ask_item() -> Solver:
    """Ask the model one sample of an item, and keep the answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = SESSION.get()
        with session.guard():
            return await _ask(state, session)

    return solve


async def _ask(state: TaskState, session: Session) -> TaskState:
    bench, ask = _ask_of(state)
    exchanger = Exchanger(get_model(), bench, ask)
    try:
        if session.halted:
            raise BudgetSpent
        exchange = await exchanger()
    except BudgetSpent:
        state.output = output_of(Answer(failure=_NOT_ASKED), str(exchanger.model))
        return state
    except Lost as lost:
        if is_crash(lost.failure):  # asking again would crash again; the scorer records the failure
            state.output = output_of(Answer(failure=lost.failure), str(exchanger.model))
            return state
        await session.lost(ask, lost.failure)
        raise
    await session.answered(ask, exchange)
    state.messages, state.output = exchanger.messages, exchanger.output
    if exchange.prompt is not None:
        state.metadata[_WANTS] = exchange.prompt.wants
    return state


@cache
def scorer_of(bench: str) -> Callable[[], Scorer]:
    """The scorer of a bench, under the bench's own name."""

    @scorer(metrics=[pooled(bench)], name=bench)
    def measure() -> Scorer:
        async def measure_answer(state: TaskState, target: Target) -> Score:
            session = SESSION.get()
            with session.guard():
                return await _measure(state, session)

        return measure_answer

    return measure


async def _measure(state: TaskState, session: Session) -> Score:
    """Score the answer in a state, which may come from a stored log."""
    bench, ask = _ask_of(state)
    answer = answer_from(state.output, state.metadata.get(_WANTS, "text"))
    if answer.failure == _NOT_ASKED:
        return Score.unscored(reason="not_asked")
    try:
        judgements = await _judge(bench, ask, answer, state)
    except BudgetSpent:
        return Score.unscored(reason="grader_failed", explanation="The budget was spent before the judge was asked.")
    result = await in_thread(score, bench, ask, answer, judgements)
    await session.scored(ask, judgements, result)
    pictures: dict[str, Any] = {name: e.data_uri for name, e in result.evidence.items() if isinstance(e, Artefact)}
    if pictures and session.pictures:
        transcript().info(pictures, source="pixelproof")
    if not session.pictures:
        empty_of_pictures(state.output)
    return score_of(result, ask.item, answer, bench.metrics)


async def _judge(bench: Bench, ask: Ask, answer: Answer, state: TaskState) -> dict[str, Answer]:
    """The judge's answers, if there is a judge. They are kept in the sample, so that a log can be scored again."""
    judges = model_roles().get(JUDGE)
    if not judges or answer.failure is not None:
        return {}
    judge = judges[0] if isinstance(judges, list) else judges
    kept: dict[str, Any] = state.store.get(_JUDGED, {})
    known = {name: _revived(stored) for name, stored in kept.items()}
    judgements = await judge_answer(judge, bench, ask, answer, known)
    state.store.set(
        _JUDGED,
        {
            name: {"text": judgement.text, "logprobs": [dict(token) for token in judgement.logprobs]}
            for name, judgement in judgements.items()
            if judgement.failure is None
        },
    )
    return judgements


def _revived(stored: Any) -> Answer:
    """A judge's answer that a sample has stored."""
    return Answer(stored["text"], logprobs=tuple(stored["logprobs"]))


def _open_native(bench: Bench) -> None:
    """Open a native model before the first sample, where Inspect would print a set-up error with a traceback."""
    try:
        api = get_model().api
    except Exception:  # no model yet, or an unusable one: Inspect reports it
        return
    if isinstance(api, NativeAPI):
        api.open(bench)


def register(bench: type[Bench]) -> None:
    """Register a bench as an Inspect task whose arguments are the bench's options and the fields of a plan."""

    def factory(**arguments: Any) -> Task:
        settings = {name: arguments.pop(name) for name in tuple(arguments) if name in _PLAN}
        judge, data = settings.pop("judge", None), settings.pop("data", None)
        with setup_errors():
            chosen = get_bench(bench.name, **arguments)
            source = Source(settings.pop("source", None) or chosen.default_source(), Path(data) if data else None)
            plan = Plan(chosen, source, **settings)
            _open_native(plan.bench)
            return build_task(plan, judge)

    options = {field.name: field.default for field in fields(bench)}  # type: ignore[arg-type]
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in (options | _PLAN).items()
    ]
    factory.__signature__ = inspect.Signature(parameters, return_annotation=Task)  # type: ignore[attr-defined]
    factory.__name__, factory.__doc__ = bench.name, bench.title
    task(name=bench.name)(factory)
    scorer_of(bench.name)
