"""URLs of storage: which are accepted, and what is said of the others."""

import sys
from pathlib import Path

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import is_url, local_path, origin_of, writable
from pixelproof.store.remote import push
from store.remote.support import fill


@pytest.mark.parametrize(
    ("text", "expected"),
    [("s3://b/x", True), ("GS://b", True), ("runs/a", False), ("C://x", False), ("a:b", False), ("s3:/b", False)],
)
def test_urls_and_paths_are_told_apart(text, expected):
    assert is_url(text) is expected


def test_a_missing_library_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(PixelProofError, match=r"Storage on s3:// needs fsspec: run pip install 'pixelproof\[s3\]'"):
        local_path("s3://bucket/run")


def test_a_path_stays_a_path(tmp_path):
    assert local_path(tmp_path / "a") == tmp_path / "a"
    with writable(tmp_path / "new") as path:
        assert path == tmp_path / "new"
    assert local_path(f"file://{tmp_path}/a%20b") == tmp_path / "a b"
    with writable(f"file://{tmp_path}/x") as path:
        assert path == tmp_path / "x"
    assert origin_of(tmp_path) == str(tmp_path)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s4://bucket/run", "no kind of storage 's4://'; did you mean"),
        ("https://host/run", "Choose one of: s3://"),
        ("s3://key:secretsecret@bucket/run", "must not contain credentials"),
        ("memory:///", "is no address of a folder"),
        ("s3://bucket/../other", "is no address"),
        ("s3://bucket/a\nb", "is no address"),
        ("file://host/run", "names another machine"),
    ],
)
def test_wrong_urls_are_a_sentence(url, message):
    for use in (local_path, lambda place: writable(place).__enter__()):
        with pytest.raises(PixelProofError, match=message) as caught:
            use(url)
        assert "secretsecret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["s3://KEY:top/hushhush@lab/x", "s3://KEY:hushhush@lab/x", "gs://user@hushhush/x", "file://u:hushhush@host/x"],
)
def test_credentials_in_urls_are_refused_and_not_repeated_or_stored(text, tmp_path):
    fill(tmp_path / "run")
    for use in (local_path, lambda url: writable(url).__enter__(), lambda url: push(tmp_path / "run", url)):
        with pytest.raises(PixelProofError, match="must not contain credentials") as caught:
            use(text)
        assert "hushhush" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*"))


@pytest.mark.parametrize("text", ["s3:/lab/run", "s3:lab/run", "S3:/lab", "gs:/lab/run", "file:/tmp/run"])
def test_urls_with_a_slash_too_few_are_refused(text):
    for use in (local_path, lambda place: writable(place).__enter__()):
        with pytest.raises(PixelProofError, match="write the URL .*with two slashes"):
            use(text)
        with pytest.raises(PixelProofError, match="write the URL .*with two slashes"):
            use(Path(text))


def test_long_names_are_refused(url):
    with pytest.raises(PixelProofError, match="more than 200 bytes"):
        writable(f"{url}/{'k' * 300}").__enter__()
