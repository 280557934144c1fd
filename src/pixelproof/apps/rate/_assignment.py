"""Who rates what: each item gets the same number of votes, and raters who disappear do not block any."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from pixelproof.stats import generator

from ._study import Study

AHEAD = 3
"""Items that a rater has reserved, so that their images can be loaded before they are shown."""
GAP = 8
"""Items between an item and its repetition, at least."""


@dataclass(frozen=True)
class Choice:
    """An item to present, and as what."""

    item: str
    role: str
    swapped: bool


@dataclass(frozen=True)
class Outlook:
    """What is left for a rater."""

    items: int
    """Items that the rater may still rate, reserved ones included."""
    others: int
    """Items that others have reserved, and that may become free."""


@dataclass(frozen=True)
class Demand:
    """How many raters have each item; a rater's own reservations do not count, nor do raters who are excluded."""

    finished: Counter[str]
    """Item → raters who have rated it."""
    taken: Counter[str]
    """Item → raters who have rated it or have it reserved."""


def read_demand(connection: sqlite3.Connection, now: float, apart_from: int) -> Demand:
    """The demand for all items, as a rater sees it."""
    finished = Counter(dict(iter(connection.execute("SELECT item, votes FROM tally"))))
    reserved = connection.execute(
        "SELECT p.item, COUNT(*) FROM presentations p JOIN raters r ON r.id = p.rater WHERE p.role = 'rated' "
        "AND p.done = 0 AND p.lease > ? AND p.rater != ? AND r.state != 'excluded' GROUP BY p.item",
        (now, apart_from),
    )
    taken = finished.copy()
    for item, count in reserved:
        taken[item] += count
    return Demand(finished, taken)


def count_again(connection: sqlite3.Connection) -> None:
    """Fill the table of finished items anew, after a rater was excluded or included."""
    connection.execute("DELETE FROM tally")
    connection.execute(
        "INSERT INTO tally (item, votes) SELECT p.item, COUNT(*) FROM presentations p JOIN raters r ON r.id = p.rater "
        "WHERE p.role = 'rated' AND p.done = 1 AND r.state != 'excluded' GROUP BY p.item"
    )


class Assignment:
    """Chooses the next items of raters."""

    def __init__(self, study: Study) -> None:
        """Prepare for a study."""
        self._study = study
        self._ids = list(study.items)
        self._orders: dict[int, list[int]] = {}

    def next(self, connection: sqlite3.Connection, rater: int, demand: Demand, count: int) -> list[Choice]:
        """Up to `count` further presentations of a rater; none if nothing is left."""
        if count < 1:
            return []
        sql = "SELECT item, role, done FROM presentations WHERE rater = ? AND done != 2 ORDER BY id"
        rows = connection.execute(sql, (rater,))
        history = [(str(item), str(role), done == 1) for item, role, done in rows]
        free = self._free(rater, demand, {item for item, role, _ in history if role == "rated"})
        choices: list[Choice] = []
        while len(choices) < count:
            choice = self._hidden(rater, history, False) or next(free, None) or self._hidden(rater, history, True)
            if choice is None:
                break
            choices.append(choice)
            history.append((choice.item, choice.role, False))
        return choices

    def outlook(self, connection: sqlite3.Connection, rater: int, demand: Demand) -> Outlook:
        """What is left for a rater."""
        sql = "SELECT item, done FROM presentations WHERE rater = ? AND role = 'rated' AND done != 2"
        rows = connection.execute(sql, (rater,))
        own = dict(iter(rows))
        left = sum(not done for done in own.values())
        limit, wanted = self._study.items_per_rater, self._study.votes_per_item
        capacity = len(self._ids) if limit is None else max(0, limit - len(own))
        if wanted is None:
            return Outlook(left + min(capacity, sum(item not in own for item in self._ids)), 0)
        free = [item for item in self._ids if item not in own and demand.finished[item] < wanted]
        later = sum(demand.taken[item] >= wanted for item in free)
        open_now = len(free) - later
        return Outlook(left + min(capacity, open_now), min(max(0, capacity - open_now), later))

    def _free(self, rater: int, demand: Demand, own: set[str]) -> Iterator[Choice]:
        """Items that need votes, those with the fewest first, then in an order of the rater's own."""
        wanted = self._study.votes_per_item
        limit = self._study.items_per_rater
        capacity = len(self._ids) if limit is None else limit - len(own)
        if rater not in self._orders:
            draws = generator(self._study.seed, "rate order", rater)
            self._orders[rater] = draws.permutation(len(self._ids)).tolist()
        order = [self._ids[k] for k in self._orders[rater] if self._ids[k] not in own]
        if wanted is not None:
            order = sorted((item for item in order if demand.taken[item] < wanted), key=demand.taken.__getitem__)
        for item in order[: max(0, capacity)]:
            yield Choice(item, "rated", self._swapped(rater, item, "rated"))

    def _hidden(self, rater: int, history: list[tuple[str, str, bool]], at_end: bool) -> Choice | None:
        """A gold item or a repetition, if one is due."""
        rated = [item for item, role, _ in history if role == "rated"]
        gold = {item for item, role, _ in history if role == "gold"}
        again = {item for item, role, _ in history if role == "repeat"}
        every = self._study.gold_every
        if left := [item for item in self._study.gold if item not in gold]:
            offset = int(generator(self._study.seed, "rate gold", rater).integers(every))
            due = ceil(len(rated) / every) if at_end else (len(rated) + offset) // every
            if len(gold) < due:
                place = int(generator(self._study.seed, f"rate gold {rater}", len(gold)).integers(len(left)))
                return Choice(left[place], "gold", self._swapped(rater, left[place], "gold"))
        done = {item for item, role, done in history if role == "rated" and done}
        early = [item for item in rated[: max(0, len(rated) - GAP)] if item in done and item not in again]
        early = [item for item in early if item in self._study.items]
        if len(again) < int(self._study.repeats * len(rated)) and early:
            place = int(generator(self._study.seed, f"rate repeat {rater}", len(again)).integers(len(early)))
            return Choice(early[place], "repeat", self._swapped(rater, early[place], "repeat"))
        return None

    def _swapped(self, rater: int, item: str, role: str) -> bool:
        """Whether the second image of a pair is shown first; a repetition shows the pair the other way round."""
        if not self._study.pairs:
            return False
        swapped = bool(generator(self._study.seed, f"rate side {item}", rater).integers(2))
        return swapped != (role == "repeat")
