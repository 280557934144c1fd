"""Decisions as files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pixelproof.store import replacing

from ._decisions import Decision, DecisionStore


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
