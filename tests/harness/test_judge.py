"""Judged metrics are calibrated: the judge is asked about controls, once per judge and question."""

import shutil
from dataclasses import replace

import pytest

from pixelproof.contract import Source
from pixelproof.harness import Plan, Prices, Settings, rescore, run
from support import Guess

ASKED: list[str] = []


def courteous(prompt):
    """A judge that finds large digits polite."""
    ASKED.append(prompt.text)
    return "yes" if any(digit in prompt.text for digit in "56789") else "no"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    metrics = tuple(replace(m, calibrated=True, range=(0, 1)) if m.name == "polite" else m for m in Guess.metrics)
    monkeypatch.setattr(Guess, "metrics", metrics)
    ASKED.clear()


def go(path, model="control/wrong", **more):
    return run(
        Plan(Guess(), Source("digits")), model, judge="fn/harness.test_judge:courteous", settings=Settings(path, **more)
    )


def asked():
    import harness.test_judge as module  # the name under which the judge is opened

    return module.ASKED


def test_judged_metrics_have_floor_and_ceiling(tmp_path):
    polite = go(tmp_path / "run").summary["metrics"]["polite"]
    items = list(Guess().items(Source("digits"), 0, None))
    assert polite["floor"] == 1.0  # floor-five is always polite, and the best floor counts
    assert polite["ceiling"] == pytest.approx(sum(item.truth >= 5 for item in items) / len(items))
    assert polite["value"] == pytest.approx(sum((item.truth + 5) % 10 >= 5 for item in items) / len(items))


def test_the_judge_is_asked_about_controls_once(tmp_path):
    asked().clear()
    go(tmp_path / "one")
    first = len(asked())
    distinct = {text for text in asked()[20:]}
    assert first == 20 + len(distinct), "no question about a control is asked twice"
    shutil.rmtree(tmp_path / "cache" / "controls")  # as after a change of the scorer
    asked().clear()
    go(tmp_path / "two")
    assert len(asked()) == 20


def test_rescoring_asks_no_judge_and_keeps_the_judged_floors(tmp_path):
    before = go(tmp_path / "run").summary["metrics"]["polite"]
    shutil.rmtree(tmp_path / "cache" / "controls")
    asked().clear()
    after = rescore(tmp_path / "run", Guess()).summary["metrics"]["polite"]
    assert asked() == [] and after == before
    shutil.rmtree(tmp_path / "cache")
    without = rescore(tmp_path / "run", Guess()).summary["metrics"]["polite"]
    assert asked() == [] and without["floor"] is None and without["value"] == before["value"]


def test_a_budget_that_ends_among_the_controls_leaves_a_summary(tmp_path):
    done = go(tmp_path / "run", prices=Prices(input=1e6, output=0.0), max_cost=20 * 10.0)
    assert done.summary["counts"]["completed"] + done.summary["counts"]["unscored"] <= 20
    assert "close" in done.summary["metrics"]
