"""Audits: a cheat that is paid is shown, and what is no cheat is not."""

import json
from math import isclose

import pytest

from commands import invoke
from envs.paid import Paid
from pixelproof.contract import Result
from pixelproof.envs import audit, open_environment


class Polite(Paid):
    """Pays full reward for the prompt's own words: a hole in the scorer."""

    def score(self, item, answer, judgements):
        if answer.text.startswith("Guess a digit"):
            return Result(item.id, {"close": 1.0})
        return super().score(item, answer, judgements)


def payments(bench, n=60):
    report = audit(open_environment(bench, calibrate=n), n)
    return report, {payment.strategy: payment for payment in report.payments}


def test_cheats_are_paid_no_more_than_the_best_blind_strategy():
    report, paid = payments(Paid())
    assert {"one-answer", "format-only", "most-frequent", "words-only", "refuse", "copy", "delete"} < set(paid)
    assert "look-everywhere" not in paid  # the bench has no tools
    assert paid["ceiling-truth"].calibrated == 1 and paid["ceiling-truth"].kind == "ceiling"
    assert isclose(paid["floor-five"].calibrated, 0, abs_tol=1e-9) and paid["floor-five"].kind == "floor"
    assert paid["wrong"].kind == "diagnostic" and paid["words-only"].calibrated < -0.5
    assert all(payment.lo - 1e-9 <= payment.calibrated <= payment.hi + 1e-9 for payment in report.payments)
    assert not [payment for payment in report.above(0.4) if payment.kind != "cheat"]


def test_a_hole_in_a_scorer_is_shown():
    report, paid = payments(Polite())
    assert paid["words-only"].calibrated == 1
    assert "words-only" in [payment.strategy for payment in report.above(0.4)]


@pytest.mark.slow
def test_the_command_prints_the_table_and_fails_above_a_limit(capsys):
    words = ("env", "audit", "pixelart", "--n", 6)
    shown = invoke(capsys, *words)
    assert "exact.solved" in shown.stdout and "floor-same-kind" in shown.stdout and "calibrated" in shown.stdout
    listed = invoke(capsys, *words, "--json", "--fail-above", -2, code=5)
    report = json.loads(listed.stdout)
    assert report["items"] == 6 and {row["kind"] for row in report["payments"]} == {"ceiling", "floor", "cheat"}
