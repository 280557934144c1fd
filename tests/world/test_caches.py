"""Every cache of the world has a bound, so that memory stays flat however many scenes are made."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

from pixelproof import world
from pixelproof.world._memo import Memo
from pixelproof.world.solid import _settle
from pixelproof.world.solid.shapes import category, new_thing

FINITE = {"square", "disc", "probes", "_typical", "alike"}
"""Caches without a bound, by few keys: of sample patterns, one thing per category, and nouns."""


def caches():
    for found in pkgutil.walk_packages(world.__path__, "pixelproof.world."):
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if callable(getattr(value, "cache_info", None)) and value.__module__ == module.__name__:
                yield f"{module.__name__}.{name}", value.cache_info().maxsize
            elif isinstance(value, Memo):
                yield f"{module.__name__}.{name}", value._most


def test_every_cache_is_bounded():
    sizes = dict(caches())
    assert len(sizes) > 25, "caches are found"
    assert {name.rpartition(".")[2] for name, most in sizes.items() if most is None} <= FINITE


def model_of(scale: float):
    form = {key: sum(ends) / 2 for key, ends in category("mug").ranges.items()}
    mug = new_thing("mug", "mug", form, colour="red", material="ceramic", position=(0.0, 0.0, 0.0), scale=scale)
    return _settle.compile_model(_settle.bodies_of([mug]))[0]


def test_meshes_that_mujoco_keeps_are_bounded(monkeypatch):
    mujoco = pytest.importorskip("mujoco")
    cache = mujoco.mj_getCache()
    mujoco.mj_clearCache(cache)
    model_of(0.9)
    whole = mujoco.mj_getCacheSize(cache)
    monkeypatch.setattr(_settle, "MESH_CACHE", 3 * whole)
    assert whole > 0
    for step in range(20):
        model_of(0.8 + 0.01 * step)
        assert mujoco.mj_getCacheSize(cache) <= 5 * whole


def test_a_model_of_kept_meshes_is_the_same():
    mujoco = pytest.importorskip("mujoco")
    mujoco.mj_clearCache(mujoco.mj_getCache())
    models = []
    for _ in range(2):
        _settle.compile_model.cache_clear()
        models.append(model_of(1.05))
    for name in ("mesh_vert", "mesh_graph", "body_mass", "body_inertia", "body_ipos", "geom_pos", "geom_quat"):
        assert np.array_equal(getattr(models[0], name), getattr(models[1], name)), name
