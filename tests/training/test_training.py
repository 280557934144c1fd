"""With torch: that it learns, and that what it learnt is what numpy runs."""

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.nets import Recogniser, encode, load_recogniser
from pixelproof.pixels import oklab
from training.drawing.export import write_network
from training.drawing.foreign import Figure
from training.drawing.ours import SUBJECTS
from training.drawing.pool import Task, render, validation_tasks


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def pool():
    tasks = [Task("ours", name, index, name) for name in ("heart", "rainbow", "skull") for index in range(64)]
    return render(tasks, 0, lambda done, total: None, 1)


@pytest.fixture(scope="module")
def trained(torch, pool):
    from training.drawing.network import Recipe, train_network

    said = []
    return train_network(pool, Recipe(epochs=6, batch=32), said.append), said


@pytest.mark.slow
def test_the_loss_falls(trained):
    losses = [float(line.split("loss ")[1].split()[0]) for line in trained[1]]
    assert len(losses) == 6 and losses[-1] < losses[0] / 2


@pytest.mark.slow
def test_numpy_computes_what_torch_computes(torch, trained, pool):
    from training.drawing.network import forward, layers_of

    cells, grounds = pool.cells[::7], pool.grounds[::7]
    seen = encode(oklab(cells), oklab(grounds)).transpose(0, 3, 1, 2).copy()
    with torch.no_grad():
        theirs = [forward(trained[0], torch.from_numpy(view.copy())).numpy() for view in (seen, seen[..., ::-1])]
    ours = Recogniser(SUBJECTS, layers_of(trained[0]), 1.0, 0.5, {}).logits(cells, grounds)
    np.testing.assert_allclose(ours, np.mean(theirs, axis=0), rtol=1e-3, atol=1e-3)


@pytest.mark.slow
def test_half_precision_changes_next_to_nothing(trained, pool, tmp_path):
    from training.drawing.network import layers_of

    layers = layers_of(trained[0])
    write_network(tmp_path / "net.npz", layers, {"names": SUBJECTS, "temperature": 1.0, "threshold": 0.5})
    read = load_recogniser(tmp_path / "net.npz")
    some = pool.cells[::7], pool.grounds[::7]
    exact = Recogniser(SUBJECTS, layers, 1.0, 0.5, {}).logits(*some)
    assert np.abs(read.logits(*some) - exact).max() < 0.05
    assert (tmp_path / "net.npz").stat().st_size < 2_000_000


@pytest.mark.slow
def test_the_same_seed_trains_the_same_network(torch, pool):
    from training.drawing.network import Recipe, layers_of, train_network

    networks = [train_network(pool, Recipe(epochs=1, batch=32), lambda line: None) for _ in range(2)]
    for (first, _), (second, _) in zip(*map(layers_of, networks), strict=True):
        np.testing.assert_allclose(first, second, atol=1e-5)


@pytest.mark.slow
def test_from_drawings_to_a_file_that_is_used(torch, tmp_path, monkeypatch):
    from training.drawing import run
    from training.drawing.network import Recipe

    rgba = np.zeros((16, 16, 4), np.uint8)
    rgba[3:13, 3:13] = (200, 90, 40, 255)
    figures = [Figure("crawl-tiles", f"{n}", "gift", rgba, f"crawl-tiles/{n}") for n in range(20)]
    monkeypatch.setattr(run, "read_figures", lambda corpora: figures)
    monkeypatch.setattr(run, "validation_tasks", lambda figures: validation_tasks(figures)[::-24])
    said = []
    made = run.train(tmp_path / "net.npz", Recipe(epochs=1), 0.005, 1, said.append, lambda done, total: None)
    assert made.names == SUBJECTS and 0 < made.threshold and set(made.card["validation"]) == {"ours", "crawl-tiles"}
    assert any(line.startswith("right in validation: crawl-tiles") for line in said)
    assert made.recognise([np.zeros((24, 24, 3), np.uint8)])[0].threshold == made.threshold


def test_networks_too_large_for_the_package_are_refused(tmp_path):
    with pytest.raises(PixelProofError, match="narrower"):
        write_network(tmp_path / "net.npz", [(np.zeros((1000, 1100)), np.zeros(1))], {})


def test_a_network_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PixelProofError, match="Cannot write.*--out"):
        write_network(tmp_path / "file" / "net.npz", [(np.zeros((2, 2)), np.zeros(2))], {})
