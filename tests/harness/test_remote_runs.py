"""Runs, sets and answers at URLs: the commands that read and write folders do the same there."""

import json
import uuid
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

import pixelproof
import support
from pixelproof.cli import main
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, Shard, compare, list_runs, merge, rescore, run
from pixelproof.models import open_model
from support import Guess

fsspec = pytest.importorskip("fsspec", reason="the extra s3 is not installed")
pytestmark = pytest.mark.slow
MODEL = "fn/support:even_odd"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    support.CALLS.clear()


@pytest.fixture
def url():
    return f"memory://bucket-{uuid.uuid4().hex}/runs"


def go(out, shard=None, resume=False, model=MODEL, n=20):
    plan = Plan(Guess(cluster_size=3, n=n), Source("digits"), 3, None, 1, shard and Shard.parse(shard))
    return run(plan, model, settings=Settings(out=out, resume=resume))


def table(path, name):
    rows = pq.read_table(path / f"{name}.parquet").to_pylist()
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def test_a_run_at_a_url_is_the_run_in_a_folder(url, tmp_path):
    local, remote = go(tmp_path / "local"), go(f"{url}/a")
    opened = Run.open(f"{url}/a")
    assert opened.summary == local.summary == remote.summary and opened.complete
    for name in ("answers", "results", "items", "controls"):
        assert table(opened.path, name) == table(local.path, name), name
    assert [answer[2].text for answer in opened.answers()] == [answer[2].text for answer in local.answers()]
    assert compare(local, f"{url}/a", bench=Guess()).common_items == 20
    assert [info.path.name for info in list_runs(url)] == ["a"]


def test_a_url_that_holds_a_run_is_not_overwritten(url):
    go(f"{url}/a")
    with pytest.raises(PixelProofError, match="already holds a run: add --resume"):
        go(f"{url}/a")
    assert Run.open(f"{url}/a").complete


STOP = [True]


def stopping(prompt, item_id):
    """A model that is interrupted at the sixth item."""
    if STOP and item_id.endswith("5"):
        raise KeyboardInterrupt
    support.CALLS.append(item_id)
    return "5"


@pytest.mark.parametrize("machine", ["cache", "second"])
def test_an_interrupted_run_is_continued_on_any_machine(url, tmp_path, monkeypatch, machine):
    STOP[:] = [True]
    with pytest.raises(KeyboardInterrupt):
        go(f"{url}/a", model=stopping)
    assert Run.open(f"{url}/a").card["state"] == "interrupted"
    support.CALLS.clear()
    STOP.clear()
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / machine))
    again = go(f"{url}/a", model=stopping, resume=True)
    assert again.complete and Run.open(f"{url}/a").complete
    assert len(support.CALLS) == 15, "five answers were there"


def test_shards_at_urls_are_merged_to_a_url(url, tmp_path):
    whole = go(tmp_path / "whole")
    shards = [go(f"{url}/{k}", f"{k}/3") and f"{url}/{k}" for k in (1, 2, 3)]
    merge(shards, f"{url}/merged", Guess(cluster_size=3))
    merged = Run.open(f"{url}/merged")
    assert merged.summary == whole.summary and table(merged.path, "answers") == table(whole.path, "answers")
    with pytest.raises(PixelProofError, match="two or more different"):
        merge([shards[0], shards[0]], f"{url}/twice", Guess(cluster_size=3))
    other = go(f"{url}/other", "1/2", n=12)
    with pytest.raises(PixelProofError, match="not runs of one plan"):
        merge([shards[0], f"{url}/other"], f"{url}/mixed", Guess(cluster_size=3))
    assert other.path.exists()


def test_rescoring_changes_the_run_at_the_url(url):
    go(f"{url}/a")
    before = Run.open(f"{url}/a")
    again = rescore(f"{url}/a", Guess(cluster_size=3))
    assert again.summary == before.summary
    with pytest.raises(PixelProofError, match="nothing at"):
        rescore(f"{url}/nowhere")


def test_rescoring_in_processes_gives_the_same_table(tmp_path, url):
    pixelproof.run("pixelart", "control/ceiling-truth", limit=4, out=tmp_path / "a", calibrate=0)
    first = table(tmp_path / "a", "results")
    rescore(tmp_path / "a", workers=2)
    assert table(tmp_path / "a", "results") == first


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command in a folder of its own; returns its exit code and what it prints."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        printed = capsys.readouterr()
        return ended.value.code, printed.out + printed.err

    return call


def test_a_damaged_run_is_named_and_the_others_are_shown(url, command):
    memory = fsspec.filesystem("memory")
    root = url.removeprefix("memory:/")
    for limit, name in enumerate("abcd", 1):  # equal objects would be in the cache already
        pixelproof.run("pixelart", "control/ceiling-truth", limit=limit, out=f"{url}/{name}", calibrate=0)
    damaged = [memory.glob(f"{root}/{name}/results.*.parquet")[0] for name in "bc"]
    for name in damaged:
        memory.pipe_file(name, b"")
    code, said = command("runs", "list", url, "--json")
    states = {Path(run["path"]).name: run["state"] for run in json.loads(said)}
    assert code == 0 and states == {"a": "complete", "b": "damaged", "c": "damaged", "d": "complete"}
    code, said = command("report", url, "--out", "page.html")
    assert code == 0 and "The run b is left out" in said and "The run c is left out" in said
    assert "The run b is left out" in Path("page.html").read_text() and url not in Path("page.html").read_text()
    code, said = command("runs", "repair", "--check", url)
    assert code == 6 and all(f"memory:/{name}: it has 0 bytes" in said for name in damaged), said
    code, said = command("runs", "repair", "--check", f"{url}/b")
    assert code == 6 and f"memory:/{damaged[0]}: it has 0 bytes" in said and "1 file is damaged" in said
    assert command("show", f"{url}/b")[0] == 3


