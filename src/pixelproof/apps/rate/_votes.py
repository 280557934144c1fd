"""The votes of a study in its database; every method that returns has its changes on the disk."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import digest
from pixelproof.web import Database

from ._assignment import AHEAD, Assignment, Outlook, count_again, read_demand
from ._schema import SCHEMA
from ._study import Question, Study, StudyItem

FILE = "votes.db"
STATES = ("active", "closed", "excluded")
LONGEST_NAME = 60


@dataclass(frozen=True)
class Counted:
    """A vote that counts, with its context."""

    rater: str
    item: str
    role: str
    question: str
    value: int
    swapped: bool
    seconds: float
    time: float


class VoteStore:
    """Raters, what they were shown, and what they answered. Safe for several threads and processes."""

    def __init__(self, study: Study, clock: Callable[[], float] = time.time) -> None:
        """Open the database of a study, or create it.

        Args:
            study: The study.
            clock: Seconds since the epoch.

        Raises:
            PixelProofError: The database is damaged, or the study has changed since votes were stored.
        """
        self.study = study
        self._clock = clock
        self._assignment = Assignment(study)
        self.database = Database(study.folder / FILE, [SCHEMA])
        try:
            self._check_content()
        except BaseException:
            self.database.close()
            raise

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether a folder has votes."""
        return (folder / FILE).is_file()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # Raters

    def add_rater(self, name: str, key: str) -> None:
        """Add a rater whose token has this key.

        Raises:
            PixelProofError: The name is taken, empty, too long, or has control characters.
        """
        if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise PixelProofError(f"{name!r} is no name for a rater: use 1 to {LONGEST_NAME} printable characters.")
        try:
            with self.database.write() as connection:
                sql = "INSERT INTO raters (name, key, invited) VALUES (?, ?, ?)"
                connection.execute(sql, (name, key, self._clock()))
        except sqlite3.IntegrityError:
            raise PixelProofError(f"There is a rater {name!r} already: choose another name.") from None

    def change_rater(self, name: str, state: str | None = None, key: str | None = None) -> None:
        """Change the state of a rater, or replace the token.

        Raises:
            PixelProofError: There is no such rater or state.
        """
        if state is not None and state not in STATES:
            raise PixelProofError(f"A rater is one of: {', '.join(STATES)}.")
        with self.database.write() as connection:
            sql = "UPDATE raters SET state = COALESCE(?, state), key = COALESCE(?, key) WHERE name = ?"
            if connection.execute(sql, (state, key, name)).rowcount != 1:
                raise PixelProofError(f"There is no rater {name!r}.")
            if state is not None:
                count_again(connection)

    def find_rater(self, key: str) -> str | None:
        """The name of the active rater whose token has this key."""
        rows = self.database.read("SELECT name FROM raters WHERE key = ? AND state = 'active'", (key,))
        return str(rows[0][0]) if rows else None

    def raters(self) -> list[tuple[str, str]]:
        """Name and state of every rater, in the order of invitation."""
        return [(str(row[0]), str(row[1])) for row in self.database.read("SELECT name, state FROM raters ORDER BY id")]

    # Rating

    def state(self, name: str) -> dict[str, Any]:
        """What a rater's page shows: the next items, the progress, and what may be undone. Reserves items."""
        with self.database.write() as connection:
            return self._state(connection, self._rater(connection, name))

    def finish_training(self, name: str) -> dict[str, Any]:
        """Note that a rater has left the training page."""
        with self.database.write() as connection:
            rater = self._rater(connection, name)
            sql = "UPDATE raters SET trained = ? WHERE id = ? AND trained IS NULL"
            connection.execute(sql, (self._clock(), rater))
            return self._state(connection, rater)

    def vote(self, name: str, presentation: int, question: str, attempt: int, value: int) -> dict[str, Any]:
        """Store an answer once, however often it is sent.

        Args:
            name: The rater.
            presentation: Number of the item's presentation, as in the state.
            question: Which question.
            attempt: As in the state: 0, and one more after each undo.
            value: The answer, as shown: for a pair, 1 means the image that is shown first.

        Returns:
            The new state, with `outcome`: `stored`; `known`, if this very answer is stored already; `answered`, if
            another answer is, for instance from another window; `taken`, if the item went to somebody else meanwhile.

        Raises:
            PixelProofError: There is no such item or question, or the value is no answer to it.
        """
        with self.database.write() as connection:
            rater = self._rater(connection, name)
            sql = "SELECT * FROM presentations WHERE id = ? AND rater = ? AND done != 2"
            row = connection.execute(sql, (presentation, rater)).fetchone()
            outcome = "taken" if row is None else self._store(connection, row, question, attempt, value)
            return self._state(connection, rater) | {"outcome": outcome}

    def undo(self, name: str, vote: int) -> dict[str, Any]:
        """Withdraw the newest answer of a rater; any earlier one is final.

        Args:
            name: The rater.
            vote: Number of the vote, as in the state.

        Returns:
            The new state, with `outcome`: `undone`, also if it was undone before, or `final`.
        """
        with self.database.write() as connection:
            rater = self._rater(connection, name)
            newest = _newest(connection, rater)
            if newest is None or newest["id"] != vote:
                return self._state(connection, rater) | {"outcome": "final"}
            if not newest["withdrawn"]:
                connection.execute("UPDATE votes SET withdrawn = 1 WHERE id = ?", (vote,))
                sql = "UPDATE presentations SET shown = ? WHERE id = ?"
                connection.execute(sql, (self._clock(), newest["presentation"]))
                _set_done(connection, newest["presentation"], False)
            return self._state(connection, rater) | {"outcome": "undone"}

    # Reading

    def counted(self, roles: Iterable[str] = ("rated",), excluded: bool = False) -> list[Counted]:
        """All votes that count, in the order of time.

        Args:
            roles: Of rated, repeat and gold.
            excluded: Whether votes of excluded raters are included.
        """
        wanted = list(roles)
        rows = self.database.read(
            "SELECT r.name, p.item, p.role, v.question, v.value, p.swapped, v.seconds, v.time FROM votes v "
            "JOIN presentations p ON p.id = v.presentation JOIN raters r ON r.id = p.rater WHERE v.withdrawn = 0 "
            f"AND p.role IN ({', '.join('?' * len(wanted))}) AND (? OR r.state != 'excluded') ORDER BY v.id",
            (*wanted, excluded),
        )
        return [Counted(a, b, c, d, e, bool(f), g, h) for a, b, c, d, e, f, g, h in rows]

    def version(self) -> tuple[int, ...]:
        """Changes whenever a vote or a rater does."""
        votes = self.database.read("SELECT COALESCE(MAX(id), 0), COALESCE(SUM(withdrawn), 0) FROM votes")[0]
        raters = self.database.read("SELECT COUNT(*), SUM(state = 'closed'), SUM(state = 'excluded') FROM raters")[0]
        return (*votes, *(value or 0 for value in raters))

    def finished(self) -> Mapping[str, int]:
        """Item → number of raters who have rated it, of all items."""
        known = {str(item): int(votes) for item, votes in self.database.read("SELECT item, votes FROM tally")}
        return {item: known.get(item, 0) for item in self.study.items}

    # Inside of a transaction

    def _rater(self, connection: sqlite3.Connection, name: str) -> int:
        row = connection.execute("SELECT id FROM raters WHERE name = ? AND state = 'active'", (name,)).fetchone()
        if row is None:
            raise PixelProofError("Your link is no longer valid: ask for a new one.")
        return int(row[0])

    def _store(self, connection: sqlite3.Connection, row: sqlite3.Row, question: str, attempt: int, value: int) -> str:
        item = self.study.item(row["item"])
        asked = {known.id: known for known in self.study.asked(item)} if item else {}
        if item is None or question not in asked or not asked[question].accepts(value):
            raise PixelProofError("This is no answer to a question of this study: reload the page.")
        sql = "SELECT attempt, value, withdrawn FROM votes WHERE presentation = ? AND question = ? ORDER BY attempt"
        earlier = connection.execute(sql, (row["id"], question)).fetchall()
        stored = -value if row["swapped"] else value
        for vote in earlier:
            if vote["attempt"] == attempt:
                return "known" if vote["value"] == stored and not vote["withdrawn"] else "answered"
        if earlier and not earlier[-1]["withdrawn"]:
            return "answered"
        if attempt != len(earlier):
            raise PixelProofError("This answer is out of order: reload the page.")
        now = self._clock()
        if self._is_lost(connection, row, now):
            _give_up(connection, row["id"])
            return "taken"
        newest = _newest(connection, row["rater"])
        seconds = max(0.0, now - max(row["shown"] or now, newest["time"] if newest else 0.0))
        connection.execute(
            "INSERT INTO votes (presentation, question, attempt, value, seconds, time) VALUES (?, ?, ?, ?, ?, ?)",
            (row["id"], question, attempt, stored, seconds, now),
        )
        sql = "SELECT COUNT(*) FROM votes WHERE presentation = ? AND withdrawn = 0"
        if connection.execute(sql, (row["id"],)).fetchone()[0] >= len(asked):
            _set_done(connection, row["id"], True)
        return "stored"

    def _is_lost(self, connection: sqlite3.Connection, row: sqlite3.Row, now: float) -> bool:
        """Whether an item that a rater has kept waiting has all its votes from others, and none from this rater."""
        wanted = self.study.votes_per_item
        if wanted is None or row["role"] != "rated" or row["lease"] > now:
            return False
        sql = "SELECT 1 FROM votes WHERE presentation = ? AND withdrawn = 0"
        if connection.execute(sql, (row["id"],)).fetchone():
            return False
        return read_demand(connection, now, row["rater"]).taken[row["item"]] >= wanted

    def _state(self, connection: sqlite3.Connection, rater: int) -> dict[str, Any]:
        now = self._clock()
        sql = "SELECT * FROM presentations WHERE rater = ? AND done = 0 ORDER BY id"
        for row in connection.execute(sql, (rater,)).fetchall():
            if self._is_lost(connection, row, now):
                _give_up(connection, row["id"])
            elif (item := self.study.item(row["item"])) and not self._presented(connection, row, item)["questions"]:
                _set_done(connection, row["id"], True)  # what is left to answer is not asked any more
        waiting = sum(self.study.item(row["item"]) is not None for row in connection.execute(sql, (rater,)))
        demand = read_demand(connection, now, rater)
        for choice in self._assignment.next(connection, rater, demand, AHEAD - waiting):
            item = self.study.items.get(choice.item) or self.study.gold[choice.item]
            sql_content = "INSERT OR IGNORE INTO content (kind, name, digest) VALUES ('item', ?, ?)"
            connection.execute(sql_content, (item.id, item.digest))
            connection.execute(  # or open it again, if it was given up: its withdrawn answers stay
                "INSERT INTO presentations (rater, item, role, swapped, lease) VALUES (?, ?, ?, ?, 0) "
                "ON CONFLICT (rater, item, role) DO UPDATE SET done = 0, shown = NULL",
                (rater, choice.item, choice.role, choice.swapped),
            )
        lease = now + 60 * self.study.lease_minutes
        connection.execute("UPDATE presentations SET lease = ? WHERE rater = ? AND done = 0", (lease, rater))
        rows = connection.execute(sql, (rater,)).fetchall()
        queue = [(row, item) for row in rows if (item := self.study.item(row["item"]))]
        if queue:
            first = "UPDATE presentations SET shown = ? WHERE id = ? AND shown IS NULL"
            connection.execute(first, (now, queue[0][0]["id"]))
        return self._described(connection, rater, queue, self._assignment.outlook(connection, rater, demand))

    def _described(
        self,
        connection: sqlite3.Connection,
        rater: int,
        queue: Sequence[tuple[sqlite3.Row, StudyItem]],
        outlook: Outlook,
    ) -> dict[str, Any]:
        sql = "SELECT COUNT(*), SUM(role = 'rated') FROM presentations WHERE rater = ? AND done = 1"
        done, rated = (int(value or 0) for value in connection.execute(sql, (rater,)).fetchone())
        rated += outlook.items
        gold = min(len(self.study.gold), ceil(rated / self.study.gold_every)) if self.study.gold else 0
        newest = _newest(connection, rater)
        trained = connection.execute("SELECT trained FROM raters WHERE id = ?", (rater,)).fetchone()[0]
        return {
            "queue": [self._presented(connection, row, item) for row, item in queue],
            "done": done,
            "total": max(done + len(queue), rated + int(self.study.repeats * rated) + gold) if queue else done,
            "later": outlook.others,
            "undo": None if newest is None or newest["withdrawn"] else newest["id"],
            "trained": trained is not None,
        }

    def _presented(self, connection: sqlite3.Connection, row: sqlite3.Row, item: StudyItem) -> dict[str, Any]:
        """An item as the page gets it: nothing says whether it is gold or a repetition, or which model made it."""
        sql = "SELECT question, COUNT(*), SUM(1 - withdrawn) FROM votes WHERE presentation = ? GROUP BY question"
        votes = {name: (tries, counted) for name, tries, counted in connection.execute(sql, (row["id"],))}
        left = [question for question in self.study.asked(item) if not votes.get(question.id, (0, 0))[1]]
        images = item.images[::-1] if row["swapped"] else item.images
        return {
            "presentation": row["id"],
            "images": [image.key for image in images],
            "prompt": item.images[0].prompt,
            "questions": [_asked(question, item, votes.get(question.id, (0, 0))[0]) for question in left],
        }

    def _check_content(self) -> None:
        """Refuse a study whose images or questions changed under their ids: votes would be about something else."""
        known = {
            (kind, name): value for kind, name, value in self.database.read("SELECT kind, name, digest FROM content")
        }
        for item in (*self.study.items.values(), *self.study.gold.values()):
            if known.get(("item", item.id), item.digest) != item.digest:
                raise PixelProofError(
                    f"The image, prompt or question of {item.id!r} has changed since it was rated: restore it, or give "
                    "it another image_id."
                )
        with self.database.write() as connection:
            for question in self.study.questions:
                value = digest([question.kind, question.text, list(question.labels), question.ties])
                if known.get(("question", question.id), value) != value:
                    if connection.execute("SELECT 1 FROM votes WHERE question = ? LIMIT 1", (question.id,)).fetchone():
                        raise PixelProofError(
                            f"The question {question.id!r} has changed since it was answered: restore it, or give it "
                            "another id."
                        )
                sql = "INSERT INTO content (kind, name, digest) VALUES ('question', ?, ?) "
                connection.execute(
                    sql + "ON CONFLICT (kind, name) DO UPDATE SET digest = excluded.digest", (question.id, value)
                )


