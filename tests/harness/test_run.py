import io
import json
import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import support
from pixelproof.cli._tables import print_comparison
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, _card, _session, compare, estimate, rescore, run
from pixelproof.models import Decoding
from pixelproof.store import Lock
from support import Guess, edit_json

FLOORS = ("floor-five", "floor-random")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    support.CALLS.clear()
    support.BROKEN[:] = [True]


def plan(samples=1, limit=None, seed=0, source="digits", **options):
    return Plan(Guess(**options), Source(source), seed, limit, samples)


def go(path, model, the_plan=None, judge=None, **settings):
    return run(the_plan or plan(), model, judge=judge, settings=Settings(out=path, **settings))


@pytest.mark.slow
def test_a_run_directory_is_complete(tmp_path):
    done = go(tmp_path / "run", "fn/support:even_odd")
    assert done.complete
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {
        "card.json",
        "items.parquet",
        "answers.parquet",
        "results.parquet",
        "summary.json",
        "controls.parquet",
    } <= names
    items = pq.read_table(tmp_path / "run" / "items.parquet")
    assert items.column_names[:5] == ["item", "source", "seed", "cluster", "tags"]
    results = pq.read_table(tmp_path / "run" / "results.parquet").to_pylist()
    assert [r["item"] for r in results] == items["item"].to_pylist()
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert set(summary) >= {"bench", "version", "model", "counts", "metrics", "groups"}
    assert set(summary["metrics"]["close"]) >= {"value", "lo", "hi", "floor", "ceiling", "calibrated", "n"}
    assert summary["counts"]["planned"] == summary["counts"]["completed"] == 20
    assert summary["metrics"]["close"]["value"] == pytest.approx(np.mean([r["close"] for r in results]))
    assert set(summary["groups"]["parity"]) == {"odd", "even"}


@pytest.mark.slow
def test_the_ceiling_is_one_and_the_best_floor_is_zero(tmp_path):
    top = go(tmp_path / "top", "control/ceiling-truth").summary["metrics"]
    for name in ("close", "hit", "pooled"):
        assert top[name]["calibrated"]["value"] == pytest.approx(1)
    best = {}
    for control in ("floor-five", "floor-random"):
        for name, m in go(tmp_path / control, f"control/{control}").summary["metrics"].items():
            best[name] = max(best.get(name, -9), (m["calibrated"] or {"value": -9})["value"])
    for name in ("close", "hit", "pooled"):
        assert best[name] == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_a_model_fault_counts_as_the_floor_of_its_item(tmp_path):
    done = go(tmp_path / "run", "fn/support:mixed")
    rows = pq.read_table(tmp_path / "run" / "results.parquet").to_pylist()
    controls = pq.read_table(tmp_path / "run" / "controls.parquet").to_pylist()
    m = done.summary["metrics"]["close"]
    counting = [i for i, row in enumerate(rows) if row["status"] in ("scored", "model-fault")]
    floors = {name: {r["index"]: r["close"] for r in controls if r["control"] == name} for name in FLOORS}
    best = max(FLOORS, key=lambda name: np.mean([floors[name][i] for i in counting]))
    expected = [rows[i]["close"] if rows[i]["status"] == "scored" else floors[best][i] for i in counting]
    counts = done.summary["counts"]
    assert (counts["completed"], counts["unscored"], counts["model_faults"]) == (16, 4, 4)
    assert m["n"] == len(expected) == 16
    assert m["value"] == pytest.approx(np.mean(expected))
    assert m["floor"] == pytest.approx(np.mean([floors[best][i] for i in counting]))
    assert done.summary["failures"] == {"not-a-digit": 4, "scorer-crashed": 4}
    assert done.card["state"] == "incomplete"
    scored = [r["close"] for r in rows if r["status"] == "scored"]
    assert m["excluding_faults"] == pytest.approx(np.mean(scored))
    assert m["faults_as_zero"] == pytest.approx(np.sum(scored) / 16)


@pytest.mark.slow
def test_a_failed_result_keeps_the_metrics_it_carries(tmp_path):
    hit = go(tmp_path / "run", "fn/support:mixed").summary["metrics"]["hit"]
    rows = pq.read_table(tmp_path / "run" / "results.parquet").to_pylist()
    assert hit["value"] == pytest.approx(np.mean([r["hit"] for r in rows if r["hit"] is not None]))


