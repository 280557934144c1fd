"""The table of attacks: rows are sums over tests, and a failed test is never a row without a loss."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CASE = "<testcase><properties>{}</properties>{}</testcase>"


@pytest.fixture(scope="module")
def attacks():
    spec = importlib.util.spec_from_file_location("attacks", ROOT / "benchmarks" / "attacks.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["attacks"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["attacks"]


def report(path, *cases):
    body = ""
    for outcome, *properties in cases:
        entries = "".join(f'<property name="{name}" value="{value}"/>' for name, value in properties)
        body += CASE.format(entries, outcome)
    path.write_text(f"<testsuites><testsuite>{body}</testsuite></testsuites>")
    return path


def test_rows_are_sums_over_tests(attacks, tmp_path):
    kill, flip = ("attack", "kill"), ("attack", "flip")
    path = report(
        tmp_path / "report.xml",
        ("", kill, ("loss", "{lost} in flight"), ("tries", 50), ("lost", 1200)),
        ("", ("tries", 9)),
        ("", flip, ("loss", "nothing")),
        ("", kill, ("loss", "{lost} in flight"), ("tries", 1000), ("tries", 3), ("lost", 34)),
        ("<skipped/>", flip, ("loss", "nothing")),
    )
    table = attacks.table(attacks.read_rows(path))
    assert table.splitlines()[2:] == ["| kill | 1,053 | 1,234 in flight |", "| flip | 1 | nothing |"]


@pytest.mark.parametrize("outcome", ["<failure/>", "<error/>"])
def test_a_failed_test_is_said(attacks, tmp_path, outcome):
    path = report(tmp_path / "report.xml", (outcome, ("attack", "kill"), ("loss", "nothing")))
    assert "| kill | 1 | **1 tests failed** |" in attacks.table(attacks.read_rows(path))


def test_the_page_has_a_place_for_the_table(attacks):
    page = attacks.PAGE.read_text()
    assert page.count(attacks.START) == page.count(attacks.END) == 1


def test_rows_of_other_attacks_stay(attacks):
    old = attacks.table([attacks.Row("kill", "nothing", 5), attacks.Row("flip", "nothing", 7)])
    new = attacks.table([attacks.Row("flip", "{lost} rows", 9, 2), attacks.Row("cut", "nothing", 1)])
    lines = attacks.merged(f"\n\n{old}\n\n", new).splitlines()
    assert lines[2:] == ["| kill | 5 | nothing |", "| flip | 9 | 2 rows |", "| cut | 1 | nothing |"]
    assert lines[:2] == old.splitlines()[:2]


def test_reported_faults_are_a_table_of_their_own(attacks, tmp_path):
    torn, kill = ("attack", "torn"), ("attack", "kill")
    path = report(
        tmp_path / "report.xml",
        ("", torn, ("loss", "the worst end"), ("before", "1.00"), ("now", "0.17"), ("tries", 6)),
        ("", kill, ("loss", "nothing"), ("before", "")),
    )
    rows = attacks.read_rows(path)
    kept, reported = attacks.table(rows).split("\n\n")
    assert kept.splitlines()[2:] == ["| kill | 1 | nothing |"]
    assert reported.splitlines()[2:] == ["| torn | 6 | 1.00 | 0.17 |"]
    again = attacks.merged(attacks.table(rows), attacks.table([attacks.Row("torn", "0.2", 7, before="1.00")]))
    assert again.splitlines()[-1] == "| torn | 7 | 1.00 | 0.2 |"
    assert again.startswith(kept)
