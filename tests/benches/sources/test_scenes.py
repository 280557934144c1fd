"""Generated scenes of a toy world: what is cached is what is rendered."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from pixelproof.benches.sources import GeneratedScenes, SceneFacts
from pixelproof.stats import generator

CALLS = []


@dataclass(frozen=True)
class Stripes(GeneratedScenes):
    """Vertical stripes of random width, with all layers that a scene can have."""

    code: str = "1"

    name: ClassVar[str] = "stripes"

    @property
    def software(self):
        return self.code

    def describe(self, seed, index):
        CALLS.append("describe")
        width = int(generator(seed, self.stream, index).integers(1, 9))
        return SceneFacts(str(width), "stripes", ("stripe",), (0.5,))

    def render(self, seed, index, facts, layers):
        CALLS.append(tuple(layers))
        ids = np.arange(self.size)[None].repeat(self.size, 0) // int(facts.json) % 2
        tilt = np.stack([ids * 0.6, ids * 0.0, 1 - 0.2 * ids], -1).astype(np.float32)
        full = {"rgb": np.repeat(ids[..., None] * 200, 3, 2).astype(np.uint8), "ids": ids, "normals": tilt}
        return {name: full[name] for name in layers}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    CALLS.clear()
    return tmp_path


def test_scenes_are_described_and_rendered_once():
    first, again = Stripes("toy", 16), Stripes("toy", 16)
    fresh = first.layers(1, 0, ("rgb", "ids"))
    cached = again.layers(1, 0, ("rgb", "ids", "normals"))
    assert CALLS == ["describe", ("rgb", "ids"), ("normals",)]
    assert all(np.array_equal(fresh[name], cached[name]) and fresh[name].dtype == cached[name].dtype for name in fresh)
    assert again.facts(1, 0) == first.describe(1, 0)


def test_normals_are_unit_vectors_fresh_and_from_the_cache():
    scenes = Stripes("toy", 16)
    for _ in range(2):
        normals = scenes.layers(1, 0, ("normals",))["normals"]
        assert normals.dtype == np.float32 and np.allclose((normals**2).sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize("other", [Stripes("toy", 8), Stripes("other", 16), Stripes("toy", 16, "2")])
def test_other_sizes_streams_and_software_share_nothing(other):
    Stripes("toy", 16).layers(1, 0, ("rgb",))
    CALLS.clear()
    other.layers(1, 0, ("rgb",))
    assert CALLS == ["describe", ("rgb",)]


def test_damaged_files_are_rendered_again(cache):
    scenes = Stripes("toy", 16)
    good = scenes.layers(1, 0, ("rgb",))["rgb"]
    for path in cache.rglob("000000.*"):
        path.write_bytes(path.read_bytes()[:-3])
    assert np.array_equal(Stripes("toy", 16).layers(1, 0, ("rgb",))["rgb"], good)
