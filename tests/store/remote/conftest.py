"""A cache and a URL of their own for each test; the storage is fsspec's, in memory."""

import uuid

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec", reason="the extra s3 is not installed")
    return fsspec.filesystem("memory")


@pytest.fixture
def url(memory):
    return f"memory://bucket-{uuid.uuid4().hex}/runs/a"
