"""Abstentions: counted, never a fault, never a higher mean; and metrics within their declared range."""

import io
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from rich.console import Console

from pixelproof.cli._tables import print_summary
from pixelproof.contract import Metric, Result, Source
from pixelproof.harness import Plan, Settings, run
from support import Guess

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Unsure(Guess):
    """A scorer that abstains on every fourth item."""

    share: ClassVar[int] = 4

    def score(self, item, answer, judgements):
        result = super().score(item, answer, judgements)
        if int(item.id[-2:]) % self.share == 0 and answer.text == "07":
            return Result(item.id, {"length": 1.0}, abstained=True, notes={"why": "cannot tell"})
        return result


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


def seven(prompt):
    return "07"


def test_abstentions_are_counted_and_bounded_and_the_run_is_complete(tmp_path):
    done = run(Plan(Unsure(), Source("digits")), seven, settings=Settings(out=tmp_path / "run"))
    counts, close = done.summary["counts"], done.summary["metrics"]["close"]
    assert (counts["abstained"], counts["completed"], counts["unscored"]) == (5, 20, 0) and done.complete
    low, high = close["bounds"]
    assert low == close["value"] < high and close["n"] == 20
    assert done.summary["metrics"]["length"]["bounds"] is None  # the abstentions have this one


def test_the_bounds_are_those_of_the_floor_and_the_ceiling_on_the_same_items(tmp_path):
    done = run(Plan(Unsure(), Source("digits")), seven, settings=Settings(out=tmp_path / "run"))
    items = list(Unsure().items(Source("digits"), 0, None))
    floors = {name: [1 - abs(value - item.truth) / 9 for item in items] for name, value in (("five", 5),)}
    scored = [1 - abs(7 - item.truth) / 9 for item in items]
    unsure = [int(item.id[-2:]) % 4 == 0 for item in items]
    table = {name: done.summary["metrics"]["close"][name] for name in ("floor", "bounds")}
    by_floor = sum(f if u else s for f, s, u in zip(floors["five"], scored, unsure, strict=True)) / 20
    by_ceiling = sum(1 if u else s for s, u in zip(scored, unsure, strict=True)) / 20
    assert table["bounds"][1] == pytest.approx(by_ceiling)
    if table["floor"] == pytest.approx(sum(floors["five"]) / 20):  # else the random floor was the better one
        assert table["bounds"][0] == pytest.approx(by_floor)


def test_abstaining_never_raises_the_mean(tmp_path, monkeypatch):
    sure = run(Plan(Guess(), Source("digits")), "control/ceiling-truth", settings=Settings(out=tmp_path / "sure"))
    values = []
    for share in (1, 2, 5):
        monkeypatch.setattr(Unsure, "share", share)
        done = run(Plan(Unsure(), Source("digits")), seven, settings=Settings(out=tmp_path / f"{share}"))
        values.append(done.summary["metrics"]["close"]["value"])
    assert values[0] == pytest.approx(done.summary["metrics"]["close"]["floor"])  # all abstained: the floor
    assert all(value <= sure.summary["metrics"]["close"]["value"] for value in values)


def test_a_value_outside_its_range_is_an_instrument_fault(tmp_path, monkeypatch):
    metrics = (replace(Guess.metrics[0], range=(0.0, 0.5)), *Guess.metrics[1:])
    monkeypatch.setattr(Guess, "metrics", metrics)
    done = run(Plan(Guess(), Source("digits")), "control/ceiling-truth", settings=Settings(out=tmp_path / "run"))
    assert done.summary["counts"]["unscored"] == 20
    assert "close is 1, outside its declared range 0 to 0.5" in done.failure_examples()["out-of-range"]
    assert Metric("x", "y").range is None


def test_the_table_shows_coverage_and_bounds(tmp_path):
    done = run(Plan(Unsure(), Source("digits")), seven, settings=Settings(out=tmp_path / "run"))
    console = Console(file=io.StringIO(), width=120)
    print_summary(console, done, Unsure())
    text = console.file.getvalue()
    low, high = done.summary["metrics"]["close"]["bounds"]
    assert f"{low:.2f} to {high:.2f}" in text and "Abstentions: 5 (coverage 75%)" in text


@pytest.mark.parametrize("calibrate", [None, 2, 5])
def test_refusing_does_not_pay_where_floors_are_measured_on_some_items(tmp_path, calibrate):
    plan = Plan(Guess(), Source("digits"))

    def picky(prompt):
        return "7" if "odd" in prompt.text else "I refuse"

    done = run(plan, picky, settings=Settings(out=tmp_path / "run", calibrate=calibrate))
    close, counts = done.summary["metrics"]["close"], done.summary["counts"]
    assert counts["model_faults"] > 0 and close["n"] == 20, "no refusal drops out of the mean"
    assert close["value"] != close["excluding_faults"]


def test_bounds_are_in_order_for_metrics_where_lower_is_better(tmp_path, monkeypatch):
    metrics = (replace(Guess.metrics[0], higher_is_better=False), *Guess.metrics[1:])
    monkeypatch.setattr(Unsure, "metrics", metrics)
    done = run(Plan(Unsure(), Source("digits")), seven, settings=Settings(out=tmp_path / "run"))
    low, high = done.summary["metrics"]["close"]["bounds"]
    assert low <= high
