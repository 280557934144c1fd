"""Training data: the same bytes by any workers, machines and kills; rows whose answers are right."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest

import pixelproof
from pixelproof.benches import get_bench
from pixelproof.contract import Answer, Example, Item, PixelProofError, Source, Turn
from pixelproof.envs import Layout, Likeness, make_data, plan_data
from pixelproof.harness import TRAINING_SEEDS, Shard, list_split

FLAT = {"task": "largest-colour,compare-areas,count-clutter"}


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "data").iterdir())}


def rows_of(folder):
    return [row for path in sorted((folder / "data").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


@pytest.fixture(scope="module")
def drawings(tmp_path_factory):
    out = tmp_path_factory.mktemp("drawings") / "data"
    make_data(plan_data("pixelart", 60, shard_rows=25), out, workers=1)
    return out


@pytest.mark.slow
def test_drawings_of_rows_solve_their_subjects(drawings):
    bench, rows = get_bench("pixelart"), rows_of(drawings)
    assert len(rows) == 60
    for seed in (TRAINING_SEEDS, TRAINING_SEEDS + 1):
        items = list_split(bench, _fresh(), seed, 25, "train")
        for item, row in zip(items, [row for row in rows if row["seed"] == seed], strict=True):
            assert item.id == row["item"]
            assert row["prompt"] == [{"role": "user", "content": bench.prompt(item).text}]
            metrics = bench.score(item, Answer(row["completion"][0]["content"]), {}).metrics
            assert metrics.get("exact.solved", 1.0) == 1.0
            assert metrics.get("composed.conditions", 1.0) > 0.5  # the recogniser errs at times


def _fresh():
    return Source("fresh")


@pytest.mark.slow
def test_any_workers_machines_and_order_give_the_same_bytes(drawings, tmp_path):
    recipe = plan_data("pixelart", 60, shard_rows=25)
    make_data(recipe, tmp_path / "two", workers=2)
    for part in ("2/2", "1/2"):
        make_data(recipe, tmp_path / "parts", Shard.parse(part), workers=1)
    assert digests(tmp_path / "two") == digests(tmp_path / "parts") == digests(drawings)


@pytest.mark.slow
def test_what_is_missing_is_made_again_and_nothing_else(drawings, tmp_path):
    recipe, before = plan_data("pixelart", 60, shard_rows=25), digests(drawings)
    (drawings / "data" / "train-00001.parquet").unlink()
    written = make_data(recipe, drawings, workers=1)
    assert written.new == 1
    assert digests(drawings) == before


@pytest.mark.soak
def test_killed_it_continues_with_the_same_bytes(drawings, tmp_path):
    tries = int(os.environ.get("PIXELPROOF_SOAK", 2))
    command = [sys.executable, "-m", "pixelproof", "data", "make", "pixelart", "--n", "60", "--shard-rows", "5"]
    make_data(plan_data("pixelart", 60, shard_rows=5), tmp_path / "whole", workers=1)
    for number in range(tries):
        out = tmp_path / f"killed-{number}"
        process = subprocess.Popen([*command, "--workers", "1", "--out", str(out)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if len(list(out.glob("data/train-*"))) >= 1 + number % 8:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.01)
        process.wait()
        subprocess.run([*command, "--workers", "1", "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
        assert digests(out) == digests(tmp_path / "whole")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"bench": "pixelart", "source": "published"},
            "'published' never changes",
        ),
        ({"bench": "pixelart", "format": "csv"}, "There is no format 'csv'"),
        ({"bench": "pixelart", "shard_rows": 0}, "at least one row"),
        ({"bench": "agent", "source": "agent-v1"}, "'agent-v1' never changes"),
    ],
)
@pytest.mark.slow
def test_what_cannot_be_made_is_refused(settings, message, tmp_path):
    with pytest.raises(PixelProofError, match=message):
        make_data(plan_data(n=2, **settings), tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_folders_of_others_are_not_changed(drawings, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(PixelProofError, match="not a data set"):
        make_data(plan_data("pixelart", 2), tmp_path, workers=1)
    with pytest.raises(PixelProofError, match="another rows and shard_rows"):
        make_data(plan_data("pixelart", 2), drawings, workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt"]


@pytest.mark.slow
def test_traces_show_every_image_to_the_user_and_learn_no_mistake(tmp_path):
    make_data(plan_data("agent", 24, given=FLAT), tmp_path / "traces", workers=1)
    rows, kinds = rows_of(tmp_path / "traces"), Counter()
    for row in rows:
        kind = json.loads(row["tags"])["kind"]
        kinds[kind] += 1
        blocks = [(m["role"], b["type"]) for m in row["messages"] for b in m["content"]]
        assert blocks.count(("user", "image")) == len(row["images"]) == sum(b[1] == "image" for b in blocks)
        assert all(image["bytes"][:4] in (b"\x89PNG", b"RIFF", b"\xff\xd8\xff\xe0") for image in row["images"])
        said = [m["role"] == "assistant" for m in row["messages"]]
        assert all(is_said or not learnt for is_said, learnt in zip(said, row["train"], strict=True))
        assert sum(said) - sum(row["train"]) == (kind == "mistake")
        assert row["messages"][-1]["role"] == "assistant" and not row["messages"][-1]["tool_calls"]
        names = {tool["function"]["name"] for tool in json.loads(row["tools"])}
        calls = [call["function"] for m in row["messages"] for call in m["tool_calls"] or ()]
        assert {call["name"] for call in calls} <= names
        assert all(isinstance(json.loads(call["arguments"]), dict) for call in calls)
    assert set(kinds) == {"golden", "mistake", "padded"}


@pytest.mark.slow
def test_answers_of_traces_are_right(tmp_path):
    recipe = plan_data("agent", 12, given=FLAT)
    bench = recipe.bench
    for _, row in recipe.rows(0):
        item = next(i for i in list_split(bench, recipe.source, row["seed"], 40, "train") if i.id == row["item"])
        answer = Answer(row["messages"][-1]["content"][0]["text"])
        assert bench.score(item, answer, {}).metrics["accuracy"] == 1.0


@pytest.mark.slow
def test_the_first_columns_of_edits_are_those_of_editors():
    layout, row = next(plan_data("arena", 1, given={"task": "depth"}).rows(0))
    assert layout.schema.names[:3] == list(row)[:3] == ["input_image", "edit_prompt", "edited_image"]
    features = json.loads(layout.schema.metadata[b"huggingface"])["info"]["features"]
    assert features["edited_image"] == {"_type": "Image"}


def draw_no_composition(prompt):
    """A model that draws all but compositions, for which it draws a blank picture."""
    item = TRUTHS[prompt.text]
    if item.tags["family"] == "compositions":
        return Answer('{"palette":["ffffff","000000"],"grid":[' + ",".join(['"' + "0" * 24 + '"'] * 24) + "]}")
    return get_bench("pixelart").controls()["ceiling-truth"](item, None)


TRUTHS = {}


@pytest.mark.slow
def test_more_of_what_a_run_fails_at(tmp_path, shared_cache):
    bench = get_bench("pixelart")
    TRUTHS.update({bench.prompt(item).text: item for item in bench.items(_fresh(), 3, 57)})
    out = tmp_path / "run"
    run = pixelproof.run(bench, draw_no_composition, source="fresh", seed=3, limit=57, calibrate=0, out=out, workers=1)
    like = Likeness.of(run, bench)
    families = [
        [json.loads(row["tags"])["family"] for _, row in plan_data("pixelart", 120, like=likeness).rows(0)]
        for likeness in (None, like)
    ]
    usual, more = (names.count("compositions") / len(names) for names in families)
    assert usual < 0.45
    assert more > 0.8


@pytest.mark.slow
def test_a_run_without_failures_has_nothing_more_of(tmp_path, shared_cache):
    run = pixelproof.run("pixelart", "control/ceiling-truth", limit=4, calibrate=0, out=tmp_path / "run")
    with pytest.raises(PixelProofError, match="fails at nothing"):
        Likeness.of(run, get_bench("pixelart"))


def test_a_conversation_with_one_reply_is_prompt_and_completion():
    example = Example((Turn("user", ("2 + 2?",)), Turn("model", ("4",))), "Be brief.")
    layout = Layout.of(example)
    row = layout.row(example, Item("b/s/1/0", {}), TRAINING_SEEDS)
    assert row["prompt"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}]
    assert row["completion"] == [{"role": "assistant", "content": "4"}]
