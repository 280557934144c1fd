"""Measure the agent bench: the oracle and the scripted agent with real tools, shifts, interventions, time and memory.

    python benchmarks/agent.py tasks --n 40             accuracy by task and level, with intervals
    python benchmarks/agent.py shifts --n 20            the oracle under blur and light of rising strength
    python benchmarks/agent.py interventions --n 20     the scripted agent under every intervention
    python benchmarks/agent.py time --n 200             CPU milliseconds per episode and per turn, and memory

Needs the asset `rapidocr-models`. Each prints one JSON object per line.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pixelproof.benches.agent import Agent
from pixelproof.benches.agent._interventions import INTERVENTIONS
from pixelproof.benches.agent.scripted import ScriptedAgent
from pixelproof.benches.agent.tasks import TASKS
from pixelproof.contract import Answer, Call, Item, Player, Prompt, Result, Source
from pixelproof.harness._conversation import converse
from pixelproof.stats import generator, wilson

SEED = 4711
STRENGTHS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
COLOURS = ("largest-colour", "flash-colour", "event-order", "count-clutter")
"""Tasks that ask for colours, which light changes."""


def oracle(bench: Agent, item: Item) -> Callable[[Prompt], Answer]:
    """The control `oracle-tools`."""
    control = bench.controls()["oracle-tools"]
    assert isinstance(control, Player)
    return lambda prompt: control.reply(item, prompt, None)


def scripted(bench: Agent, item: Item) -> Callable[[Prompt], Answer]:
    """`nets/scripted-agent`."""
    agent = ScriptedAgent()
    return lambda prompt: agent.answer(prompt, generator(SEED, f"nets/scripted-agent/{item.id}"))


def play(player: Callable[[Agent, Item], Callable[[Prompt], Answer]], n: int, **options: Any) -> Iterator[Result]:
    """Results of the first n items."""
    bench = Agent(**options)
    for item in bench.items(Source("world"), SEED, n):
        yield bench.score(item, converse(bench, item, player(bench, item)).answer, {})


def rate(results: list[Result]) -> dict[str, Any]:
    """Accuracy with its Wilson interval; faults count as wrong, and are counted."""
    right = sum(float(result.metrics.get("accuracy", 0.0)) for result in results)
    interval = wilson(int(right), len(results))
    return {
        "accuracy": round(right / len(results), 3),
        "interval": [round(interval.lo, 3), round(interval.hi, 3)],
        "chance": round(float(np.mean([result.metrics["chance"] for result in results])), 4),
        "faults": sum(result.failure is not None for result in results),
        "n": len(results),
    }


def measure_tasks(n: int, tasks: list[str]) -> Iterator[dict[str, Any]]:
    """Oracle and scripted agent on every task and level."""
    for level in ("base", "hard"):
        for task in tasks:
            for name, player in (("oracle-tools", oracle), ("scripted-agent", scripted)):
                start = time.process_time()
                results = list(play(player, n, task=task, level=level))
                spent = round(1000 * (time.process_time() - start) / n)
                calls = round(float(np.mean([float(result.metrics["calls"]) for result in results])), 1)
                yield {"model": name, "level": level, "task": task, **rate(results), "calls": calls, "cpu_ms": spent}


def measure_shifts(n: int, tasks: list[str]) -> Iterator[dict[str, Any]]:
    """The oracle under blur and, for tasks about colours, light."""
    for shift in ("blur", "light"):
        for task in tasks if shift == "blur" else [task for task in tasks if task in COLOURS]:
            for strength in STRENGTHS:
                results = list(play(oracle, n, task=task, shift=shift, strength=strength))
                yield {"shift": shift, "strength": strength, "task": task, **rate(results)}


def measure_interventions(n: int, tasks: list[str]) -> Iterator[dict[str, Any]]:
    """The scripted agent under every intervention, all tasks together."""
    for name in (*INTERVENTIONS, "calls-2"):
        options: dict[str, Any] = {"calls": 2} if name == "calls-2" else {"intervention": name}
        results = [result for task in tasks for result in play(scripted, n, task=task, **options)]
        yield {"intervention": name, **rate(results)}


def measure_time(n: int, tasks: list[str]) -> Iterator[dict[str, Any]]:
    """CPU time per turn of a conversation without work in tools, and memory over many episodes."""

    def refused(bench: Agent, item: Item) -> Callable[[Prompt], Answer]:
        def reply(prompt: Prompt) -> Answer:
            done = sum(turn.role == "tool" for turn in prompt.history)
            return Answer("red") if done >= 6 else Answer(calls=(Call(f"call-{done}", "PROP", {"ref": "a" * 12}),))

        return reply

    bench = Agent(task="compare-areas", calls=64)
    items = list(bench.items(Source("world"), SEED, 2))
    peaks, spent, turns = [], 0.0, 0
    for number in range(n):
        item = items[number % 2]
        bench.challenge(item).frames  # noqa: B018  # made once
        start = time.process_time()
        answer = converse(bench, item, refused(bench, item)).answer
        spent += time.process_time() - start
        turns += sum(entry["role"] == "model" for entry in answer.trace)
        if number in (n // 10, n - 1):
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    yield {"episodes": n, "turns": turns, "cpu_ms_per_turn": round(1000 * spent / turns, 3),
           "peak_mb_after_a_tenth": round(peaks[0]), "peak_mb_at_the_end": round(peaks[-1])}  # fmt: skip


MEASURES = {
    "tasks": measure_tasks,
    "shifts": measure_shifts,
    "interventions": measure_interventions,
    "time": measure_time,
}


def main() -> None:
    """Print the rows of a measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=MEASURES)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    given = parser.parse_args()
    for row in MEASURES[given.what](given.n, given.tasks):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