@pytest.mark.slow
def test_descriptive_metrics_have_no_floor(tmp_path):
    length = go(tmp_path / "run", "fn/support:even_odd").summary["metrics"]["length"]
    assert length["floor"] is None and length["calibrated"] is None


@pytest.mark.slow
def test_samples_have_seeds_of_their_own(tmp_path):
    go(tmp_path / "a", "fn/support:counting", plan(samples=3))
    texts = [r["text"] for r in pq.read_table(tmp_path / "a" / "answers.parquet").to_pylist()]
    assert len(set(texts)) > 1
    go(tmp_path / "b", "fn/support:counting", plan(samples=3))
    assert texts == [r["text"] for r in pq.read_table(tmp_path / "b" / "answers.parquet").to_pylist()]
    go(tmp_path / "c", "fn/support:counting", plan(samples=3, seed=1))
    assert texts != [r["text"] for r in pq.read_table(tmp_path / "c" / "answers.parquet").to_pylist()]


@pytest.mark.slow
def test_resume_asks_only_what_is_missing_and_may_grow(tmp_path):
    go(tmp_path / "run", "fn/support:counting", plan(limit=5, samples=2))
    assert len(support.CALLS) == 10
    with pytest.raises(PixelProofError, match="--resume"):
        go(tmp_path / "run", "fn/support:counting", plan(limit=5, samples=2))
    go(tmp_path / "run", "fn/support:counting", plan(limit=8, samples=3), resume=True)
    assert len(support.CALLS) == 24 and len(set(support.CALLS)) == 24
    whole = go(tmp_path / "whole", "fn/support:counting", plan(limit=8, samples=3))
    grown = Run.open(tmp_path / "run")
    assert grown.summary == whole.summary
    assert pq.read_table(tmp_path / "run" / "results.parquet").equals(
        pq.read_table(tmp_path / "whole" / "results.parquet")
    )


@pytest.mark.slow
def test_a_run_does_not_shrink(tmp_path):
    go(tmp_path / "run", "fn/support:even_odd", plan(limit=5, samples=2))
    with pytest.raises(PixelProofError, match="--samples 2"):
        go(tmp_path / "run", "fn/support:even_odd", plan(limit=5), resume=True)
    with pytest.raises(PixelProofError, match="5 items"):
        go(tmp_path / "run", "fn/support:even_odd", plan(limit=3, samples=2), resume=True)
    assert pq.read_table(tmp_path / "run" / "items.parquet").num_rows == 5


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"seed": 5}, {"source": "recorded"}, {"n": 30}])
def test_resume_refuses_other_conditions(tmp_path, change):
    go(tmp_path / "run", "fn/support:even_odd")
    with pytest.raises(PixelProofError, match="another run"):
        go(tmp_path / "run", "fn/support:even_odd", plan(**change), resume=True)


@pytest.mark.slow
def test_infrastructure_faults_are_left_out_and_asked_again(tmp_path):
    broken = go(tmp_path / "run", "fn/support:failing")
    counts = broken.summary["counts"]
    assert counts["errored"] == 8 and counts["completed"] == 12 and not broken.complete
    assert broken.summary["metrics"]["close"]["n"] == 12
    support.BROKEN.clear()
    healed = go(tmp_path / "run", "fn/support:failing", resume=True)
    assert healed.complete and healed.summary["counts"]["errored"] == 0
    assert healed.summary == go(tmp_path / "fresh", "fn/support:failing").summary


@pytest.mark.slow
def test_workers_give_the_same_run(tmp_path):
    one = go(tmp_path / "one", "control/floor-random", plan(samples=3))
    two = go(tmp_path / "two", "control/floor-random", plan(samples=3), workers=2)
    assert one.summary == two.summary


@pytest.mark.slow
def test_rescoring_calls_nobody_and_changes_nothing(tmp_path):
    before = go(tmp_path / "run", "fn/support:counting", judge="fn/support:rude")
    support.CALLS.clear()
    after = rescore(tmp_path / "run", Guess())
    assert support.CALLS == []
    assert before.summary == after.summary


@pytest.mark.slow
def test_rescoring_keeps_what_was_never_answered(tmp_path):
    before = go(tmp_path / "run", "fn/support:failing").summary
    assert rescore(tmp_path / "run", Guess()).summary == before


