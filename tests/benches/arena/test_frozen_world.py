"""The frozen set of solid scenes: verified scene by scene, and refused under another edition of the world."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from pixelproof.benches.arena import Arena
from pixelproof.benches.arena.floors._memory import file_name
from pixelproof.benches.arena.sources import _world, open_source
from pixelproof.benches.sources import SceneFacts, SolidScenes
from pixelproof.contract import PixelProofError, Source
from pixelproof.world.solid import Camera, Light, Scene, SolidRecipe

pytest.importorskip("mujoco")
pytest.importorskip("embreex")


def facts(index: int, colour: str = "red") -> SceneFacts:
    """A scene without things, of which each index has another layout."""
    camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -1.0, 1.0))
    scene = Scene("tabletop", 1, index, (), camera, (Light((0.0, 0.0, 1.0), 0.1, (1.0,) * 3),), layout=colour)
    return SceneFacts(scene.to_json(), "tabletop", ("apple", "mug"), (1.0, 1.0))


@pytest.fixture
def frozen(tmp_path, monkeypatch):
    """A small frozen set of made-up scenes instead of the released one."""
    monkeypatch.setattr(SolidScenes, "facts", lambda self, seed, index: facts(index))
    path = tmp_path / "arena-v1.json"
    own = _world.frozen_source
    monkeypatch.setattr(_world, "frozen_source", lambda given=None: own(path))
    _world.freeze_set(4)
    return path


def test_a_frozen_set_ends_and_ignores_the_seed(frozen: Path) -> None:
    source = open_source("arena-v1")
    cases = [list(source.cases(seed)) for seed in (1, 2)]
    assert cases[0] == cases[1] and len(cases[0]) == 4
    items = list(Arena().items(Source("arena-v1"), 5, None))
    assert [item.id for item in items] == [f"arena/arena-v1/1/1-{index:06d}" for index in range(4)]
    assert len(list(Arena().items(Source("arena-v1"), 5, 2))) == 2


def test_a_scene_that_differs_is_refused_when_it_is_reached(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SolidScenes, "facts", lambda self, seed, index: facts(index, "blue" if index == 2 else "red"))
    cases = open_source("arena-v1").cases(1)
    assert len(list(islice(cases, 2))) == 2
    with pytest.raises(PixelProofError, match="Item 2 of arena-v1 differs from the frozen one"):
        next(cases)


def test_another_edition_is_refused_before_anything_is_generated(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SolidRecipe, "edition", SolidRecipe.edition + 1)
    with pytest.raises(PixelProofError, match=r"arena-v1 is a set of edition 2, .* generates edition 3: install"):
        open_source("arena-v1")


def test_its_floors_know_the_world() -> None:
    assert file_name("arena-v1") == file_name("world") != file_name("collage")


def test_it_needs_no_data(tmp_path: Path) -> None:
    with pytest.raises(PixelProofError, match="generates its images: leave out"):
        open_source("arena-v1", tmp_path)


def test_the_released_manifest_is_of_this_edition() -> None:
    path = Path(_world.__file__).with_name("arena-v1.json")
    assert len(_world.frozen_source().load()) == 60
    assert json.loads(path.read_text())["edition"] == SolidRecipe.edition == 2


@pytest.mark.slow
def test_the_first_scenes_are_those_of_the_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    cases = list(islice(open_source("arena-v1", size=64).cases(0), 3))
    assert {case.tags["scene"] for case in cases} == {"tabletop", "room", "shelf"}
