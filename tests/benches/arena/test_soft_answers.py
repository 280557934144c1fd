"""A perfect answer with soft edges has the calibrated score 1: its ceiling is the truth after the same blur."""

import json

import numpy as np
import pytest

import pixelproof as pp
from pixelproof.pixels import blur, encode_png

pytestmark = pytest.mark.slow


def shapes(seed, labels, side=96):
    """Discs and rectangles, whose outlines are straight in part."""
    rng = np.random.default_rng(seed)
    painted, (y, x) = np.zeros((side, side), np.uint8), np.mgrid[:side, :side]
    for number in range(5):
        left, top = rng.integers(0, side, 2)
        half = rng.integers(side // 8, side // 4)
        disc = (x - left) ** 2 + (y - top) ** 2 < half**2
        painted[(abs(x - left) < half) & (abs(y - top) < half) if number % 2 else disc] = rng.integers(1, labels)
    return painted


@pytest.mark.parametrize(("labels", "sigma"), [(2, 1.4), (5, 0.5), (19, 0.7), (19, 1.2), (134, 0.35)])
def test_perfect_answers_with_soft_edges_have_the_calibrated_score_1(
    tmp_path, shared_cache, monkeypatch, labels, sigma
):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    lattice = np.random.default_rng(1).permutation(343)[:labels]
    colours = np.stack([lattice % 7, lattice // 7 % 7, lattice // 49], 1).astype(np.uint8) * 42
    palette = {f"label {i}": colour.tolist() for i, colour in enumerate(colours)}
    (tmp_path / "palette.json").write_text(json.dumps(palette))
    for folder, softness in (("masks", 0.0), ("answers", sigma)):
        (tmp_path / folder).mkdir()
        for seed in range(2):
            image = blur(colours[shapes(seed, labels)], softness)
            (tmp_path / folder / f"{seed}.png").write_bytes(encode_png(image).data)
    run = pp.score(
        "arena",
        reference=str(tmp_path / "masks"),
        generated=str(tmp_path / "answers"),
        palette=str(tmp_path / "palette.json"),
        out=str(tmp_path / "run"),
    )
    for name in ("robust.f1", "robust.miou", "pixelarena.f1", "pixelarena.miou", "panoptic.pq"):
        calibrated = run.summary["metrics"][name]["calibrated"]
        value = calibrated["value"] if isinstance(calibrated, dict) else calibrated
        assert value == pytest.approx(1.0, abs=0.01), name
