"""Measure the agent bench: the oracle and the scripted agent with real tools, shifts, interventions, time and memory.

    python benchmarks/agent.py tasks --n 40             accuracy by task, with intervals; --level hard
    python benchmarks/agent.py floors --n 200           a guess without a look, beside chance; the oracle, shuffled
    python benchmarks/agent.py shifts --n 20            the oracle under blur and light of rising strength
    python benchmarks/agent.py interventions --n 20     the scripted agent under every intervention
    python benchmarks/agent.py time --n 200             CPU milliseconds per turn without work in tools
    python benchmarks/agent.py memory --n 10000         memory over episodes of different scenes, with tools

Needs the asset `rapidocr-models`. Each prints one JSON object per line.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from pixelproof.benches.agent import Agent
from pixelproof.benches.agent._interventions import INTERVENTIONS
from pixelproof.benches.agent.scripted import ScriptedAgent
from pixelproof.benches.agent.tasks import ALL_TASKS, LEVELS, SOLID_TASKS, TASKS
from pixelproof.contract import Answer, Call, Item, Player, Prompt, Result, Source
from pixelproof.harness._conversation import converse
from pixelproof.stats import generator, wilson

SEED = 4711
_CHOSEN = {"seed": SEED}
"""Seed of the scenes, which `--seed` changes."""
STRENGTHS = (0.0, 0.1, 0.2, 0.4)
COLOURS = ("largest-colour", "flash-colour", "event-order", "count-clutter")
"""Tasks that ask for colours, which light changes."""


_LISTED = 3
"""Wrong answers that a row lists."""


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
    source = Source("solid" if set(options["task"].split(",")) <= SOLID_TASKS.keys() else "world")
    for item in bench.items(source, _CHOSEN["seed"], n):
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
        "wrong": [
            f"{result.item}: {result.notes.get('answer', result.failure)}, not {result.notes.get('truth')}"
            for result in results
            if not result.metrics.get("accuracy")
        ][:_LISTED],
    }


def never_look(bench: Agent, item: Item) -> Callable[[Prompt], Answer]:
    """The control `floor-never-look`."""
    control = bench.controls()["floor-never-look"]
    assert isinstance(control, Player)
    return lambda prompt: control.reply(item, prompt, generator(SEED, f"never-look/{item.id}"))


def measure_tasks(n: int, tasks: list[str], level: str) -> Iterator[dict[str, Any]]:
    """Oracle and scripted agent on every task."""
    for task in tasks:
        players = {"oracle-tools": oracle, "scripted-agent": scripted}
        for name, player in players.items():
            if name == "scripted-agent" and task in SOLID_TASKS:  # which it does not know
                continue
            start = time.process_time()
            results = list(play(player, n, task=task, level=level))
            spent = round(1000 * (time.process_time() - start) / n)
            calls = round(float(np.mean([float(result.metrics["calls"]) for result in results])), 1)
            yield {"model": name, "level": level, "task": task, **rate(results), "calls": calls, "cpu_ms": spent}


def measure_floors(n: int, tasks: list[str], level: str) -> Iterator[dict[str, Any]]:
    """A guess without a look on n items of each task, and the oracle with shuffled evidence on a tenth of them."""
    for task in tasks:
        yield {"model": "floor-never-look", "task": task, **rate(list(play(never_look, n, task=task, level=level)))}
        if ALL_TASKS[task].needs != "nothing":
            results = list(play(oracle, n // 10, task=task, level=level, intervention="shuffled-evidence"))
            yield {"model": "oracle-tools, shuffled evidence", "task": task, **rate(results)}


def measure_shifts(n: int, tasks: list[str], level: str) -> Iterator[dict[str, Any]]:
    """The oracle under blur and, for tasks about colours, light."""
    for shift in ("blur", "light"):
        for task in tasks if shift == "blur" else [task for task in tasks if task in COLOURS]:
            for strength in STRENGTHS:
                results = list(play(oracle, n, task=task, level=level, shift=shift, strength=strength))
                yield {"shift": shift, "strength": strength, "task": task, **rate(results)}


def measure_interventions(n: int, tasks: list[str], level: str) -> Iterator[dict[str, Any]]:
    """The scripted agent under every intervention, all tasks together."""
    for name in (*INTERVENTIONS, "calls-2"):
        options: dict[str, Any] = {"calls": 2} if name == "calls-2" else {"intervention": name}
        results = [result for task in tasks for result in play(scripted, n, task=task, level=level, **options)]
        yield {"intervention": name, **rate(results)}


def measure_time(n: int, tasks: list[str], level: str) -> Iterator[dict[str, Any]]:
    """CPU time per turn of a conversation without work in tools."""

    def refused(bench: Agent, item: Item) -> Callable[[Prompt], Answer]:
        def reply(prompt: Prompt) -> Answer:
            done = sum(turn.role == "tool" for turn in prompt.history)
            return Answer("red") if done >= 6 else Answer(calls=(Call(f"call-{done}", "PROP", {"ref": "a" * 12}),))

        return reply

    bench = Agent(task="compare-areas", calls=64)
    items = list(bench.items(Source("world"), SEED, 2))
    spent, turns = 0.0, 0
    for number in range(n):
        item = items[number % 2]
        bench.challenge(item).frames  # noqa: B018  # made once
        start = time.process_time()
        answer = converse(bench, item, refused(bench, item)).answer
        spent += time.process_time() - start
        turns += sum(entry["role"] == "model" for entry in answer.trace)
    yield {"episodes": n, "turns": turns, "cpu_ms_per_turn": round(1000 * spent / turns, 3)}


def measure_memory(n: int, tasks: list[str], level: str) -> Iterator[dict[str, Any]]:
    """Memory after 10, 100, … episodes, each of another scene: two ZOOM (in every fiftieth, a SEG), and an answer."""
    episodes = count()

    def looks(bench: Agent, item: Item) -> Callable[[Prompt], Answer]:
        zoom = Call("call-0", "ZOOM", {"box": [250, 250, 500, 500]})
        second = Call("call-1", "ZOOM", {"box": [500, 500, 750, 750]})
        segment = Call("call-1", "SEG", {"point": [500, 500]})
        last = second if next(episodes) % 50 else segment
        replies = iter([Answer(calls=(zoom,)), Answer(calls=(last,)), Answer("<answer>red</answer>")])
        return lambda prompt: next(replies)

    start, turns = time.process_time(), 0
    for number, result in enumerate(play(looks, n, task=",".join(tasks), level=level), 1):
        turns += 1 + int(float(result.metrics["calls"]))
        if number in (n, *(10**power for power in range(1, 9))):
            spent = time.process_time() - start
            yield {"episodes": number, "resident_mb": round(_resident_mb(), 1), "peak_mb": round(_peak_mb(), 1),
                   "cpu_ms_per_turn": round(1000 * spent / turns, 1)}  # fmt: skip


def _resident_mb() -> float:
    """Resident set size of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


MEASURES = {
    "tasks": measure_tasks,
    "floors": measure_floors,
    "shifts": measure_shifts,
    "interventions": measure_interventions,
    "time": measure_time,
    "memory": measure_memory,
}


def main() -> None:
    """Print the rows of a measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=MEASURES)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--level", choices=LEVELS, default="base")
    given = parser.parse_args()
    _CHOSEN["seed"] = given.seed
    for row in MEASURES[given.what](given.n, given.tasks, given.level):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
