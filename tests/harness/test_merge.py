"""Shards of a plan, and their merge: the same numbers as one run."""

import shutil

import pyarrow.parquet as pq
import pytest

import support
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, Shard, _rows, merge, rescore, run
from pixelproof.store import Records, read_sealed_json, write_sealed_json
from support import Guess, list_files

MODEL = "fn/support:even_odd"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    support.CALLS.clear()


def go(path, shard=None, model=MODEL, judge=None, samples=1, seed=3, resume=False, **options):
    plan = Plan(Guess(cluster_size=3, **options), Source("digits"), seed, None, samples, shard and Shard.parse(shard))
    return run(plan, model, judge=judge, settings=Settings(out=path, resume=resume))


def shards(folder, count, **settings):
    return [go(folder / f"shard-{k}", f"{k}/{count}", **settings).path for k in range(1, count + 1)]


def table(path, name):
    rows = pq.read_table(path / f"{name}.parquet").to_pylist()
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


@pytest.mark.slow
def test_a_merge_of_shards_is_the_run_of_the_whole_plan(tmp_path):
    whole = go(tmp_path / "whole", samples=2)
    merged = merge(shards(tmp_path, 3, samples=2), tmp_path / "merged", Guess(cluster_size=3))
    assert merged.complete
    assert merged.summary == whole.summary
    for name in ("answers", "results", "items", "controls"):
        assert table(merged.path, name) == table(whole.path, name), name
    assert merged.card["planned"] == 40 and merged.card["shard"] is None
    assert [part["shard"] for part in merged.card["merged"]] == ["1/3", "2/3", "3/3"]
    assert not any("shard" in remark for remark in merged.card["remarks"])
    assert rescore(merged.path, Guess(cluster_size=3)).summary == whole.summary


def test_a_shard_asks_its_items_only_and_is_not_calibrated(tmp_path):
    shard = go(tmp_path / "a", "2/3")
    counts = shard.summary["counts"]
    assert counts["planned"] == counts["completed"] == 7
    assert [int(row["item"][-5:]) % 3 for row in table(shard.path, "answers")] == [1] * 7
    assert shard.summary["metrics"]["close"]["calibrated"] is None
    assert any("merge" in remark for remark in shard.card["remarks"])
    assert len(table(shard.path, "items")) == 20, "every shard knows all items, so that the plans can be compared"


def test_a_shard_cannot_be_resumed_as_another(tmp_path):
    go(tmp_path / "a", "1/2")
    with pytest.raises(PixelProofError, match="shard was '1/2', is '2/2'"):
        go(tmp_path / "a", "2/2", resume=True)


@pytest.mark.slow
def test_missing_shards_are_asked_for_by_resume(tmp_path):
    parts = [go(tmp_path / "a", "1/3").path, go(tmp_path / "c", "3/3").path]
    merged = merge(parts, tmp_path / "merged", Guess(cluster_size=3), calibrate=0)
    assert merged.card["state"] == "stopped" and merged.summary["counts"]["completed"] == 13
    support.CALLS.clear()
    finished = go(tmp_path / "merged", resume=True)
    assert finished.complete and finished.summary["counts"]["completed"] == 20


@pytest.mark.slow
def test_runs_of_other_plans_are_refused(tmp_path):
    first = go(tmp_path / "a", "1/2").path
    others = {
        "seed": go(tmp_path / "seed", "2/2", seed=4).path,
        "samples": go(tmp_path / "samples", "2/2", samples=2).path,
        "model": go(tmp_path / "model", "2/2", model="control/floor-five").path,
        "options": go(tmp_path / "options", "2/2", n=19).path,
    }
    for name, other in others.items():
        with pytest.raises(PixelProofError, match=f"not runs of one plan: {name} is"):
            merge([first, other], tmp_path / "merged", Guess())
    for wrong in ([first], [first, first]):
        with pytest.raises(PixelProofError, match="two or more different"):
            merge(wrong, tmp_path / "merged", Guess())
    assert not (tmp_path / "merged").exists()


@pytest.mark.slow
def test_equal_answers_are_merged_and_different_ones_refused(tmp_path):
    first = go(tmp_path / "a", "1/2").path
    go(tmp_path / "copy", "1/2")
    merged = merge([first, tmp_path / "copy"], tmp_path / "merged", Guess(), calibrate=0)
    assert merged.summary["counts"]["completed"] == 10
    answers = pq.read_table(tmp_path / "copy" / "answers.parquet").to_pylist()
    answers[4]["text"] = "another"
    with Records(tmp_path / "copy", "answers", _rows.ANSWER_SCHEMA) as records:
        records.replace(answers)
    list_files(tmp_path / "copy")
    with pytest.raises(PixelProofError, match=r"different answers to guess/digits/1/00008, sample 0"):
        merge([first, tmp_path / "copy"], tmp_path / "again", Guess(), calibrate=0)


