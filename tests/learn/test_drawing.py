"""The drawing model: its data, its loop, and what the loop exports."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from commands import invoke
from pixelproof.benches.pixelart import PixelArt
from pixelproof.cli import main
from pixelproof.contract import Source
from pixelproof.harness import list_split
from pixelproof.nets import read_weights
from pixelproof.nets.draw import BEGIN, Canvas, DrawNet

torch = pytest.importorskip("torch", reason="needs torch: make torch")
pytestmark = pytest.mark.slow

from pixelproof.learn.drawing import SMOKE, train  # noqa: E402
from pixelproof.learn.drawing.data import Drawings, Encoder, Stream  # noqa: E402
from pixelproof.learn.drawing.model import Decoder  # noqa: E402

SOAK = int(os.environ.get("PIXELPROOF_SOAK", "1"))


@pytest.fixture(scope="module")
def encoder():
    return Encoder.fit(0, 64, 12)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A smoke run by the command."""
    out = tmp_path_factory.mktemp("train") / "d0"
    with pytest.raises(SystemExit) as ended:
        main(["train", "drawing", "--smoke", "--out", str(out)])
    assert not ended.value.code
    return out


def test_a_batch_is_a_function_of_seed_and_step(encoder):
    def batch(seed, step, *before):
        stream = Stream(encoder, seed, pool=24, batches=3)
        for number in before:
            stream.batch(number)
        return stream.batch(step)

    def equal(a, b):
        return all(
            np.array_equal(getattr(a, name), getattr(b, name)) for name in ("texts", "tokens", "places", "targets")
        )

    assert equal(batch(0, 4), batch(0, 4, 0, 1, 2, 3)) and equal(batch(0, 4), batch(0, 4, 9))
    assert not equal(batch(0, 4), batch(1, 4)) and not equal(batch(0, 4), batch(0, 5))


def test_a_pool_is_cut_into_batches_without_loss(encoder):
    stream = Stream(encoder, 0, pool=40, batches=4)
    batches = [stream.batch(step) for step in range(4)]
    assert sum(len(batch.tokens) for batch in batches) == 40
    for batch in batches:
        assert ((batch.tokens > 0) | (batch.targets == 0)).all()
        assert (batch.tokens == BEGIN).sum(1).tolist() == [1] * len(batch.tokens)


def test_no_text_of_evaluation_or_of_a_frozen_set_is_trained_on():
    bench = PixelArt()
    texts = {subject.text for subject, _ in Drawings().draw("pool", 0, 1500)}
    evaluation = {bench.content(item) for item in list_split(bench, Source("fresh"), 0, 200, "eval")}
    frozen = {bench.content(item) for item in bench.items(Source("pixelart-v2"), 0, None)}
    assert len(texts) > 500 and not texts & evaluation and not texts & frozen


def test_the_code_book_holds_frequent_colours_and_gives_drawings_that_solve_their_subjects(encoder):
    solved = []
    for subject, drawing in Drawings().draw("test", 0, 80):
        example = encoder.encode(subject.text, drawing)
        canvas = Canvas(len(encoder.book))
        for token in example.tokens:
            canvas.push(token)
        solved.append(subject.check(canvas.grid, encoder.book[canvas.palette]).solved)
    assert np.mean(solved) >= 0.97


def test_numpy_computes_what_torch_computes(encoder, tmp_path):
    from pixelproof.learn.kit import write_net
    from pixelproof.nets.draw import Decoder as Inference

    torch.manual_seed(1)
    model = Decoder(len(encoder.vocabulary), 64, width=32, depth=2, heads=2)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    write_net(tmp_path / "net.npz", "draw", dict(model.named_parameters()), {}, {}, quantised=False)
    inference = Inference(read_weights(tmp_path / "net.npz")[0], 2)
    batch = Stream(encoder, 0, 8, 8).batch(3)
    with torch.no_grad():
        inputs = map(torch.from_numpy, (batch.texts, batch.tokens, batch.places, batch.targets > 0))
        expected = model(*inputs).numpy()
    texts = batch.texts[0][: int((batch.tokens[0] > 0).argmax())].tolist()
    tokens, places = batch.tokens[0][len(texts) :], batch.places[0][len(texts) :]
    cache, logits = inference.begin(texts, int(tokens[0]))
    for step in range(int((batch.targets[0] > 0).sum())):
        if step:
            logits = inference.step(cache, len(texts) + step, int(tokens[step]), places[step])
        np.testing.assert_allclose(logits, expected[step], atol=2e-4)