def _asked(question: Question, item: StudyItem, attempt: int) -> dict[str, Any]:
    return {
        "question": question.id,
        "kind": question.kind,
        "text": question.text or item.images[0].texts[question.id],
        "labels": list(question.labels),
        "prompt": question.show_prompt,
        "ties": question.ties,
        "attempt": attempt,
    }


def _set_done(connection: sqlite3.Connection, presentation: int, done: bool) -> None:
    """Mark a presentation as complete or as open, and count it, if it is not so already."""
    sql = "UPDATE presentations SET done = ? WHERE id = ? AND done != ? RETURNING item, role"
    row = connection.execute(sql, (done, presentation, done)).fetchone()
    if row is not None and row["role"] == "rated":
        sql = "INSERT INTO tally (item, votes) VALUES (?, ?) ON CONFLICT (item) DO UPDATE SET votes = votes + ?"
        connection.execute(sql, (row["item"], int(done), 1 if done else -1))


def _give_up(connection: sqlite3.Connection, presentation: int) -> None:
    """Take an item back from a rater, who may get it again if it needs votes later."""
    if connection.execute("SELECT 1 FROM votes WHERE presentation = ?", (presentation,)).fetchone():
        connection.execute("UPDATE presentations SET done = 2, lease = 0 WHERE id = ?", (presentation,))
    else:
        connection.execute("DELETE FROM presentations WHERE id = ?", (presentation,))


def _newest(connection: sqlite3.Connection, rater: int) -> sqlite3.Row | None:
    """The vote that a rater sent last, withdrawn or not."""
    sql = (
        "SELECT v.* FROM votes v JOIN presentations p ON p.id = v.presentation WHERE p.rater = ? "
        "ORDER BY v.id DESC LIMIT 1"
    )
    row: sqlite3.Row | None = connection.execute(sql, (rater,)).fetchone()
    return row