@pytest.mark.slow
def test_a_judge_answers_and_a_failed_judge_is_unscored_not_zero(tmp_path):
    judged = go(tmp_path / "judged", "fn/support:even_odd", judge="fn/support:rude").summary
    assert judged["metrics"]["polite"]["value"] == 0 and judged["metrics"]["polite"]["n"] == 20
    failed = go(tmp_path / "failed", "fn/support:even_odd", judge="fn/support:broken_judge")
    assert failed.summary["counts"]["unscored"] == 20
    assert "polite" not in failed.summary["metrics"]
    assert failed.summary["metrics"]["close"]["n"] == 20  # what needs no judge is measured all the same
    none = go(tmp_path / "none", "fn/support:even_odd").summary
    assert "polite" not in none["metrics"] and none["counts"]["unscored"] == 0


@pytest.mark.slow
def test_only_the_judge_is_asked_again(tmp_path, monkeypatch):
    go(tmp_path / "run", "fn/support:counting", judge="fn/support:broken_judge")
    monkeypatch.setattr(support, "broken_judge", support.rude)
    healed = go(tmp_path / "run", "fn/support:counting", judge="fn/support:broken_judge", resume=True)
    assert len(support.CALLS) == 20 and healed.complete
    assert healed.summary["metrics"]["polite"]["n"] == 20


@pytest.mark.slow
def test_judging_many_at_once_gives_the_same(tmp_path):
    one = go(tmp_path / "one", "control/wrong", judge="fn/support:rude", connections=1)
    many = go(tmp_path / "many", "control/wrong", judge="fn/support:rude", connections=8)
    assert one.summary == many.summary


@pytest.mark.slow
def test_recorded_answers(tmp_path):
    done = go(tmp_path / "run", "recorded", plan(source="recorded"))
    assert done.summary["metrics"]["hit"]["value"] == 1
    with pytest.raises(PixelProofError):
        go(tmp_path / "none", "recorded")


@pytest.mark.slow
def test_the_budget_stops_for_real_and_resume_goes_on(tmp_path):
    price = "output=1000"  # 8 tokens at most: 0.008 dollars per call
    stopped = go(tmp_path / "run", "fn/support:paying", price=price, max_cost=0.05)
    assert len(support.CALLS) == 6
    assert stopped.card["ledger"]["cost"] == pytest.approx(0.048) and stopped.card["state"] == "stopped"
    assert stopped.summary["counts"]["planned"] == 20 and stopped.summary["counts"]["completed"] == 6
    again = go(tmp_path / "run", "fn/support:paying", price=price, max_cost=0.05, resume=True)
    assert len(support.CALLS) == 6 and again.card["state"] == "stopped"  # what was spent before counts
    done = go(tmp_path / "run", "fn/support:paying", price=price, resume=True)
    assert done.complete and len(support.CALLS) == 20
    assert done.card["ledger"]["cost"] == pytest.approx(0.16)


def test_a_budget_needs_a_price(tmp_path):
    with pytest.raises(PixelProofError, match="--price"):
        go(tmp_path / "run", "fn/support:counting", max_cost=1.0)


def test_an_estimate_asks_nobody(tmp_path):
    told = estimate(
        plan(samples=2), "fn/support:counting", Settings(out=tmp_path / "r", price="input=1,output=1"), Decoding()
    )
    assert support.CALLS == [] and told["asks"] == 40 and told["output_tokens_at_most"] == 320
    assert told["cost_at_most"] > 0 and not (tmp_path / "r").exists()


@pytest.mark.slow
def test_changed_data_is_noticed(tmp_path, monkeypatch):
    go(tmp_path / "run", "fn/support:even_odd")
    original = Guess.prompt
    monkeypatch.setattr(Guess, "items", lambda self, source, seed, n: _shifted(source))
    assert original
    with pytest.raises(PixelProofError, match="not what it was"):
        go(tmp_path / "run", "fn/support:even_odd", resume=True)


def _shifted(source):
    from pixelproof.contract import Item

    yield Item(f"guess/{source.name}/1/00000", {"hint": 0}, 99)


@pytest.mark.slow
def test_controls_are_measured_once(tmp_path, monkeypatch):
    go(tmp_path / "one", "fn/support:even_odd")
    monkeypatch.setattr(Guess, "score", lambda *_: pytest.fail("the model's answer is not scored again either"))
    scored = []
    monkeypatch.setattr(Guess, "score", lambda self, item, answer, j: scored.append(answer.text) or _zero(item))
    go(tmp_path / "two", "fn/support:even_odd")
    assert len(scored) == 20  # the model's answers alone: the three controls came from the cache


