"""Files of a run that are intact, but not those of this run, or not in their places."""

import json
import os
import shutil

import pytest

import pixelproof
from harness.damaged_runs import BENCH, contents, copy_run, make
from pixelproof.cli._repair import describe
from pixelproof.contract import PixelProofError
from pixelproof.harness import Run, find_damage
from pixelproof.harness._rundir import read_card_alone, write_card
from pixelproof.harness._ties import TIES
from pixelproof.store import write_sealed_json

pytestmark = pytest.mark.slow
TABLES = ("answers", "judgements", "calls", "results", "items", "controls")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of one plan with different answers, another to compare with, and what is read of the first."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        make(folder / "run")
        make(folder / "same-plan", seed=1)
        pixelproof.run(BENCH, "fn/support:even_odd", out=folder / "other")
        yield folder


@pytest.fixture
def run(runs, tmp_path):
    return copy_run(runs / "run", tmp_path / "run")


def exchange(path, a, b):
    (path / a).rename(path / "between")
    (path / b).rename(path / a)
    (path / "between").rename(path / b)


def damaged(path):
    return {file.name for file, _ in find_damage(path)}


def refused(path):
    for read in (Run.open, lambda p: pixelproof.compare(p, p, bench=BENCH), lambda p: make(p, resume=True)):
        with pytest.raises(PixelProofError, match="pixelproof repair"):
            read(path)


def test_an_intact_run_lists_its_files(run):
    listed = read_card_alone(run)[TIES]
    assert set(listed) == {*(f"{name}.parquet" for name in TABLES), "summary.json"} and not damaged(run)
    assert Run.open(run).card[TIES] == listed


@pytest.mark.parametrize(("a", "b"), [("answers", "calls"), ("results", "items"), ("judgements", "answers")])
def test_exchanged_tables_are_refused_and_put_back(runs, run, a, b):
    exchange(run, f"{a}.parquet", f"{b}.parquet")
    assert damaged(run) == {f"{a}.parquet", f"{b}.parquet"}
    refused(run)
    report = pixelproof.repair(run, BENCH)
    assert report.complete and not damaged(run)
    assert contents(run, runs / "other") == contents(runs / "run", runs / "other")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_another_run_is_refused_and_moved_away(runs, run, name):
    file = f"{name}.parquet"
    shutil.copyfile(runs / "same-plan" / file, run / file)
    if (run / file).read_bytes() == (runs / "run" / file).read_bytes():
        pytest.skip("both runs have the same")
    assert damaged(run) == {file}
    refused(run)
    report = pixelproof.repair(run, BENCH)
    assert (run / "damaged" / file).read_bytes() == (runs / "same-plan" / file).read_bytes()
    assert report.complete == (name in ("results", "items", "controls", "calls")) and not damaged(run)
    if name in ("results", "items", "controls"):
        assert contents(run, runs / "other") == contents(runs / "run", runs / "other")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_missing_is_named(runs, run, name):
    os.remove(run / f"{name}.parquet")
    assert damaged(run) == {f"{name}.parquet"}
    refused(run)
    text = "\n".join(describe(pixelproof.repair(run, BENCH)))
    assert f"{name}.parquet: it is missing" in text and "are intact" not in text
    assert ("Lost answers (18)" in text) == (name == "answers") and ("Lost judgements" in text) == (
        name == "judgements"
    )


def test_a_summary_of_another_run_is_refused_and_made_again(runs, run):
    shutil.copyfile(runs / "same-plan" / "summary.json", run / "summary.json")
    assert damaged(run) == {"summary.json"}
    refused(run)
    assert pixelproof.repair(run, BENCH).complete and not damaged(run)
    assert Run.open(run).summary == Run.open(runs / "run").summary


@pytest.mark.parametrize("name", ["card.json", "card.copy.json"])
def test_a_card_of_another_run_is_replaced(runs, run, name):
    card = json.loads((runs / "same-plan" / "card.json").read_text())
    write_sealed_json(run / name, {**card, "created": "2020-01-01T00:00:00+00:00"})
    assert damaged(run)
    assert pixelproof.repair(run, BENCH).complete and not damaged(run)
    assert Run.open(run).card == Run.open(runs / "run").card


def test_exchanged_card_and_summary_are_repaired(runs, run):
    exchange(run, "card.json", "summary.json")
    assert damaged(run) >= {"card.json"}
    assert pixelproof.repair(run, BENCH).complete and not damaged(run)
    assert contents(run, runs / "other") == contents(runs / "run", runs / "other")


def test_a_run_whose_files_were_being_changed_is_read_and_gets_a_list(runs, run):
    card = read_card_alone(run)
    write_card(run, card, tied=False)
    assert read_card_alone(run)[TIES] is None and not damaged(run) and not Run.open(run).tied
    assert pixelproof.repair(run, BENCH).complete and Run.open(run).tied
    assert contents(run, runs / "other") == contents(runs / "run", runs / "other")


def test_rescoring_resuming_and_copying_keep_the_list_right(run, tmp_path):
    pixelproof.rescore(run, bench=BENCH)
    assert not damaged(run) and Run.open(run).tied
    make(run, resume=True, samples=3)
    assert not damaged(run) and Run.open(run).tied and len(list(Run.open(run).answers())) == 27
    shutil.move(run, tmp_path / "elsewhere")
    assert not damaged(tmp_path / "elsewhere")


def test_a_rescore_that_ends_early_leaves_a_run_that_can_be_read(run, monkeypatch):
    monkeypatch.setattr("pixelproof.harness._run.conclude", lambda *given, **named: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pixelproof.rescore(run, bench=BENCH)
    assert not damaged(run) and list(Run.open(run).results(BENCH))


def test_a_summary_in_the_place_of_the_card_is_said_to_be_one(run):
    exchange(run, "card.json", "summary.json")
    with pytest.raises(PixelProofError, match="is not the card of a run: run 'pixelproof repair"):
        Run.open(run)


def test_lost_answers_are_not_called_intact(run):
    file = run / "answers.parquet"
    file.write_bytes(bytes(file.stat().st_size))
    report = pixelproof.repair(run, BENCH)
    report.files.clear()
    assert report.lost and not any("intact" in line for line in describe(report))
