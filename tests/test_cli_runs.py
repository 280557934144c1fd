"""`runs list` and `export`, `list --json`, suggestions for mistyped names, and shell completion."""

import csv
import json
import shutil
import time
from cProfile import Profile
from importlib.metadata import EntryPoint

import pyarrow.parquet as pq
import pytest
from click.shell_completion import ShellComplete

import pixelproof as pp
from pixelproof.benches import available, get_bench
from pixelproof.cli import main
from pixelproof.cli._app import program
from support import edit_json


@pytest.fixture
def pixelproof(capsys, tmp_path, shared_cache, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))

    def call(*words, code=0):
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        told = capsys.readouterr()
        assert ended.value.code == code, told.err
        return told

    return call


@pytest.fixture(scope="module")
def made(tmp_path_factory, shared_cache):
    """Two runs, made once; tests get copies."""
    root = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(shared_cache))
        pp.run("pixelart", "control/floor-noise", limit=2, source="published", out=root / "runs" / "a" / "noise")
        pp.run("pixelart", "control/ceiling-truth", limit=3, seed=7, source="published", out=root / "runs" / "truth")
    return root / "runs"


@pytest.fixture
def two_runs(made, tmp_path):
    shutil.copytree(made, tmp_path / "runs")
    (tmp_path / "cache").mkdir()


@pytest.mark.slow
def test_runs_lists_every_run(pixelproof, two_runs, tmp_path):
    (tmp_path / "runs" / "set").mkdir()
    (tmp_path / "runs" / "set" / "card.json").write_text('{"recipe": {}}')  # a set of the world
    rows = {row["path"]: row for row in json.loads(pixelproof("runs", "list", "--json").out)}
    assert list(rows) == ["runs/a/noise", "runs/truth"]
    truth = rows["runs/truth"]
    assert truth | {"bench": "pixelart", "model": "control/ceiling-truth", "source": "published", "seed": 7} == truth
    assert truth | {"planned": 3, "completed": 3, "state": "complete", "problem": ""} == truth
    assert truth["metric"] in get_bench("pixelart").display.headline and truth["value"] == 1.0
    table = pixelproof("runs", "list", "runs").out
    for word in ("runs/truth", "control/floor-noise", "published", "3/3", "complete"):
        assert word in table
    assert "No runs" in pixelproof("runs", "list", "cache").out
    assert "is not a directory" in pixelproof("runs", "list", "nowhere", code=3).err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("card.json", b"{"),
        ("card.json", b"\xff\xfe\x00"),
        ("card.json", b'{"bench": "pixelart"}'),
        ("card.json", None),
        ("summary.json", b"[]"),
        ("summary.json", b'{"counts": {}, "metrics": {}}'),
    ],
)
def test_damaged_runs_are_listed_as_such(pixelproof, two_runs, tmp_path, name, content):
    path = tmp_path / "runs" / "truth" / name
    path.unlink() if content is None else path.write_bytes(content)
    rows = {row["path"]: row for row in json.loads(pixelproof("runs", "list", "--json").out)}
    assert rows["runs/truth"]["state"] == "damaged" and rows["runs/truth"]["problem"]
    assert rows["runs/a/noise"]["state"] == "complete"
    assert "damaged" in pixelproof("runs", "list").out


def test_an_unfinished_run_and_a_run_of_an_unknown_bench_are_listed(pixelproof, two_runs, tmp_path):
    edit_json(tmp_path / "runs" / "truth" / "card.json", state="interrupted")
    (tmp_path / "runs" / "truth" / "summary.json").unlink()
    edit_json(tmp_path / "runs" / "a" / "noise" / "card.json", bench="of-somebody-else")
    noise, truth = json.loads(pixelproof("runs", "list", "--json").out)
    assert truth["state"] == "interrupted" and not truth["problem"] and truth["value"] is None
    assert noise["bench"] == "of-somebody-else" and noise["metric"] and noise["value"] is not None


def test_list_as_json(pixelproof):
    listed = json.loads(pixelproof("list", "--json").out)
    assert [bench["name"] for bench in listed["benches"]] == sorted(available())
    pixelart = next(bench for bench in listed["benches"] if bench["name"] == "pixelart")
    bench = get_bench("pixelart")
    assert pixelart["sources"] == dict(bench.sources) and set(pixelart["controls"]) == set(bench.controls())
    assert set(pixelart["metrics"]) == {metric.name for metric in bench.metrics}
    assert "grid" in pixelart["options"] and set(pixelart["headline"]) == set(bench.display.headline)
    assert any(model["name"] == "gguf/smollm2" for model in listed["models"])


