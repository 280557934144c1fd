"""Palettes of 300 and of 1,000 labels, from files to the summary."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from pixelproof.cli._app import program

pytestmark = pytest.mark.slow

SIDE = 96


def write_set(folder, count):
    """References as 16-bit index PNGs, answers painted: one perfect, one with a quarter of its blocks wrong."""
    rng = np.random.default_rng(count)
    codes = rng.permutation(12**3)[:count]
    colours = np.stack([codes // 144, codes // 12 % 12, codes % 12], axis=1) * 23
    names = [f"label {i}" for i in range(count)]
    (folder / "palette.json").write_text(json.dumps(dict(zip(names, colours.tolist(), strict=True))))
    truths, answers = {}, {}
    for name in ("a", "b"):
        cells = rng.permutation(count)[:64].reshape(8, 8)
        cells[0, 0] = count - 1
        wrong = cells.copy()
        if name == "b":
            wrong[:4, :4] = (wrong[:4, :4] + 1) % count
        truths[name], answers[name] = (part.repeat(12, 0).repeat(12, 1).astype(np.uint16) for part in (cells, wrong))
        truths[name][90:, 90:] = 65535
        for kind, picture in (("masks", truths[name]), ("answers", colours.astype(np.uint8)[answers[name]])):
            (folder / kind).mkdir(exist_ok=True)
            Image.fromarray(picture).save(folder / kind / f"{name}.png")
    return truths, answers


@pytest.mark.parametrize("count", [300, 1000])
def test_many_labels_are_scored_from_files_to_the_summary(tmp_path, monkeypatch, count):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    truths, answers = write_set(tmp_path, count)
    given = ["--reference", str(tmp_path / "masks"), "--generated", str(tmp_path / "answers")]
    calibrate = ["--calibrate", "1" if count == 1000 else "0"]  # floors of so many labels take seconds per item
    words = ["score", "arena", *given, "--palette", str(tmp_path / "palette.json"), "--json", *calibrate]
    summary = json.loads(CliRunner().invoke(program, words, standalone_mode=False).stdout)
    hits, predicted, actual = np.zeros((3, count))
    for name, truth in truths.items():
        known = truth != 65535
        p, r = answers[name][known].astype(int), truth[known].astype(int)
        hits += np.bincount(r[p == r], minlength=count)
        predicted += np.bincount(p, minlength=count)
        actual += np.bincount(r, minlength=count)
    there = actual > 0
    union = predicted + actual - hits
    areas = predicted[~there] / actual.sum()
    charge = np.maximum(areas, areas**2 / (areas**2 + 2.5e-7) / there.sum()).sum()
    expected = (hits[there] / union[there]).mean() / (1 + charge)
    assert summary["counts"]["completed"] == 2
    assert summary["metrics"]["robust.miou"]["value"] == pytest.approx(expected)
    assert summary["metrics"]["robust.accuracy"]["value"] < 1
