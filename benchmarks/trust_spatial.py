"""Scores of spatial edits: answers that ignore the instruction, and partial edits. For docs/methods/spatial.md.

Scenes are scored as they are, without pictures: this is about the formulas, not about perception.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from pixelproof.benches.spatial.scores import score_edits
from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.edits import Edit, apply
from pixelproof.world.pairs import OPERATIONS, Pair, sample_pair
from pixelproof.world.solid import Scene
from trust_tables import table

TITLE = "Scores of spatial edits"
_SEED, _PAIRS = 6161, 16
_SHARES = (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
_SWEPT = ("move", "rotation", "scaling", "viewpoint")
_UNCHECKED = 1 - 1e-9
"""Share that carries out the whole edit, but without a check of the rules of scenes."""
_MOST_COMPLIANCE = 0.15
"""Most compliance that an answer without the instruction may reach, as a mean over operations."""
_BLIND: dict[str, Edit] = {
    "copy": Edit("scale", "?", amount=1.0),
    **{f"moved {way} 20 cm": Edit("move", "?", way, 0.2) for way in ("left", "right", "closer", "away", "up")},
    **{f"turned {way} 90°": Edit("turn", "?", way, 90.0) for way in ("clockwise", "anticlockwise")},
    "scaled by 1.5": Edit("scale", "?", amount=1.5),
    "scaled by 0.67": Edit("scale", "?", amount=0.67),
    "removed": Edit("remove", "?"),
    "camera forward 20 cm": Edit("move camera", way="forward", amount=0.2),
    "camera left 20 cm": Edit("move camera", way="left", amount=0.2),
    "camera turned right 10°": Edit("turn camera", way="right", amount=10.0),
    "camera zoomed in by 1.3": Edit("zoom camera", way="in", amount=1.3),
}
"""Answers that know which thing is named, and nothing else of the instruction."""
_RANDOM = "moved up to 40 cm at random"


def _pair(task: tuple[str, int]) -> Pair:
    return sample_pair(task[0], _SEED, task[1])


def _main_thing(pair: Pair) -> str:
    """The first named thing of the scene; else the first that can be moved."""
    ids = {thing.id for thing in pair.before.movable}
    return next((id for id in pair.named if id in ids), pair.before.movable[0].id)


def _blind(pair: Pair, name: str) -> Scene:
    """The scene of an answer that ignores the instruction; a copy where its edit does not apply."""
    id = _main_thing(pair)
    if name == _RANDOM:
        thing = pair.before.thing(id)
        rng = generator(_SEED, "trust/spatial/" + pair.text)
        x, y = np.asarray(thing.position[:2]) + rng.uniform(-0.4, 0.4, 2)
        return pair.before.with_thing(replace(thing, position=(float(x), float(y), thing.position[2])))
    edit = _BLIND[name]
    if name == "copy":
        return pair.before
    if name == "removed":
        things = (replace(one, support=None) if one.support == id else one for one in pair.before.things)
        return replace(pair.before, things=tuple(things)).without(id)
    try:
        outcome = apply(pair.before, replace(edit, target=id) if edit.target else edit, _UNCHECKED)
    except PixelProofError:
        return pair.before
    return outcome.after or pair.before


def _scores(pair: Pair) -> dict[str, tuple[float, float]]:
    """Compliance and accuracy of each answer to a pair."""
    values = {}
    for name in (*_BLIND, _RANDOM):
        score = score_edits(pair.steps, pair.before, pair.after, _blind(pair, name))
        values[name] = score.compliance, score.accuracy
    exact = score_edits(pair.steps, pair.before, pair.after, pair.after)
    values["truth"] = exact.compliance, exact.accuracy
    return values


def _is_plain_turn(pair: Pair) -> bool:
    """Whether a turn is of 120° at most, and of a thing without symmetry: others look alike after other angles."""
    return pair.edit.amount <= 120 and pair.before.thing(pair.edit.target).symmetry == "C1"


def _sweep(pair: Pair) -> tuple[float, int]:
    """Largest error of the accuracy of partial edits, and the number of wrong compliances."""
    worst, wrong = 0.0, 0
    for share in _SHARES:
        after = apply(pair.before, pair.edit, share).after
        if after is None or (pair.operation == "rotation" and not _is_plain_turn(pair)):
            continue
        score = score_edits(pair.steps, pair.before, pair.after, after)
        worst = max(worst, abs(score.accuracy - max(0.0, 1 - abs(1 - share))))
        wrong += share in (-1, 0, 0.25, 1) and score.compliance != (share == 1)
    return worst, wrong


def section(scale: float, pool: object) -> tuple[str, list[str]]:
    """The text of the section, and the claims that failed."""
    number = max(3, int(_PAIRS * scale))
    operations = [name for name in OPERATIONS if name != "impossible"]
    pairs = pool.map(_pair, [(name, index) for name in operations for index in range(number)])  # type: ignore[attr-defined]
    scores, failed = pool.map(_scores, pairs), []  # type: ignore[attr-defined]
    by_answer: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for pair, values in zip(pairs, scores, strict=True):
        for name, value in values.items():
            by_answer[name][pair.operation].append(value)
    rows = []
    for name, values in by_answer.items():
        means = {operation: np.mean(value, axis=0) for operation, value in values.items()}
        compliance, accuracy = np.mean(list(means.values()), axis=0)
        best = max(means, key=lambda operation: float(means[operation][0]))
        shown = f"{best} {means[best][0]:.2f}" if means[best][0] > 0 and name != "truth" else "–"
        rows.append([name, f"{compliance:.3f}", f"{accuracy:.3f}", shown])
        if name not in ("truth", "copy") and compliance > _MOST_COMPLIANCE:
            failed.append(f"spatial scores: {name} complies with {compliance:.3f} of the instructions")
        if name == "copy" and (compliance > 0 or accuracy > 1e-6):
            failed.append(f"spatial scores: a copy has {compliance:.3f} and {accuracy:.3f}")
        if name == "truth" and min(compliance, accuracy) < 1 - 1e-6:
            failed.append(f"spatial scores: the truth has {compliance:.3f} and {accuracy:.3f}")
    swept = [pair for pair in pairs if pair.operation in _SWEPT]
    sweeps = pool.map(_sweep, swept)  # type: ignore[attr-defined]
    worst, wrong = max(error for error, _ in sweeps), sum(count for _, count in sweeps)
    if worst > 0.02 or wrong:
        failed.append(f"spatial scores: partial edits are off by {worst:.3f}; {wrong} compliances are wrong")
    head = ["answer", "`ic`", "`sa`", "most `ic` of an operation"]
    text = (
        f"{len(pairs)} pairs of seed {_SEED}, {number} of each of {len(operations)} operations; means over "
        "operations. The answers know which thing is named and do the same to it whatever is asked; "
        "cameras are changed whatever is asked.\n\n"
        f"{table(head, rows)}\n\n"
        f"Of {len(swept)} moves, rotations (up to 120°, without symmetry), scalings and viewpoints, carried out "
        f"by the shares {', '.join(f'{share:g}' for share in _SHARES)}, `sa` differs from max(0, 1 − |1 − α|) by "
        f"at most {worst:.4f}, and {wrong} values of `ic` at −1, 0, 0.25 and 1 are wrong."
    )
    return text, failed
