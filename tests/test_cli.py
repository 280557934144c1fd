"""The command line as a user meets it."""

import json
import os
import subprocess
import sys
from functools import partial

import pytest

from commands import invoke
from pixelproof.benches import available, get_bench

SEVEN = ("pixelart", "--source", "published")


@pytest.fixture
def pixelproof(tmp_path, shared_cache, monkeypatch, capsys):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    monkeypatch.chdir(tmp_path)

    return partial(invoke, capsys)


@pytest.mark.slow
def test_it_is_a_program_of_its_own(tmp_path):
    done = subprocess.run([sys.executable, "-m", "pixelproof", "show", "nowhere"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 3 and done.stdout == b"" and done.stderr.startswith(b"Error: nowhere does not exist")


def test_the_first_screen_has_fourteen_entries_at_most(pixelproof):
    shown = pixelproof("--help").stdout
    entries = [line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line[2:3].islower()]
    assert {"run", "score", "compare", "report", "show", "list", "runs", "data", "tools", "more"} <= set(entries)
    assert len(entries) <= 14 and len(shown.splitlines()) <= 24
    assert pixelproof().stdout == shown


def test_more_lists_all_other_commands(pixelproof):
    shown = pixelproof("more").stdout
    others = [line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line[2:3].islower()]
    assert set(others) >= {"ask", "items", "world", "rate", "serve", "review", "arena", "spatial", "agent", "judge"}
    assert "Exit codes" in shown
    for name in others:
        assert pixelproof(name, "--help").stdout.startswith("Usage:")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs"], "pixelproof runs needs one of export, list, merge, repair, rescore: 'pixelproof runs --help' "),
        (["run"], "pixelproof run needs one of agent, arena, evalmi, pixelart, spatial: 'pixelproof run --help' "),
        (["compare"], "Missing argument 'A'. Usage: pixelproof compare [OPTIONS] A [B]"),
        (["shwo"], "There is no command 'shwo'; did you mean 'show'? See 'pixelproof --help'."),
        (["pixelart"], "There is no command 'pixelart'; did you mean 'pixelproof run pixelart'?"),
        (["rescore", "run"], "There is no command 'rescore'; did you mean 'pixelproof runs rescore'?"),
        (["tools", "trase"], "See 'pixelproof tools --help'."),
        (["run", "pixelart", "--modle", "x"], "See 'pixelproof run pixelart --help'."),
    ],
)
def test_a_wrong_command_line_gets_one_line(pixelproof, words, message):
    printed = pixelproof(*words, code=2)
    assert printed.stderr.count("\n") == 1 and message in printed.stderr and not printed.stdout


def test_help_teaches(pixelproof):
    told = pixelproof("run", "pixelart", "--help").stdout
    for word in ("Options of pixelart", "--grid", "--decoding", "--max-cost", "published"):
        assert word in told


def test_list(pixelproof):
    told = pixelproof("list").stdout
    for word in ("pixelart", "arena", "control/floor-blank", "gguf/smollm2", "folder/"):
        assert word in told
    assert len(told.splitlines()) <= 24, "one screen"
    for bench in map(get_bench, available()):
        told = pixelproof("list", bench.name).stdout
        controls = [line for line in told.splitlines() if line.startswith("  control/")]
        assert {line.split()[0] for line in controls} == {f"control/{name}" for name in bench.controls()}
        assert all(len(line.split()) > 3 for line in controls), "each in a few words"
        assert all(f"  {name} " in told for name in (*bench.sources, *bench.display.headline))
    assert "did you mean 'pixelart'" in pixelproof("list", "pixelrat", code=3).stderr


def test_without_a_model_the_choices_are_explained(pixelproof):
    told = pixelproof("run", "pixelart", code=2).stdout
    for word in ("gguf/smollm2", "folder/", "fn/", "control/ceiling-truth", "openai/"):
        assert word in told


@pytest.mark.slow
def test_run_show_compare_rescore(pixelproof, tmp_path):
    told = pixelproof("run", *SEVEN, "--model", "control/ceiling-truth", "--out", "truth").stdout
    assert "7 planned, 7 completed" in told and "lenient.renders" in told
    assert told.rstrip().endswith("The rest: pixelproof show truth --all or pixelproof report truth")
    rows = [line for line in told.splitlines() if "[" in line and "." in line.split()[0]]
    assert 1 <= len(rows) <= 3
    assert json.loads(pixelproof("show", "truth", "--json").stdout)["counts"]["completed"] == 7
    everything = pixelproof("show", "truth", "--all").stdout
    assert "published.coded" in everything
    recognition = everything.partition("Recognition")[2].partition("Published")[0]
    assert "recogniser" in recognition and "abstained" in recognition
    pixelproof("run", *SEVEN, "--model", "control/floor-example", "--out", "example", code=4)
    table = pixelproof("compare", "example", "truth", "--metric", "strict.renders").stdout
    assert "better" in table
    assert (
        "worse"
        in pixelproof("compare", "truth", "example", "--metric", "strict.renders", "--fail-if-worse", code=4).stdout
    )
    assert json.loads(pixelproof("compare", "truth", "example", "--json").stdout)["items"]["common"] == 7
    before = (tmp_path / "truth" / "summary.json").read_text()
    pixelproof("runs", "rescore", "truth")
    assert (tmp_path / "truth" / "summary.json").read_text() == before


