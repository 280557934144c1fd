"""`--max-cost` after damage to the table of calls: what is lost counts as reserved, or the budget is refused."""

import json
import os

import pytest

from harness.test_budget import go, own_service, replies  # noqa: F401 - a fixture
from models.servers import serving
from pixelproof.cli._repair import describe
from pixelproof.contract import PixelProofError, Usage
from pixelproof.harness import repair
from pixelproof.harness._calls import CallTable
from pixelproof.harness._rundir import CARD, CARD_COPY
from pixelproof.store import write_sealed_json

pytestmark = pytest.mark.slow

BUDGET = 0.05
"""Six calls of 0.008 dollars; five were made."""


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """A run that was killed: four answers, and a call in flight; all calls are in a journal."""
    path = tmp_path / "run"
    with serving(replies(prompt_tokens=1, completion_tokens=8)) as server:
        go(path, server, monkeypatch, limit=4, connections=1)
        rows = list(CallTable(path).rows())
        os.remove(path / "calls.parquet")
        table = CallTable(path)
        expected = Usage(rows[0]["reserved_input"], rows[0]["reserved_output"])
        for row in rows:
            table.close(table.open(expected, row["cost"]), row["state"], Usage(1, 8), row["cost"], expected)
        table.open(expected, rows[0]["cost"])
        table.close_files()
        card = json.loads((path / CARD).read_text())
        for name in (CARD, CARD_COPY):
            write_sealed_json(
                path / name, card | {"state": "running", "ledger": None, "counted": {"calls": 0, "answers": 0}}
            )
        yield path, server, path / "calls.parts" / "journal.jsonl"


def flip(journal, *lines):
    texts = journal.read_bytes().split(b"\n")
    for line in lines:
        texts[line] = texts[line].replace(b'"reserved_output":', b'"reserved_outqut":')
    journal.write_bytes(b"\n".join(texts))


def resume(path, server, monkeypatch, **settings):
    return go(path, server, monkeypatch, resume=True, connections=1, **{"max_cost": BUDGET} | settings)


@pytest.mark.parametrize("lines, calls", [((8,), 1), ((6, 7, 8), 2), ((2, 3, 8), 2), ((7,), 1)])
def test_calls_that_cannot_be_read_count_as_reserved(interrupted, monkeypatch, lines, calls):
    """Lines 2n and 2n + 1 are of call n + 1; 8 is of the one in flight. The budget allows one more."""
    path, server, journal = interrupted
    flip(journal, *lines)
    with pytest.raises(PixelProofError, match="pixelproof runs repair"):
        resume(path, server, monkeypatch)
    report = repair(path)
    assert report.calls >= calls and f"Lost calls: {report.calls} at most" in "\n".join(describe(report))
    resume(path, server, monkeypatch)
    assert len(server.seen) <= 5


def damage_all(journal):
    flip(journal, *range(9))


def cut_off(journal):
    journal.write_bytes(journal.read_bytes()[:500])


@pytest.mark.parametrize("harm", [damage_all, cut_off, os.remove], ids=["damaged", "cut off", "deleted"])
def test_a_budget_that_cannot_be_kept_is_refused(interrupted, monkeypatch, harm):
    path, server, journal = interrupted
    harm(journal)
    repair(path)
    with pytest.raises(PixelProofError, match="--max-cost cannot be kept"):
        resume(path, server, monkeypatch, limit=5)
    assert len(server.seen) == 4
    resume(path, server, monkeypatch, max_cost=None, limit=5)
    assert len(server.seen) == 5
    with pytest.raises(PixelProofError, match="--max-cost cannot be kept"):
        resume(path, server, monkeypatch, limit=5)


def test_a_repair_says_that_the_costs_are_not_known(interrupted):
    path, _, journal = interrupted
    damage_all(journal)
    report = repair(path)
    assert report.unpriced and any("cannot be continued with --max-cost" in line for line in describe(report))
