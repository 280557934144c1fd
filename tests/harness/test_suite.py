"""Suites: read, carried out, killed, resumed, within one budget; and the examples that come with the package."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from functools import partial
from pathlib import Path

import jsonschema
import pytest

import pixelproof
from commands import invoke
from models.servers import chat_reply, images_reply, png, says, serving
from pixelproof.benches import get_bench
from pixelproof.contract import PixelProofError
from pixelproof.harness import Run
from pixelproof.harness.suites import read_suite, suite_schema

EXAMPLES = {path.stem: path for path in Path(pixelproof.__file__).parent.joinpath("cli", "suites").glob("*.toml")}
TWO = """
out = "runs/two"
limit = 2
seed = [0, 7]
models = ["control/floor-noise", "control/ceiling-truth"]

[[benches]]
name = "pixelart"
source = "published"
"""
DRAWER = """
import os, time

def draw(prompt, item_id, sample, seed):
    with open(os.environ["ASKED"], "a") as log:
        log.write(f"{item_id} {seed}\\n")
    time.sleep(0.2)
    return "no drawing"
"""
DRAWN = """
out = "runs/drawn"
seed = [0, 1]
models = ["fn/suite_drawer:draw"]
benches = [{name = "pixelart", source = "published"}]
"""


@pytest.fixture
def suite_file(tmp_path, shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    monkeypatch.chdir(tmp_path)

    def write(text):
        path = tmp_path / "suite.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def command(capsys):
    return partial(invoke, capsys, "suite")


def test_a_suite_is_the_product_of_its_lists(suite_file):
    suite = read_suite(
        suite_file("""
        seed = [0, 7]
        samples = 2
        models = ["control/ceiling-truth", {name = "gguf/smollm2", samples = 3, decoding = ["free", "grammar"]}]
        [[benches]]
        name = "pixelart"
        source = "fresh"
        grid = [24, 32]
        [[benches]]
        name = "arena"
        task = "depth"
        seed = 3
        models = ["control/floor-blank"]
        """)
    )
    assert suite.title == "suite" and suite.out == Path("runs/suite") and suite.max_cost is None
    grids = [getattr(run.bench, "grid", 0) for run in suite.runs]
    asked = [
        (run.bench.name, grid, run.model, given.decoding, given.seed, given.samples, given.source)
        for run, grid, given in zip(suite.runs, grids, (run.options for run in suite.runs), strict=True)
    ]
    assert asked[-1] == ("arena", 0, "control/floor-blank", "free", 3, 2, None) and len(asked) == 2 * 2 + 2 * 2 * 2 + 1
    assert set(asked[:4]) == {
        ("pixelart", grid, "control/ceiling-truth", "free", seed, 2, "fresh") for grid in (24, 32) for seed in (0, 7)
    }
    assert {a[3:6:2] for a in asked[4:12]} == {("free", 3), ("grammar", 3)}
    assert len({run.path for run in suite.runs}) == len(suite.runs)
    assert suite.runs[-1].bench == get_bench("arena", task="depth")
    assert str(suite.runs[-1]) == "arena: control/floor-blank, task depth, seed 3"


def test_the_directory_of_a_run_depends_on_its_conditions_alone(suite_file):
    few = {run.path for run in read_suite(suite_file(TWO)).runs}
    more = {
        run.path for run in read_suite(suite_file(TWO.replace("[0, 7]", "[1, 7, 0]").replace("limit = 2", ""))).runs
    }
    assert len(few) == 4 and len(more) == 6 and few < more
    assert few == {run.path for run in read_suite(suite_file(TWO), Path("runs/two")).runs}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("models =", "modles =", "There is no key 'modles'; did you mean 'models'"),
        ("limit =", "limits =", "did you mean 'limit'"),
        ("source =", "sauce =", "There is no key of pixelart 'sauce'; did you mean 'source'"),
        ("source =", "gird = 24\nsource =", "did you mean 'grid'"),
        ('"control/floor-noise"', '{name = "fn/x:y", prize = "image=1"}', "did you mean 'price'"),
        ('"pixelart"', '"pixelrat"', "did you mean 'pixelart'"),
        ('"published"', '"publishd"', "did you mean 'published'"),
        ("limit = 2", 'limit = "2"', "limit of pixelart must be a whole number, not '2'"),
        ("[0, 7]", "[]", "seed is an empty list"),
        ("[0, 7]", "[0, 0]", "pixelart: control/floor-noise, published, seed 0: this run is listed twice"),
        ("[0, 7]", "[-1]", "--seed must be between 0"),
        ('source = "published"', "grid = 9999", "128"),
        (
            '["control/floor-noise", "control/ceiling-truth"]',
            '"control/floor-noise"',
            "models of the suite must be a list",
        ),
        ('"control/floor-noise"', "5", "A model is a name or a table with a name, not 5"),
        ('"control/floor-noise"', '"images/m"', "max_cost needs the price of images/m"),
        ("limit = 2", 'judge = "openai/m"', "max_cost needs the price of openai/m"),
        ("limit = 2", 'price = "cheap"', "Cannot read the price 'cheap'"),
        ('"runs/two"', '"s3://lab/runs"', "out is a local directory"),
        ("[[benches]]", "[[benches", "cannot be read as a suite"),
    ],
)
def test_mistakes_are_named_before_anything_is_asked(suite_file, old, new, message):
    assert old in TWO
    path = suite_file(TWO.replace(old, new, 1))
    with pytest.raises(PixelProofError, match="suite.toml") as refusal:
        read_suite(path, max_cost=1.0)
    assert message in str(refusal.value)


@pytest.mark.slow
def test_run_resume_and_grow(suite_file, command, tmp_path):
    path = suite_file(TWO)
    estimate = json.loads(command("run", path, "--dry-run", "--json").stdout)
    assert estimate["total"]["asks"] == 8 and not (tmp_path / "runs").exists()
    printed = command("run", path).stdout
    assert printed.count("complete") == 4 and printed.rstrip().endswith("Page: runs/two/report.html")
    page = (tmp_path / "runs" / "two" / "report.html").read_text()
    assert "control/floor-noise" in page and "control/ceiling-truth" in page
    assert "add --resume to continue" in command("run", path, code=3).stderr
    before = {card: card.read_bytes() for card in tmp_path.rglob("card.json")}
    path = suite_file(TWO.replace('"control/ceiling-truth"', '"control/ceiling-truth", "control/floor-blank"'))
    done = json.loads(command("run", path, "--resume", "--json").stdout)
    assert len(done["runs"]) == 6 and not done["problems"]
    assert {card: card.read_bytes() for card in before} == before
    path = suite_file(TWO.replace("limit = 2", "limit = 3"))
    command("run", path, "--resume")
    assert all(Run.open(card.parent).summary["counts"]["completed"] == 3 for card in before)


@pytest.mark.slow
def test_a_run_that_cannot_be_carried_out_leaves_the_others(suite_file, command):
    path = suite_file(TWO.replace('"control/floor-noise"', '"fn/nowhere:f"'))
    printed = command("run", path, code=4)
    assert printed.stdout.count("complete") == 2 and "Page: runs/two/report.html" in printed.stdout
    assert "pixelart: fn/nowhere:f, published, seed 7: fn/nowhere:f: there is no module nowhere" in printed.stderr


@pytest.mark.slow
def test_a_killed_suite_asks_for_what_is_missing(suite_file, command, tmp_path, monkeypatch):
    path, log = suite_file(DRAWN), tmp_path / "asked"
    (tmp_path / "suite_drawer.py").write_text(DRAWER)
    monkeypatch.setenv("ASKED", str(log))
    words = [sys.executable, "-m", "pixelproof", "suite", "run", str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and not (log.exists() and len(log.read_text().splitlines()) >= 9):
        time.sleep(0.02)  # the first run has seven items
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 9 <= len(log.read_text().splitlines()) < 14
    monkeypatch.syspath_prepend(tmp_path)
    command("run", path, "--resume")
    asked = log.read_text().splitlines()
    assert len(set(asked)) == 14 and len(asked) <= 15  # the one in flight is asked again
    assert (tmp_path / "runs" / "drawn" / "report.html").exists()


@pytest.mark.slow
def test_all_runs_share_one_budget(suite_file, command, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    text = """
    out = "runs/paid"
    limit = 3
    seed = [0, 1, 2]
    models = ["control/floor-noise", {name = "chat/m", price = "output=1000", max_tokens = 1000, connections = 1}]
    benches = [{name = "pixelart", source = "published"}]
    max_cost = 4.5
    """
    reply = chat_reply("no drawing") | {"usage": {"prompt_tokens": 1, "completion_tokens": 1000}}  # for a dollar
    with serving(says(reply)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        printed = command("run", suite_file(text), code=4)
        assert len(server.seen) == 4 and "chat/m, published, seed 2: not asked: the budget is spent" in printed.stderr
        resumed = json.loads(command("run", suite_file(text), "--resume", "--json", code=4).stdout)
        assert len(server.seen) == 4 and resumed["cost"] == 4
        done = json.loads(command("run", suite_file(text), "--resume", "--max-cost", "20", "--json").stdout)
        assert len(server.seen) == 9 and done["cost"] == 9


def test_the_schema_accepts_what_the_parser_accepts(suite_file):
    schema = suite_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    texts = {name: path.read_text() for name, path in EXAMPLES.items()} | {"two": TWO, "drawn": DRAWN}
    assert set(texts) == {"smoke", "images", "two", "drawn"}
    for text in texts.values():
        jsonschema.validate(tomllib.loads(text), schema)
        assert read_suite(suite_file(text)).runs
    for old, new in [
        ("limit =", "limits ="), ("source =", "sauce ="), ('"pixelart"', '"pixelrat"'), ("limit = 2", 'limit = "2"'),
        ("[0, 7]", "[]"), ('"control/floor-noise"', "5"), ('source = "published"', 'shift = "none"\ngrid = "x"'),
    ]:  # fmt: skip
        text = TWO.replace(old, new, 1)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(text), schema)
        with pytest.raises(PixelProofError):
            read_suite(suite_file(text))


def test_examples_and_schema_are_printed(command, suite_file):
    for name, path in EXAMPLES.items():
        assert tomllib.loads(command("example", name).stdout) == tomllib.loads(path.read_text())
    assert json.loads(command("schema").stdout) == suite_schema()


@pytest.mark.slow
def test_smoke_needs_no_key_and_no_extra(suite_file, command):
    done = json.loads(command("run", "smoke", "--json").stdout)
    assert len(done["runs"]) == 7 and {run["state"] for run in done["runs"]} == {"complete"}
    assert Path(done["page"]).exists()


@pytest.mark.slow
def test_images_against_a_server(suite_file, command, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    text = EXAMPLES["images"].read_text()
    for line in ("limit = 20", "limit = 10"):
        text = text.replace(line, "limit = 1")
    text = text.replace("calibrate = 5", "calibrate = 1")

    def answer(handler):
        if handler.seen.path.startswith("/v1/images"):
            says(images_reply(png(90, (64, 64))))(handler)
        else:
            says(chat_reply("fair" if b"excellent" in handler.seen.body else "yes"))(handler)

    with serving(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        done = json.loads(command("run", suite_file(text), "--json").stdout)
    assert [run["state"] for run in done["runs"]] == ["complete"] * 3 and not done["problems"]
    paths = [request.path for request in server.seen]
    assert paths.count("/v1/images/edits") == 2 and paths.count("/v1/images/generations") == 1
    assert any(path.endswith("/chat/completions") for path in paths)
