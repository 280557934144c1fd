"""Decisions of a reviewer in a database; every method that returns has its changes on the disk."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import replacing
from pixelproof.web import Database

from ._batch import Batch, Proposal

FILE = "review.db"
VERDICTS = ("accept", "fix", "reject")
LONGEST = 4000
AHEAD = 4
"""Proposals that the page gets at once, so that it can load their images."""
SCHEMA = """
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    proposal TEXT NOT NULL,
    digest TEXT NOT NULL,                    -- of what the reviewer was shown
    attempt INTEGER NOT NULL,                -- 0, and one more after each undo: a request that is sent again is known
    verdict TEXT NOT NULL,                   -- accept, fix, reject
    text TEXT NOT NULL,                      -- fix: the text in place of the proposed one
    reason TEXT NOT NULL,                    -- reject: why
    time REAL NOT NULL,
    withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX sent ON decisions (proposal, digest, attempt);
CREATE UNIQUE INDEX counted ON decisions (proposal, digest) WHERE withdrawn = 0;
"""
"""Rows are never deleted."""


@dataclass(frozen=True)
class Decision:
    """What a reviewer decided about a proposal."""

    proposal: str
    verdict: str
    text: str = ""
    reason: str = ""
    time: float = 0.0


class DecisionStore:
    """The decisions about a batch. Safe for several threads and processes."""

    def __init__(self, batch: Batch, clock: Callable[[], float] = time.time) -> None:
        """Open the database of a batch, or create it.

        Args:
            batch: The batch. A decision about a proposal that has changed since does not count.
            clock: Seconds since the epoch.

        Raises:
            PixelProofError: The database is damaged.
        """
        self.batch = batch
        self._clock = clock
        self.database = Database(batch.folder / FILE, [SCHEMA])

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether a folder has decisions."""
        return (folder / FILE).is_file()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def decisions(self) -> dict[str, Decision]:
        """Id of a proposal → the decision that counts, in the order of the batch."""
        sql = "SELECT proposal, digest, verdict, text, reason, time FROM decisions WHERE withdrawn = 0"
        rows = {(row[0], row[1]): row for row in self.database.read(sql)}
        found = {id: rows.get((id, digest)) for id, digest in self.batch.digests.items()}
        return {id: Decision(row[0], *row[2:]) for id, row in found.items() if row is not None}

    def outdated(self) -> int:
        """Number of decisions about proposals that have changed since, or are gone."""
        sql = "SELECT proposal, digest FROM decisions WHERE withdrawn = 0"
        known = set(self.batch.digests.items())
        return sum((row[0], row[1]) not in known for row in self.database.read(sql))

    def state(self, after: str | None = None, outcome: str = "") -> dict[str, Any]:
        """What the page shows: the next proposals without a decision, the progress, and what may be undone.

        Args:
            after: Begin behind this proposal, and come back to those before it at the end.
            outcome: What became of a request.
        """
        decided = self.decisions()
        order = list(self.batch.proposals)
        start = order.index(after) + 1 if after is not None and after in self.batch.proposals else 0
        open_ones = [id for id in (*order[start:], *order[:start]) if id not in decided]
        newest = self._newest()
        counts = Counter(decision.verdict for decision in decided.values())
        return {
            "queue": [self._described(self.batch.proposals[id]) for id in open_ones[:AHEAD]],
            "done": len(decided),
            "total": len(order),
            "counts": {verdict: counts[verdict] for verdict in VERDICTS},
            "reasons": self._reasons(decided),
            "undo": None if newest is None or newest["withdrawn"] else newest["id"],
            "outcome": outcome,
        }

    def decide(self, id: str, attempt: int, verdict: str, text: str = "", reason: str = "") -> dict[str, Any]:
        """Store a decision once, however often it is sent.

        Args:
            id: The proposal.
            attempt: As in the state: 0, and one more after each undo.
            verdict: One of `VERDICTS`.
            text: Of a fix: the new text.
            reason: Of a rejection: why.

        Returns:
            The new state; its `outcome` is `stored`, `known` if this very decision is stored already, or `decided` if
            another one is, for instance from another window.

        Raises:
            PixelProofError: There is no such proposal or verdict, or a fix has no new text, or a rejection no reason.
        """
        proposal = self._checked(id, verdict, text, reason)
        with self.database.write() as connection:
            outcome = self._store(connection, proposal, attempt, verdict, text.strip(), reason.strip())
        return self.state(id, outcome)

    def undo(self, decision: int) -> dict[str, Any]:
        """Withdraw the newest decision; any earlier one is final.

        Returns:
            The new state, which begins with the proposal; its `outcome` is `undone`, also if it was before, or `final`.
        """
        with self.database.write() as connection:
            newest = connection.execute("SELECT * FROM decisions ORDER BY id DESC LIMIT 1").fetchone()
            if newest is None or newest["id"] != decision:
                return self.state(None, "final")
            connection.execute("UPDATE decisions SET withdrawn = 1 WHERE id = ?", (decision,))
        order = list(self.batch.proposals)
        place = order.index(newest["proposal"]) if newest["proposal"] in self.batch.proposals else 0
        return self.state(order[place - 1] if place else None, "undone")

    def _checked(self, id: str, verdict: str, text: str, reason: str) -> Proposal:
        proposal = self.batch.proposals.get(id)
        if proposal is None or verdict not in VERDICTS:
            raise PixelProofError("There is no such proposal or verdict: reload the page.")
        if max(len(text), len(reason)) > LONGEST:
            raise PixelProofError(f"A text may have {LONGEST} characters at most.")
        if verdict == "fix" and text.strip() in ("", proposal.text.strip()):
            raise PixelProofError("A fix needs another text: change it, or accept the proposal.")
        if verdict == "reject" and not reason.strip():
            raise PixelProofError("A rejection needs a reason.")
        return proposal

    def _store(
        self, connection: sqlite3.Connection, proposal: Proposal, attempt: int, verdict: str, text: str, reason: str
    ) -> str:
        text, reason = text if verdict == "fix" else "", reason if verdict == "reject" else ""
        sql = "SELECT * FROM decisions WHERE proposal = ? AND digest = ? ORDER BY attempt"
        earlier = connection.execute(sql, (proposal.id, self.batch.digests[proposal.id])).fetchall()
        for row in earlier:
            if row["attempt"] == attempt:
                same = (row["verdict"], row["text"], row["reason"]) == (verdict, text, reason)
                return "known" if same and not row["withdrawn"] else "decided"
        if earlier and not earlier[-1]["withdrawn"]:
            return "decided"
        if attempt != len(earlier):
            raise PixelProofError("This decision is out of order: reload the page.")
        connection.execute(
            "INSERT INTO decisions (proposal, digest, attempt, verdict, text, reason, time) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (proposal.id, self.batch.digests[proposal.id], attempt, verdict, text, reason, self._clock()),
        )
        return "stored"

    def _described(self, proposal: Proposal) -> dict[str, Any]:
        sql = "SELECT COUNT(*) FROM decisions WHERE proposal = ? AND digest = ?"
        attempt = self.database.read(sql, (proposal.id, self.batch.digests[proposal.id]))[0][0]
        images = [{"name": name, "key": self.batch.keys[path]} for name, path in proposal.images.items()]
        facts = [{"name": name, "text": text} for name, text in proposal.facts.items()]
        return {"id": proposal.id, "text": proposal.text, "images": images, "facts": facts, "attempt": int(attempt)}

    def _newest(self) -> sqlite3.Row | None:
        rows = self.database.read("SELECT * FROM decisions ORDER BY id DESC LIMIT 1")
        return rows[0] if rows else None

    @staticmethod
    def _reasons(decided: Mapping[str, Decision]) -> list[str]:
        """Reasons that were given, the most frequent first."""
        counts = Counter(decision.reason for decision in decided.values() if decision.reason)
        return [reason for reason, _ in counts.most_common(20)]