def test_the_loss_falls(tmp_path):
    config = replace(SMOKE, steps=60, warmup=10, log_every=10, save_every=60, score_every=1000, pool=160, batches=20)
    losses = [row["loss"] for row in train(config, tmp_path)]
    assert losses[-1] < 0.8 * losses[0]


def test_the_smoke_run_writes_a_net_that_the_bench_runs(finished, monkeypatch, capsys):
    monkeypatch.chdir(finished.parent)
    names = {path.name for path in finished.iterdir()}
    assert {"config.toml", "log.jsonl", "last.npz", "index.html", "net.npz", "card.json", "samples"} <= names
    card = json.loads((finished / "card.json").read_text())
    assert card["scores"]["metrics"]["strict.renders"]["value"] == 1
    assert {"command", "commit", "config", "cpu_minutes", "device", "data", "limits", "legs"} <= card.keys()
    arguments = "run pixelart --model nets/d0/net.npz --source fresh --split eval --limit 3 --out runs/d0 --json"
    result = invoke(capsys, *arguments.split())
    assert json.loads(result.stdout)["metrics"]["strict.renders"]["value"] == 1
    assert DrawNet(finished / "net.npz").card()["weights"]["draw"] == card["net"]["sha256"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "continue it with --resume"),
        (["--resume", "--set", "width=64"], "another width"),
        (["--resume", "--set", "widht=64"], "width"),
    ],
)
def test_a_directory_with_a_run_is_continued_with_the_same_settings_only(finished, capsys, arguments, message):
    assert message in invoke(capsys, "train", "drawing", "--out", finished, *arguments, code=3).stderr


def test_a_finished_run_is_finished_again_without_change(finished, capsys):
    before = [(finished / name).read_bytes() for name in ("net.npz", "log.jsonl")]
    invoke(capsys, "train", "drawing", "--out", finished, "--resume")
    assert [(finished / name).read_bytes() for name in ("net.npz", "log.jsonl")] == before


def test_the_list_names_the_loops(capsys):
    assert "drawing: subject text" in invoke(capsys, "train", "list").stdout


TRAIN = """
import os, sys
from pathlib import Path
from pixelproof.learn.drawing import SMOKE, train
from pixelproof.learn.kit import write_rows

def run(out):
    for row in write_rows(train(SMOKE, out), out / "log.jsonl"):
        pass

root, kills = Path(sys.argv[1]), int(sys.argv[2])
for name in ["whole", *(str(number // 2) for number in range(2 * kills))]:
    (root / name).mkdir(exist_ok=True)
    child = os.fork()
    if child == 0:
        run(root / name)
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.attack("kill -9 during training, then --resume")
def test_the_log_after_a_kill_is_that_of_an_uninterrupted_run(tmp_path):
    kills = 3 if SOAK == 1 else 20
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", TRAIN, str(tmp_path), str(kills)]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert program.stdout is not None
    draws, duration, killed = random.Random(3), 0.0, 0
    for number in range(2 * kills + 1):
        child, began = int(program.stdout.readline()), time.monotonic()
        if number % 2:  # the first run of each directory
            time.sleep(draws.uniform(0, duration))
            with suppress(ProcessLookupError):  # it was faster this time
                os.kill(child, signal.SIGKILL)
        code = int(program.stdout.readline())
        killed += code == -signal.SIGKILL
        assert code == 0 or number % 2
        duration = duration or time.monotonic() - began
    assert program.wait() == 0 and killed > kills // 2
    whole = (tmp_path / "whole" / "log.jsonl").read_bytes()
    assert all((tmp_path / str(number) / "log.jsonl").read_bytes() == whole for number in range(kills))