@pytest.mark.parametrize(
    ("words", "code", "suggestion"),
    [
        (["shwo"], 2, "did you mean 'show'"),
        (["run", "pixelrat", "--model", "x"], 3, "did you mean 'pixelart'"),
        (["run", "pixelart", "--model", "control/floor-nois"], 3, "floor-noise"),
        (["run", "pixelart", "--model", "control/floor-noise", "--source", "publishd"], 3, "published"),
        (["run", "pixelart", "--sorce", "x"], 2, "--source"),
        (["compare", "runs/a/noise", "runs/a/noise", "--metric", "stritc.renders"], 3, "did you mean 'strict.renders'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistyped_names_get_a_suggestion(pixelproof, two_runs, words, code, suggestion):
    assert suggestion in pixelproof(*words, code=code).err


def complete(*words):
    *before, incomplete = words
    completion = ShellComplete(program, {}, "pixelproof", "_PIXELPROOF_COMPLETE")
    return [item.value for item in completion.get_completions(list(before), incomplete)]


def test_completion(pixelproof, two_runs, tmp_path):
    assert complete("ru") == ["run", "runs"]
    assert complete("run", "pixel") == ["pixelart"]
    assert complete("run", "pixelart", "--source", "pixelart") == ["pixelart-v2"]
    floors = [f"control/{name}" for name in sorted(get_bench("pixelart").controls()) if name.startswith("floor-")]
    assert complete("run", "pixelart", "--model", "control/floor-") == floors
    assert "gguf/" in complete("run", "pixelart", "--model", "g")
    (tmp_path / "weights.gguf").write_bytes(b"")
    assert complete("run", "pixelart", "--model", "gguf/") == [
        "gguf/smollm2",
        "gguf/cache/",
        "gguf/runs/",
        "gguf/weights.gguf",
    ]
    assert complete("run", "pixelart", "--model", "folder/ru") == ["folder/runs/"]
    assert complete("run", "pixelart", "--model", "folder/runs/t") == ["folder/runs/truth/"]
    assert complete("show", "ru") == ["runs/a/noise", "runs/truth"]
    assert complete("compare", "runs/truth", "runs/a") == ["runs/a/noise"]
    assert complete("show", "nowhere/") == ["nowhere/"]
    assert complete("run", "pixelart", "--model", "folder/nowhere/") == []


@pytest.mark.slow
def test_a_run_is_exported_as_a_table(pixelproof, two_runs, tmp_path):
    rows = list(pp.open_run("runs/truth").rows())
    assert pixelproof("runs", "export", "runs/truth", "--out", "t.jsonl").out == "3 answers are in t.jsonl\n"
    assert [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()] == rows
    pixelproof("runs", "export", "runs/truth", "--out", "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [(row["item"], row["text"]) for row in written] == [(row["item"], row["text"]) for row in rows]
    assert [float(row["strict.renders"]) for row in written] == [row["strict.renders"] for row in rows]


@pytest.mark.slow
def test_replies_are_no_formulas_in_a_spreadsheet(pixelproof, tmp_path, monkeypatch):
    (tmp_path / "formula.py").write_text("def f(prompt):\n    return '=1+1'\n")
    monkeypatch.syspath_prepend(tmp_path)
    pixelproof(
        "run", "pixelart", "--source", "published", "--limit", 1, "--model", "fn/formula:f", "--out", "run", code=4
    )
    pixelproof("runs", "export", "run", "--out", "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == ["'=1+1"]


def test_items_of_runs_share_a_column_name(pixelproof, two_runs, tmp_path):
    run = tmp_path / "runs" / "truth"
    columns = {name: pq.read_schema(run / f"{name}.parquet").names for name in ("items", "answers", "results")}
    assert all("item" in names for names in columns.values())
    shutil.rmtree(run / "blobs", ignore_errors=True)
    pixelproof("show", run)


@pytest.mark.slow
def test_repair_names_what_is_lost(pixelproof, tmp_path):
    pixelproof("run", "pixelart", "--source", "published", "--model", "control/floor-noise", "--out", "run")
    assert "All files of run are intact." in pixelproof("runs", "repair", "run", "--check").out
    results = tmp_path / "run" / "answers.parquet"
    data = bytearray(results.read_bytes())
    data[len(data) // 20] ^= 16
    results.write_bytes(bytes(data))
    for words in (("show", "run"), ("compare", "run", "run"), ("runs", "rescore", "run"), ("report", "run")):
        if words[0] in ("runs", "report"):  # the others do not read answers
            said = pixelproof(*words, code=3).err
            assert "answers.parquet is damaged" in said and "pixelproof runs repair" in said
    assert "answers.parquet: the checksum" in pixelproof("runs", "repair", "run", "--check", code=6).out
    said = pixelproof("runs", "repair", "run").out
    assert "answers.parquet: the checksum of its rows is wrong" in said and "No answer is lost." in said
    assert pixelproof("show", "run").err == ""
    (tmp_path / "run" / "summary.json").write_text(
        (tmp_path / "run" / "summary.json").read_text().replace('"seal"', '"sale"')
    )
    assert "it has no checksum" in pixelproof("show", "run", code=3).err
    assert "Made again: summary.json" in pixelproof("runs", "repair", "run").out and pixelproof("show", "run").err == ""


def test_a_bench_that_cannot_be_loaded_is_listed_with_the_reason(pixelproof, monkeypatch):
    broken = {"broken": EntryPoint("broken", "no_such_module:Bench", "pixelproof.benches")}
    benches = {**available(), **broken}
    monkeypatch.setattr("pixelproof.benches._discovery.plugins", lambda group: benches)
    reason = "The bench 'broken' cannot be loaded from no_such_module:Bench"
    listed = json.loads(pixelproof("list", "--json").out)
    assert reason in listed["unloaded"]["broken"] and len(listed["benches"]) == len(benches) - 1
    for words in (["list"], ["run", "--help"], ["items", "--help"]):
        text = " ".join(pixelproof(*words).out.split())
        assert reason in text and "pixelart" in text, words
    for words in (["--help"], ["--model", "x"], []):
        assert reason in pixelproof("run", "broken", *words, code=3).err


def test_a_command_that_cannot_be_loaded_leaves_the_others(pixelproof, monkeypatch):
    broken = {"broken": EntryPoint("broken", "no_such_module:group", "pixelproof.commands")}
    monkeypatch.setattr("pixelproof.cli._app.plugins", lambda group: broken)
    assert "The command 'broken' cannot be loaded" in " ".join(pixelproof("more").out.split())
    assert "cannot be loaded from no_such_module:group" in pixelproof("broken", "--help", code=3).err


@pytest.mark.slow
@pytest.mark.attack("`runs list` of many runs", before="104 CPU-s for 10,000 runs", lost="at most 10 CPU-s")
def test_trust4_a_list_of_many_runs_takes_little_time(two_runs, pixelproof, tmp_path, monkeypatch, record_property):
    """The number of calls is the same on every machine; the time is recorded, and not compared."""
    for number in range(200):
        shutil.copytree(tmp_path / "runs" / "truth", tmp_path / "many" / f"{number:03d}")
    pixelproof("runs", "list", "runs")  # imports
    profile = Profile()
    with profile:
        listed = json.loads(pixelproof("runs", "list", "many", "--json").out)
    calls = sum(entry.callcount for entry in profile.getstats())
    assert len(listed) == 200 and {run["state"] for run in listed} == {"complete"} and calls / 200 < 6000
    monkeypatch.setattr("pixelproof.cli._runs._MOST_IN_TABLE", 1)
    began = time.process_time()
    pixelproof("runs", "list", "many")
    record_property("now", f"{(time.process_time() - began) * 50:.1f} CPU-s for 10,000 runs, from 200")
    record_property("tries", 200)


def test_long_lists_have_a_line_per_run(two_runs, pixelproof, monkeypatch):
    monkeypatch.setattr("pixelproof.cli._runs._MOST_IN_TABLE", 1)
    lines = pixelproof("runs", "list", "runs").out.splitlines()
    assert len(lines) >= 3 and lines[0].split()[:2] == ["run", "bench"] and "truth" in "".join(lines[1:3])
