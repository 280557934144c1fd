"""Files of a run that are intact, but not those of this run, or not in their places."""

import json
import os
import shutil

import pyarrow.parquet as pq
import pytest

import pixelproof
from commands import invoke
from harness.damaged_runs import BENCH, contents, copy_run, make
from pixelproof.cli._repair import describe
from pixelproof.contract import PixelProofError
from pixelproof.harness import Run, find_damage, list_runs
from pixelproof.harness._rundir import read_card_alone, write_card
from pixelproof.store import write_parquet, write_sealed_json

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
        with pytest.raises(PixelProofError, match="pixelproof runs repair"):
            read(path)


def test_an_intact_run_lists_its_files(run):
    listed = read_card_alone(run)["files"]
    assert set(listed) == {*(f"{name}.parquet" for name in TABLES), "summary.json"} and not damaged(run)
    assert Run.open(run).card["files"] == listed


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
    assert read_card_alone(run)["files"] is None and not damaged(run) and not Run.open(run).tied
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
    monkeypatch.setattr("pixelproof.harness._session.summarise", lambda *given, **named: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pixelproof.rescore(run, bench=BENCH)
    assert not damaged(run) and list(Run.open(run).results(BENCH))


def test_a_summary_in_the_place_of_the_card_is_said_to_be_one(run):
    exchange(run, "card.json", "summary.json")
    with pytest.raises(PixelProofError, match="is not the card of a run: run 'pixelproof runs repair"):
        Run.open(run)


def test_lost_answers_are_not_called_intact(run):
    file = run / "answers.parquet"
    file.write_bytes(bytes(file.stat().st_size))
    report = pixelproof.repair(run, BENCH)
    report.files.clear()
    assert report.lost and not any("intact" in line for line in describe(report))


def save_again(file, table):
    """Save a table as another program does, without a seal."""
    pq.write_table(table, file, write_page_checksum=True)


def change_in_place(file):
    """Exchange the rows, and keep the seal of others, whose end is cut: it vouches for the wrong rows."""
    write_parquet(file, pq.read_table(file).slice(1))
    file.write_bytes(file.read_bytes()[:-10])


CHANGES = {
    "saved again": lambda file: save_again(file, pq.read_table(file)),
    "without a row": lambda file: save_again(file, pq.read_table(file).slice(1)),
    "with the mark of a seal": lambda file: save_again(
        file, pq.read_table(file).replace_schema_metadata({"seal": "PIXELPROOFSEAL01"})
    ),
    "with another seal": lambda file: write_parquet(file, pq.read_table(file).slice(1)),
    "with another seal, cut": change_in_place,
}
READERS = (
    lambda path, other: Run.open(path),
    lambda path, other: Run.open(path).summary,
    lambda path, other: list(Run.open(path).results(BENCH)),
    lambda path, other: Run.open(path).to_pandas(BENCH),
    lambda path, other: pixelproof.compare(path, other, bench=BENCH),
    lambda path, other: pixelproof.compare(other, path, bench=BENCH),
    lambda path, other: pixelproof.report(path, out=path.parent / "report.html", bench=BENCH),
    lambda path, other: pixelproof.report(path, other, out=path.parent / "report.html", bench=BENCH),
    lambda path, other: pixelproof.merge([path], path.parent / "merged", BENCH),
    lambda path, other: pixelproof.rescore(path, BENCH),
    lambda path, other: make(path, resume=True),
)
COMMANDS = (
    ("show", "{run}"), ("show", "{run}", "--json"), ("compare", "{run}", "{other}"), ("compare", "{other}", "{run}"),
    ("compare", "{run}", "{other}", "--json"), ("report", "{run}", "--out", "{out}"), ("runs", "rescore", "{run}"),
    ("runs", "merge", "{run}", "--out", "{out}"), ("runs", "export", "{run}", "--out", "{out}.csv"),
    ("run", "pixelart", "--model", "control/floor-blank", "--out", "{run}", "--resume"),
)  # fmt: skip


@pytest.mark.attack(
    "a table that is not the one on the card, of each kind and changed in five ways, against all readers",
    before="`show` refuses a table without a seal; `compare`, `report`, `show --json` and `rescore` read the others",
    lost="all refuse it with the same message",
)
@pytest.mark.parametrize("name", TABLES)
def test_trust4_a_table_that_is_not_on_the_card_is_refused_by_all(runs, tmp_path, name, record_property):
    for change in CHANGES.values():
        path = copy_run(runs / "run", tmp_path / "run")
        change(path / f"{name}.parquet")
        messages = set()
        for read in READERS:
            with pytest.raises(
                PixelProofError, match=rf"{name}\.parquet is damaged .*pixelproof runs repair"
            ) as refusal:
                read(path, runs / "other")
            messages.add(str(refusal.value))
        assert len(messages) == 1 and list_runs(path)[0].problem in messages
    record_property("tries", len(CHANGES) * len(READERS))


@pytest.mark.attack(
    "a table that is not the one on the card, against all commands",
    before="`compare` and `report` show its values",
    lost="all refuse it",
)
def test_trust4_commands_refuse_a_table_that_is_not_on_the_card(tmp_path, shared_cache, capsys, record_property):
    for name in ("intact", "other"):
        pixelproof.run("pixelart", "control/floor-blank", limit=2, out=tmp_path / name)
    tables = sorted(file.name for file in (tmp_path / "intact").glob("*.parquet"))
    places = {"run": tmp_path / "run", "other": tmp_path / "other", "out": tmp_path / "out"}
    for table in tables:
        copy_run(tmp_path / "intact", tmp_path / "run")
        save_again(tmp_path / "run" / table, pq.read_table(tmp_path / "run" / table))
        for words in COMMANDS:
            said = invoke(capsys, *(word.format(**places) for word in words), code=3).stderr
            assert table in said and "pixelproof runs repair" in said, words
    assert len(tables) >= 4
    record_property("tries", len(tables) * len(COMMANDS))


ADDED = ("results.parts/part-000001.parquet", "results.parts/whole.parquet", "answers.parts/part-000009.parquet")


@pytest.mark.attack(
    "a file beside the tables of the card, which would be read instead of them",
    before="its rows are read by `show` and `rescore`, and listed by `repair`",
    lost="refused; `repair` moves it away",
)
@pytest.mark.parametrize("added", [*ADDED, "judgements.parquet", "judgements.parts/journal.jsonl"])
def test_trust4_a_file_that_the_card_does_not_list_is_refused(runs, tmp_path, added):
    source = "other" if added.startswith("judgements") else "run"
    path = copy_run(runs / source, tmp_path / "run")
    donor = runs / "same-plan" / f"{added.split('.')[0]}.parquet"
    (path / added).parent.mkdir(exist_ok=True)
    shutil.copyfile(donor, path / added)
    for read in READERS[:-1]:
        with pytest.raises(PixelProofError, match=rf"{(path / added).name} is damaged .*does not list.*repair"):
            read(path, runs / "same-plan")
    assert pixelproof.repair(path, BENCH).complete and not damaged(path) and (path / "damaged" / added).exists()
    assert contents(path) == contents(runs / source)


@pytest.mark.attack(
    "a table that is not the one on the card, of each kind and changed in five ways, then `repair`",
    before="its rows are kept, and listed by the card from then on",
    lost="nothing of it is kept: made again from answers, or named as lost",
)
@pytest.mark.parametrize("name", TABLES)
def test_trust4_repair_keeps_nothing_that_it_has_not_scored(runs, tmp_path, name, record_property):
    for change in CHANGES.values():
        path = copy_run(runs / "run", tmp_path / "run")
        change(path / f"{name}.parquet")
        report = pixelproof.repair(path, BENCH)
        assert not damaged(path) and (path / "damaged" / f"{name}.parquet").exists()
        if name in ("results", "items", "controls"):
            assert report.complete and contents(path, runs / "other") == contents(runs / "run", runs / "other")
        else:
            assert not report.complete or report.calls
        assert bool(list(Run.open(path).answers())) == (name != "answers")
        assert bool(list(Run.open(path).results(BENCH))) == (name != "answers")
    record_property("tries", len(CHANGES))


@pytest.mark.attack(
    "results that the card does not list, because a process was killed, then `repair`",
    before="listed as they are",
    lost="all of them are scored again",
)
def test_trust4_repair_scores_results_again_that_are_not_listed(runs, run):
    card = read_card_alone(run)
    write_card(run, card, tied=False)
    shutil.copyfile(runs / "same-plan" / "results.parquet", run / "results.parquet")
    report = pixelproof.repair(run, BENCH)
    assert report.complete and "all results" in report.remade[-1]
    assert contents(run, runs / "other") == contents(runs / "run", runs / "other")
