"""The training kit: configs, checkpoints, logs; what a kill at any moment leaves."""

import math
from dataclasses import dataclass, replace

import pytest

from pixelproof.contract import PixelProofError

pytest.importorskip("torch", reason="needs torch: make torch")
pytestmark = pytest.mark.slow

import torch  # noqa: E402

from pixelproof.learn.kit import (  # noqa: E402
    Checkpoints,
    compare_configs,
    read_config,
    read_rows,
    write_config,
    write_page,
    write_rows,
    write_samples,
)
from pixelproof.nets import write_weights  # noqa: E402
from pixelproof.web import number  # noqa: E402


@dataclass(frozen=True)
class Config:
    steps: int = 30
    lr: float = 0.1
    name: str = "toy"
    ema: bool = False


def train(config, out, rows_before_kill=math.inf):
    """A loop as small as one can be: fit a line; every third step is a row, every sixth a checkpoint."""
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.AdamW(model.parameters(), config.lr)
    checkpoints, start = Checkpoints(out), 0
    if state := checkpoints.load():
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["step"]
    for step in range(start, config.steps):
        x = torch.randn(8, 3, generator=torch.Generator().manual_seed(step))
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 3 == 0:
            yield {"step": step + 1, "loss": loss.item()}
        if (step + 1) % 6 == 0:
            checkpoints.save(model=model.state_dict(), optimizer=optimizer.state_dict(), step=step + 1)


def run(out, config=Config(), rows=None):  # noqa: B008
    """Train until the end, or until some rows are written."""
    out.mkdir(exist_ok=True)
    for count, _ in enumerate(write_rows(train(config, out), out / "log.jsonl"), 1):
        if count == rows:
            return


def test_a_run_that_is_stopped_anywhere_and_continued_has_the_log_of_one_that_was_not(tmp_path):
    run(tmp_path / "whole")
    whole = (tmp_path / "whole" / "log.jsonl").read_bytes()
    assert len(whole.splitlines()) == 10
    for rows in range(1, 11):
        out = tmp_path / f"{rows}"
        run(out, rows=rows)
        with (out / "log.jsonl").open("ab") as file:
            file.write(b'{"step": 99')  # a kill cut the line off
        for _ in range(2):
            run(out, rows=2)
        run(out)
        assert (out / "log.jsonl").read_bytes() == whole, rows


def test_a_checkpoint_holds_the_state_of_an_optimiser_to_the_bit(tmp_path):
    weights = [torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn(3, 3))]
    for kind in (torch.optim.AdamW, torch.optim.Muon):
        optimizer = kind(weights, lr=0.1)
        for weight in weights:
            weight.grad = torch.randn_like(weight)
        optimizer.step()
        Checkpoints(tmp_path).save(optimizer=optimizer.state_dict(), note="Ω", numbers=[1, 2.5, None, True])
        state = Checkpoints(tmp_path).load()
        assert state["note"] == "Ω" and state["numbers"] == [1, 2.5, None, True]
        again = kind(weights, lr=0.3)
        again.load_state_dict(state["optimizer"])
        assert again.param_groups[0]["lr"] == 0.1
        before, after = optimizer.state_dict()["state"], again.state_dict()["state"]
        assert before.keys() == after.keys() and len(before) == 2
        for key, values in before.items():
            assert all(torch.equal(torch.as_tensor(after[key][name]), torch.as_tensor(v)) for name, v in values.items())


def test_cpu_time_and_legs_add_up(tmp_path):
    first = Checkpoints(tmp_path)
    assert first.load() is None and first.legs == 1
    first.save(step=1)
    second = Checkpoints(tmp_path)
    second.load()
    assert second.legs == 2 and second.cpu_seconds >= 0


@pytest.mark.parametrize(
    "card", [{}, {"cpu_seconds": 1, "legs": 1, "state": {"items": [["a", {"array": "a9"}]]}}, {"state": 3}]
)
def test_other_files_are_no_checkpoints(tmp_path, card):
    write_weights(tmp_path / "last.npz", {}, card)
    with pytest.raises(PixelProofError, match="is not a checkpoint"):
        Checkpoints(tmp_path).load()


def test_a_damaged_checkpoint_is_refused(tmp_path):
    Checkpoints(tmp_path).save(step=1, x=torch.zeros(100))
    path = tmp_path / "last.npz"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(PixelProofError, match="cannot|can be read"):
        Checkpoints(tmp_path).load()


def test_a_config_is_read_as_it_was_written_and_settings_come_last(tmp_path):
    config = replace(Config(), name='a "b"\n', lr=1e-30)
    write_config(config, tmp_path / "config.toml")
    assert read_config(Config(), tmp_path / "config.toml") == config
    changed = read_config(Config(), tmp_path / "config.toml", ["steps=7", "lr=2", "name=long run", "ema=true"])
    assert changed == Config(7, 2.0, "long run", True)
    assert compare_configs(config, changed) == ["steps", "lr", "name", "ema"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("stepz=7", "steps"),
        ("steps=7.5", "type int"),
        ("steps=true", "type int"),
        ("lr=fast", "type float"),
        ("ema=1", "type bool"),
        ("steps", "key=value"),
    ],
)
def test_wrong_settings_are_refused(setting, message):
    with pytest.raises(PixelProofError, match=message):
        read_config(Config(), None, [setting])


def test_a_file_that_is_no_config_is_refused(tmp_path):
    (tmp_path / "x.toml").write_text("steps: 7")
    for path in (tmp_path / "x.toml", tmp_path / "none.toml"):
        with pytest.raises(PixelProofError, match="is not a config file"):
            read_config(Config(), path)


def test_numbers_that_are_not_finite_are_not_logged(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        list(write_rows([{"step": 1, "loss": math.nan}], tmp_path / "log.jsonl"))


def test_the_page_shows_every_column_and_the_samples(tmp_path):
    import numpy as np

    run(tmp_path / "d")
    write_samples(tmp_path / "d", 12, [np.full((6, 6, 3), level, np.uint8) for level in range(0, 250, 20)])
    write_page(tmp_path / "d", "Training: <toy>", read_rows(tmp_path / "d" / "log.jsonl"), {"step": "", "loss": "nats"})
    page = (tmp_path / "d" / "index.html").read_text()
    assert "Training: &lt;toy&gt;" in page and "<polyline" in page and "after 12 steps" in page and "nats" in page
    assert f"last {number(read_rows(tmp_path / 'd' / 'log.jsonl')[-1]['loss'])}" in page
