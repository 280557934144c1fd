"""Questions about scenes: answers without the photograph. For docs/methods/spatial.md."""

from __future__ import annotations

import os
import tempfile

import numpy as np

import language
from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial.understanding import CONTROLS, Scene, understanding_items
from pixelproof.contract import Item
from pixelproof.stats import generator
from pixelproof.world.edits import Edit
from pixelproof.world.pairs import Pair
from pixelproof.world.solid.layouts import make_scene
from trust_tables import table
from understanding import blind_numbers, pair_number, sentence

TITLE = "Questions about scenes"
_SEED, _SCENES = 7171, 24
_KINDS = ("tabletop", "room", "shelf")
_BENCH = Spatial(task="understanding", world_split="train")
_LEAST = 24
"""Questions below which nothing is fitted to them."""


def _items(task: tuple[str, int]) -> list[Item]:
    """The questions about two scenes that are each other's foil."""
    kind, number = task
    scenes = []
    for index in (2 * number, 2 * number + 1):
        scene = make_scene(kind, _SEED, index)
        pair = Pair("move", scene, scene, (Edit("move", scene.movable[0].id, "left", 0.1),), "Nothing is edited.")
        text = pair.to_json()
        scenes.append(Scene(text, _BENCH.pair_item("world", f"{kind}/{index:05d}", 10**6, text)))
    os.environ["PIXELPROOF_CACHE"] = tempfile.gettempdir() + "/pixelproof-trust"
    return list(understanding_items(scenes, number, "en"))


def _control(items: list[Item], name: str) -> tuple[float, float]:
    """Mean accuracy and mean relative accuracy of a control."""
    rng = generator(_SEED, f"trust/understanding/{name}")
    results = [_BENCH.score(item, CONTROLS[name](item, rng), {}).metrics for item in items]
    return tuple(float(np.mean([r[m] for r in results if m in r])) for m in ("accuracy", "mra"))  # type: ignore[return-value]


def section(scale: float, pool: object) -> tuple[str, list[str]]:
    """The text of the section, and the claims that failed."""
    pairs = max(2, round(_SCENES * scale) // 2)
    tasks = [(kind, number) for kind in _KINDS for number in range(pairs)]
    items = [item for found in pool.map(_items, tasks, 1) for item in found]  # type: ignore[attr-defined]
    draws, failed, rows = max(100, int(200 * scale)), [], []
    numbers = pair_number(items)
    slots = dict.fromkeys(item.id.rpartition("/")[2] for item in items)
    for slot in slots:
        here = [(item.truth, pair) for item, pair in zip(items, numbers, strict=True) if item.id.endswith(f"/{slot}")]
        if len(here) < _LEAST:
            continue
        if here[0][0].kind == "number":
            truths = np.array([float(question.answer) for question, _ in here])
            halves = np.array([pair % 2 for _, pair in here])
            chance, words, low, high, p = blind_numbers([q.text for q, _ in here], truths, halves, draws)
        else:
            row = language.measure("all", slot, [(sentence(question), pair) for question, pair in here], draws)
            chance, words, p = row.chance, row.chance + row.gain, row.p
            low, high = (row.chance + end for end in row.null)
        rows.append([slot, str(len(here)), f"{chance:.3f}", f"{words:.3f}", f"{low:.3f} to {high:.3f}", f"{p:.3f}"])
        if p < 0.05 / len(slots) and words > chance:
            failed.append(f"questions: words alone score {words:.3f} on {slot} ({chance:.3f} by chance, p {p:.3f})")
    values = {name: _control(items, name) for name in CONTROLS}
    if values["ceiling-truth"] != (1.0, 1.0):
        failed.append("questions: the right answers do not score 1")
    places = [item.truth.options.index(item.truth.answer) for item in items if len(item.truth.options) == 2]
    if abs(np.mean(places) - 0.5) > 0.1:
        failed.append(f"questions: the second of two options is right in {np.mean(places):.0%}")
    controls = [[name, f"{accuracy:.3f}", f"{mra:.3f}"] for name, (accuracy, mra) in values.items()]
    text = (
        f"{len(items)} questions about {2 * len(tasks)} fresh scenes. Words alone: classifiers and regressions that "
        "are fitted to the words of one half of the scenes and tried on the other; the best of them counts, in null "
        "draws, too. For numbers, chance is the best constant, and scores are mean relative accuracies.\n\n"
        f"{table(['questions', 'n', 'chance', 'words alone', '95 % of null draws', 'p'], rows)}\n\n"
        f"{table(['control', 'accuracy', 'mra'], controls)}\n\n"
        f"The second of two options is right in {np.mean(places):.1%} of {len(places)}."
    )
    return text, failed
