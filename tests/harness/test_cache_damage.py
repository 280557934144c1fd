"""Flipped bits in the cache: what is damaged is made again, and no number changes."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

from pixelproof.benches.sources import FrameCache
from pixelproof.contract import Answer, PixelProofError, Prompt, Source
from pixelproof.harness import Plan, Silent, _controls
from pixelproof.harness._judge import CachedJudge
from pixelproof.store import FrozenSet, freeze
from support import Guess

FLIPS = 4 * int(os.environ.get("PIXELPROOF_SOAK", "3"))
pytestmark = pytest.mark.soak


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def flips(path, count=FLIPS):
    """Flip a bit of a file, again and again; the file is restored after each."""
    good = path.read_bytes()
    rng = np.random.default_rng(len(good))
    for _ in range(count):
        flipped = bytearray(good)
        flipped[rng.integers(len(good))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(flipped))
        yield
        path.write_bytes(good)


@pytest.mark.attack("a flipped bit in the cache of floors and ceilings", lost="nothing: measured again")
def test_floors_and_ceilings(cache, monkeypatch, record_property):
    plan = Plan(Guess(n=6), Source("digits"))
    monkeypatch.setattr(_controls, "scorer_fingerprint", lambda bench: "the same")  # it reads the whole package
    whole = _controls.measure_controls(plan, "hash", 6, Silent())
    files = sorted((cache / "controls").iterdir())
    assert len(files) == len(whole) == 3
    for file in files:
        for _ in flips(file, -(-FLIPS // 3)):
            assert _controls.measure_controls(plan, "hash", 6, Silent()) == whole
            record_property("tries", 1)


@pytest.mark.attack("a flipped bit in the cache of the judge's answers", lost="nothing: asked again")
def test_answers_of_the_judge(cache, record_property):
    asked = []

    def ask(prompt, ask):
        asked.append(prompt)
        return Answer("yes, 7 of 10", logprobs=({"yes": -0.25},))

    judge = CachedJudge({"name": "judge"}, ask)
    prompt, where = Prompt(("Is it polite?",)), SimpleNamespace(order=0)
    first = judge(prompt, where)
    [file] = (file for file in (cache / "judgements").rglob("*") if file.is_file())
    for _ in flips(file):
        again = judge(prompt, where)
        assert (again.text, again.logprobs) == (first.text, first.logprobs)
        record_property("tries", 1)
    assert len(asked) > FLIPS / 2


@pytest.mark.attack("a flipped bit in the cache of rendered scenes", lost="nothing: rendered again")
def test_rendered_scenes(cache, record_property):
    frames = FrameCache(cache / "scenes")
    rng = np.random.default_rng(3)
    layers = {
        "rgb": rng.integers(0, 256, (8, 8, 3), np.uint8),
        "depth": rng.random((8, 8), np.float32),
        "ids": rng.integers(0, 9, (8, 8)).astype(np.uint16),
    }
    facts = {"objects": ["cup", "box"], "heights": [0.5, 1.25]}
    frames.arrays("a", layers, lambda names: {name: layers[name] for name in names})
    frames.facts("a", lambda: facts)
    for file in sorted((cache / "scenes").iterdir()):
        for _ in flips(file, -(-FLIPS // 4)):
            read = frames.arrays("a", layers, lambda names: {name: layers[name] for name in names})
            assert all(np.array_equal(read[name], layers[name]) for name in layers)
            assert frames.facts("a", lambda: facts) == facts
            record_property("tries", 1)


@pytest.mark.attack("a flipped bit in the manifest of a frozen set", lost="nothing: refused")
def test_frozen_sets(tmp_path, record_property):
    path = tmp_path / "set.json"
    frozen = freeze(path, "pixelart-v9", 7, {f"pixelart/{i}": f"{i:064x}" for i in range(12)})
    for _ in flips(path):
        try:
            assert FrozenSet.load(path) == frozen
        except PixelProofError as error:
            assert "set.json" in str(error)
        record_property("tries", 1)