@dataclass(frozen=True)
class Exported:
    """What an export has written."""

    accepted: int
    fixed: int
    """Part of accepted: with another text."""
    rejected: int
    undecided: int
    reasons: Mapping[str, int]
    """Reason for a rejection → how often it was given, the most frequent first."""


def write_export(store: DecisionStore, folder: Path) -> Exported:
    """Write `accepted.jsonl`, `rejected.jsonl` and `undecided.jsonl` into a folder.

    Every line is that of the proposal, with `review`: verdict, reason and time. A fixed text stands in `text`, and the
    proposed one in `review.proposed`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    decided = store.decisions()
    rows: dict[str, list[dict[str, Any]]] = {"accepted": [], "rejected": [], "undecided": []}
    for id, proposal in store.batch.proposals.items():
        decision = decided.get(id)
        if decision is None:
            rows["undecided"].append(proposal.row())
        else:
            rows["rejected" if decision.verdict == "reject" else "accepted"].append(_row(proposal.row(), decision))
    for name, lines in rows.items():
        _write(folder / f"{name}.jsonl", lines)
    counts = Counter(decision.verdict for decision in decided.values())
    reasons = Counter(decision.reason for decision in decided.values() if decision.verdict == "reject")
    accepted = counts["accept"] + counts["fix"]
    return Exported(accepted, counts["fix"], counts["reject"], len(rows["undecided"]), dict(reasons.most_common()))


def _row(row: dict[str, Any], decision: Decision) -> dict[str, Any]:
    when = datetime.fromtimestamp(decision.time, UTC).isoformat(timespec="seconds")
    review = {"verdict": decision.verdict, "time": when}
    if decision.verdict == "reject":
        review["reason"] = decision.reason
    if decision.verdict == "fix":
        review["proposed"], row = row["text"], {**row, "text": decision.text}
    return {**row, "review": review}


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with replacing(path) as temporary:
        temporary.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