def _zero(item):
    from pixelproof.contract import Result

    return Result(item.id, {"close": 0.0})


@pytest.mark.slow
def test_controls_are_measured_again_when_a_package_of_the_scorer_changes(tmp_path, monkeypatch):
    (tmp_path / "scorer_data").mkdir()
    (tmp_path / "scorer_data" / "__init__.py").touch()
    (weights := tmp_path / "scorer_data" / "net.npz").write_bytes(b"one")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(Guess, "scorer_packages", ("scorer_data",))
    before = go(tmp_path / "one", "fn/support:even_odd").card
    weights.write_bytes(b"two")
    scored = []
    monkeypatch.setattr(Guess, "score", lambda self, item, answer, j: scored.append(answer.text) or _zero(item))
    after = go(tmp_path / "two", "fn/support:even_odd").card
    assert len(scored) == 20 + 3 * 20  # the model's answers, and those of three controls
    assert before["scorer"] != after["scorer"]
    told = compare(tmp_path / "one", tmp_path / "two", bench=Guess())
    assert told.changes == {"scorer": (before["scorer"], after["scorer"])}
    console = Console(file=io.StringIO(), width=200)
    print_comparison(console, told)
    assert "scored by different code: 'pixelproof runs rescore RUN'" in console.file.getvalue()
    assert compare(tmp_path / "one", tmp_path / "one", bench=Guess()).changes == {}


def test_a_scorer_package_that_is_not_installed_is_an_error(monkeypatch):
    monkeypatch.setattr(Guess, "scorer_packages", ("pixelproof.wrold",))
    with pytest.raises(PixelProofError, match="guess names 'pixelproof.wrold' in scorer_packages"):
        _card.scorer_fingerprint(Guess())


@pytest.mark.slow
def test_two_runs_compare(tmp_path):
    big = plan(n=200)
    go(tmp_path / "a", "control/floor-random", big, workers=1)
    go(tmp_path / "b", "control/ceiling-truth", big, workers=1)
    told = {d.metric: d for d in compare(tmp_path / "a", tmp_path / "b", bench=Guess(n=200)).differences}
    assert told["close"].verdict == told["pooled"].verdict == "better"
    assert told["close"].difference.lo > 0 and told["pooled"].difference.lo > 0
    back = compare(tmp_path / "b", tmp_path / "a", bench=Guess(n=200))
    assert set(back.worse) == {"close", "hit", "pooled"}
    same = compare(tmp_path / "a", tmp_path / "a", bench=Guess(n=200))
    assert {d.verdict for d in same.differences} == {"not shown"} and same.worse == []
    assert told["hit"].items_needed is not None and told["hit"].items_needed < 200
    assert not math.isnan(told["close"].detectable)


@pytest.mark.slow
def test_what_cannot_be_paired_is_refused(tmp_path):
    go(tmp_path / "a", "control/ceiling-truth")
    go(tmp_path / "b", "control/ceiling-truth", plan(seed=1))
    with pytest.raises(PixelProofError, match="different items"):
        compare(tmp_path / "a", tmp_path / "b", bench=Guess())
    with pytest.raises(PixelProofError, match="no metric"):
        compare(tmp_path / "a", tmp_path / "a", ["beauty"], bench=Guess())


@pytest.mark.slow
def test_a_run_is_complete_only_with_its_summary(tmp_path, monkeypatch):
    monkeypatch.setattr(_session, "summarise", lambda *given: pytest.fail("killed while summarising"))
    with pytest.raises(pytest.fail.Exception):
        go(tmp_path / "run", "fn/support:even_odd")
    assert Run.open(tmp_path / "run").card["state"] == "interrupted"
    monkeypatch.undo()
    assert go(tmp_path / "run", "fn/support:even_odd", resume=True).complete


@pytest.mark.slow
def test_a_run_whose_process_is_gone_is_interrupted(tmp_path):
    go(tmp_path / "run", "fn/support:even_odd")
    edit_json(tmp_path / "run" / "card.json", state="running")
    with Lock(tmp_path / "run"):
        assert Run.open(tmp_path / "run").card["state"] == "running"
    assert Run.open(tmp_path / "run").card["state"] == "interrupted"
    (tmp_path / "run" / ".lock").write_text("pid 999999999")
    assert Run.open(tmp_path / "run").card["state"] == "interrupted"
