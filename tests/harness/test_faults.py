"""The share of model faults stands beside every value: in the table, in the JSON, in a comparison."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from pixelproof.cli._tables import print_comparison, print_summary
from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, compare, run
from pixelproof.harness._compare import comparison_to_json
from support import Guess

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


def printed(show, *arguments, width=140):
    console = Console(file=io.StringIO(), width=width)
    show(console, *arguments)
    return console.file.getvalue()


def refuses(prompt):
    return "I would rather not"


def refuses_even(prompt):
    return "5" if "odd" in prompt.text else "no"


def test_a_run_of_faults_alone_is_not_mistaken_for_a_mean(tmp_path):
    done = run(Plan(Guess(), Source("digits")), refuses, settings=Settings(out=tmp_path / "run"))
    close = done.summary["metrics"]["close"]
    assert close["value"] == close["floor"] > 0.5 and close["faults"] == 1  # a fault counts as the floor
    (line,) = [line for line in printed(print_summary, done, Guess()).splitlines() if line.lstrip().startswith("close")]
    assert "100 %" in line


def test_groups_have_shares_of_their_own(tmp_path):
    done = run(Plan(Guess(), Source("digits")), refuses_even, settings=Settings(out=tmp_path / "run"))
    groups = done.summary["groups"]["parity"]
    assert groups["even"]["close"]["faults"] == 1 and groups["odd"]["close"]["faults"] == 0
    assert 0 < done.summary["metrics"]["close"]["faults"] < 1
    text = printed(print_summary, done, Guess(), True)
    assert any(line.lstrip().startswith("even") and "100 %" in line for line in text.splitlines())


def test_a_comparison_states_the_faults_of_both_runs(tmp_path):
    a = run(Plan(Guess(), Source("digits")), refuses_even, settings=Settings(out=tmp_path / "a"))
    b = run(Plan(Guess(), Source("digits")), refuses, settings=Settings(out=tmp_path / "b"))
    both = compare(a, b, bench=Guess())
    even = sum(item.truth % 2 == 0 for item in Guess().items(Source("digits"), 0, None)) / 20
    assert both.faults == (pytest.approx(even), 1)
    assert comparison_to_json(both)["faults"] == {"a": pytest.approx(even), "b": 1}
    assert "faults 100 %" in printed(print_comparison, both)


def lost_on_odd(prompt, item_id):
    if int(item_id[-1]) % 2:
        raise ConnectionError("no route to host")
    return "5"


def test_lost_answers_are_no_common_items(tmp_path):
    a = run(Plan(Guess(), Source("digits")), "control/ceiling-truth", settings=Settings(out=tmp_path / "a"))
    b = run(Plan(Guess(), Source("digits")), lost_on_odd, settings=Settings(out=tmp_path / "b"))
    both = compare(a, b, bench=Guess())
    assert (both.common_items, both.only_a, both.only_b, both.clusters, both.lost) == (10, 10, 0, 10, (0, 10))
    assert "10 answers lost" in printed(print_comparison, both)


def test_metrics_without_a_better_end_are_compared(tmp_path):
    a = run(Plan(Guess(), Source("digits")), refuses_even, settings=Settings(out=tmp_path / "a"))
    both = compare(a, a, ["length"], Guess())
    assert [d.metric for d in both.differences] == ["length"] and not both.gate.falls


def test_a_metric_that_cannot_be_tested_is_named_by_the_gate(tmp_path):
    a = run(Plan(Guess(n=4), Source("digits")), "control/ceiling-truth", settings=Settings(out=tmp_path / "a"))
    b = run(Plan(Guess(n=4), Source("digits")), "control/wrong", settings=Settings(out=tmp_path / "b"))
    gate = compare(a, b, bench=Guess(n=4)).gate
    assert gate.untestable == ["close", "pooled"] and not gate.worse
    assert "4 independent items" in gate.verdict.checks[0].message


def test_items_with_a_fault_come_first_in_the_table_of_items(tmp_path):
    class Itemised(Guess):
        display = replace(Guess.display, itemised=("close",))

    done = run(Plan(Itemised(), Source("digits")), refuses_even, settings=Settings(out=tmp_path / "run"))
    rows = printed(print_summary, done, Itemised()).split("By item")[1].splitlines()
    faults = [number for number, row in enumerate(rows) if "failure" in row]
    scored = [number for number, row in enumerate(rows) if "failure" not in row and row.startswith(" ") and "." in row]
    assert faults and max(faults) < min(scored)


def test_groups_fit_the_width_and_intervals_do_not_wrap(tmp_path):
    done = run(Plan(Guess(), Source("digits")), lambda prompt: "5", settings=Settings(out=tmp_path / "run"))
    for width in (60, 80, 140):
        text = printed(print_summary, done, Guess(), True, width=width).split("By parity")[1]
        assert max(map(len, text.split("Answers")[0].splitlines())) <= width
        assert not any(line.strip().endswith(",") for line in text.splitlines())


def test_a_summary_of_another_version_says_so(tmp_path):
    class Later(Guess):
        version = "9.9"

    done = run(Plan(Guess(), Source("digits")), lambda prompt: "5", settings=Settings(out=tmp_path / "run"))
    assert "rescore" not in printed(print_summary, done, Guess())
    text = " ".join(printed(print_summary, done, Later()).split())
    assert f"Scored with version {Guess.version} of" in text and "pixelproof runs rescore" in text
