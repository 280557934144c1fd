"""How a sample of an Inspect log leads back to its item: by a recipe of plain values that lies in its metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pixelproof.benches import get_bench
from pixelproof.contract import Bench, Item, Source
from pixelproof.harness._card import options_of
from pixelproof.harness._plan import Plan

_types: dict[str, type[Bench]] = {}


def remember(bench: type[Bench]) -> None:
    """Let recipes name a bench that no entry point declares."""
    _types[bench.name] = bench


def bench_type(name: str) -> type[Bench]:
    """The bench of a name."""
    return _types.get(name) or type(get_bench(name))


def recipe_of(plan: Plan) -> dict[str, Any]:
    """What it takes to make the items of a plan again."""
    remember(type(plan.bench))
    return {
        "bench": plan.bench.name,
        "options": options_of(plan.bench),
        "source": plan.source.name,
        "data": None if plan.source.data is None else str(plan.source.data),
        "seed": plan.seed,
        "limit": plan.limit,
    }


def follow(recipe: Mapping[str, Any]) -> tuple[Plan, Mapping[str, tuple[int, Item]]]:
    """The plan of a recipe, and its items with their indices, by id."""
    return _follow(json.dumps(recipe, sort_keys=True))


@lru_cache(maxsize=2)  # a log has one recipe; its items may be large
def _follow(text: str) -> tuple[Plan, Mapping[str, tuple[int, Item]]]:
    recipe = json.loads(text)
    bench = bench_type(recipe["bench"])(**recipe["options"])
    source = Source(recipe["source"], recipe["data"] and Path(recipe["data"]))
    plan = Plan(bench, source, recipe["seed"], recipe["limit"])
    return plan, {item.id: (index, item) for index, item in plan.items()}


def forget() -> None:
    """Let go of the items."""
    _follow.cache_clear()
