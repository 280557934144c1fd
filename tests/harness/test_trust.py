"""Summaries and comparisons of few items: intervals by range, undefined calibration, the gate."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from pixelproof.cli._commands import compare_command
from pixelproof.cli.exit_codes import CANNOT_TELL, GATE_FIRED
from pixelproof.contract import Answer, Metric, PixelProofError, Source
from pixelproof.harness import Plan, Settings, compare, comparison_to_json, run
from pixelproof.harness._table import Table
from support import Guess

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


def made(tmp_path, name, n, answer, bench=Guess):
    return run(Plan(bench(n=n), Source("digits")), answer, settings=Settings(out=tmp_path / name))


def truths(n):
    """The right reply to each item."""
    return [f"{item.truth:02d}" for item in Guess(n=n).items(Source("digits"), 0, None)]


class Replies:
    """Answers the items in order."""

    def __init__(self, replies):
        self.replies = iter(replies)

    def __call__(self, prompt):
        return next(self.replies)


def both(tmp_path, n):
    right = truths(n)
    wrong = [f"{9 if int(digit) < 5 else 0:02d}" for digit in right]
    return made(tmp_path, "a", n, Replies(right)), made(tmp_path, "b", n, Replies(wrong))


@pytest.mark.parametrize("n, code", [(4, CANNOT_TELL), (5, GATE_FIRED), (7, GATE_FIRED)])
def test_the_gate_fires_from_five_items_on_and_says_when_it_cannot(tmp_path, n, code, monkeypatch):
    a, b = both(tmp_path, n)
    compared = compare(a, b, bench=Guess(n=n))
    assert set(compared.gate.falls) == {"close", "pooled"}
    assert bool(compared.gate.untestable) is (n < 5)
    assert ("close" in compared.gate.worse) is (n >= 5)
    monkeypatch.setattr("pixelproof.harness.compare", lambda *_, **__: compared)
    words = [str(a.path), str(b.path), "--fail-if-worse", "--inconclusive", "fail"]
    result = CliRunner().invoke(compare_command, words, standalone_mode=False)
    assert result.return_value == code
    text = " ".join(result.output.split())
    if code == CANNOT_TELL:
        assert "4 independent items cannot show a fall" in text and "at least 5 are needed" in text
    else:
        assert "close: B is worse than A" in text
    swapped = compare(b, a, bench=Guess(n=n))
    assert not swapped.gate.worse


@pytest.mark.parametrize("n", [3, 6, 9, 16])
def test_interval_and_verdict_never_contradict(tmp_path, n):
    a, b = both(tmp_path, n)
    for compared in (compare(a, b, ["all"], Guess(n=n)), compare(b, a, ["all"], Guess(n=n))):
        for d in compared.differences:
            excludes = d.difference.lo > 0 or d.difference.hi < 0
            assert excludes is (d.p_adjusted <= 0.05)
    told = comparison_to_json(compared)
    assert {"a", "b", "items", "changes", "metrics", "gate"} <= told.keys()
    assert {"p", "p_adjusted", "verdict", "difference", "n"} <= told["metrics"]["close"].keys()


def test_equal_runs_have_an_uncertain_difference(tmp_path):
    a = made(tmp_path, "a", 8, Replies(truths(8)))
    for d in compare(a, a, ["close", "pooled"], Guess(n=8)).differences:
        assert d.difference.value == 0 and d.difference.lo < -0.1 and d.difference.hi > 0.1 and d.verdict == "not shown"


def test_perfect_answers_are_not_certain_and_one_slip_changes_little(tmp_path):
    right = truths(7)
    perfect = made(tmp_path, "perfect", 7, Replies(right)).summary["metrics"]
    for name in ("close", "hit", "pooled"):
        assert perfect[name]["value"] == 1 and perfect[name]["hi"] == 1 and 0.55 < perfect[name]["lo"] < 0.62
    assert perfect["close"]["calibrated"]["lo"] > -0.6 and perfect["close"]["interval_reason"] is None
    assert perfect["length"]["lo"] is None and "all values are equal" in perfect["length"]["interval_reason"]


@dataclass(frozen=True)
class Upside(Guess):
    """The ceiling scores below the floor."""

    def controls(self):
        controls = dict(super().controls())
        wrong = lambda item, rng: Answer(f"{9 if item.truth < 5 else 0:02d}")  # noqa: E731
        return {**controls, "ceiling-truth": wrong, "ceiling-channel": wrong}


def test_a_ceiling_below_the_floor_gives_null_with_the_reason(tmp_path):
    done = made(tmp_path, "run", 12, Replies(truths(12)), Upside)
    close = done.summary["metrics"]["close"]
    assert close["calibrated"] is None and "not clearly better than the floor" in close["calibrated_reason"]


@dataclass(frozen=True)
class Overstated(Guess):
    """Declares a range that its values leave."""

    metrics: ClassVar[tuple[Metric, ...]] = (replace(Guess.metrics[0], range=(0, 0.5)), *Guess.metrics[1:])


def test_stored_values_outside_the_declared_range_name_the_metric(tmp_path):
    done = made(tmp_path, "run", 5, Replies(truths(5)))  # a scorer that declares 0 to 1
    table = Table(done.path, Overstated(n=5), {})
    with pytest.raises(PixelProofError, match=r"close declares the range 0 to 0\.5, but a result has 1"):
        table.metric(Overstated.metrics[0]).summary(np.ones(5, dtype=bool))


def test_named_metrics_are_the_gate(tmp_path):
    a, b = both(tmp_path, 6)
    assert set(compare(a, b, ["hit"], Guess(n=6)).gate.falls) == {"hit"}
    assert not math.isnan(compare(a, b, ["hit"], Guess(n=6)).gate.falls["hit"].p)