def test_checking_a_folder_names_the_damaged_files_of_all_runs(tmp_path, command):
    for name in "abc":
        go(tmp_path / "runs" / name, n=4)
    for name in "ab":
        (tmp_path / "runs" / name / "summary.json").write_text("{")
    code, said = command("runs", "repair", "--check", str(tmp_path / "runs"))
    assert code == 6 and "a/summary.json:" in said and "b/summary.json:" in said and "2 files are damaged" in said
    code, said = command("runs", "repair", "--check", str(tmp_path / "runs" / "c"))
    assert code == 0 and "are intact" in said


def test_commands_take_urls(url, command):
    arguments = ("--model", "control/ceiling-truth", "--limit", "3", "--calibrate", "0")
    code, said = command("run", "pixelart", *arguments, "--out", f"{url}/a")
    assert code == 0 and f"{url}/a" in said, said
    assert command("run", "pixelart", *arguments, "--out", f"{url}/a")[0] == 3
    assert f"{url}/a" in command("show", f"{url}/a")[1]
    assert json.loads(command("show", f"{url}/a", "--json")[1])["counts"]["completed"] == 3
    assert command("runs", "rescore", f"{url}/a", "--workers", "1")[0] == 0
    assert command("compare", f"{url}/a", f"{url}/a")[0] == 0
    assert f'"path": "{url}/a"' in command("runs", "list", url, "--json")[1]
    code, said = command("show", url)
    assert code == 3 and f"{url} is not a run directory" in said, "not the path of a local copy"
    assert command("report", f"{url}/a", "--out", "page.html")[0] == 0
    assert b"data:image" in Path("page.html").read_bytes()
    assert command("data", "pull", f"{url}/a", "a")[0] == 0 and command("data", "push", "a", f"{url}/b")[0] == 0
    assert command("runs", "repair", "--check", f"{url}/b")[0] == 0
    code, said = command("runs", "repair", f"{url}/b")
    assert code == 3 and "pixelproof data pull" in said
    code, said = command("show", f"{url}/nowhere")
    assert code == 3 and "There is nothing at" in said
    code, said = command("show", "s4://bucket/a")
    assert code == 3 and "no kind of storage" in said


def test_a_set_at_a_url_is_the_set_in_a_folder(url, tmp_path):
    from pixelproof.world.sets import make_set, read_set, recipe_class

    recipe = recipe_class("flat")("flat", seed=7, width=192, height=192, things=3)
    local, remote = make_set(recipe, 3, tmp_path / "set", workers=1), make_set(recipe, 3, f"{url}/set", workers=1)
    assert local.digest == remote.digest
    stored = read_set(f"{url}/set")
    assert len(stored) == 3 and stored[2][1]["rgb"].shape == (192, 192, 3)
    assert make_set(recipe, 4, f"{url}/set", workers=1).n == 4 and len(read_set(f"{url}/set")) == 4


def test_answers_at_a_url_are_scored_one_by_one(url, tmp_path):
    memory = fsspec.filesystem("memory")
    bench = Guess(n=4)
    items = list(bench.items(Source("digits"), 3, None))
    root = url.removeprefix("memory:/")
    for item in items[:3]:
        memory.pipe_file(f"{root}/answers/{item.id.replace('/', '__')}.txt", b"5")
    memory.pipe_file(f"{root}/answers/deep/other.txt", b"not listed")
    plan = Plan(bench, Source("digits"), 3)
    remote = run(plan, f"folder/{url}/answers", settings=Settings(out=tmp_path / "a"))
    assert remote.summary["counts"]["completed"] == 3 and remote.summary["counts"]["errored"] == 1
    assert remote.card["model"] == f"folder/{url}/answers" and not remote.complete
    memory.pipe_file(f"{root}/answers/{items[3].id.replace('/', '__')}.txt", b"")
    resumed = run(plan, f"folder/{url}/answers", settings=Settings(out=tmp_path / "a", resume=True))
    assert resumed.summary["counts"]["errored"] == 0
    with pytest.raises(PixelProofError, match="holds no answers"):
        open_model(f"folder/{url}/nowhere", bench)


def test_data_at_a_url_is_named_in_the_card(url, tmp_path):
    memory = fsspec.filesystem("memory")
    root = url.removeprefix("memory:/")
    from pixelproof.world.sets import make_set, recipe_class

    make_set(recipe_class("flat")("flat", seed=7, width=192, height=192, things=3), 2, f"{url}/set", workers=1)
    assert memory.exists(root)
    from pixelproof.store import local_path

    plan = Plan(Guess(n=3), Source("digits", local_path(f"{url}/set")), 3)
    made = run(plan, MODEL, settings=Settings(out=tmp_path / "a"))
    assert made.card["source"]["data"] == f"{url}/set"
    assert rescore(made.path, Guess(n=3)).complete
    assert Image.open(next(local_path(f"{url}/set").rglob("*.png"))).size == (192, 192)
