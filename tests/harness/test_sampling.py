"""Several answers per item, parts of pooled metrics, calibration on some of the items."""

import itertools
import json
from dataclasses import dataclass

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import Part, PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.harness._sampling import sampling
from support import Guess, accuracy


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


values = st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=6)


@given(values, st.booleans())
def test_best_of_k_is_the_mean_over_all_choices(rows, lower):
    table = np.array(rows)
    items = np.repeat(np.arange(len(rows)), 3)
    told = sampling(table.ravel(), items, items, lower_is_better=lower)
    best = min if lower else max
    for k in (1, 2, 3):
        every = [np.mean([best(choice) for choice in itertools.combinations(row, k)]) for row in rows]
        assert told.best[str(k)].value == pytest.approx(np.mean(every), abs=1e-9)
        assert told.best_of_first[str(k)] == pytest.approx(np.mean([best(row[:k]) for row in rows]))
    assert told.spread == pytest.approx(np.sqrt(np.mean([np.var(row, ddof=1) for row in rows])))


def test_every_k_is_over_the_items_that_have_k_answers_and_one_answer_tells_nothing():
    told = sampling(np.array([1.0, 3.0, 9.0]), np.array([0, 0, 1]), np.array([0, 0, 1]))
    assert told.best["2"].value == 3.0 and told.items == {"1": 2, "2": 1}
    assert told.best["1"].value == told.best_of_first["1"] + 0.5 == 5.5  # means of 2 and 9, firsts of 1 and 9
    assert told.between == pytest.approx(np.std([2, 9], ddof=1))
    assert sampling(np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1])) is None


@pytest.mark.slow
def test_a_run_with_samples_tells_of_them(tmp_path):
    three = run(
        Plan(Guess(), Source("digits"), samples=3), "fn/support:counting", settings=Settings(out=tmp_path / "a")
    )
    told = three.summary["sampling"]["close"]
    assert set(told["best"]) == set(told["best_of_first"]) == {"1", "2", "3"}
    assert told["best"]["1"]["value"] == pytest.approx(three.summary["metrics"]["close"]["value"])
    assert told["best"]["3"]["value"] > told["best"]["1"]["value"]
    assert "pooled" not in three.summary["sampling"]  # it has no value per answer
    one = run(Plan(Guess(), Source("digits")), "fn/support:counting", settings=Settings(out=tmp_path / "b"))
    assert one.summary["sampling"] == {}


@dataclass(frozen=True)
class Parted(Guess):
    """A bench whose pooled metric has parts; the second never has a count."""

    def parts(self, source):
        return {
            "half": {
                "first": {"share": Part("pooled", (0, 1), accuracy)},
                "no": {"share": Part("pooled", (0, 0), _none)},
            }
        }


def _none(sums):
    return np.full(np.shape(sums)[:-1], np.nan)


@pytest.mark.slow
def test_parts_are_summarised_like_metrics(tmp_path):
    done = run(Plan(Parted(), Source("digits")), "fn/support:even_odd", settings=Settings(out=tmp_path / "a"))
    part, whole = done.summary["groups"]["half"]["first"]["share"], done.summary["metrics"]["pooled"]
    assert {name: part[name] for name in ("value", "lo", "hi", "floor", "ceiling")} == {
        name: whole[name] for name in ("value", "lo", "hi", "floor", "ceiling")
    }
    assert "no" not in done.summary["groups"]["half"]


@pytest.mark.slow
def test_calibration_on_some_of_the_items(tmp_path):
    plan = Plan(Guess(n=40), Source("digits"))
    all_of_them = run(plan, "fn/support:even_odd", settings=Settings(out=tmp_path / "all")).summary
    some = run(plan, "fn/support:even_odd", settings=Settings(out=tmp_path / "some", calibrate=10)).summary
    none = run(plan, "fn/support:even_odd", settings=Settings(out=tmp_path / "none", calibrate=0)).summary
    controls = pq.read_table(tmp_path / "some" / "controls.parquet").to_pylist()
    assert [
        sum(row["close"] is not None for row in controls if row["control"] == name) for name in ("floor-five",)
    ] == [10]
    assert len([row for row in controls if row["control"] == "floor-five"]) == 40
    assert some["metrics"]["close"]["value"] == all_of_them["metrics"]["close"]["value"]
    assert some["metrics"]["close"]["floor"] != all_of_them["metrics"]["close"]["floor"]
    assert some["metrics"]["close"]["ceiling"] == 1.0 and some["metrics"]["close"]["calibrated"] is not None
    assert none["metrics"]["close"]["floor"] is None and none["metrics"]["close"]["calibrated"] is None
    assert json.loads((tmp_path / "some" / "card.json").read_text())["calibrated_on"] == 10
    with pytest.raises(PixelProofError, match="--calibrate"):
        Settings(calibrate=-1)


@pytest.mark.slow
def test_work_is_spread_by_itself_where_there_is_enough(tmp_path):
    plan, model = Plan(Guess(n=80), Source("digits")), "control/floor-random"
    serial = run(plan, model, settings=Settings(out=tmp_path / "one", workers=1))
    spread = run(plan, model, settings=Settings(out=tmp_path / "all", workers=None))
    assert serial.summary == spread.summary
    assert pq.read_table(serial.path / "answers.parquet").equals(pq.read_table(spread.path / "answers.parquet"))