def test_a_copy_of_a_run_is_not_merged_with_it_because_its_costs_would_count_twice(tmp_path):
    first = go(tmp_path / "a", "1/2").path
    rows = [row | {"seconds": 0.1 + row["order"]} for row in pq.read_table(first / "answers.parquet").to_pylist()]
    with Records(first, "answers", _rows.ANSWER_SCHEMA) as records:
        records.replace(rows)
    list_files(first)
    shutil.copytree(first, tmp_path / "copy")
    with pytest.raises(PixelProofError, match="a copy of the other, and its costs would count twice"):
        merge([first, tmp_path / "copy"], tmp_path / "merged", Guess(), calibrate=0)
    again = go(tmp_path / "b", "1/2").path  # asked twice, and paid twice
    assert merge([first, again], tmp_path / "twice", Guess(), calibrate=0).summary["counts"]["completed"] == 10


def test_runs_of_one_model_on_two_processors_are_merged_and_continued(tmp_path):
    parts = shards(tmp_path, 2)
    for path, name in zip(parts, ("avx2", "neon"), strict=True):
        for file in ("card.json", "card.copy.json"):
            if (path / file).exists():
                card = read_sealed_json(path / file)
                card["model_card"] = {**card["model_card"], "machine": {"instructions": name}}
                write_sealed_json(path / file, card)
    merged = merge(parts, tmp_path / "merged", Guess(), calibrate=0)
    assert [part["machine"]["instructions"] for part in merged.card["merged"]] == ["avx2", "neon"]
    assert any("2 kinds of processors" in remark for remark in merged.card["remarks"])
    assert go(parts[0], "1/2", resume=True).complete, "on a third machine"


def test_an_existing_directory_is_never_overwritten(tmp_path):
    parts = shards(tmp_path, 2)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    for out in (tmp_path / "mine", parts[0]):
        with pytest.raises(PixelProofError, match="choose a new directory"):
            merge(parts, out, Guess(), calibrate=0)
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_a_merge_that_was_killed_can_be_started_again(tmp_path, monkeypatch):
    parts = shards(tmp_path, 2)
    monkeypatch.setattr("pixelproof.harness._merge._copy_blobs", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        merge(parts, tmp_path / "merged", Guess(), calibrate=0)
    monkeypatch.undo()
    assert merge(parts, tmp_path / "merged", Guess(), calibrate=0).complete
    with pytest.raises(PixelProofError, match="choose a new directory"):
        merge(parts, tmp_path / "merged", Guess(), calibrate=0)


@pytest.mark.slow
def test_costs_add_up(tmp_path):
    parts = shards(tmp_path, 2, model="fn/support:even_odd")
    merged = merge(parts, tmp_path / "merged", Guess(), calibrate=0)
    ledgers = [Run.open(path).card["ledger"] for path in (*parts, merged.path)]
    assert ledgers[2]["seconds"] == pytest.approx(ledgers[0]["seconds"] + ledgers[1]["seconds"])


@pytest.mark.slow
def test_the_order_of_the_arguments_does_not_matter(tmp_path):
    """An infrastructure fault in one run gives way to a final result of another, be it a fault of the model."""
    STATES["broken"] = True
    broken = go(tmp_path / "broken", "1/2", model=sometimes).path
    STATES["broken"] = False
    works = go(tmp_path / "works", model=sometimes)
    assert Run.open(broken).summary["counts"]["errored"] == 2 and works.summary["counts"]["errored"] == 0
    for number, parts in enumerate(([broken, works.path], [works.path, broken])):
        merged = merge(parts, tmp_path / f"merged-{number}", Guess(cluster_size=3), calibrate=0)
        assert merged.complete and merged.summary["counts"] == works.summary["counts"]


STATES = {"broken": False}


def sometimes(prompt, item_id):
    """A service that is down for one item, and otherwise answers nothing that can be read."""
    if STATES["broken"] and item_id.endswith("2"):
        raise RuntimeError("down")
    return "no number" if item_id.endswith("2") else "5"


def test_a_merge_never_writes_into_a_shard(tmp_path):
    parts = shards(tmp_path, 2)
    (tmp_path / "file").write_text("mine")
    for out in (parts[0] / "inside", tmp_path / "file"):
        with pytest.raises(PixelProofError, match="is a file, or inside one of the runs"):
            merge(parts, out, Guess(), calibrate=0)
    assert not (parts[0] / "inside").exists()


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "-1/2", "a/b", "1/2/3"])
def test_invalid_shards_are_refused(text):
    with pytest.raises(PixelProofError, match="hard"):
        Shard.parse(text)