@pytest.mark.slow
def test_json_is_all_there_is_on_stdout(pixelproof):
    summary = json.loads(pixelproof("run", *SEVEN, "--model", "control/floor-noise", "--json").stdout)
    assert summary["bench"] == "pixelart" and summary["metrics"]["strict.renders"]["n"] == 7


@pytest.mark.slow
def test_the_same_command_leads_to_the_same_directory(pixelproof):
    pixelproof("run", "pixelart", "--model", "control/floor-noise", "--limit", 3)
    assert "--resume" in pixelproof("run", "pixelart", "--model", "control/floor-noise", "--limit", 3, code=3).stderr
    pixelproof("run", "pixelart", "--model", "control/floor-noise", "--limit", 5, "--resume")


@pytest.mark.slow
def test_scoring_a_folder(pixelproof, tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    for index in range(6):
        (folder / f"pixelart__published__1__{index:04d}.txt").write_text("no drawing today")
    told = pixelproof("score", *SEVEN, "--answers", "answers", code=4).stdout
    assert "6 completed (6 with a model fault)" in told and "1 errored" in told


@pytest.mark.slow
def test_an_empty_folder_is_told_the_names_that_the_bench_wants(pixelproof, tmp_path):
    (tmp_path / "answers").mkdir()
    told = pixelproof("score", *SEVEN, "--answers", "answers", code=3).stderr
    assert "such as pixelart__pixelart-v2__2__0000.json (all names: pixelproof items pixelart)" in told
    assert "→  pixelart__published__1__0000.json" in pixelproof("items", *SEVEN, "--limit", 1).stdout
    (tmp_path / "answers" / "pixelart__published__1__0000.json").write_text("{}")
    assert "1 completed" in pixelproof("score", *SEVEN, "--answers", "answers", "--limit", 1, code=4).stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run", "pixelrat", "--model", "x"], 3, "pixelart"),
        (["run", "pixelart", "--model", "control/nothing"], 3, "ceiling-truth"),
        (["run", "pixelart", "--model", "gpt-4o"], 3, "There is no model 'gpt-4o'; did you mean 'openai/gpt-4o'?"),
        (["run", "pixelart", "--model", "gpt-image-1"], 3, "did you mean 'images/gpt-image-1'?"),
        (["run", "pixelart", "--model", "ceiling-truth"], 3, "did you mean 'control/ceiling-truth'?"),
        (["run", "pixelart", "--model", "kmeans"], 3, "did you mean 'nets/kmeans'?"),
        (["run", "pixelart", "--model", "whatever"], 3, "write KIND/NAME, such as openai/gpt-4o-mini."),
        (["run", "pixelart", "--model", "folder/nowhere"], 3, "nowhere"),
        (["run", "pixelart", "--model", "fn/nowhere:f"], 3, "nowhere"),
        (["run", "pixelart", "--model", "gguf/nowhere.gguf"], 3, "nowhere"),
        (["run", "pixelart", "--model", "control/floor-noise", "--grid", "9999"], 3, "128"),
        (["run", "pixelart", "--model", "control/floor-noise", "--grid", "many"], 2, "many"),
        (["run", "pixelart", "--model", "control/floor-noise", "--source", "moon"], 3, "published"),
        (["items", "pixelart", "--source", "fresh", "--grid", "7"], 3, "at least 8 and at least 7 colours"),
        (["items", "pixelart", "--source", "pixelart-v2", "--colours", "6"], 3, "choose --grid 24 --colours 7."),
        (["run", "pixelart", "--model", "control/floor-noise", "--samples", "0"], 2, "--samples"),
        (["run", "pixelart", "--model", "control/floor-noise", "--limit", "0"], 2, "--limit"),
        (["run", "pixelart", "--model", "control/floor-noise", "--limit", "9" * 20], 3, "--limit"),
        (["run", "pixelart", "--model", "control/floor-noise", "--seed", str(2**63)], 3, "--seed"),
        (["run", "pixelart", "--model", "control/floor-noise", "--seed", "-1"], 3, "--seed"),
        (["run", "pixelart", "--model", "control/floor-noise", "--workers", "0"], 2, "--workers"),
        (["run", "pixelart", "--model", "control/floor-noise", "--connections", "0"], 2, "--connections"),
        (
            ["run", "pixelart", "--model", "control/floor-noise", "--price", "input=1", "--max-cost", "nan"],
            3,
            "dollars",
        ),
        (["run", "pixelart", "--model", "control/floor-noise", "--out", "x" * 300], 3, "--out"),
        (["show", "file"], 3, "card.json"),
        (["run", "pixelart", "--model", "control/floor-noise", "--max-cost", "1"], 3, "--price"),
        (["run", "pixelart", "--model", "control/floor-noise", "--price", "cheap"], 3, "input="),
        (["run", "pixelart", "--model", "control/floor-noise", "--out", "file"], 3, "--out"),
        (["run", "pixelart", "--source", "pixel-art-bench-v1", "--model", "recorded"], 3, "--data"),
        (["show", "nowhere"], 3, "nowhere does not exist: 'pixelproof runs list' shows"),
        (["compare", "nowhere", "nowhere"], 3, "does not exist"),
        (["runs", "rescore", "nowhere"], 3, "does not exist"),
        (["runs", "export", "nowhere", "--out", "table.xls"], 3, "name it table.csv or .jsonl"),
        (["dance"], 2, "dance"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_get_one_sentence(pixelproof, tmp_path, words, code, said):
    (tmp_path / "file").write_text("not a directory")
    assert said in pixelproof(*words, code=code).stderr


@pytest.mark.slow
def test_a_start_that_fails_leaves_nothing(pixelproof, tmp_path):
    pixelproof("run", "pixelart", "--model", "recorded", "--out", "nothing", code=3)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.slow
def test_what_a_function_prints_is_not_a_result(pixelproof, tmp_path, monkeypatch):
    (tmp_path / "chatty.py").write_text(
        "import os\ndef f(prompt):\n    print('spam'); os.chdir('/')\n    return '{}'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    told = pixelproof("run", *SEVEN, "--model", "fn/chatty:f", "--out", "run", "--json", code=4)
    assert json.loads(told.stdout)["counts"]["completed"] == 7 and "spam" in told.stderr
    assert (tmp_path / "run" / "results.parquet").exists()


@pytest.mark.slow
def test_items_name_the_files_that_score_expects(pixelproof, tmp_path):
    rows = [json.loads(line) for line in pixelproof("items", *SEVEN, "--json").stdout.splitlines()]
    assert len(rows) == 7 and "Draw: " in rows[0]["prompt"]
    (tmp_path / "answers").mkdir()
    for row in rows:
        (tmp_path / "answers" / f"{row['file']}.txt").write_text("{}")
    assert "7 completed" in pixelproof("score", *SEVEN, "--answers", "answers", code=4).stdout


@pytest.mark.slow
def test_comparing_with_nothing_is_no_success(pixelproof, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("def f(prompt):\n    raise ValueError('kaboom')\n")
    monkeypatch.syspath_prepend(tmp_path)
    pixelproof("run", *SEVEN, "--model", "control/ceiling-truth", "--out", "a")
    assert "kaboom" in pixelproof("run", *SEVEN, "--model", "fn/broken:f", "--out", "b", code=4).stdout
    assert "failed entirely" in pixelproof("compare", "a", "b", "--fail-if-worse", code=4).stdout


@pytest.mark.slow
def test_rescoring_without_answers_is_refused(pixelproof, tmp_path):
    pixelproof("run", *SEVEN, "--model", "control/floor-noise", "--out", "run")
    (tmp_path / "run" / "answers.parquet").unlink()
    message = pixelproof("runs", "rescore", "run", code=3).stderr
    assert "answers.parquet is damaged (it is missing)" in message and "pixelproof runs repair run" in message


@pytest.mark.slow
def test_a_reader_that_leaves_early_and_a_poor_terminal(pixelproof, tmp_path):
    pixelproof("run", *SEVEN, "--model", "control/floor-noise", "--out", "run")
    show = f"{sys.executable} -m pixelproof show run --all"
    early = subprocess.run(["bash", "-c", f"set -o pipefail; {show} | head -1"], cwd=tmp_path, capture_output=True)
    assert early.returncode == 0, early.stderr
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    poor = subprocess.run(show.split(), cwd=tmp_path, env=ascii_only, capture_output=True)
    assert poor.returncode == 0 and b"strict" in poor.stdout


@pytest.mark.slow
def test_a_dry_run_asks_nothing_and_leaves_nothing(pixelproof, tmp_path):
    told = pixelproof("run", *SEVEN, "-m", "openai/some-model", "--dry-run", "--price", "input=1,output=2").stdout
    assert "7 times" in told and "$" in told
    judged = pixelproof(
        "run", *SEVEN, "-m", "openai/some-model", "--judge", "openai/a-judge", "--dry-run", "--json", "--calibrate", "2"
    ).stdout
    estimate = json.loads(judged)
    assert estimate["judge_questions_at_most"] >= 7 + 2 and estimate["input_tokens"] > 7 * 1000
    assert not (tmp_path / "runs").exists()
