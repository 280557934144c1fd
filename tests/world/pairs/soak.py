"""Many pairs of every operation, each checked by code that shares nothing with `apply`.

`python -m world.pairs.soak --n 2000 --out FILE` from `tests` writes lines of JSON: pairs so far, by operation, and the
problems. If the file exists, it is continued. Several pairs share a scene, and texts are checked for one pair in
sixteen, because reading a text needs a render; poses are checked, and settle again, for all.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from oracles.language import check
from oracles.language._fits import resolve
from oracles.language._parser import SLOTS, tokens
from pixelproof.contract import PixelProofError
from pixelproof.world.edits import apply
from pixelproof.world.pairs import OPERATIONS, Pair, sample_pair
from world.edits import checker
from world.pairs.samples import seen, sentences

PER_SCENE = 20
TEXTS = 16


def names_of(text):
    """Meanings of all phrases with `the` in a text, the longest ones."""
    words, at = tokens(text), 0
    while at < len(words):
        readings = sorted(SLOTS["the"](words, at), key=lambda reading: reading[1])
        if readings:
            yield readings[-1][0]
        at = readings[-1][1] if readings else at + 1


def unjustified(pair: Pair, texts: bool = True) -> Iterator[str]:
    """Why an instruction that is called impossible may be possible, or mean something else."""
    ids = {thing.id for thing in pair.before.things}
    named = {id for id in (pair.edit.target if pair.edit.action != "insert" else "", pair.edit.anchor) if id}
    if texts:
        view = seen(pair.before)
        meant = [resolve(view, meaning)[0] for meaning in names_of(pair.text)]
        if {entity.id for entity in meant if entity} != named & ids:
            yield f"it means {meant}, not {named}"
    if pair.why_not == "absent":
        if named <= ids:
            yield "everything that it names is there"
    elif apply(pair.before, pair.edit).possible:
        yield "it can be carried out"


def problems(pair: Pair, texts: bool = True) -> Iterator[str]:
    """Everything that is wrong with a pair, by the checkers of texts and of edits."""
    if not pair.possible:
        yield from unjustified(pair, texts)
        return
    outcomes = pair.outcomes() if len(pair.steps) > 1 else _single(pair)
    scene = pair.before
    for sentence, outcome in zip(sentences(pair), outcomes, strict=True):
        if texts:
            yield from check(seen(scene), sentence)
        yield from checker.problems(outcome)
        scene = outcome.after
    if scene != pair.after:
        yield "the scene after is another"


def _single(pair: Pair):
    """The only step of a pair, with the scenes that the pair has: it is not carried out again."""
    return [SimpleNamespace(edit=pair.edit, before=pair.before, after=pair.after)]


def broken(operation: str, index: int, count: int, seed: int = 11) -> tuple[int, list[str]]:
    """Number of different pairs of an operation that were found for a scene, and their problems."""
    made, found = set(), []
    for variant in range(count):
        try:
            pair = sample_pair(operation, seed, index, variant=variant)
        except PixelProofError:
            continue
        if (key := pair.to_json()) in made:
            continue
        made.add(key)
        texts = (index + variant) % TEXTS == 0
        found += [f"{operation} {index}/{variant} {pair.text!r}: {one}" for one in problems(pair, texts)]
    return len(made), found


def progress(path: Path, first: int) -> tuple[int, Counter[str], int]:
    """The next scene, the pairs so far and the number of problems, by the lines of a run that was interrupted."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if not lines:
        return first, Counter(), 0
    counts = Counter({name: count for name, count in lines[-1].items() if name in OPERATIONS})
    return lines[-1]["index"] + 1, counts, sum(len(line["broken"]) for line in lines)


def main() -> None:
    """Sample until every operation has `n` pairs, or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="index of the first scene")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    index, counts, wrong = progress(given.out, given.first)
    start = time.monotonic()
    while min(counts[name] for name in OPERATIONS) < given.n and time.monotonic() - start < given.seconds:
        for name in (name for name in OPERATIONS if counts[name] < given.n):
            number, found = broken(name, index, PER_SCENE, given.seed)
            counts[name] += number
            wrong += len(found)
            with given.out.open("a") as file:
                pages = int(Path("/proc/self/statm").read_text().split()[1])
                spent = {"cpu_s": round(time.process_time(), 1), "rss_mb": pages * resource.getpagesize() >> 20}
                file.write(json.dumps({"index": index, **spent, "broken": found, **counts}) + "\n")
        index += 1
    print(dict(counts), "problems:", wrong)


if __name__ == "__main__":
    main()
