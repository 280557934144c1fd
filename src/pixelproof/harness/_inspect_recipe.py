"""Recipes: plain values in the metadata of an Inspect sample, from which its item can be made again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pixelproof.benches import get_bench
from pixelproof.contract import Bench, Item, Source
from pixelproof.harness._card import options_of
from pixelproof.harness._plan import Plan

Items = Mapping[str, tuple[int, Item]]
"""Item id → index and item."""

_types: dict[str, type[Bench]] = {}
_followed: dict[str, tuple[Plan, Items]] = {}


def remember(bench: type[Bench]) -> None:
    """Let recipes name a bench that has no entry point."""
    _types[bench.name] = bench


def bench_type(name: str) -> type[Bench]:
    """The bench of a name."""
    return _types.get(name) or type(get_bench(name))


def recipe_of(plan: Plan) -> dict[str, Any]:
    """The recipe of a plan; `follow` returns the items of this plan without listing them again."""
    remember(type(plan.bench))
    recipe = {
        "bench": plan.bench.name,
        "options": options_of(plan.bench),
        "source": plan.source.name,
        "data": None if plan.source.data is None else str(plan.source.data),
        "seed": plan.seed,
        "limit": plan.limit,
        "split": plan.split,
    }
    if _key(recipe) not in _followed:
        _keep(recipe, plan)
    return recipe


def follow(recipe: Mapping[str, Any]) -> tuple[Plan, Items]:
    """The plan of a recipe, and its items by id."""
    kept = _followed.get(_key(recipe))
    if kept is not None:
        return kept
    bench = bench_type(recipe["bench"])(**recipe["options"])
    source = Source(recipe["source"], recipe["data"] and Path(recipe["data"]))
    return _keep(recipe, Plan(bench, source, recipe["seed"], recipe["limit"], split=recipe["split"]))


def _keep(recipe: Mapping[str, Any], plan: Plan) -> tuple[Plan, Items]:
    _followed.clear()  # a log has one recipe, and its items may be large
    kept = _followed[_key(recipe)] = plan, {item.id: (index, item) for index, item in plan.items()}
    return kept


def _key(recipe: Mapping[str, Any]) -> str:
    return json.dumps(recipe, sort_keys=True)


def forget() -> None:
    """Release the items."""
    _followed.clear()
